// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Expansion of reductions: the steps of ReducePlan as instructions.

#include "ReducePlan.h"
#include <numeric>

using namespace mlir;
using namespace gc::npu;

static constexpr int64_t kBlocks = kRepeatBytes / kBlockBytes;

namespace {
class Reducer {
public:
  Reducer(ReduceOp op, OpBuilder &builder, const Machine &machine, int64_t rows,
          DType result)
      : op(op), builder(builder), machine(machine), rows(rows),
        planner(machine, op.getKind(), result, rows) {}

  bool isRounded(const RowState &state) { return planner.isRounded(state); }

  /// Reduces `source` [rows, columns], which `state` describes, to `target`
  /// [rows].
  LogicalResult reduce(Value source, const RowState &state, Value target);
  /// The same in f32, and then the cast to the target's type.
  LogicalResult reduceWide(Value source, const RowState &state, Value target) {
    Value wide = allocate({rows}, DType::f32);
    return failure(failed(reduce(source, state, wide)) ||
                   failed(emitEach(VectorKind::convert, wide, target)));
  }

private:
  /// A buffer for `state`.
  Value allocate(const RowState &state);
  Value allocate(ArrayRef<int64_t> shape, DType type);
  /// Columns of all rows.
  Value getColumns(Value memref, int64_t first, int64_t count);
  Value flatten(Value memref);

  void emitBlocks(Value source, const RowState &state, Value target);
  void emitRepeats(Value source, const RowState &state, Value target,
                   int64_t firstRow);
  void emitGroups(Value source, const RowState &state, Value target);
  LogicalResult emitEach(VectorKind kind, ValueRange sources, Value target);
  /// One instruction of `repeat` repeats at a time, at most `most`.
  void emitReductions(const Nest &nest, const Piece &piece, const Dim &repeats,
                      int64_t most, VectorPiece form, VectorKind kind);

  ReduceOp op;
  OpBuilder &builder;
  const Machine &machine;
  int64_t rows;
  ReducePlanner planner;
};
} // namespace

//===----------------------------------------------------------------------===//
// Buffers and views
//===----------------------------------------------------------------------===//

Value Reducer::allocate(ArrayRef<int64_t> shape, DType type) {
  Type element = type == DType::f16 ? Type(builder.getF16Type())
                                    : Type(builder.getF32Type());
  auto space = MemorySpaceAttr::get(builder.getContext(), MemorySpace::ub);
  return AllocOp::create(
      builder, op.getLoc(),
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space),
      uint64_t(1), IntegerAttr());
}

Value Reducer::allocate(const RowState &state) {
  return allocate({rows, state.strideBlocks * getC0(state.type)}, state.type);
}

Value Reducer::getColumns(Value memref, int64_t first, int64_t count) {
  auto type = cast<MemRefType>(memref.getType());
  if (first == 0 && count == type.getShape()[1])
    return memref;
  auto index = [&](int64_t value) -> OpFoldResult {
    return builder.getIndexAttr(value);
  };
  SmallVector<OpFoldResult> offsets{index(0), index(first)},
      sizes{index(rows), index(count)}, strides{index(1), index(1)};
  return memref::SubViewOp::create(builder, op.getLoc(), memref, offsets, sizes,
                                   strides);
}

Value Reducer::flatten(Value memref) {
  SmallVector<ReassociationIndices> groups{{0, 1}};
  return memref::CollapseShapeOp::create(builder, op.getLoc(), memref, groups);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void Reducer::emitReductions(const Nest &nest, const Piece &piece,
                             const Dim &repeats, int64_t most, VectorPiece form,
                             VectorKind kind) {
  for (int64_t first = 0; first < repeats.size; first += most) {
    VectorPiece part = form;
    static_cast<Piece &>(part) = piece;
    part.repeat = std::min(most, repeats.size - first);
    part.advance(repeats, first);
    part.box.push_back(repeats.withSize(part.repeat));
    emit(builder, op.getLoc(), nest, part,
         [&](OpBuilder &inner, ArrayRef<Value> views) {
           emitVector(inner, op.getLoc(), kind, views[1], views[0], {}, part);
         });
  }
}

void Reducer::emitBlocks(Value source, const RowState &state, Value target) {
  Nest nest = Nest::fromMemrefs({target, source});
  DType result = nest.operands[0].tile.dtype;
  Dim row{1, {{0, 1}, {0, 1}}}, lanes{state.columns, {{}, {1, 1}}};
  int64_t main = planner.getMainRows(), rest = rows - main;
  auto emitPart = [&](int64_t first, int64_t repeat, int64_t count) {
    VectorPiece form;
    if (count < kBlocks || state.columns < getC0(state.type))
      form.mask = getLaneMask(state.columns, count, getC0(state.type));
    // A single row has no distance to another.
    form.strides[2] = rows == 1 ? 1 : state.strideBlocks;
    if (repeat > 1)
      form.strides[3] = kBlocks * state.strideBlocks;
    Piece piece = nest.getWhole();
    piece.advance(row, first);
    piece.box = {lanes, row.withSize(count)};
    emitReductions(nest, piece, row.every(kBlocks, repeat),
                   planner.getMaxRepeat(kBlocks * getBytes(result)), form,
                   planner.getGroupKind());
  };
  if (main > 0)
    emitPart(0, main / kBlocks, kBlocks);
  if (rest > kBlocks)
    emitRepeats(source, state, target, main);
  else if (rest > 0)
    emitPart(main, 1, rest);
}

void Reducer::emitRepeats(Value source, const RowState &state, Value target,
                          int64_t firstRow) {
  Nest nest = Nest::fromMemrefs({target, source});
  DType result = nest.operands[0].tile.dtype;
  Dim row{rows - firstRow, {{0, 1}, {0, 1}}};
  VectorPiece form;
  if (state.columns < kRepeatBytes / getBytes(state.type))
    form.mask = getLaneMask(state.columns, 1, getC0(state.type));
  if (row.size > 1)
    form.strides[3] = state.strideBlocks;
  Piece piece = nest.getWhole();
  piece.advance(row, firstRow);
  piece.box = {Dim{state.columns, {{}, {1, 1}}}};
  emitReductions(nest, piece, row, planner.getMaxRepeat(getBytes(result)), form,
                 planner.getRepeatKind());
}

void Reducer::emitGroups(Value source, const RowState &state, Value target) {
  int64_t lanes = kRepeatBytes / getBytes(state.type);
  bool isFlat = state.isContiguous() || rows == 1;
  if (isFlat) {
    source = flatten(source);
    target = flatten(target);
  }
  Nest nest = Nest::fromMemrefs({target, source});
  int dim = isFlat ? 0 : 1;
  DType result = nest.operands[0].tile.dtype;
  int64_t count = nest.operands[1].tile.shape[dim] / lanes;
  Piece piece = nest.getWhole();
  piece.box = {Dim{kBlocks, {{dim, 1}, {}}}, Dim{lanes, {{}, {dim, 1}}}};
  if (!isFlat)
    piece.loops.push_back(Dim{rows, {{0, 1}, {0, 1}}});
  emitReductions(nest, piece, Dim{count, {{dim, kBlocks}, {dim, lanes}}},
                 planner.getMaxRepeat(kBlocks * getBytes(result)), {},
                 planner.getGroupKind());
}

LogicalResult Reducer::emitEach(VectorKind kind, ValueRange sources,
                                Value target) {
  if (emitElementwise(builder, op.getLoc(), machine, kind, sources, target))
    return success();
  return op.emitOpError("has rows that no vector instruction reaches");
}

LogicalResult Reducer::reduce(Value source, const RowState &state,
                              Value target) {
  std::optional<ReduceChoice> choice = planner.choose(state);
  if (!choice)
    return op.emitOpError("of ") << rows << " rows of " << state.columns
                                 << " elements has no sequence of instructions";
  int64_t columns = state.columns;
  RowState next = planner.getNext(state, *choice);
  switch (choice->step) {
  case ReduceStep::blocks:
    emitBlocks(source, state, target);
    return success();
  case ReduceStep::repeats:
    emitRepeats(source, state, target, 0);
    return success();
  case ReduceStep::groups: {
    Value groups = allocate(next);
    emitGroups(source, state, groups);
    return reduce(groups, next, target);
  }
  case ReduceStep::fold: {
    int64_t half = choice->columns, second = columns - half;
    bool isInPlace = next.strideBlocks == state.strideBlocks && state.isScratch;
    Value folded = isInPlace ? getColumns(source, 0, half)
                             : getColumns(allocate(next), 0, half);
    // Elements without a counterpart are copied in whole blocks, so this comes
    // first.
    int64_t single = second / getC0(state.type) * getC0(state.type);
    if (!isInPlace && second < half &&
        failed(emitEach(VectorKind::copy,
                        getColumns(source, single, half - single),
                        getColumns(folded, single, half - single))))
      return failure();
    if (failed(emitEach(
            planner.getBinaryKind(),
            {getColumns(source, 0, second), getColumns(source, half, second)},
            getColumns(folded, 0, second))))
      return failure();
    return reduce(folded, next, target);
  }
  case ReduceStep::split: {
    Value rest = allocate({rows}, *getDType(target.getType()));
    if (failed(reduce(getColumns(source, 0, choice->columns), next, target)) ||
        failed(reduce(
            getColumns(source, choice->columns, columns - choice->columns),
            planner.getRest(state, *choice), rest)))
      return failure();
    return emitEach(planner.getBinaryKind(), {target, rest}, target);
  }
  case ReduceStep::widen:
  case ReduceStep::pack: {
    Value copy = getColumns(allocate(next), 0, columns);
    bool isWider = choice->step == ReduceStep::widen;
    if (failed(emitEach(isWider ? VectorKind::convert : VectorKind::copy,
                        source, copy)))
      return failure();
    return reduce(copy, next, target);
  }
  }
  llvm_unreachable("all steps are above");
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

/// `memref` as rows, and columns if it has them; dimensions that are not there
/// have size 1. Null if the rows are not evenly apart.
static Value reshape(OpBuilder &builder, Location loc, Value memref,
                     bool hasColumns) {
  int64_t rank = cast<MemRefType>(memref.getType()).getRank();
  int64_t wanted = hasColumns ? 2 : 1;
  if (rank == wanted)
    return memref;
  SmallVector<ReassociationIndices> groups;
  if (rank < wanted) {
    SmallVector<int64_t> shape{1};
    llvm::append_range(shape, cast<MemRefType>(memref.getType()).getShape());
    if (hasColumns)
      groups.push_back({0, 1});
    return memref::ExpandShapeOp::create(builder, loc, shape, memref, groups);
  }
  groups.emplace_back(rank - wanted + 1);
  std::iota(groups[0].begin(), groups[0].end(), 0);
  if (hasColumns)
    groups.push_back({rank - 1});
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(
          cast<MemRefType>(memref.getType()), groups))
    return Value();
  return memref::CollapseShapeOp::create(builder, loc, memref, groups);
}

LogicalResult ReduceOp::expand(OpBuilder &builder, const Machine &machine) {
  Value source = reshape(builder, getLoc(), getSource(), true);
  Value target = reshape(builder, getLoc(), getTarget(), false);
  if (!source || !target)
    return emitOpError("has rows that are not evenly apart: ")
           << (source ? getTarget() : getSource()).getType();
  Tile tile = *getTile(source);
  int64_t stride = tile.getStride(0) * getBytes(tile.dtype);
  if (tile.shape[0] > 1 && stride % kBlockBytes != 0)
    return emitOpError("has rows ")
           << stride << " bytes apart, not a multiple of " << kBlockBytes;
  RowState state{tile.shape[1], tile.dtype,
                 (stride + kBlockBytes - 1) / kBlockBytes, false};
  DType result = *getDType(target.getType());
  Reducer reducer(*this, builder, machine, tile.shape[0], result);
  // Partial sums are not rounded to f16.
  if (reducer.isRounded(state))
    return Reducer(*this, builder, machine, tile.shape[0], DType::f32)
        .reduceWide(source, state, target);
  return reducer.reduce(source, state, target);
}
