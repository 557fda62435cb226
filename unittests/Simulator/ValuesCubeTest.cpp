// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cube unit against three plain loops.

#include "ValuesTestSupport.h"

using namespace gc::npu;
using namespace gc::npu::test;

namespace {

struct MadCase {
  int64_t m, k, n;
  /// Fractals beyond what the sizes need.
  int64_t extraA, extraB, extraC;
};

const MadCase kMadCases[] = {
    {16, 16, 16, 0, 0, 0}, {64, 64, 48, 0, 0, 0},   {256, 64, 240, 0, 0, 0},
    {1, 1, 1, 0, 0, 0},    {17, 33, 18, 0, 0, 0},   {15, 100, 31, 2, 1, 3},
    {32, 47, 16, 1, 3, 0}, {16, 2016, 16, 0, 0, 0}, {20, 1, 16, 0, 2, 1},
    {6, 40, 100, 0, 0, 0}, {100, 65, 5, 1, 0, 2}};

class CubeTest : public ValuesTest {
protected:
  Address a{Space::l0a, 512}, b{Space::l0b, 0}, c{Space::l0c, 2048};

  Instruction makeMad(const MadCase &sizes, DType type, bool initialise) {
    int64_t m1 = (sizes.m + 15) / 16, n1 = (sizes.n + 15) / 16;
    int64_t k1 = (sizes.k + getC0(type) - 1) / getC0(type);
    Instruction in(Opcode::mad);
    in.type = type;
    in.dst = c;
    in.src0 = a;
    in.src1 = b;
    in.initialise = initialise;
    in.mad = {sizes.m,           sizes.k,           sizes.n,
              k1 + sizes.extraA, n1 + sizes.extraB, m1 + sizes.extraC};
    return in;
  }

  /// Indices of elements.
  static int64_t inA(const Instruction &in, int64_t m, int64_t k) {
    int64_t k0 = getC0(in.type);
    return ((m / 16 * in.mad.aStride + k / k0) * 16 + m % 16) * k0 + k % k0;
  }
  static int64_t inB(const Instruction &in, int64_t k, int64_t n) {
    int64_t k0 = getC0(in.type);
    return ((k / k0 * in.mad.bStride + n / 16) * 16 + n % 16) * k0 + k % k0;
  }
  static int64_t inC(const Instruction &in, int64_t m, int64_t n) {
    return ((n / 16 * in.mad.cStride + m / 16) * 16 + m % 16) * 16 + n % 16;
  }

  /// Sums of f32 in the documented order: k ascends, every sum is rounded.
  void multiplyHalves(const Instruction &in) {
    for (int64_t m = 0; m < in.mad.m; ++m)
      for (int64_t n = 0; n < in.mad.n; ++n) {
        float sum = in.initialise ? 0 : get<float>(c, inC(in, m, n));
        for (int64_t k = 0; k < in.mad.k; ++k) {
          double product = getNumber(DType::f16, in.src0, inA(in, m, k)) *
                           getNumber(DType::f16, in.src1, inB(in, k, n));
          // The product is exact; one of f32's sums rounded from double is
          // rounded once.
          sum = static_cast<float>(sum + product);
        }
        set(c, inC(in, m, n), sum);
      }
  }

  void multiplyBytes(const Instruction &in) {
    for (int64_t m = 0; m < in.mad.m; ++m)
      for (int64_t n = 0; n < in.mad.n; ++n) {
        int64_t sum = in.initialise ? 0 : get<int32_t>(c, inC(in, m, n));
        for (int64_t k = 0; k < in.mad.k; ++k)
          sum += int64_t(get<int8_t>(in.src0, inA(in, m, k))) *
                 get<int8_t>(in.src1, inB(in, k, n));
        set(c, inC(in, m, n), static_cast<int32_t>(sum));
      }
  }
};

TEST_F(CubeTest, HalvesIntoFloats) {
  for (const MadCase &sizes : kMadCases)
    for (bool initialise : {true, false}) {
      SCOPED_TRACE(sizes.m * 1000000 + sizes.k * 1000 + sizes.n);
      // Numbers whose sums round: results depend on the order.
      for (int64_t i = 0; i < 32400; ++i) {
        set(a, i,
            encodeHalf(
                std::ldexp(int(random() % 2047) - 1023, -int(random() % 12))));
        set(b, i,
            encodeHalf(
                std::ldexp(int(random() % 2047) - 1023, -int(random() % 20))));
      }
      fillSmall(DType::f32, c, 65000);
      Instruction in = makeMad(sizes, DType::f16, initialise);
      run(in);
      multiplyHalves(in);
      expectEqual();
    }
}

// Infinities, NaN and subnormal numbers reach the elements they belong to; what
// is in the operands beyond m, n and k affects none.
TEST_F(CubeTest, SpecialHalves) {
  for (const MadCase &sizes :
       {MadCase{17, 33, 18, 0, 0, 0}, {5, 3, 4, 0, 0, 0}})
    for (bool initialise : {true, false}) {
      fillSmall(DType::f16, a, 32000);
      fillSmall(DType::f16, b, 32000);
      fillSmall(DType::f32, c, 65000);
      Instruction in = makeMad(sizes, DType::f16, initialise);
      for (int64_t m = 0; m < 32; ++m)
        for (int64_t k = 0; k < 48; ++k)
          if ((m >= sizes.m || k >= sizes.k) && m / 16 <= sizes.m / 16 &&
              k / 16 <= sizes.k / 16)
            set<uint16_t>(a, inA(in, m, k), 0x7e00);
      for (int64_t n = 0; n < 32; ++n)
        for (int64_t k = 0; k < 48; ++k)
          if ((n >= sizes.n || k >= sizes.k) && n / 16 <= sizes.n / 16 &&
              k / 16 <= sizes.k / 16)
            set<uint16_t>(b, inB(in, k, n), 0x7c00);
      set<uint16_t>(a, inA(in, 0, 0), 0x7c00); // infinity
      set<uint16_t>(a, inA(in, 1, 1), 0x7e00); // NaN
      set<uint16_t>(a, inA(in, 2, 2), 0x0001); // the least number
      set<uint16_t>(b, inB(in, 2, 0), 0x0001);
      set<uint16_t>(a, inA(in, 3, 2), 0x7bff); // the largest
      set<uint16_t>(b, inB(in, 2, 1), 0x7bff);
      run(in);
      multiplyHalves(in);
      expectEqual(DType::f32, c, 4096);
    }
}

TEST_F(CubeTest, BytesIntoIntegers) {
  for (const MadCase &sizes : kMadCases)
    for (bool initialise : {true, false})
      for (bool extreme : {false, true}) {
        SCOPED_TRACE(sizes.m * 1000000 + sizes.k * 1000 + sizes.n);
        for (int64_t i = 0; i < 64000; ++i) {
          // Products of the largest magnitude: sums leave the exact range of
          // f32.
          set(a, i, extreme ? int8_t(-128) : static_cast<int8_t>(random()));
          set(b, i, extreme ? int8_t(-128) : static_cast<int8_t>(random()));
        }
        for (int64_t i = 0; i < 65000; ++i)
          set(c, i, static_cast<int32_t>(random()) >> 6);
        Instruction in = makeMad(sizes, DType::s8, initialise);
        run(in);
        multiplyBytes(in);
        expectEqual();
      }
}

TEST_F(CubeTest, IntegerSumsWrapAround) {
  Instruction in = makeMad({1, 1, 1, 0, 0, 0}, DType::s8, false);
  set<int8_t>(a, 0, 127);
  set<int8_t>(b, 0, 127);
  set<int32_t>(c, 0, INT32_MAX);
  run(in);
  set<int32_t>(c, 0, INT32_MIN + 127 * 127 - 1);
  expectEqual();
}

// K cut into mads gives what one mad gives, bit for bit.
TEST_F(CubeTest, SlicesOfKContinue) {
  fillSmall(DType::f16, a, 32000);
  for (int64_t i = 0; i < 32400; ++i)
    set(b, i, encodeHalf(std::ldexp(int(random() % 2047) - 1023, -9)));
  Instruction whole = makeMad({32, 128, 32, 0, 0, 0}, DType::f16, true);
  multiplyHalves(whole);
  Instruction first = whole, second = whole;
  first.mad.k = second.mad.k = 64;
  second.initialise = false;
  second.src0 = a + 4 * 512;
  second.src1 = b + 4 * 2 * 512;
  run(first);
  // The second continues from the first's result.
  int64_t tile = 1024;
  std::vector<std::byte> expectedTile(at(c), at(c) + 4 * tile);
  multiplyHalves(first);
  run(second);
  multiplyHalves(second);
  EXPECT_EQ(std::memcmp(at(c), expectedTile.data(), expectedTile.size()), 0);
  expectEqual();
}

//===----------------------------------------------------------------------===//
// L0C to UB
//===----------------------------------------------------------------------===//

struct DrainCase {
  int64_t m, n, extraRows, width;
};

TEST_F(CubeTest, Drain) {
  struct Types {
    DType from, to;
  };
  for (Types types : {Types{DType::f32, DType::f32},
                      {DType::f32, DType::f16},
                      {DType::s32, DType::s32},
                      {DType::s32, DType::s8},
                      {DType::s32, DType::f16}})
    for (DrainCase sizes : {DrainCase{16, 16, 0, 16},
                            {64, 96, 0, 16},
                            {17, 70, 3, 32},
                            {1, 1, 0, 16},
                            {40, 64, 8, 32},
                            {20, 30, 0, 8}})
      for (bool relu : {false, true}) {
        SCOPED_TRACE(std::string(getName(types.from)) + " to " +
                     getName(types.to));
        fillEdges(types.from, c, 60000);
        int64_t m1 = (sizes.m + 15) / 16, rows = sizes.m + sizes.extraRows;
        Address ub(Space::ub, 640);
        Instruction in(Opcode::drain);
        in.type = types.from;
        in.dstType = types.to;
        in.dst = ub;
        in.src0 = c;
        in.relu = relu;
        in.drain = {sizes.m, sizes.n, m1 + 1, rows, sizes.width};
        run(in);
        for (int64_t m = 0; m < sizes.m; ++m)
          for (int64_t n = 0; n < sizes.n; ++n) {
            double value = getNumber(
                types.from, c,
                ((n / 16 * (m1 + 1) + m / 16) * 16 + m % 16) * 16 + n % 16);
            if (relu && value <= 0)
              value = 0;
            int64_t to =
                (n / sizes.width * rows + m) * sizes.width + n % sizes.width;
            if (types.from == DType::s32 && types.to == DType::f16)
              value = static_cast<float>(value);
            setNumber(types.to, ub, to, value);
          }
        expectEqual(types.to, ub,
                    (sizes.n + sizes.width) / sizes.width * rows * sizes.width);
      }
}

TEST_F(CubeTest, DrainRoundsOverflowsAndSaturates) {
  struct Case {
    float from;
    uint16_t to;
  };
  Address ub(Space::ub, 0);
  Instruction in(Opcode::drain);
  in.type = DType::f32;
  in.dstType = DType::f16;
  in.dst = ub;
  in.src0 = c;
  in.drain = {1, 6, 1, 1, 16};
  int64_t i = 0;
  for (Case value : {Case{65520, 0x7c00},
                     {-70000, 0xfc00},
                     {2049, 0x6800},
                     {2051, 0x6802},
                     {0x1p-24f, 0x0001},
                     {0x1p-25f, 0x0000}}) {
    set(c, i, value.from);
    set(ub, i++, uint16_t(0));
  }
  run(in);
  i = 0;
  for (uint16_t half : {0x7c00, 0xfc00, 0x6800, 0x6802, 0x0001, 0x0000})
    set(ub, i++, half);
  expectEqual();

  in.type = DType::s32;
  in.dstType = DType::s8;
  in.drain = {1, 5, 1, 1, 32};
  i = 0;
  for (int32_t value : {127, 128, -129, INT32_MIN, -1})
    set(c, i++, value);
  run(in);
  i = 0;
  for (int8_t value : {127, 127, -128, -128, -1})
    set(ub, i++, value);
  expectEqual();
}

} // namespace
