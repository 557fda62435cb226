// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Expansion of ops that do the same to each element, and of transposes.

#include "VectorPlan.h"

using namespace mlir;
using namespace gc::npu;

// The kinds of tile ops are vector kinds, in the same order.
static_assert(static_cast<int>(VectorKind::min) ==
              static_cast<int>(BinaryKind::min));
static VectorKind getVectorKind(BinaryKind kind) {
  return static_cast<VectorKind>(kind);
}
static VectorKind getVectorKind(ScalarKind kind) {
  return static_cast<VectorKind>(static_cast<int>(VectorKind::adds) +
                                 static_cast<int>(kind));
}
static VectorKind getVectorKind(UnaryKind kind) {
  return static_cast<VectorKind>(static_cast<int>(VectorKind::relu) +
                                 static_cast<int>(kind));
}

static LogicalResult expandElementwise(Operation *op, OpBuilder &builder,
                                       const Machine &machine, VectorKind kind,
                                       ValueRange sources, Value target,
                                       Value scalar = {}) {
  if (emitElementwise(builder, op->getLoc(), machine, kind, sources, target,
                      scalar))
    return success();
  return op->emitOpError("has rows that no vector instruction reaches: they do "
                         "not begin at multiples of 32 bytes");
}

LogicalResult BinaryOp::expand(OpBuilder &builder, const Machine &machine) {
  return expandElementwise(*this, builder, machine, getVectorKind(getKind()),
                           {getLhs(), getRhs()}, getTarget());
}

LogicalResult ScalarOp::expand(OpBuilder &builder, const Machine &machine) {
  return expandElementwise(*this, builder, machine, getVectorKind(getKind()),
                           getSource(), getTarget(), getValue());
}

LogicalResult UnaryOp::expand(OpBuilder &builder, const Machine &machine) {
  return expandElementwise(*this, builder, machine, getVectorKind(getKind()),
                           getSource(), getTarget());
}

LogicalResult CastOp::expand(OpBuilder &builder, const Machine &machine) {
  return expandElementwise(*this, builder, machine, VectorKind::convert,
                           getSource(), getTarget());
}

LogicalResult FillOp::expand(OpBuilder &builder, const Machine &machine) {
  return expandElementwise(*this, builder, machine, VectorKind::dup, {},
                           getTarget(), getValue());
}

//===----------------------------------------------------------------------===//
// Transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::expand(OpBuilder &builder, const Machine &machine) {
  Nest nest = Nest::fromMemrefs({getTarget(), getSource()});
  const Tile &from = nest.operands[1].tile;
  // One instruction: the rows of a square are the blocks of a repeat. A single
  // row is that of all of them.
  int64_t size = getC0(from.dtype);
  Step source = from.shape[0] == 1 ? Step() : Step{0, 1};
  Dim rows{size, {{1, 1}, source}}, columns{size, {{0, 1}, {1, 1}}};
  // Squares, along the target's columns and along its rows.
  const Tile &to = nest.operands[0].tile;
  Dim down = rows.every(size, to.shape[1] / size),
      across = columns.every(size, to.shape[0] / size);
  VectorPiece piece;
  static_cast<Piece &>(piece) = nest.getWhole();
  piece.box = {rows, columns};
  piece.strides[0] = nest.getStride(columns, 0) / kBlockBytes;
  piece.strides[2] = nest.getStride(rows, 1) / kBlockBytes;
  if (std::max(piece.strides[0], piece.strides[2]) > machine.maxStride)
    return emitOpError("has rows of more than ")
           << machine.maxStride << " blocks of 32 bytes";

  // Repeats go along the direction with more squares that strides can follow.
  auto isReachable = [&](const Dim &dim) {
    return std::max(nest.getStride(dim, 0), nest.getStride(dim, 1)) <=
           machine.maxStride * kBlockBytes;
  };
  Dim repeats = down, loop = across;
  if (!isReachable(down) || (isReachable(across) && across.size > down.size))
    std::swap(repeats, loop);
  piece.loops = {loop};
  if (isReachable(repeats)) {
    piece.strides[1] = nest.getStride(repeats, 0) / kBlockBytes;
    piece.strides[3] = nest.getStride(repeats, 1) / kBlockBytes;
  } else {
    piece.loops.push_back(repeats);
    repeats = repeats.withSize(1);
  }
  for (int64_t first = 0; first < repeats.size; first += machine.maxRepeat) {
    VectorPiece part = piece;
    part.repeat = std::min(machine.maxRepeat, repeats.size - first);
    part.advance(repeats, first);
    part.box.push_back(repeats.withSize(part.repeat));
    emit(builder, getLoc(), nest, part,
         [&](OpBuilder &inner, ArrayRef<Value> views) {
           emitVector(inner, getLoc(), VectorKind::transpose, views[1],
                      views[0], {}, part);
         });
  }
  return success();
}
