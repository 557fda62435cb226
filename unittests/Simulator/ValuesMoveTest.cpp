// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Moves: each test writes what it expects element by element from the formula.

#include "ValuesTestSupport.h"

using namespace gc::npu;
using namespace gc::npu::test;

namespace {

Instruction makeDma(Address dst, Address src, int64_t bursts, int64_t bytes,
                    int64_t dstStride, int64_t srcStride) {
  Instruction in(Opcode::dma);
  in.dst = dst;
  in.src0 = src;
  in.dma = {bursts, bytes, dstStride, srcStride};
  return in;
}

class MoveTest : public ValuesTest {
protected:
  void expectDma(Address dst, Address src, int64_t bursts, int64_t bytes,
                 int64_t dstStride, int64_t srcStride) {
    Instruction in = makeDma(dst, src, bursts, bytes, dstStride, srcStride);
    run(in);
    bool local = dst.getSpace() != Space::gm;
    for (int64_t i = 0; i < bursts; ++i) {
      int64_t end = local ? (bytes + 31) / 32 * 32 : bytes;
      for (int64_t j = 0; j < end; ++j)
        *at(dst + (i * dstStride + j)) =
            j < bytes ? *at(src + (i * srcStride + j)) : std::byte(0);
    }
    expectEqual();
  }
};

TEST_F(MoveTest, DmaPathsBurstsAndGaps) {
  Address gm(Space::gm, 1000, 0), out(Space::gm, 77, 1);
  expectDma(Address(Space::ub, 64), gm, 1, 4096, 0, 0);
  expectDma(Address(Space::l1, 0), gm, 5, 96, 160, 100);
  expectDma(Address(Space::l0a, 512), gm, 2, 512, 1024, 512);
  expectDma(Address(Space::l0b, 0), gm, 3, 64, 64, 0);
  expectDma(out, Address(Space::ub, 320), 4, 50, 61, 64);
  expectDma(Address(Space::l1, 96), Address(Space::ub, 32), 3, 32, 64, 96);
  expectDma(Address(Space::ub, 96), Address(Space::l1, 32), 2, 320, 512, 320);
}

// The rest of a run's last block becomes zero, and nothing else.
TEST_F(MoveTest, DmaPadsBlocksInLocalBuffers) {
  Address gm(Space::gm, 3, 0);
  for (int64_t bytes : {1, 31, 33, 63})
    expectDma(Address(Space::ub, 256), gm, 3, bytes, 128, 65);
}

TEST_F(MoveTest, DmaAddsToGlobalMemory) {
  for (DType type : {DType::f16, DType::f32, DType::s32}) {
    int64_t size = getBytes(type), count = 40;
    // Not aligned: global memory need not be.
    Address dst(Space::gm, 1002, 1), src(Space::ub, 512);
    fillEdges(type, dst, 2 * count + 3);
    fillEdges(type, src, 1000);
    if (type == DType::s32) { // wraps around
      set<int32_t>(dst, 0, INT32_MAX);
      set<int32_t>(src, 0, 1);
    }
    Instruction in =
        makeDma(dst, src, 2, count * size, (count + 3) * size, 192);
    in.accumulate = true;
    in.type = type;
    run(in);
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < count; ++j) {
        Address from = src + i * 192;
        int64_t to = i * (count + 3) + j;
        if (type == DType::s32)
          set(dst, to, get<uint32_t>(dst, to) + get<uint32_t>(from, j));
        else
          setNumber(type, dst, to,
                    static_cast<float>(getNumber(type, dst, to) +
                                       getNumber(type, from, j)));
      }
    expectEqual(type, dst, 2 * count + 3);
  }
}

struct BoxCase {
  int64_t rows, columns, pitch, localRows;
};

TEST_F(MoveTest, PackPadsColumnsAndRows) {
  for (DType type : {DType::f16, DType::f32, DType::s8, DType::s32})
    for (BoxCase box : {BoxCase{16, 32, 32, 16},
                        {16, 64, 100, 32},
                        {5, 7, 9, 5},
                        {5, 33, 40, 20},
                        {20, 17, 17, 23},
                        {1, 1, 1, 16},
                        {40, 48, 64, 48}})
      for (Space space : {Space::l1, Space::ub})
        for (bool transpose : {false, true}) {
          Address src(Space::gm, 1234, 0), dst(space, 4096);
          int64_t size = getBytes(type), c0 = 32 / size;
          int64_t rows = transpose ? box.columns : box.rows;
          int64_t columns = transpose ? box.rows : box.columns;
          int64_t localRows = transpose ? rows + 5 : box.localRows;
          int64_t paddedRows = (rows + localRows + 1) / 2;
          int64_t blocks = (columns + c0 - 1) / c0 + box.rows % 2;
          Instruction in(Opcode::pack);
          in.type = type;
          in.dst = dst;
          in.src0 = src;
          in.transpose = transpose;
          in.box = {box.rows, box.columns, box.pitch, localRows,
                    0,        paddedRows,  blocks};
          run(in);
          for (int64_t r = 0; r < paddedRows; ++r)
            for (int64_t c = 0; c < blocks * c0; ++c) {
              std::byte *to =
                  at(dst + ((c / c0 * localRows + r) * c0 + c % c0) * size);
              int64_t row = transpose ? c : r, column = transpose ? r : c;
              if (r < rows && c < columns)
                std::memcpy(to, at(src + (row * box.pitch + column) * size),
                            size);
              else
                std::memset(to, 0, size);
            }
          expectEqual();
        }
}

TEST_F(MoveTest, UnpackTakesColumnBlocks) {
  for (DType type : {DType::f16, DType::f32, DType::s8, DType::s32})
    for (int64_t width : {8, 16, 32})
      for (BoxCase box : {BoxCase{16, 32, 32, 16},
                          {5, 33, 35, 20},
                          {1, 7, 7, 1},
                          {17, 64, 101, 32}}) {
        Address dst(Space::gm, 345, 1), src(Space::ub, 2048);
        int64_t size = getBytes(type);
        Instruction in(Opcode::unpack);
        in.type = type;
        in.dst = dst;
        in.src0 = src;
        in.box = {box.rows, box.columns, box.pitch, box.localRows, width, 0, 0};
        run(in);
        for (int64_t r = 0; r < box.rows; ++r)
          for (int64_t c = 0; c < box.columns; ++c)
            std::memcpy(
                at(dst + (r * box.pitch + c) * size),
                at(src + ((c / width * box.localRows + r) * width + c % width) *
                             size),
                size);
        expectEqual();
      }
}

TEST_F(MoveTest, UnpackAdds) {
  for (DType type : {DType::f16, DType::f32, DType::s32}) {
    Address dst(Space::gm, 346, 1), src(Space::ub, 2048);
    fillSmall(type, dst, 5 * 50);
    fillSmall(type, src, 3 * 8 * 16);
    Instruction in(Opcode::unpack);
    in.type = type;
    in.accumulate = true;
    in.dst = dst;
    in.src0 = src;
    in.box = {5, 35, 50, 8, 16, 0, 0};
    run(in);
    for (int64_t r = 0; r < 5; ++r)
      for (int64_t c = 0; c < 35; ++c) {
        int64_t from = (c / 16 * 8 + r) * 16 + c % 16, to = r * 50 + c;
        setNumber(type, dst, to,
                  getNumber(type, dst, to) + getNumber(type, src, from));
      }
    expectEqual();
  }
}

TEST_F(MoveTest, Load2dFractals) {
  struct Case {
    int64_t fractals, dstStride, srcStride;
  };
  for (Case c : {Case{1, 1, 0}, {8, 1, 1}, {5, 3, 2}, {4, 1, 0}})
    for (Space space : {Space::l0a, Space::l0b})
      for (bool transpose : {false, true}) {
        Address src(Space::l1, 32 * 7), dst(space, 1024);
        Instruction in(Opcode::load2d);
        in.dst = dst;
        in.src0 = src;
        in.transpose = transpose;
        in.load2d = {c.fractals, c.dstStride, c.srcStride};
        run(in);
        for (int64_t i = 0; i < c.fractals; ++i)
          for (int64_t row = 0; row < 16; ++row)
            for (int64_t column = 0; column < 16; ++column)
              set(dst + i * c.dstStride * 512, row * 16 + column,
                  get<uint16_t>(src + i * c.srcStride * 512,
                                transpose ? column * 16 + row
                                          : row * 16 + column));
        expectEqual();
      }
}

TEST_F(MoveTest, Load3dIsImageToColumns) {
  struct Case {
    Instruction::Load3d load;
    DType type;
  };
  // height, width, kernel, strides, top, left, output width, m, k.
  for (const Case &c : {
           Case{{6, 5, 3, 3, 1, 1, 1, 1, 5, 0, 32, 0, 9 * 16}, DType::f16},
           // From the middle, past the last row of the image.
           Case{{6, 5, 3, 3, 1, 1, 1, 1, 5, 16, 32, 48, 160}, DType::f16},
           // Strides and kernels that differ, two channel blocks.
           Case{{9, 8, 2, 3, 2, 3, 0, 2, 3, 0, 16, 16, 176}, DType::f16},
           Case{{9, 8, 7, 7, 2, 2, 3, 3, 4, 0, 32, 32, 512}, DType::s8},
           Case{{4, 4, 1, 1, 2, 2, 0, 0, 2, 0, 16, 0, 64}, DType::f16},
       }) {
    const Instruction::Load3d &load = c.load;
    Address src(Space::l1, 64), dst(Space::l0a, 512);
    Instruction in(Opcode::load3d);
    in.type = c.type;
    in.dst = dst;
    in.src0 = src;
    in.load3d = load;
    run(in);
    int64_t size = getBytes(c.type), c0 = 32 / size;
    for (int64_t i = 0; i < load.mCount; ++i)
      for (int64_t j = 0; j < load.kCount; ++j) {
        int64_t m = load.mStart + i, k = load.kStart + j;
        int64_t channel = k % c0, kw = k / c0 % load.kernelW;
        int64_t kh = k / c0 / load.kernelW % load.kernelH;
        int64_t c1 = k / c0 / load.kernelW / load.kernelH;
        int64_t h = m / load.outWidth * load.strideH + kh - load.padTop;
        int64_t w = m % load.outWidth * load.strideW + kw - load.padLeft;
        std::byte *to = at(
            dst + (((i / 16 * (load.kCount / c0) + j / c0) * 16 + i % 16) * c0 +
                   j % c0) *
                      size);
        if (h >= 0 && h < load.height && w >= 0 && w < load.width)
          std::memcpy(to,
                      at(src + (((c1 * load.height + h) * load.width + w) * c0 +
                                channel) *
                                   size),
                      size);
        else
          std::memset(to, 0, size);
      }
    expectEqual();
  }
}

TEST_F(ValuesTest, FlagsBarriersAndAllocationsLeaveMemoryAlone) {
  for (Opcode opcode : {Opcode::barrier, Opcode::setFlag, Opcode::waitFlag,
                        Opcode::alloc, Opcode::loadScalar}) {
    Instruction in(opcode);
    in.pipe = Pipe::v;
    in.toPipe = Pipe::mte3;
    in.dst = in.src0 = Address(Space::ub, 0);
    if (opcode == Opcode::alloc)
      in.alloc.bytes = 64;
    run(in);
    expectEqual();
  }
}

TEST_F(MoveTest, LoadScalar) {
  Address src0(Space::ub, 32);
  set<uint16_t>(src0, 0, 0x0001);
  set<float>(src0, 1, -2.5f);
  set<int32_t>(src0, 2, INT32_MIN);
  set<int8_t>(src0, 12, -7);
  run(Instruction(Opcode::barrier));
  EXPECT_EQ(load(src0, DType::f16), 0x1p-24);
  EXPECT_EQ(load(src0 + 4, DType::f32), -2.5);
  EXPECT_EQ(load(src0 + 8, DType::s32), -2147483648.0);
  EXPECT_EQ(load(src0 + 12, DType::s8), -7);
}

} // namespace
