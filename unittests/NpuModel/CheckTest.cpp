// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Mistakes of single instructions, which verifiers see without running them.

#include "NpuModel/Instruction.h"

#include <gtest/gtest.h>

using namespace gc::npu;

static const Machine TheMachine;

static void expect(const Instruction &instruction, ErrorKind kind,
                   const std::string &message) {
  auto error = check(TheMachine, instruction);
  ASSERT_TRUE(error) << message;
  EXPECT_STREQ(getName(error->kind), getName(kind)) << error->message;
  EXPECT_EQ(error->message, message);
}

static void expectGood(const Instruction &instruction) {
  auto error = check(TheMachine, instruction);
  EXPECT_FALSE(error) << error->message;
}

static Instruction makeDma(Space to, Space from, int64_t bytes) {
  Instruction in(Opcode::dma);
  in.dst = Address(to, 0);
  in.src0 = Address(from, 0);
  in.dma = {1, bytes, 0, 0};
  return in;
}

static Instruction makeVector(VectorOp op) {
  Instruction in(Opcode::vector);
  in.vectorOp = op;
  in.dst = Address(Space::ub, 0);
  in.src0 = Address(Space::ub, 4096);
  in.src1 = in.src2 = Address(Space::ub, 8192);
  in.vector = {4, ~uint64_t(0), ~uint64_t(0), 1, 8, 1, 8, 1, 8, 0};
  return in;
}

TEST(Check, EveryPathOfDma) {
  using S = Space;
  const bool legal[6][6] = {
      // to gm l1 ub l0a l0b l0c, from gm:
      {false, true, true, true, true, false},
      {false, false, true, false, false, false},  // l1
      {true, true, false, false, false, false},   // ub
      {false, false, false, false, false, false}, // l0a
      {false, false, false, false, false, false}, // l0b
      {false, false, false, false, false, false}, // l0c
  };
  const S spaces[] = {S::gm, S::l1, S::ub, S::l0a, S::l0b, S::l0c};
  for (S from : spaces)
    for (S to : spaces) {
      Instruction in = makeDma(to, from, 64);
      if (legal[static_cast<int>(from)][static_cast<int>(to)])
        expectGood(in);
      else
        expect(in, ErrorKind::path,
               std::string("dma: there is no path from ") + getName(from) +
                   " to " + getName(to));
    }
}

TEST(Check, DmaLimits) {
  Instruction in = makeDma(Space::l1, Space::gm, 64);
  in.dma = {4095, 64, 64, 1 << 20};
  expectGood(in);
  in.dma.bursts = 4096;
  expect(in, ErrorKind::limit,
         "dma: number of bursts is 4096, but the most is 4095");
  in.dma.bursts = 0;
  expect(in, ErrorKind::limit,
         "dma: number of bursts is 0, but must be at least 1");
  in = makeDma(Space::l1, Space::gm, 65535 * 32 + 1);
  expect(in, ErrorKind::limit,
         "dma: size of a burst in bytes is 2097121, but the most is 2097120");
  in.dma.bytes = -5;
  expect(in, ErrorKind::limit,
         "dma: size of a burst in bytes is -5, but must be at least 1");
}

TEST(Check, DmaStrides) {
  Instruction in = makeDma(Space::ub, Space::gm, 40);
  // 40 bytes fill 64: bursts 32 bytes apart would overlap.
  in.dma = {2, 40, 32, 40};
  expect(in, ErrorKind::shape,
         "dma: destination stride is 32, but must be at least 64");
  in.dma = {2, 40, 72, 40};
  expect(in, ErrorKind::alignment,
         "dma: destination stride is 72, but must be a multiple of 32");
  in.dma = {2, 40, 64, -8};
  expect(in, ErrorKind::shape,
         "dma: source stride is -8, but must be at least 0");
  in.dma = {2, 40, 64, 0};
  expectGood(in);
}

TEST(Check, Alignment) {
  Instruction in = makeDma(Space::ub, Space::gm, 64);
  in.dst = Address(Space::ub, 48);
  expect(in, ErrorKind::alignment,
         "dma: the destination is at byte 48 of ub, but addresses there are "
         "multiples of 32");
  in.dst = Address(Space::l0a, 256);
  expect(in, ErrorKind::alignment,
         "dma: the destination is at byte 256 of l0a, but addresses there are "
         "multiples of 512");
  // Global memory has no alignment.
  in.dst = Address(Space::l1, 32);
  in.src0 = Address(Space::gm, 7, 3);
  expectGood(in);
  in = Instruction(Opcode::mad);
  in.dst = Address(Space::l0c, 512);
  in.src0 = Address(Space::l0a, 0);
  in.src1 = Address(Space::l0b, 0);
  in.mad = {16, 16, 16, 1, 1, 1};
  expect(in, ErrorKind::alignment,
         "mad: C is at byte 512 of l0c, but addresses there are multiples of "
         "1024");
  in = Instruction(Opcode::loadScalar);
  in.src0 = Address(Space::ub, 2);
  in.type = DType::f32;
  expect(in, ErrorKind::alignment,
         "load_scalar: the address is 2, but must be a multiple of 4");
}

TEST(Check, Capacity) {
  Instruction in = makeDma(Space::ub, Space::gm, 256 << 10);
  expectGood(in);
  in.dst = Address(Space::ub, 32);
  expect(in, ErrorKind::capacity,
         "dma: the destination ends at byte 262176 of ub, which has 262144");
  in = Instruction(Opcode::mad);
  in.dst = Address(Space::l0c, 0);
  in.src0 = Address(Space::l0a, 0);
  in.src1 = Address(Space::l0b, 0);
  in.mad = {256, 128, 256, 8, 16, 16};
  expectGood(in);
  // 256 x 272 accumulators of four bytes.
  in.mad = {256, 64, 272, 4, 17, 16};
  expect(in, ErrorKind::capacity,
         "mad: C ends at byte 278528 of l0c, which has 262144");
  in = Instruction(Opcode::alloc);
  in.dst = Address(Space::l0b, 65024);
  in.alloc = {513};
  expect(in, ErrorKind::capacity,
         "alloc: the buffer ends at byte 65537 of l0b, which has 65536");
}

TEST(Check, VectorLimits) {
  Instruction in = makeVector(VectorOp::add);
  expectGood(in);
  in.vector.repeat = 256;
  expect(in, ErrorKind::limit,
         "vector add: repeat is 256, but the most is 255");
  in = makeVector(VectorOp::add);
  in.vector.src1Repeat = 256;
  expect(in, ErrorKind::limit,
         "vector add: source 1 repeat stride is 256, but the most is 255");
  in = makeVector(VectorOp::add);
  in.vector.src0Block = 0;
  in.vector.src0Repeat = 0;
  expectGood(in);
  in.vector.dstBlock = 0;
  expect(in, ErrorKind::limit,
         "vector add: the destination block stride is 0, but must be at least "
         "1");
  in = makeVector(VectorOp::add);
  in.dst = Address(Space::l1, 0);
  expect(in, ErrorKind::path,
         "vector add: there is no path with the destination in l1");
}

TEST(Check, VectorEndsWhereItsMaskEnds) {
  // The last repeat starts 768 bytes on; 96 lanes of f16 are 6 blocks.
  Instruction in = makeVector(VectorOp::relu);
  in.src0 = Address(Space::ub, (256 << 10) - 768 - 192);
  in.vector.maskHigh = 0xffffffff;
  expectGood(in);
  in.vector.maskHigh = 0x1ffffffff;
  expect(in, ErrorKind::capacity,
         "vector relu: source 0 ends at byte 262146 of ub, which has 262144");
}

TEST(Check, VectorTypes) {
  Instruction in = makeVector(VectorOp::add);
  in.type = in.dstType = DType::s32;
  expect(in, ErrorKind::type,
         "vector add: there is no form for elements of type s32");
  in.type = DType::f32;
  in.dstType = DType::f16;
  expect(in, ErrorKind::type, "vector add: source is f32, destination f16");
  in = makeVector(VectorOp::convert);
  expect(in, ErrorKind::type, "vector convert: source and destination are f16");
  in.dstType = DType::s8;
  expectGood(in);
  in = makeVector(VectorOp::transpose);
  in.type = in.dstType = DType::f32;
  expectGood(in);
  in.type = in.dstType = DType::s8;
  expect(in, ErrorKind::type,
         "vector transpose: there is no form for elements of type s8");
  in = makeVector(VectorOp::groupSum);
  in.dstType = DType::f32;
  expectGood(in);
  in.vectorOp = VectorOp::groupMax;
  expect(in, ErrorKind::type,
         "vector group_max: source is f16, destination f32");
}

TEST(Check, Cube) {
  Instruction in(Opcode::mad);
  in.dst = Address(Space::l0c, 0);
  in.src0 = Address(Space::l0a, 0);
  in.src1 = Address(Space::l0b, 0);
  in.mad = {32, 32, 32, 2, 2, 2};
  expectGood(in);
  in.type = DType::f32;
  expect(in, ErrorKind::type, "mad: there is no form for operands of type f32");
  in.type = DType::f16;
  in.mad.cStride = 1;
  expect(in, ErrorKind::shape, "mad: stride of C is 1, but must be at least 2");
  in.mad = {32, 0, 32, 2, 2, 2};
  expect(in, ErrorKind::shape, "mad: k is 0, but must be at least 1");
  in.src0 = Address(Space::l1, 0);
  expect(in, ErrorKind::path, "mad: there is no path with A in l1");
}

TEST(Check, Drain) {
  Instruction in(Opcode::drain);
  in.dst = Address(Space::ub, 0);
  in.src0 = Address(Space::l0c, 0);
  in.type = DType::f32;
  in.drain = {32, 32, 2, 32, 16};
  expectGood(in);
  in.dstType = DType::s8;
  expect(in, ErrorKind::type,
         "drain: there is no form for results of f32 of type s8");
  in.dstType = DType::f16;
  in.dst = Address(Space::gm, 0);
  expect(in, ErrorKind::path,
         "drain: there is no path with the destination in gm");
  in.dst = Address(Space::ub, 0);
  in.drain.dstRows = 31;
  expect(in, ErrorKind::shape,
         "drain: rows of a block is 31, but must be at least 32");
}

TEST(Check, Boxes) {
  Instruction in(Opcode::pack);
  in.dst = Address(Space::l1, 0);
  in.src0 = Address(Space::gm, 0);
  in.box = {20, 40, 100, 20, 0, 20, 3};
  expectGood(in);
  in.box.pitch = 39;
  expect(in, ErrorKind::shape, "pack: pitch is 39, but must be at least 40");
  in.box = {20, 40, 100, 20, 0, 19, 3};
  expect(in, ErrorKind::shape,
         "pack: rows of a block is 19, but must be at least 20");
  in.box = {20, 40, 100, 20, 0, 20, 2};
  expect(in, ErrorKind::shape,
         "pack: number of blocks is 2, but must be at least 3");
  in.box = {20, 40, 100, 20, 0, 21, 3};
  expect(in, ErrorKind::shape,
         "pack: distance of blocks in rows is 20, but must be at least 21");
  // The transposed box has 40 rows.
  in.box = {20, 40, 100, 20, 0, 20, 3};
  in.transpose = true;
  expect(in, ErrorKind::shape,
         "pack: rows of a block is 20, but must be at least 40");
  in.transpose = false;
  in.dst = Address(Space::l0a, 0);
  expect(in, ErrorKind::path,
         "pack: there is no path with the destination in l0a");
  in = Instruction(Opcode::unpack);
  in.dst = Address(Space::gm, 0);
  in.src0 = Address(Space::ub, 0);
  in.box = {20, 40, 100, 20, 0, 0, 0};
  expect(in, ErrorKind::shape, "unpack: width is 0, but must be at least 1");
  in.box.width = 16;
  in.accumulate = true;
  in.type = DType::s8;
  expect(in, ErrorKind::type,
         "unpack: there is no form for an atomic add of type s8");
}

TEST(Check, Img2col) {
  Instruction in(Opcode::load3d);
  in.dst = Address(Space::l0a, 0);
  in.src0 = Address(Space::l1, 0);
  in.load3d = {14, 14, 3, 3, 1, 1, 1, 1, 14, 0, 32, 16, 64};
  expectGood(in);
  in.load3d.mCount = 24;
  expect(in, ErrorKind::shape,
         "load3d: number of rows is 24, but must be a multiple of 16");
  in.load3d.mCount = 32;
  in.load3d.kStart = 8;
  expect(in, ErrorKind::shape,
         "load3d: first column is 8, but must be a multiple of 16");
  in.load3d.kStart = 0;
  in.load3d.strideH = 0;
  expect(in, ErrorKind::shape,
         "load3d: vertical stride is 0, but must be at least 1");
}

TEST(Check, Load2d) {
  Instruction in(Opcode::load2d);
  in.dst = Address(Space::l0b, 0);
  in.src0 = Address(Space::l1, 32);
  in.load2d = {4, 1, 2};
  in.transpose = true;
  expectGood(in);
  in.type = DType::s8;
  expect(in, ErrorKind::type,
         "load2d: there is no form for transposing of type s8");
  in.transpose = false;
  in.dst = Address(Space::ub, 0);
  expect(in, ErrorKind::path,
         "load2d: there is no path with the destination in ub");
}

TEST(Check, Flags) {
  Instruction in(Opcode::setFlag);
  in.pipe = Pipe::v;
  in.toPipe = Pipe::m;
  in.flag = {3};
  expectGood(in);
  in.flag = {4};
  expect(in, ErrorKind::flag, "set_flag: event is 4, but the most is 3");
  in.flag = {0};
  in.toPipe = Pipe::v;
  expect(in, ErrorKind::flag,
         "set_flag: a flag from V to itself; barrier(V) does that");
  in.toPipe = static_cast<Pipe>(77);
  expect(in, ErrorKind::flag, "set_flag: no such pipe");
}

TEST(Check, NumbersThatNameNothing) {
  Instruction in = makeDma(Space::ub, Space::gm, 64);
  in.dst = Address(uint64_t(9) << 60);
  expect(in, ErrorKind::path, "dma: an address is not in any memory space");
  in = makeVector(static_cast<VectorOp>(200));
  expect(in, ErrorKind::type, "vector: no such vector op");
  in = makeVector(VectorOp::add);
  in.type = static_cast<DType>(9);
  expect(in, ErrorKind::type, "vector add: no such element type");
}

TEST(Machine, ParametersByName) {
  Machine machine;
  EXPECT_TRUE(setParameter(machine, "l1_bytes", 2048));
  EXPECT_EQ(machine.l1Bytes, 2048);
  EXPECT_EQ(getParameter(machine, "l1_bytes"), 2048);
  EXPECT_TRUE(setParameter(machine, "group_sum_tail", 7));
  EXPECT_EQ(machine.getCost(VectorOp::groupSum).tail, 7);
  EXPECT_EQ(getParameter(machine, "add_slope"), 2);
  EXPECT_FALSE(setParameter(machine, "fifo_depth", 0));
  EXPECT_EQ(machine.fifoDepth, 16);
  EXPECT_FALSE(setParameter(machine, "l4_bytes", 1));
  EXPECT_FALSE(getParameter(machine, "add_colour"));
}

TEST(Machine, NamesAndParsers) {
  for (int i = 0; i < kNumVectorOps; ++i) {
    VectorOp op = static_cast<VectorOp>(i);
    EXPECT_EQ(parseVectorOp(getName(op)), op);
  }
  EXPECT_EQ(parsePipe("MTE2"), Pipe::mte2);
  EXPECT_EQ(parseSpace("l0c"), Space::l0c);
  EXPECT_EQ(parseDType("s8"), DType::s8);
  EXPECT_EQ(parseProfile("gm32"), Profile::gm32);
  EXPECT_FALSE(parseSpace("l3"));
}
