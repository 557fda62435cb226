// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vector instructions, each against its definition worked out lane by lane in
// double precision and rounded to f32, then to the destination.

#include "ValuesTestSupport.h"

#include <functional>

using namespace gc::npu;
using namespace gc::npu::test;

namespace {

constexpr uint64_t kAll = ~uint64_t(0);

struct Layout {
  int64_t repeat;
  uint64_t maskLow, maskHigh;
  int64_t dstBlock, dstRepeat, src0Block, src0Repeat, src1Block, src1Repeat;
};

const Layout kLayouts[] = {
    {4, kAll, kAll, 1, 8, 1, 8, 1, 8},
    {1, kAll, 0, 1, 8, 1, 8, 1, 8},
    // Gaps between blocks and between repeats, a source that repeats a block.
    {3, kAll, kAll, 2, 17, 3, 25, 0, 1},
    {5, kAll, kAll, 1, 9, 1, 0, 1, 8},
    // Tails, holes, single lanes.
    {3, 0x00000000000fffff, 0, 1, 8, 1, 8, 1, 8},
    {3, 0xf0f0123456789abc, 0x8000000000000001, 2, 17, 1, 8, 1, 8},
    {2, 0, 0x00000000ffff0000, 1, 8, 1, 8, 1, 8},
    {255, 1, 0, 1, 1, 1, 1, 1, 1},
};

class VectorTest : public ValuesTest {
protected:
  Address dst{Space::ub, 160 * 1024}, src0{Space::ub, 32},
      src1{Space::ub, 80 * 1024}, bits{Space::ub, 150 * 1024};
  static constexpr int64_t kSourceBytes = 70 * 1024;

  Instruction make(VectorOp op, DType dstType, DType type, Layout layout,
                   double scalar = 0) {
    Instruction in(Opcode::vector);
    in.vectorOp = op;
    in.dstType = dstType;
    in.type = type;
    in.dst = dst;
    in.src0 = src0;
    in.src1 = src1;
    in.src2 = bits;
    in.vector = {layout.repeat,     layout.maskLow,
                 layout.maskHigh,   layout.dstBlock,
                 layout.dstRepeat,  layout.src0Block,
                 layout.src0Repeat, layout.src1Block,
                 layout.src1Repeat, scalar};
    return in;
  }

  static bool isOn(const Instruction &in, int64_t lane) {
    uint64_t word = lane < 64 ? in.vector.maskLow : in.vector.maskHigh;
    return word >> lane % 64 & 1;
  }
  static int64_t lanesOf(DType type) { return 256 / getBytes(type); }

  /// Index of a lane among an operand's elements.
  static int64_t indexOf(DType type, int64_t repeat, int64_t lane,
                         int64_t blockStride, int64_t repeatStride) {
    int64_t c0 = 32 / getBytes(type);
    return (repeat * repeatStride + lane / c0 * blockStride) * c0 + lane % c0;
  }
  int64_t inDst(const Instruction &in, int64_t repeat, int64_t lane) {
    return indexOf(in.dstType, repeat, lane, in.vector.dstBlock,
                   in.vector.dstRepeat);
  }
  double getSrc0(const Instruction &in, int64_t repeat, int64_t lane) {
    return getNumber(in.type, src0,
                     indexOf(in.type, repeat, lane, in.vector.src0Block,
                             in.vector.src0Repeat));
  }
  double getSrc1(const Instruction &in, int64_t repeat, int64_t lane) {
    return getNumber(in.type, src1,
                     indexOf(in.type, repeat, lane, in.vector.src1Block,
                             in.vector.src1Repeat));
  }

  void fillSources(DType type) {
    fillEdges(type, src0, kSourceBytes / getBytes(type));
    fillEdges(type, src1, kSourceBytes / getBytes(type));
    fillEdges(DType::s8, dst, kSourceBytes);
  }
  void expectDst(DType type) {
    expectEqual(type, dst, kSourceBytes / getBytes(type));
  }

  using Function = std::function<double(double, double)>;
  /// `f` is exact, or rounds to double.
  void expectElementwise(VectorOp op, const Function &f, double scalar = 0) {
    for (DType type : {DType::f16, DType::f32})
      for (const Layout &layout : kLayouts) {
        SCOPED_TRACE(std::string(getName(op)) + " " + getName(type));
        fillSources(type);
        Instruction in = make(op, type, type, layout, scalar);
        run(in);
        for (int64_t r = 0; r < layout.repeat; ++r)
          for (int64_t lane = 0; lane < lanesOf(type); ++lane)
            if (isOn(in, lane))
              setNumber(type, dst, inDst(in, r, lane),
                        static_cast<float>(
                            f(getSrc0(in, r, lane), getSrc1(in, r, lane))));
        expectDst(type);
      }
  }
};

double getMaximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : a > b ? a : b;
}
double getMinimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : a < b ? a : b;
}

TEST_F(VectorTest, Binary) {
  // Each in double precision and then rounded to f32 is rounded as once.
  expectElementwise(VectorOp::add, [](double a, double b) { return a + b; });
  expectElementwise(VectorOp::sub, [](double a, double b) { return a - b; });
  expectElementwise(VectorOp::mul, [](double a, double b) { return a * b; });
  expectElementwise(VectorOp::div, [](double a, double b) { return a / b; });
  expectElementwise(VectorOp::max, getMaximum);
  expectElementwise(VectorOp::min, getMinimum);
}

TEST_F(VectorTest, WithScalar) {
  for (float s : {0.0f, -1.5f, 0.1f, 60000.0f, INFINITY, 0x1p-20f}) {
    expectElementwise(
        VectorOp::adds, [=](double a, double) { return a + s; }, s);
    expectElementwise(
        VectorOp::muls, [=](double a, double) { return a * s; }, s);
  }
}

TEST_F(VectorTest, Unary) {
  expectElementwise(VectorOp::relu, [](double a, double) {
    return std::isnan(a) ? a : a > 0 ? a : 0;
  });
  expectElementwise(VectorOp::abs,
                    [](double a, double) { return std::fabs(a); });
  expectElementwise(VectorOp::sqrt,
                    [](double a, double) { return std::sqrt(a); });
  expectElementwise(VectorOp::rsqrt,
                    [](double a, double) { return 1 / std::sqrt(a); });
  expectElementwise(VectorOp::reciprocal,
                    [](double a, double) { return 1 / a; });
}

// The host's functions are within an ulp of f32: f16 results are the nearest
// number or next to it, f32 results within two ulps.
TEST_F(VectorTest, ExpAndLog) {
  for (VectorOp op : {VectorOp::exp, VectorOp::log})
    for (DType type : {DType::f16, DType::f32}) {
      fillSources(type);
      if (type == DType::f16)
        for (int64_t i = 0; i < 0x8000; ++i)
          set(src0, i, static_cast<uint16_t>(2 * i + (op == VectorOp::exp)));
      Layout layout = {255, kAll, kAll, 1, 8, 1, 8, 1, 8};
      Instruction in = make(op, type, type, layout);
      std::vector<double> wanted;
      for (int64_t r = 0; r < layout.repeat; ++r)
        for (int64_t lane = 0; lane < lanesOf(type); ++lane) {
          double a = getSrc0(in, r, lane);
          wanted.push_back(op == VectorOp::exp ? std::exp(a) : std::log(a));
        }
      run(in);
      takeResults(dst, kSourceBytes);
      double unit = type == DType::f16 ? 0x1p-11 : 0x1p-23;
      double least = type == DType::f16 ? 0x1p-24 : 0x1p-149;
      for (size_t i = 0; i < wanted.size(); ++i) {
        double found = getNumber(type, dst, i), want = wanted[i];
        if (std::isnan(want)) {
          ASSERT_TRUE(std::isnan(found));
          continue;
        }
        if (type == DType::f16)
          want = decodeHalf(encodeHalf(want));
        else
          want = static_cast<float>(want);
        if (std::isinf(want))
          ASSERT_EQ(found, want);
        else
          ASSERT_NEAR(found, want, std::fabs(want) * 2 * unit + least) << i;
      }
      expectEqual();
    }
}

TEST_F(VectorTest, InPlaceAndOverlapping) {
  // Repeat r reads what repeat r - 1 has written.
  fillSmall(DType::f32, src0, 4096);
  Instruction in = make(VectorOp::adds, DType::f32, DType::f32,
                        {6, kAll, 0, 1, 8, 1, 8, 1, 8}, 1);
  in.dst = src0 + 256;
  run(in);
  for (int64_t i = 0; i < 6 * 64; ++i)
    set(src0, i + 64, get<float>(src0, i) + 1);
  expectEqual();
  // All of a repeat is read before any of it is written.
  in = make(VectorOp::copy, DType::f32, DType::f32,
            {1, kAll, 0, 1, 8, 1, 8, 1, 8});
  in.dst = src0 + 32;
  run(in);
  for (int64_t i = 63; i >= 0; --i)
    set(src0, i + 8, get<uint32_t>(src0, i));
  expectEqual();
}

TEST_F(VectorTest, Converts) {
  const DType types[] = {DType::f16, DType::f32, DType::s8, DType::s32};
  for (DType from : types)
    for (DType to : types)
      for (const Layout &layout : kLayouts) {
        if (from == to)
          continue;
        SCOPED_TRACE(std::string(getName(from)) + " to " + getName(to));
        fillSources(from);
        Instruction in = make(VectorOp::convert, to, from, layout);
        run(in);
        // Repeats count the wider type.
        int64_t lanes = std::min(lanesOf(from), lanesOf(to));
        for (int64_t r = 0; r < layout.repeat; ++r)
          for (int64_t lane = 0; lane < lanes; ++lane)
            if (isOn(in, lane))
              setNumber(to, dst, inDst(in, r, lane),
                        static_cast<float>(getSrc0(in, r, lane)));
        expectDst(to);
      }
}

TEST_F(VectorTest, ConvertsTiesAndLimits) {
  struct Case {
    float from;
    int32_t s32;
    int8_t s8;
  };
  const Case cases[] = {{0.5f, 0, 0},
                        {1.5f, 2, 2},
                        {-2.5f, -2, -2},
                        {127.5f, 128, 127},
                        {-128.5f, -128, -128},
                        {-129.5f, -130, -128},
                        {3e9f, INT32_MAX, 127},
                        {-INFINITY, INT32_MIN, -128},
                        {NAN, 0, 0},
                        {8388607.5f, 8388608, 127},
                        {-0x1p31f, INT32_MIN, -128}};
  for (DType to : {DType::s32, DType::s8}) {
    Instruction in = make(VectorOp::convert, to, DType::f32,
                          {1, 0x7ff, 0, 1, 8, 1, 8, 1, 8});
    for (size_t i = 0; i < std::size(cases); ++i)
      set(src0, i, cases[i].from);
    run(in);
    for (size_t i = 0; i < std::size(cases); ++i)
      if (to == DType::s32)
        set(dst, i, cases[i].s32);
      else
        set(dst, i, cases[i].s8);
    expectEqual();
  }
}

bool compares(VectorOp op, double a, double b) {
  switch (op) {
  case VectorOp::compareEq:
    return a == b;
  case VectorOp::compareNe:
    return a != b;
  case VectorOp::compareLt:
    return a < b;
  case VectorOp::compareLe:
    return a <= b;
  case VectorOp::compareGt:
    return a > b;
  default:
    return a >= b;
  }
}

TEST_F(VectorTest, CompareToBits) {
  for (DType type : {DType::f16, DType::f32})
    for (VectorOp op :
         {VectorOp::compareEq, VectorOp::compareNe, VectorOp::compareLt,
          VectorOp::compareLe, VectorOp::compareGt, VectorOp::compareGe})
      for (const Layout &layout : kLayouts) {
        SCOPED_TRACE(std::string(getName(op)) + " " + getName(type));
        fillSources(type);
        // Equal numbers have to occur.
        for (int64_t i = 0; i < 4096; i += 3)
          setNumber(type, src1, i, getNumber(type, src0, i));
        Instruction in = make(op, type, type, layout);
        run(in);
        int64_t lanes = lanesOf(type);
        for (int64_t r = 0; r < layout.repeat; ++r)
          for (int64_t lane = 0; lane < lanes; ++lane) {
            int64_t bit = r * lanes + lane;
            auto byte = get<uint8_t>(dst, bit / 8);
            bool on = isOn(in, lane) &&
                      compares(op, getSrc0(in, r, lane), getSrc1(in, r, lane));
            byte = (byte & ~(1 << bit % 8)) | on << bit % 8;
            set(dst, bit / 8, byte);
          }
        expectEqual();
      }
}

TEST_F(VectorTest, SelectByBits) {
  for (DType type : {DType::f16, DType::f32})
    for (const Layout &layout : kLayouts) {
      fillSources(type);
      Instruction in = make(VectorOp::select, type, type, layout);
      run(in);
      int64_t lanes = lanesOf(type);
      for (int64_t r = 0; r < layout.repeat; ++r)
        for (int64_t lane = 0; lane < lanes; ++lane) {
          int64_t bit = r * lanes + lane;
          bool first = get<uint8_t>(bits, bit / 8) >> bit % 8 & 1;
          if (isOn(in, lane))
            setNumber(type, dst, inDst(in, r, lane),
                      first ? getSrc0(in, r, lane) : getSrc1(in, r, lane));
        }
      expectDst(type);
    }
}

TEST_F(VectorTest, CopyKeepsBits) {
  for (DType type : {DType::f16, DType::f32, DType::s32})
    for (const Layout &layout : kLayouts) {
      fillSources(DType::s8); // any bits
      Instruction in = make(VectorOp::copy, type, type, layout);
      run(in);
      for (int64_t r = 0; r < layout.repeat; ++r)
        for (int64_t lane = 0; lane < lanesOf(type); ++lane)
          if (isOn(in, lane)) {
            int64_t size = getBytes(type);
            std::memcpy(at(dst + inDst(in, r, lane) * size),
                        at(src0 + indexOf(type, r, lane, layout.src0Block,
                                          layout.src0Repeat) *
                                      size),
                        size);
          }
      expectEqual();
    }
}

TEST_F(VectorTest, Dup) {
  for (DType type : {DType::f16, DType::f32, DType::s32})
    for (double value : {0.0, -1.5, 65520.0, 1e-7, 2147483647.0, 16777217.0})
      for (const Layout &layout : kLayouts) {
        fillSources(type);
        Instruction in = make(VectorOp::dup, type, type, layout, value);
        run(in);
        // A register of s32 holds all integers.
        double held = type == DType::s32 ? value : static_cast<float>(value);
        for (int64_t r = 0; r < layout.repeat; ++r)
          for (int64_t lane = 0; lane < lanesOf(type); ++lane)
            if (isOn(in, lane))
              setNumber(type, dst, inDst(in, r, lane), held);
        expectDst(type);
      }
}

TEST_F(VectorTest, Transposes16x16) {
  for (const Layout &layout : {Layout{1, kAll, kAll, 1, 16, 1, 16, 1, 8},
                               Layout{3, 0, 0, 4, 1, 1, 16, 1, 8},
                               Layout{4, kAll, kAll, 1, 16, 8, 1, 1, 8}}) {
    fillSources(DType::s8);
    Instruction in = make(VectorOp::transpose, DType::f16, DType::f16, layout);
    run(in);
    for (int64_t r = 0; r < layout.repeat; ++r)
      for (int64_t i = 0; i < 16; ++i)
        for (int64_t j = 0; j < 16; ++j)
          set(dst, (r * layout.dstRepeat + j * layout.dstBlock) * 16 + i,
              get<uint16_t>(
                  src0,
                  (r * layout.src0Repeat + i * layout.src0Block) * 16 + j));
    expectEqual();
  }
}

TEST_F(VectorTest, Transposes8x8) {
  for (const Layout &layout : {Layout{1, kAll, kAll, 1, 8, 1, 8, 1, 8},
                               Layout{3, 0, 0, 4, 1, 1, 8, 1, 8}}) {
    fillSources(DType::s8);
    Instruction in = make(VectorOp::transpose, DType::f32, DType::f32, layout);
    run(in);
    for (int64_t r = 0; r < layout.repeat; ++r)
      for (int64_t i = 0; i < 8; ++i)
        for (int64_t j = 0; j < 8; ++j)
          set(dst, (r * layout.dstRepeat + j * layout.dstBlock) * 8 + i,
              get<uint32_t>(src0,
                            (r * layout.src0Repeat + i * layout.src0Block) * 8 +
                                j));
    expectEqual();
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

struct Reduction {
  VectorOp repeat, group;
  float neutral;
  double (*combine)(double, double);
};

const Reduction kReductions[] = {
    {VectorOp::reduceSum, VectorOp::groupSum, -0.0f,
     [](double a, double b) { return a + b; }},
    {VectorOp::reduceMax, VectorOp::groupMax, -INFINITY, getMaximum},
    {VectorOp::reduceMin, VectorOp::groupMin, INFINITY, getMinimum}};

/// The documented order: the sum of two halves, each done the same way.
float reduceTree(const Reduction &reduction, const std::vector<float> &values,
                 size_t first, size_t count) {
  if (count == 1)
    return values[first];
  return static_cast<float>(reduction.combine(
      reduceTree(reduction, values, first, count / 2),
      reduceTree(reduction, values, first + count / 2, count / 2)));
}

TEST_F(VectorTest, Reductions) {
  for (const Reduction &reduction : kReductions)
    for (bool group : {false, true})
      for (DType type : {DType::f16, DType::f32})
        for (DType dstType : {DType::f16, DType::f32})
          for (const Layout &layout : kLayouts)
            for (bool edges : {false, true}) {
              bool isSum = reduction.repeat == VectorOp::reduceSum;
              if (dstType != type && !(isSum && dstType == DType::f32))
                continue;
              VectorOp op = group ? reduction.group : reduction.repeat;
              SCOPED_TRACE(std::string(getName(op)) + " " + getName(type));
              fillSources(type);
              if (!edges) // sums that round, and no infinities
                for (int64_t i = 0; i < kSourceBytes / getBytes(type); ++i)
                  setNumber(type, src0, i,
                            std::ldexp(int(random() % 4001) - 2000,
                                       -int(random() % 16)));
              Instruction in = make(op, dstType, type, layout);
              run(in);
              int64_t lanes = lanesOf(type), next = 0;
              int64_t size = group ? 32 / getBytes(type) : lanes;
              for (int64_t r = 0; r < layout.repeat; ++r)
                for (int64_t first = 0; first < lanes; first += size) {
                  std::vector<float> values;
                  bool any = false;
                  for (int64_t lane = first; lane < first + size; ++lane) {
                    any |= isOn(in, lane);
                    values.push_back(isOn(in, lane) ? getSrc0(in, r, lane)
                                                    : reduction.neutral);
                  }
                  if (any)
                    setNumber(dstType, dst, next++,
                              reduceTree(reduction, values, 0, size));
                }
              expectDst(dstType);
            }
}

TEST_F(VectorTest, ReductionSumsInFloats) {
  // 2048 + 1 is 2048 in f16: sums are f32 until the end. In pairs of
  // neighbours: (2048 + 1) + (1 + 1).
  Instruction in = make(VectorOp::reduceSum, DType::f16, DType::f16,
                        {1, 0xf, 0, 1, 8, 1, 8, 1, 8});
  for (int64_t i = 0; i < 4; ++i)
    set<uint16_t>(src0, i, encodeHalf(i ? 1 : 2048));
  run(in);
  set(dst, 0, encodeHalf(2052)); // 2051, to even
  expectEqual();
}

TEST_F(VectorTest, EmptyMaskDoesNothing) {
  for (VectorOp op : {VectorOp::add, VectorOp::reduceSum, VectorOp::groupMax,
                      VectorOp::dup, VectorOp::copy, VectorOp::convert}) {
    DType to = op == VectorOp::convert ? DType::f32 : DType::f16;
    run(make(op, to, DType::f16, {3, 0, 0, 1, 8, 1, 8, 1, 8}, 1));
    expectEqual();
  }
}

} // namespace
