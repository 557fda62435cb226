// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bytes that an instruction touches, exactly.

#include "NpuModel/Instruction.h"

#include <algorithm>

using namespace gc::npu;

namespace {
int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

/// Passes ranges on, merging adjacent ones of the same operand.
class Ranges {
public:
  Ranges(detail::RangeFn fn, void *context) : fn(fn), context(context) {}
  ~Ranges() { flush(); }

  /// From here on ranges are of another operand.
  void start(Address newBase, Access newAccess) {
    flush();
    base = newBase;
    access = newAccess;
  }

  void add(int64_t offset, int64_t bytes) {
    if (offset == end) {
      end += bytes;
      return;
    }
    flush();
    begin = offset;
    end = offset + bytes;
  }

  /// `count` pieces of `bytes` bytes, `stride` apart.
  void addRuns(int64_t offset, int64_t count, int64_t bytes, int64_t stride) {
    if (stride == bytes)
      return add(offset, count * bytes);
    for (int64_t i = 0; i < count; ++i)
      add(offset + i * stride, bytes);
  }

private:
  void flush() {
    if (end > begin)
      fn(context, base + begin, end - begin, access);
    begin = end = 0;
  }

  detail::RangeFn fn;
  void *context;
  Address base;
  Access access = Access::read;
  int64_t begin = 0, end = 0;
};
} // namespace

static void addDma(const Instruction &in, Ranges &ranges) {
  const Instruction::Dma &dma = in.dma;
  // With one burst strides mean nothing; with a source stride of 0 all read the
  // same.
  ranges.start(in.src0, Access::read);
  ranges.addRuns(0, dma.srcStride ? dma.bursts : 1, dma.bytes, dma.srcStride);
  bool local = in.dst.getSpace() != Space::gm;
  ranges.start(in.dst, in.accumulate ? Access::accumulate : Access::write);
  ranges.addRuns(0, dma.bursts,
                 local ? roundUp(dma.bytes, kBlockBytes) : dma.bytes,
                 dma.dstStride);
}

/// Blocks of `width` columns, each with `rows` of `stride` rows, of a matrix
/// with `columns` columns; all sizes but these in bytes.
static void addBlocks(Ranges &ranges, int64_t columns, int64_t width,
                      int64_t rows, int64_t stride) {
  for (int64_t first = 0; first < columns; first += width)
    ranges.addRuns(first * stride, rows, std::min(width, columns - first),
                   width);
}

static void addBox(const Instruction &in, Ranges &ranges) {
  const Instruction::Box &box = in.box;
  int64_t bytes = getBytes(in.type);
  if (in.opcode == Opcode::pack) {
    ranges.start(in.src0, Access::read);
    ranges.addRuns(0, box.rows, box.columns * bytes, box.pitch * bytes);
    ranges.start(in.dst, Access::write);
    ranges.addRuns(0, box.blocks, box.paddedRows * kBlockBytes,
                   box.localRows * kBlockBytes);
    return;
  }
  ranges.start(in.src0, Access::read);
  addBlocks(ranges, box.columns * bytes, box.width * bytes, box.rows,
            box.localRows);
  ranges.start(in.dst, in.accumulate ? Access::accumulate : Access::write);
  ranges.addRuns(0, box.rows, box.columns * bytes, box.pitch * bytes);
}

static void addLoad2d(const Instruction &in, Ranges &ranges) {
  const Instruction::Load2d &load = in.load2d;
  ranges.start(in.src0, Access::read);
  ranges.addRuns(0, load.srcStride ? load.fractals : 1, kFractalBytes,
                 load.srcStride * kFractalBytes);
  ranges.start(in.dst, Access::write);
  ranges.addRuns(0, load.fractals, kFractalBytes,
                 load.dstStride * kFractalBytes);
}

/// Sets bits [begin, end).
static void setBits(std::vector<uint64_t> &bits, int64_t begin, int64_t end) {
  while (begin < end) {
    int64_t shift = begin % 64, count = std::min(64 - shift, end - begin);
    uint64_t ones = count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
    bits[begin / 64] |= ones << shift;
    begin += count;
  }
}

/// Marks the pixels that one tap of the kernel reads.
static void markTap(const Instruction::Load3d &load, int64_t kh, int64_t kw,
                    std::vector<uint64_t> &pixels) {
  int64_t m = load.mStart, mEnd = load.mStart + load.mCount;
  while (m < mEnd) {
    int64_t row = m / load.outWidth, first = m % load.outWidth;
    int64_t count = std::min(load.outWidth - first, mEnd - m);
    m += count;
    int64_t h = row * load.strideH + kh - load.padTop;
    if (h < 0 || h >= load.height)
      continue;
    int64_t w = first * load.strideW + kw - load.padLeft;
    if (load.strideW == 1) {
      setBits(pixels, h * load.width + std::max<int64_t>(w, 0),
              h * load.width + std::min(w + count, load.width));
      continue;
    }
    for (int64_t i = 0; i < count; ++i, w += load.strideW)
      if (w >= 0 && w < load.width)
        setBits(pixels, h * load.width + w, h * load.width + w + 1);
  }
}

static void addLoad3d(const Instruction &in, Ranges &ranges) {
  const Instruction::Load3d &load = in.load3d;
  int64_t c0 = getC0(in.type), taps = load.kernelH * load.kernelW;
  int64_t tap = load.kStart / c0, end = (load.kStart + load.kCount) / c0;
  int64_t size = load.height * load.width;
  std::vector<uint64_t> pixels;
  ranges.start(in.src0, Access::read);
  while (tap < end) {
    int64_t channel = tap / taps;
    pixels.assign(static_cast<size_t>(ceilDiv(size, 64)), 0);
    for (; tap < end && tap / taps == channel; ++tap)
      markTap(load, tap % taps / load.kernelW, tap % load.kernelW, pixels);
    for (int64_t word = 0; word * 64 < size; ++word)
      for (uint64_t rest = pixels[word]; rest;) {
        int shift = __builtin_ctzll(rest);
        uint64_t run = rest >> shift;
        int count = ~run ? __builtin_ctzll(~run) : 64;
        ranges.add((channel * size + word * 64 + shift) * kBlockBytes,
                   count * kBlockBytes);
        rest &= shift + count == 64 ? 0 : ~uint64_t(0) << (shift + count);
      }
  }
  ranges.start(in.dst, Access::write);
  ranges.add(0, load.mCount * load.kCount * getBytes(in.type));
}

/// `rows` rows of fractals that follow each other, of which `bytes` bytes are
/// used.
static void addRows(Ranges &ranges, int64_t offset, int64_t rows,
                    int64_t bytes) {
  ranges.addRuns(offset, rows, bytes, kBlockBytes);
}

static void addMad(const Instruction &in, Ranges &ranges) {
  const Instruction::Mad &mad = in.mad;
  // Bytes along k.
  int64_t k = mad.k * getBytes(in.type);
  int64_t m1 = ceilDiv(mad.m, 16), n1 = ceilDiv(mad.n, 16),
          k1 = ceilDiv(k, kBlockBytes);
  bool wholeK = k % kBlockBytes == 0;

  ranges.start(in.src0, Access::read);
  for (int64_t i = 0; i < m1; ++i) {
    int64_t rows = std::min<int64_t>(16, mad.m - i * 16);
    int64_t offset = i * mad.aStride * kFractalBytes;
    if (rows == 16 && wholeK) {
      ranges.add(offset, k1 * kFractalBytes);
      continue;
    }
    for (int64_t j = 0; j < k1; ++j)
      addRows(ranges, offset + j * kFractalBytes, rows,
              std::min(kBlockBytes, k - j * kBlockBytes));
  }

  ranges.start(in.src1, Access::read);
  for (int64_t j = 0; j < k1; ++j)
    addRows(ranges, j * mad.bStride * kFractalBytes, mad.n,
            std::min(kBlockBytes, k - j * kBlockBytes));

  ranges.start(in.dst, in.initialise ? Access::write : Access::accumulate);
  for (int64_t j = 0; j < n1; ++j)
    ranges.addRuns(j * mad.cStride * kAccumulatorFractalBytes, mad.m,
                   std::min<int64_t>(16, mad.n - j * 16) * 4, 64);
}

static void addDrain(const Instruction &in, Ranges &ranges) {
  const Instruction::Drain &drain = in.drain;
  int64_t bytes = getBytes(in.dstType);
  ranges.start(in.src0, Access::read);
  for (int64_t j = 0; j * 16 < drain.n; ++j)
    ranges.addRuns(j * drain.srcStride * kAccumulatorFractalBytes, drain.m,
                   std::min<int64_t>(16, drain.n - j * 16) * 4, 64);
  ranges.start(in.dst, Access::write);
  addBlocks(ranges, drain.n * bytes, drain.width * bytes, drain.m,
            drain.dstRows);
}

namespace {
/// Pieces of a repeat that a mask selects, for elements of one size: block,
/// first byte in it, bytes.
struct Piece {
  int64_t block, begin, bytes;
};
} // namespace

static int getPieces(Mask mask, int64_t bytes, Piece (&pieces)[128]) {
  int count = 0;
  for (int word = 0; word < 2; ++word)
    for (uint64_t rest = word ? mask.high : mask.low; rest;) {
      // A run of lanes up to the end of its block.
      int64_t shift = __builtin_ctzll(rest);
      uint64_t run = rest >> shift;
      int64_t lanes = ~run ? __builtin_ctzll(~run) : 64;
      int64_t offset = (word * 64 + shift) * bytes;
      int64_t begin = offset % kBlockBytes;
      lanes = std::min(lanes, (kBlockBytes - begin) / bytes);
      pieces[count++] = {offset / kBlockBytes, begin, lanes * bytes};
      uint64_t done = lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1;
      rest &= ~(done << shift);
    }
  return count;
}

static void addVectorOperand(const Instruction &in, Address address,
                             Access access, DType type, int64_t block,
                             int64_t repeat, Ranges &ranges) {
  ranges.start(address, access);
  int64_t count = repeat ? in.vector.repeat : 1;
  int64_t bytes = getBytes(type), lanes = getLanes(in);
  if (in.vectorOp == VectorOp::transpose) {
    for (int64_t i = 0; i < count; ++i)
      ranges.addRuns(i * repeat * kBlockBytes, block ? getC0(type) : 1,
                     kBlockBytes, block * kBlockBytes);
    return;
  }
  if (!isMaskPartial(in) && block) {
    int64_t blocks = lanes * bytes / kBlockBytes;
    if (block == 1)
      return ranges.addRuns(0, count, blocks * kBlockBytes,
                            repeat * kBlockBytes);
    for (int64_t i = 0; i < count; ++i)
      ranges.addRuns(i * repeat * kBlockBytes, blocks, kBlockBytes,
                     block * kBlockBytes);
    return;
  }
  Piece pieces[128];
  int numPieces = getPieces(getMask(in), bytes, pieces);
  for (int64_t i = 0; i < count; ++i)
    for (int j = 0; j < numPieces; ++j)
      ranges.add((i * repeat + pieces[j].block * block) * kBlockBytes +
                     pieces[j].begin,
                 pieces[j].bytes);
}

static void addVector(const Instruction &in, Ranges &ranges) {
  const Instruction::Vector &vector = in.vector;
  VectorOp op = in.vectorOp;
  int sources = getNumSources(op);
  int64_t bits = vector.repeat * getLanes(in) / 8;
  if (sources > 0)
    addVectorOperand(in, in.src0, Access::read, in.type, vector.src0Block,
                     vector.src0Repeat, ranges);
  if (sources > 1)
    addVectorOperand(in, in.src1, Access::read, in.type, vector.src1Block,
                     vector.src1Repeat, ranges);
  if (sources > 2) {
    ranges.start(in.src2, Access::read);
    ranges.add(0, bits);
  }
  Mask mask = getMask(in);
  int64_t packed = -1;
  if (isCompare(op))
    packed = bits;
  else if (isRepeatReduce(op))
    packed = mask.low || mask.high ? vector.repeat * getBytes(in.dstType) : 0;
  else if (isGroupReduce(op))
    packed = vector.repeat * getActiveBlocks(in) * getBytes(in.dstType);
  if (packed < 0)
    return addVectorOperand(in, in.dst, Access::write, in.dstType,
                            vector.dstBlock, vector.dstRepeat, ranges);
  ranges.start(in.dst, Access::write);
  ranges.add(0, packed);
}

void gc::npu::detail::forEachRange(const Instruction &instruction, RangeFn fn,
                                   void *context) {
  Ranges ranges(fn, context);
  switch (instruction.opcode) {
  case Opcode::dma:
    return addDma(instruction, ranges);
  case Opcode::pack:
  case Opcode::unpack:
    return addBox(instruction, ranges);
  case Opcode::load2d:
    return addLoad2d(instruction, ranges);
  case Opcode::load3d:
    return addLoad3d(instruction, ranges);
  case Opcode::mad:
    return addMad(instruction, ranges);
  case Opcode::drain:
    return addDrain(instruction, ranges);
  case Opcode::vector:
    return addVector(instruction, ranges);
  case Opcode::loadScalar:
    ranges.start(instruction.src0, Access::read);
    return ranges.add(0, getBytes(instruction.type));
  case Opcode::alloc:
  case Opcode::setFlag:
  case Opcode::waitFlag:
  case Opcode::barrier:
    return;
  }
}
