// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SyncKernels.h"

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// Tiles are 64x64 elements.
constexpr int64_t kTile = 64 * 64 * 2, kFractals = 16, kRepeats = 32;

Address at(Space space, int64_t tile) {
  return Address(space, tile * (space == Space::l0c ? 2 * kTile : kTile));
}
/// A piece of UB for a few numbers, after 24 tiles.
Address small(int64_t number) {
  return Address(Space::ub, 24 * kTile + number * 512);
}
Address input(int64_t tile) { return Address(Space::gm, tile * kTile, 0); }
Address output(int64_t tile) { return Address(Space::gm, tile * kTile, 1); }

class Builder {
public:
  explicit Builder(const Machine &machine) : machine(machine) {}

  void move(Address dst, Address src, bool accumulate = false,
            int64_t bytes = kTile) {
    Instruction in(Opcode::dma);
    in.dma = {1, bytes, bytes, bytes};
    in.accumulate = accumulate;
    add(in, dst, src);
  }
  /// From L1 to L0A or L0B.
  void load(Address dst, Address src) {
    Instruction in(Opcode::load2d);
    in.load2d = {kFractals, 1, 1};
    add(in, dst, src);
  }
  /// `rows` rows of C from row `row` on.
  void multiply(int64_t c, int64_t a, int64_t b, bool initialise,
                int64_t row = 0, int64_t rows = 64) {
    Instruction in(Opcode::mad);
    in.src1 = at(Space::l0b, b);
    in.initialise = initialise;
    in.mad = {rows, 64, 64, 4, 4, 4};
    Address dst = at(Space::l0c, c), src = at(Space::l0a, a);
    add(in, Address(Space::l0c, dst.getOffset() + row / 16 * 1024),
        Address(Space::l0a, src.getOffset() + row / 16 * 2048));
  }
  void drain(Address dst, int64_t c, int64_t row = 0, int64_t rows = 64) {
    Instruction in(Opcode::drain);
    in.type = DType::f32;
    in.drain = {rows, 64, 4, rows, 64};
    Address src = at(Space::l0c, c);
    add(in, dst, Address(Space::l0c, src.getOffset() + row / 16 * 1024));
  }
  /// Of a few numbers as src1, the same for each repeat.
  void compute(VectorOp op, Address dst, Address src0, Address src1,
               int64_t repeats = kRepeats) {
    Instruction in(Opcode::vector);
    in.vectorOp = op;
    in.src1 = src1;
    int64_t stride = src1.getOffset() < 24 * kTile ? 8 : 0;
    in.vector = {repeats, ~uint64_t(0), ~uint64_t(0), 1, 8, 1, 8, 1, stride, 1};
    add(in, dst, src0);
  }
  void compute(VectorOp op, Address dst, Address src,
               int64_t repeats = kRepeats) {
    compute(op, dst, src, src, repeats);
  }
  void loadScalar(Address src) {
    add(Instruction(Opcode::loadScalar), Address(), src);
  }

  Kernel take() {
    kernel.program.finish();
    return std::move(kernel);
  }

private:
  void add(Instruction in, Address dst, Address src) {
    in.dst = dst;
    in.src0 = src;
    kernel.add(0, machine, [in](const Env &) { return in; });
  }

  const Machine &machine;
  Kernel kernel;
};

Address ub(int64_t tile) { return at(Space::ub, tile); }
Address l1(int64_t tile) { return at(Space::l1, tile); }

Kernel makeAdd(Builder to) {
  for (int i = 0; i < 8; ++i) {
    int slot = i % 2 * 3;
    to.move(ub(slot), input(i % 4));
    to.move(ub(slot + 1), input(4 + i % 4));
    to.compute(VectorOp::add, ub(slot + 2), ub(slot), ub(slot + 1));
    to.move(output(i), ub(slot + 2));
  }
  return to.take();
}

/// x * sigmoid(x), in place.
Kernel makeActivation(Builder to) {
  for (int i = 0; i < 5; ++i) {
    int x = i % 2 * 2, y = x + 1;
    to.move(ub(x), input(i));
    to.compute(VectorOp::muls, ub(y), ub(x));
    to.compute(VectorOp::exp, ub(y), ub(y));
    to.compute(VectorOp::adds, ub(y), ub(y));
    to.compute(VectorOp::div, ub(y), ub(x), ub(y));
    to.move(output(i), ub(y));
  }
  return to.take();
}

/// One row of many columns a tile: maximum and sum go through registers.
Kernel makeSoftmax(Builder to, int tiles) {
  for (int i = 0; i < tiles; ++i) {
    int x = i % 2 * 2, y = x + 1;
    Address max = small(i % 2 * 2), sum = small(i % 2 * 2 + 1);
    to.move(ub(x), input(i));
    to.compute(VectorOp::groupMax, max, ub(x), 16);
    to.compute(VectorOp::reduceMax, max, max, 1);
    to.loadScalar(max);
    to.compute(VectorOp::adds, ub(y), ub(x));
    to.compute(VectorOp::exp, ub(y), ub(y));
    to.compute(VectorOp::reduceSum, sum, ub(y), 8);
    to.loadScalar(sum);
    to.compute(VectorOp::muls, ub(y), ub(y));
    to.move(output(i), ub(y));
  }
  return to.take();
}

/// Sums and sums of squares, added to those of other cores.
Kernel makeStatistics(Builder to) {
  Address sum = ub(4), squares = ub(5);
  for (int i = 0; i < 8; ++i) {
    int x = i % 2 * 2, y = x + 1;
    to.move(ub(x), input(i));
    if (i == 0) {
      to.compute(VectorOp::copy, sum, ub(x));
      to.compute(VectorOp::mul, squares, ub(x), ub(x));
      continue;
    }
    to.compute(VectorOp::add, sum, sum, ub(x));
    to.compute(VectorOp::mul, ub(y), ub(x), ub(x));
    to.compute(VectorOp::add, squares, squares, ub(y));
  }
  to.compute(VectorOp::reduceSum, small(0), sum);
  to.compute(VectorOp::reduceSum, small(1), squares);
  to.move(output(0), small(0), true, 64);
  to.move(output(1), small(1), true, 64);
  return to.take();
}

Kernel makeGemm(Builder to) {
  for (int k = 0; k < 6; ++k) {
    int slot = k % 2;
    to.move(l1(slot), input(k));
    to.move(l1(2 + slot), input(7 - k));
    to.load(at(Space::l0a, slot), l1(slot));
    to.load(at(Space::l0b, slot), l1(2 + slot));
    to.multiply(0, slot, slot, k == 0);
  }
  to.drain(ub(0), 0);
  to.compute(VectorOp::relu, ub(0), ub(0));
  to.move(output(0), ub(0));
  return to.take();
}

/// Two tiles of C, of which the second is computed while the first is written;
/// A stays in L1.
Kernel makeGemmTiles(Builder to) {
  for (int k = 0; k < 3; ++k)
    to.move(l1(k), input(k));
  int step = 0;
  for (int tile = 0; tile < 2; ++tile) {
    for (int k = 0; k < 3; ++k, ++step) {
      int slot = step % 2;
      to.move(l1(3 + slot), input(3 + k));
      to.load(at(Space::l0a, slot), l1(k));
      to.load(at(Space::l0b, slot), l1(3 + slot));
      to.multiply(tile, slot, slot, k == 0);
    }
    to.drain(ub(tile), tile);
    to.move(output(tile), ub(tile));
  }
  return to.take();
}

/// The last step of a tile in four parts, each of which is written while the
/// next is computed.
Kernel makeGemmQuarters(Builder to) {
  to.move(ub(8), input(7));
  for (int k = 0; k < 2; ++k) {
    to.move(l1(k), input(k));
    to.move(l1(2 + k), input(2 + k));
    to.load(at(Space::l0a, k), l1(k));
    to.load(at(Space::l0b, k), l1(2 + k));
    if (k == 0)
      to.multiply(0, k, k, true);
  }
  for (int part = 0; part < 4; ++part) {
    Address piece(Space::ub, part * kTile);
    to.multiply(0, 1, 1, false, part * 16, 16);
    to.drain(piece, 0, part * 16, 16);
    to.compute(VectorOp::add, piece, piece, ub(8), 8);
    to.compute(VectorOp::relu, piece, piece, 8);
    to.move(output(part), piece, false, kTile / 4);
  }
  return to.take();
}

Kernel makeConvolution(Builder to) {
  to.move(l1(4), input(0));
  to.move(l1(5), input(1));
  to.move(ub(4), input(7));
  for (int row = 0; row < 3; ++row) {
    int slot = row % 2;
    to.move(l1(slot), input(2 + row));
    for (int k = 0; k < 2; ++k) {
      to.load(at(Space::l0a, k), l1(slot));
      to.load(at(Space::l0b, k), l1(4 + k));
      to.multiply(slot, k, k, k == 0);
    }
    to.drain(ub(slot), slot);
    to.compute(VectorOp::add, ub(slot), ub(slot), ub(4));
    to.compute(VectorOp::relu, ub(slot), ub(slot));
    to.move(output(row), ub(slot));
  }
  return to.take();
}

/// Two blocks of keys and values; the probabilities go back through L1.
Kernel makeAttention(Builder to) {
  to.move(l1(0), input(0));
  to.load(at(Space::l0a, 0), l1(0));
  for (int block = 0; block < 2; ++block) {
    Address scores = ub(block), max = small(block);
    to.move(l1(1 + block), input(1 + block));
    to.load(at(Space::l0b, block), l1(1 + block));
    to.multiply(block, 0, block, true);
    to.drain(scores, block);
    to.compute(VectorOp::groupMax, max, scores, 16);
    to.compute(VectorOp::sub, scores, scores, max);
    to.compute(VectorOp::exp, scores, scores);
    to.compute(VectorOp::groupSum, small(2 + block), scores, 16);
    to.move(l1(5 + block), scores);
    to.load(at(Space::l0a, 1 + block), l1(5 + block));
    to.move(l1(3 + block), input(3 + block));
    to.load(at(Space::l0b, 2 + block), l1(3 + block));
    to.multiply(2, 1 + block, 2 + block, block == 0);
  }
  to.drain(ub(2), 2);
  to.compute(VectorOp::add, small(2), small(2), small(3), 1);
  to.compute(VectorOp::div, ub(2), ub(2), small(2));
  to.move(output(0), ub(2));
  return to.take();
}

} // namespace

std::vector<NamedKernel>
gc::npu::sync::makeSmallKernels(const Machine &machine) {
  Builder to(machine);
  std::vector<NamedKernel> kernels;
  kernels.push_back({"add", makeAdd(to)});
  kernels.push_back({"activation", makeActivation(to)});
  kernels.push_back({"softmax of 3 rows", makeSoftmax(to, 3)});
  kernels.push_back({"softmax of 4 rows", makeSoftmax(to, 4)});
  kernels.push_back({"statistics", makeStatistics(to)});
  kernels.push_back({"gemm", makeGemm(to)});
  kernels.push_back({"gemm of two tiles", makeGemmTiles(to)});
  kernels.push_back({"gemm with a drain in quarters", makeGemmQuarters(to)});
  kernels.push_back({"convolution", makeConvolution(to)});
  kernels.push_back({"attention", makeAttention(to)});
  return kernels;
}
