// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Nest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace gc::npu;

/// Up to this many instructions of one form are emitted one after the other;
/// more become a loop.
static constexpr int64_t kMaxUnrolled = 8;

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

Dim Dim::every(int64_t factor, int64_t newSize) const {
  Dim dim = *this;
  dim.size = newSize;
  for (Step &step : dim.steps)
    step.count *= factor;
  return dim;
}

void Piece::advance(const Dim &dim, int64_t index) {
  for (auto [step, offset] : llvm::zip(dim.steps, offsets))
    if (step.dim >= 0)
      offset[step.dim] += index * step.count;
}

int64_t Piece::getNumInstructions() const {
  int64_t count = 1;
  for (const Dim &dim : loops)
    count *= dim.size;
  return count;
}

/// Whether advancing `inner` past its end is the same as advancing `outer` by
/// one.
static bool canMerge(const Dim &outer, const Dim &inner) {
  for (auto [a, b] : llvm::zip(outer.steps, inner.steps))
    if (a.dim != b.dim || a.count != b.count * inner.size)
      return false;
  return true;
}

/// Groups of adjacent dimensions without gaps between them.
static SmallVector<ReassociationIndices> getGroups(const Tile &tile) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < tile.getRank(); ++dim) {
    bool isContinued = false;
    if (dim > 0) {
      // Dimensions of one index belong to any group.
      int64_t previous = groups.back().back();
      while (previous > groups.back().front() && tile.shape[previous] == 1)
        --previous;
      isContinued =
          tile.shape[dim] == 1 || tile.shape[previous] == 1 ||
          tile.strides[previous] == tile.shape[dim] * tile.strides[dim];
    }
    if (isContinued)
      groups.back().push_back(dim);
    else
      groups.push_back({dim});
  }
  return groups;
}

Nest Nest::fromMemrefs(ArrayRef<Value> memrefs) {
  Nest nest;
  for (Value memref : memrefs)
    nest.operands.push_back({memref, *getTile(memref)});
  return nest;
}

Nest Nest::fromTiles(OpBuilder &builder, Location loc,
                     ArrayRef<Value> memrefs) {
  Nest nest = fromMemrefs(memrefs);
  Tile whole = nest.operands.front().tile;
  SmallVector<Dim> dims(whole.getRank());
  for (auto [dim, size] : llvm::zip(dims, whole.shape)) {
    dim.size = size;
    dim.steps.resize(memrefs.size());
  }
  for (auto [index, operand] : llvm::enumerate(nest.operands)) {
    Tile tile = operand.tile;
    SmallVector<ReassociationIndices> groups = getGroups(tile);
    for (auto [number, group] : llvm::enumerate(groups)) {
      int64_t count = 1;
      for (int64_t dim : llvm::reverse(group)) {
        if (tile.shape[dim] == 1)
          continue;
        dims[dim].steps[index] = {static_cast<int>(number), count};
        count *= tile.shape[dim];
      }
    }
    if (static_cast<int64_t>(groups.size()) == tile.getRank())
      continue;
    operand.memref =
        memref::CollapseShapeOp::create(builder, loc, operand.memref, groups);
    operand.tile = *getTile(operand.memref);
  }
  for (Dim &dim : dims) {
    if (dim.size == 1)
      continue;
    if (!nest.dims.empty() && canMerge(nest.dims.back(), dim)) {
      dim.size *= nest.dims.back().size;
      nest.dims.pop_back();
    }
    nest.dims.push_back(dim);
  }
  bool isContiguous = !nest.dims.empty();
  for (size_t index = 0; isContiguous && index < memrefs.size(); ++index)
    isContiguous = nest.getStride(nest.dims.back(), index) ==
                   getBytes(nest.operands[index].tile.dtype);
  if (!isContiguous) {
    nest.dims.emplace_back();
    for (NestOperand &operand : nest.operands)
      nest.dims.back().steps.push_back(
          {static_cast<int>(operand.tile.getRank()) - 1, 1});
  }
  return nest;
}

Piece Nest::getWhole() const {
  Piece piece;
  for (const NestOperand &operand : operands)
    piece.offsets.emplace_back(operand.tile.getRank(), 0);
  return piece;
}

int64_t Nest::getStride(const Dim &dim, size_t index) const {
  const Step &step = dim.steps[index];
  const Tile &tile = operands[index].tile;
  if (step.dim < 0)
    return 0;
  return step.count * tile.getStride(step.dim) * getBytes(tile.dtype);
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {
class Emitter {
public:
  Emitter(Location loc, const Nest &nest, const Piece &piece, EmitFn fn)
      : loc(loc), nest(nest), piece(piece), fn(fn) {}

  /// Nests loop `depth` and those inside it. `isUnrolled`: no scf.for.
  void emit(OpBuilder &builder, size_t depth, const Piece &at, bool isUnrolled);

private:
  Value getView(OpBuilder &builder, const Piece &at, size_t index);

  Location loc;
  const Nest &nest;
  const Piece &piece;
  EmitFn fn;
  /// Surrounding loops, and their induction variables.
  SmallVector<std::pair<const Dim *, Value>> variables;
};
} // namespace

void Emitter::emit(OpBuilder &builder, size_t depth, const Piece &at,
                   bool isUnrolled) {
  if (depth == piece.loops.size()) {
    SmallVector<Value> views;
    for (size_t index = 0; index < nest.operands.size(); ++index)
      views.push_back(getView(builder, at, index));
    return fn(builder, views);
  }
  const Dim &dim = piece.loops[depth];
  if (isUnrolled || dim.size == 1) {
    for (int64_t i = 0; i < dim.size; ++i) {
      Piece next = at;
      next.advance(dim, i);
      emit(builder, depth + 1, next, isUnrolled);
    }
    return;
  }
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value lower = constant(0), upper = constant(dim.size), step = constant(1);
  auto loop = scf::ForOp::create(builder, loc, lower, upper, step);
  OpBuilder inner = OpBuilder::atBlockTerminator(loop.getBody());
  variables.emplace_back(&dim, loop.getInductionVar());
  emit(inner, depth + 1, at, isUnrolled);
  variables.pop_back();
}

Value Emitter::getView(OpBuilder &builder, const Piece &at, size_t index) {
  const NestOperand &operand = nest.operands[index];
  MLIRContext *context = builder.getContext();
  SmallVector<OpFoldResult> offsets, sizes, strides;
  bool isWhole = true;
  for (int64_t dim = 0; dim < operand.tile.getRank(); ++dim) {
    AffineExpr offset = getAffineConstantExpr(at.offsets[index][dim], context);
    SmallVector<OpFoldResult> symbols;
    for (auto [loop, variable] : variables)
      if (loop->steps[index].dim == dim) {
        offset = offset + getAffineDimExpr(symbols.size(), context) *
                              loop->steps[index].count;
        symbols.push_back(variable);
      }
    offsets.push_back(affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(symbols.size(), 0, offset), symbols));
    int64_t size = 1;
    for (const Dim &box : piece.box)
      if (box.steps[index].dim == dim)
        size += (box.size - 1) * box.steps[index].count;
    sizes.push_back(builder.getIndexAttr(size));
    strides.push_back(builder.getIndexAttr(1));
    isWhole &= size == operand.tile.shape[dim];
  }
  if (isWhole)
    return operand.memref;
  return memref::SubViewOp::create(builder, loc, operand.memref, offsets, sizes,
                                   strides);
}

void gc::npu::emit(OpBuilder &builder, Location loc, const Nest &nest,
                   const Piece &piece, EmitFn fn) {
  Emitter(loc, nest, piece, fn)
      .emit(builder, 0, piece, piece.getNumInstructions() <= kMaxUnrolled);
}
