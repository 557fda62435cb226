// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Moves between global memory and local buffers, and from L1 to L0.

#include "Values.h"

#include <algorithm>

using namespace gc::npu;

static int64_t roundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

//===----------------------------------------------------------------------===//
// Sums in global memory, which need not be aligned
//===----------------------------------------------------------------------===//

template <typename T, typename Fn>
static void combine(std::byte *to, const std::byte *from, int64_t bytes,
                    Fn add) {
  for (int64_t i = 0; i < bytes; i += sizeof(T)) {
    T old, value;
    std::memcpy(&old, to + i, sizeof(T));
    std::memcpy(&value, from + i, sizeof(T));
    value = add(old, value);
    std::memcpy(to + i, &value, sizeof(T));
  }
}

static void accumulate(std::byte *to, const std::byte *from, int64_t bytes,
                       DType type) {
  switch (type) {
  case DType::f16:
    return combine<uint16_t>(to, from, bytes, [](uint16_t a, uint16_t b) {
      return toHalf(toFloat(a) + toFloat(b));
    });
  case DType::f32:
    return combine<float>(to, from, bytes,
                          [](float a, float b) { return a + b; });
  case DType::s32:
    // Wraps around.
    return combine<uint32_t>(to, from, bytes,
                             [](uint32_t a, uint32_t b) { return a + b; });
  case DType::s8:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

void gc::npu::executeDma(const Instruction &instruction, Memory &memory) {
  const Instruction::Dma &dma = instruction.dma;
  bool local = instruction.dst.getSpace() != Space::gm;
  int64_t padding = roundUp(dma.bytes, kBlockBytes) - dma.bytes;
  for (int64_t i = 0; i < dma.bursts; ++i) {
    std::byte *to = memory.at(instruction.dst + i * dma.dstStride);
    const std::byte *from = memory.at(instruction.src0 + i * dma.srcStride);
    if (instruction.accumulate) {
      accumulate(to, from, dma.bytes, instruction.type);
      continue;
    }
    std::memcpy(to, from, dma.bytes);
    if (local)
      std::memset(to + dma.bytes, 0, padding);
  }
}

/// Element (r, c) of a box to [c / C0][r][c % C0].
static void packRows(const Instruction::Box &box, int64_t size, std::byte *to,
                     const std::byte *from) {
  int64_t c0 = kBlockBytes / size;
  for (int64_t block = 0; block < box.blocks;
       ++block, to += box.localRows * 32) {
    int64_t c = block * c0;
    int64_t bytes = std::clamp<int64_t>(box.columns - c, 0, c0) * size;
    int64_t rows = bytes ? box.rows : 0;
    for (int64_t r = 0; r < rows; ++r) {
      std::memcpy(to + r * 32, from + (r * box.pitch + c) * size, bytes);
      std::memset(to + r * 32 + bytes, 0, 32 - bytes);
    }
    std::memset(to + rows * 32, 0, (box.paddedRows - rows) * 32);
  }
}

/// Element (r, c) of a box to [r / C0][c][r % C0].
template <int size>
static void packColumns(const Instruction::Box &box, std::byte *to,
                        const std::byte *from) {
  constexpr int64_t c0 = kBlockBytes / size;
  for (int64_t block = 0; block < box.blocks;
       ++block, to += box.localRows * 32) {
    int64_t r = block * c0;
    int64_t count = std::clamp<int64_t>(box.rows - r, 0, c0);
    for (int64_t i = 0; i < c0; ++i) {
      std::byte *column = to + i * size;
      const std::byte *row = from + (r + i) * box.pitch * size;
      for (int64_t c = 0; i < count && c < box.columns; ++c)
        std::memcpy(column + c * 32, row + c * size, size);
      for (int64_t c = i < count ? box.columns : 0; c < box.paddedRows; ++c)
        std::memset(column + c * 32, 0, size);
    }
  }
}

void gc::npu::executePack(const Instruction &instruction, Memory &memory) {
  std::byte *to = memory.at(instruction.dst);
  const std::byte *from = memory.at(instruction.src0);
  int64_t size = getBytes(instruction.type);
  if (!instruction.transpose)
    return packRows(instruction.box, size, to, from);
  switch (size) {
  case 1:
    return packColumns<1>(instruction.box, to, from);
  case 2:
    return packColumns<2>(instruction.box, to, from);
  default:
    return packColumns<4>(instruction.box, to, from);
  }
}

void gc::npu::executeUnpack(const Instruction &instruction, Memory &memory) {
  const Instruction::Box &box = instruction.box;
  std::byte *to = memory.at(instruction.dst);
  const std::byte *from = memory.at(instruction.src0);
  int64_t size = getBytes(instruction.type), rowBytes = box.width * size;
  for (int64_t c = 0; c < box.columns; c += box.width) {
    int64_t bytes = std::min(box.width, box.columns - c) * size;
    for (int64_t r = 0; r < box.rows; ++r) {
      std::byte *run = to + (r * box.pitch + c) * size;
      if (instruction.accumulate)
        accumulate(run, from + r * rowBytes, bytes, instruction.type);
      else
        std::memcpy(run, from + r * rowBytes, bytes);
    }
    from += box.localRows * rowBytes;
  }
}

//===----------------------------------------------------------------------===//
// L1 to L0
//===----------------------------------------------------------------------===//

template <typename T>
static void transposeSquare(std::byte *to, int64_t toStride,
                            const std::byte *from, int64_t fromStride) {
  constexpr int size = kBlockBytes / sizeof(T);
  T rows[size][size], columns[size][size];
  for (int i = 0; i < size; ++i)
    std::memcpy(rows[i], from + i * fromStride, sizeof(rows[i]));
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i)
      columns[j][i] = rows[i][j];
  for (int j = 0; j < size; ++j)
    std::memcpy(to + j * toStride, columns[j], sizeof(columns[j]));
}

void gc::npu::transposeFractal(std::byte *to, int64_t toStride,
                               const std::byte *from, int64_t fromStride) {
  transposeSquare<uint16_t>(to, toStride, from, fromStride);
}

void gc::npu::transposeWide(std::byte *to, int64_t toStride,
                            const std::byte *from, int64_t fromStride) {
  transposeSquare<uint32_t>(to, toStride, from, fromStride);
}

void gc::npu::executeLoad2d(const Instruction &instruction, Memory &memory) {
  const Instruction::Load2d &load = instruction.load2d;
  std::byte *to = memory.at(instruction.dst);
  const std::byte *from = memory.at(instruction.src0);
  for (int64_t i = 0; i < load.fractals; ++i) {
    if (instruction.transpose)
      transposeFractal(to, kBlockBytes, from, kBlockBytes);
    else
      std::memcpy(to, from, kFractalBytes);
    to += load.dstStride * kFractalBytes;
    from += load.srcStride * kFractalBytes;
  }
}

void gc::npu::executeLoad3d(const Instruction &instruction, Memory &memory) {
  const Instruction::Load3d &load = instruction.load3d;
  std::byte *to = memory.at(instruction.dst);
  const std::byte *image = memory.at(instruction.src0);
  int64_t c0 = getC0(instruction.type), taps = load.kernelH * load.kernelW;
  int64_t firstBlock = load.kStart / c0, blocks = load.kCount / c0;
  for (int64_t row = 0; row < load.mCount; ++row) {
    int64_t m = load.mStart + row;
    int64_t top = m / load.outWidth * load.strideH - load.padTop;
    int64_t left = m % load.outWidth * load.strideW - load.padLeft;
    std::byte *fractals =
        to + row / 16 * blocks * kFractalBytes + row % 16 * kBlockBytes;
    for (int64_t block = 0; block < blocks; ++block) {
      int64_t k = firstBlock + block, c1 = k / taps, tap = k % taps;
      int64_t h = top + tap / load.kernelW, w = left + tap % load.kernelW;
      std::byte *pixel = fractals + block * kFractalBytes;
      if (h < 0 || h >= load.height || w < 0 || w >= load.width)
        std::memset(pixel, 0, kBlockBytes);
      else
        std::memcpy(pixel,
                    image +
                        ((c1 * load.height + h) * load.width + w) * kBlockBytes,
                    kBlockBytes);
    }
  }
}
