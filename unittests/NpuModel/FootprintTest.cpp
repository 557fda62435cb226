// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Footprints against the definition of each instruction, element by element.

#include "NpuModel/Instruction.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

using namespace gc::npu;

namespace {
using Bytes = std::set<std::pair<uint64_t, Access>>;

/// The elements that an instruction touches by definition.
class Enumeration {
public:
  explicit Enumeration(const Instruction &in) : in(in) {}

  Bytes get() {
    switch (in.opcode) {
    case Opcode::dma:
      addDma();
      break;
    case Opcode::pack:
      addPack();
      break;
    case Opcode::unpack:
      addUnpack();
      break;
    case Opcode::load2d:
      for (int64_t i = 0; i < in.load2d.fractals; ++i) {
        add(in.src0, i * in.load2d.srcStride * 512, 512, Access::read);
        add(in.dst, i * in.load2d.dstStride * 512, 512, Access::write);
      }
      break;
    case Opcode::load3d:
      addLoad3d();
      break;
    case Opcode::mad:
      addMad();
      break;
    case Opcode::drain:
      addDrain();
      break;
    case Opcode::vector:
      addVector();
      break;
    default:
      break;
    }
    return bytes;
  }

private:
  void add(Address address, int64_t offset, int64_t count, Access access) {
    for (int64_t i = 0; i < count; ++i)
      bytes.insert({(address + offset + i).bits, access});
  }

  void addDma() {
    for (int64_t i = 0; i < in.dma.bursts; ++i) {
      add(in.src0, i * in.dma.srcStride, in.dma.bytes, Access::read);
      int64_t written = in.dma.bytes;
      while (in.dst.getSpace() != Space::gm && written % 32)
        ++written;
      add(in.dst, i * in.dma.dstStride, written,
          in.accumulate ? Access::accumulate : Access::write);
    }
  }

  void addPack() {
    int64_t size = getBytes(in.type), c0 = 32 / size;
    for (int64_t r = 0; r < in.box.rows; ++r)
      for (int64_t c = 0; c < in.box.columns; ++c)
        add(in.src0, (r * in.box.pitch + c) * size, size, Access::read);
    for (int64_t r = 0; r < in.box.paddedRows; ++r)
      for (int64_t c = 0; c < in.box.blocks * c0; ++c)
        add(in.dst, ((c / c0 * in.box.localRows + r) * c0 + c % c0) * size,
            size, Access::write);
  }

  void addUnpack() {
    int64_t size = getBytes(in.type), width = in.box.width;
    for (int64_t r = 0; r < in.box.rows; ++r)
      for (int64_t c = 0; c < in.box.columns; ++c) {
        add(in.src0,
            ((c / width * in.box.localRows + r) * width + c % width) * size,
            size, Access::read);
        add(in.dst, (r * in.box.pitch + c) * size, size,
            in.accumulate ? Access::accumulate : Access::write);
      }
  }

  void addLoad3d() {
    const Instruction::Load3d &l = in.load3d;
    int64_t size = getBytes(in.type), c0 = 32 / size;
    for (int64_t m = l.mStart; m < l.mStart + l.mCount; ++m)
      for (int64_t k = l.kStart; k < l.kStart + l.kCount; ++k) {
        int64_t kw = k / c0 % l.kernelW, kh = k / c0 / l.kernelW % l.kernelH,
                c1 = k / c0 / l.kernelW / l.kernelH;
        int64_t h = m / l.outWidth * l.strideH + kh - l.padTop;
        int64_t w = m % l.outWidth * l.strideW + kw - l.padLeft;
        if (h >= 0 && h < l.height && w >= 0 && w < l.width)
          add(in.src0,
              (((c1 * l.height + h) * l.width + w) * c0 + k % c0) * size, size,
              Access::read);
      }
    add(in.dst, 0, l.mCount * l.kCount * size, Access::write);
  }

  void addMad() {
    const Instruction::Mad &d = in.mad;
    int64_t size = getBytes(in.type), c0 = 32 / size;
    for (int64_t m = 0; m < d.m; ++m)
      for (int64_t k = 0; k < d.k; ++k)
        add(in.src0,
            ((m / 16 * d.aStride + k / c0) * 16 + m % 16) * 32 + k % c0 * size,
            size, Access::read);
    for (int64_t n = 0; n < d.n; ++n)
      for (int64_t k = 0; k < d.k; ++k)
        add(in.src1,
            ((k / c0 * d.bStride + n / 16) * 16 + n % 16) * 32 + k % c0 * size,
            size, Access::read);
    addAccumulators(in.dst, d.m, d.n, d.cStride,
                    in.initialise ? Access::write : Access::accumulate);
  }

  void addAccumulators(Address address, int64_t m, int64_t n, int64_t stride,
                       Access access) {
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        add(address,
            (((j / 16 * stride + i / 16) * 16 + i % 16) * 16 + j % 16) * 4, 4,
            access);
  }

  void addDrain() {
    const Instruction::Drain &d = in.drain;
    int64_t size = getBytes(in.dstType);
    addAccumulators(in.src0, d.m, d.n, d.srcStride, Access::read);
    for (int64_t i = 0; i < d.m; ++i)
      for (int64_t j = 0; j < d.n; ++j)
        add(in.dst,
            ((j / d.width * d.dstRows + i) * d.width + j % d.width) * size,
            size, Access::write);
  }

  void addVector() {
    const Instruction::Vector &v = in.vector;
    VectorOp op = in.vectorOp;
    int64_t src = getBytes(in.type), dst = getBytes(in.dstType);
    int64_t lanes = 256 / (op == VectorOp::dup       ? dst
                           : op == VectorOp::convert ? std::max(src, dst)
                                                     : src);
    int sources = op == VectorOp::select ? 3
                  : isBinary(op)         ? 2
                  : op == VectorOp::dup  ? 0
                                         : 1;
    if (op == VectorOp::transpose) {
      for (int64_t r = 0; r < v.repeat; ++r)
        for (int64_t i = 0; i < getC0(in.type); ++i) {
          add(in.src0, (r * v.src0Repeat + i * v.src0Block) * 32, 32,
              Access::read);
          add(in.dst, (r * v.dstRepeat + i * v.dstBlock) * 32, 32,
              Access::write);
        }
      return;
    }
    int64_t results = 0;
    for (int64_t r = 0; r < v.repeat; ++r) {
      std::set<int64_t> blocks;
      for (int64_t i = 0; i < lanes; ++i) {
        if (!((i < 64 ? v.maskLow >> i : v.maskHigh >> (i - 64)) & 1))
          continue;
        blocks.insert(i * src / 32);
        auto operand = [&](Address address, int64_t size, int64_t block,
                           int64_t repeat, Access access) {
          add(address,
              (r * repeat + i * size / 32 * block) * 32 + i * size % 32, size,
              access);
        };
        if (sources > 0)
          operand(in.src0, src, v.src0Block, v.src0Repeat, Access::read);
        if (sources > 1)
          operand(in.src1, src, v.src1Block, v.src1Repeat, Access::read);
        if (!isCompare(op) && !isRepeatReduce(op) && !isGroupReduce(op))
          operand(in.dst, dst, v.dstBlock, v.dstRepeat, Access::write);
      }
      results += isGroupReduce(op) ? static_cast<int64_t>(blocks.size())
                                   : !blocks.empty();
    }
    if (isCompare(op))
      add(in.dst, 0, v.repeat * lanes / 8, Access::write);
    if (op == VectorOp::select)
      add(in.src2, 0, v.repeat * lanes / 8, Access::read);
    if (isRepeatReduce(op) || isGroupReduce(op))
      add(in.dst, 0, results * dst, Access::write);
  }

  const Instruction &in;
  Bytes bytes;
};

class FootprintTest : public ::testing::Test {
protected:
  int64_t pick(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() %
                                      static_cast<uint64_t>(high - low + 1));
  }

  void compare(const Instruction &in) {
    auto error = check(machine, in);
    ASSERT_FALSE(error) << error->message;
    Bytes actual;
    forEachRange(in, [&](Address address, int64_t bytes, Access access) {
      ASSERT_GT(bytes, 0);
      for (int64_t i = 0; i < bytes; ++i)
        actual.insert({(address + i).bits, access});
    });
    EXPECT_TRUE(actual == Enumeration(in).get()) << getName(in.opcode);
    // The extent in global memory ends at the last byte there.
    int64_t end = 0;
    for (auto [byte, access] : actual)
      if (Address(byte).getSpace() == Space::gm)
        end = std::max(end, Address(byte).getOffset() + 1);
    EXPECT_EQ(getGlobalExtent(in), end);
  }

  Machine machine;
  std::mt19937 random{7};
};
} // namespace

TEST_F(FootprintTest, Dma) {
  const std::pair<Space, Space> paths[] = {
      {Space::gm, Space::l1}, {Space::gm, Space::l0a}, {Space::ub, Space::gm},
      {Space::ub, Space::l1}, {Space::l1, Space::ub},  {Space::gm, Space::ub}};
  for (int i = 0; i < 200; ++i) {
    auto [from, to] = paths[pick(0, 5)];
    Instruction in(Opcode::dma);
    in.src0 = Address(from, 0, from == Space::gm ? 3 : 0);
    in.dst = Address(to, 512, to == Space::gm ? 3 : 0);
    if (to == Space::gm)
      in.dst = Address(to, 0, 3);
    in.dma.bursts = pick(1, 5);
    in.dma.bytes = pick(1, 200);
    int64_t padded = (in.dma.bytes + 31) / 32 * 32;
    in.dma.dstStride = to == Space::gm ? in.dma.bytes + pick(0, 1) * pick(0, 50)
                                       : padded + 32 * pick(0, 2);
    in.dma.srcStride = from == Space::gm ? pick(0, 300) : 32 * pick(0, 8);
    if (to == Space::gm && in.dma.bytes % 2 == 0)
      in.accumulate = pick(0, 1);
    compare(in);
  }
}

TEST_F(FootprintTest, Boxes) {
  for (int i = 0; i < 300; ++i) {
    bool pack = pick(0, 1);
    Instruction in(pack ? Opcode::pack : Opcode::unpack);
    in.type = static_cast<DType>(pick(0, 3));
    in.src0 = pack ? Address(Space::gm, 0) : Address(Space::ub, 64);
    in.dst = pack ? Address(Space::l1, 64) : Address(Space::gm, 0);
    in.transpose = pack && pick(0, 1);
    in.box.rows = pick(1, 40);
    in.box.columns = pick(1, 70);
    in.box.pitch = in.box.columns + pick(0, 1) * pick(0, 20);
    in.box.paddedRows = (in.transpose ? in.box.columns : in.box.rows) +
                        pick(0, 1) * pick(0, 30);
    in.box.localRows = in.box.paddedRows + pick(0, 1) * pick(0, 30);
    int64_t columns = in.transpose ? in.box.rows : in.box.columns;
    int64_t c0 = getC0(in.type);
    in.box.blocks = (columns + c0 - 1) / c0 + pick(0, 2);
    in.box.width = pick(1, 80);
    compare(in);
  }
}

TEST_F(FootprintTest, Load2d) {
  for (int i = 0; i < 50; ++i) {
    Instruction in(Opcode::load2d);
    in.src0 = Address(Space::l1, 32);
    in.dst = Address(pick(0, 1) ? Space::l0a : Space::l0b, 512);
    in.load2d = {pick(1, 6), pick(1, 3), pick(0, 3)};
    compare(in);
  }
}

TEST_F(FootprintTest, Load3d) {
  for (int i = 0; i < 300; ++i) {
    Instruction in(Opcode::load3d);
    in.type = pick(0, 1) ? DType::f16 : DType::s8;
    in.src0 = Address(Space::l1, 0);
    in.dst = Address(Space::l0a, 0);
    int64_t c0 = getC0(in.type);
    in.load3d = {pick(1, 12),    pick(1, 70), pick(1, 4),      pick(1, 4),
                 pick(1, 3),     pick(1, 3),  pick(0, 3),      pick(0, 3),
                 pick(1, 20),    pick(0, 60), 16 * pick(1, 4), c0 * pick(0, 9),
                 c0 * pick(1, 5)};
    compare(in);
  }
}

TEST_F(FootprintTest, Mad) {
  for (int i = 0; i < 200; ++i) {
    Instruction in(Opcode::mad);
    in.type = pick(0, 1) ? DType::f16 : DType::s8;
    in.dst = Address(Space::l0c, 1024);
    in.src0 = Address(Space::l0a, 0);
    in.src1 = Address(Space::l0b, 512);
    in.initialise = pick(0, 1);
    in.mad = {pick(1, 40), pick(1, 70), pick(1, 40), 0, 0, 0};
    if (pick(0, 1))
      in.mad.k = 64;
    in.mad.aStride =
        (in.mad.k + getC0(in.type) - 1) / getC0(in.type) + pick(0, 1);
    in.mad.bStride = (in.mad.n + 15) / 16 + pick(0, 1);
    in.mad.cStride = (in.mad.m + 15) / 16 + pick(0, 1);
    compare(in);
  }
}

TEST_F(FootprintTest, Drain) {
  for (int i = 0; i < 200; ++i) {
    Instruction in(Opcode::drain);
    bool floats = pick(0, 1);
    in.type = floats ? DType::f32 : DType::s32;
    in.dstType = pick(0, 1) ? DType::f16 : floats ? DType::f32 : DType::s8;
    in.dst = Address(Space::ub, 32);
    in.src0 = Address(Space::l0c, 1024);
    in.drain = {pick(1, 40), pick(1, 40), 0, 0, pick(1, 48)};
    in.drain.srcStride = (in.drain.m + 15) / 16 + pick(0, 1);
    in.drain.dstRows = in.drain.m + pick(0, 1) * pick(0, 9);
    compare(in);
  }
}

TEST_F(FootprintTest, Vector) {
  for (int i = 0; i < 1000; ++i) {
    Instruction in(Opcode::vector);
    in.vectorOp = static_cast<VectorOp>(pick(0, kNumVectorOps - 1));
    in.type = in.dstType = pick(0, 1) ? DType::f16 : DType::f32;
    if (in.vectorOp == VectorOp::convert)
      in.dstType = in.type == DType::f16 ? (pick(0, 1) ? DType::s8 : DType::f32)
                                         : DType::s32;
    if (in.vectorOp == VectorOp::groupSum && pick(0, 1))
      in.dstType = DType::f32;
    in.dst = Address(Space::ub, 0);
    in.src0 = Address(Space::ub, 65536);
    in.src1 = Address(Space::ub, 131072);
    in.src2 = Address(Space::ub, 196608);
    auto word = [&] {
      uint64_t bits = uint64_t(random()) << 32 | random();
      switch (pick(0, 3)) {
      case 0:
        return ~uint64_t(0);
      case 1:
        return bits;
      case 2:
        return ~uint64_t(0) >> (bits & 63);
      default:
        return uint64_t(0);
      }
    };
    bool plain = pick(0, 1);
    auto stride = [&](int64_t usual, int64_t least) {
      return plain ? usual : pick(least, 12);
    };
    in.vector.repeat = pick(1, 6);
    in.vector.maskLow = word();
    in.vector.maskHigh = word();
    in.vector.dstBlock = stride(1, 1);
    in.vector.dstRepeat = stride(8, 1);
    in.vector.src0Block = stride(1, 0);
    in.vector.src0Repeat = stride(8, 0);
    in.vector.src1Block = stride(1, 0);
    in.vector.src1Repeat = stride(8, 0);
    compare(in);
  }
}

TEST_F(FootprintTest, ScalarLoad) {
  Instruction in(Opcode::loadScalar);
  in.src0 = Address(Space::ub, 12);
  in.type = DType::f32;
  int count = 0;
  forEachRange(in, [&](Address address, int64_t bytes, Access access) {
    EXPECT_EQ(address, in.src0);
    EXPECT_EQ(bytes, 4);
    EXPECT_EQ(access, Access::read);
    ++count;
  });
  EXPECT_EQ(count, 1);
}

TEST_F(FootprintTest, ContiguousOperandsAreOneRange) {
  auto count = [](const Instruction &in) {
    int ranges = 0;
    forEachRange(in, [&](Address, int64_t, Access) { ++ranges; });
    return ranges;
  };
  Instruction mad(Opcode::mad);
  mad.dst = Address(Space::l0c, 0);
  mad.src0 = Address(Space::l0a, 0);
  mad.src1 = Address(Space::l0b, 0);
  mad.mad = {256, 64, 256, 4, 16, 16};
  EXPECT_EQ(count(mad), 3);
  Instruction vector(Opcode::vector);
  vector.vectorOp = VectorOp::add;
  vector.dst = vector.src0 = vector.src1 = Address(Space::ub, 0);
  vector.vector = {255, ~uint64_t(0), ~uint64_t(0), 1, 8, 1, 8, 1, 8, 0};
  EXPECT_EQ(count(vector), 3);
}
