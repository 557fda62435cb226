// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Expansion of compare and select, whose bits are packed: eight lanes per byte,
// in row-major order.

#include "VectorPlan.h"
#include <numeric>

using namespace mlir;
using namespace gc::npu;

/// One dimension over tiles without gaps.
static Value flatten(OpBuilder &builder, Location loc, Value memref) {
  auto rank = cast<MemRefType>(memref.getType()).getRank();
  if (rank == 1)
    return memref;
  SmallVector<ReassociationIndices> groups;
  if (rank > 0) {
    groups.emplace_back(rank);
    std::iota(groups[0].begin(), groups[0].end(), 0);
  } else {
    return memref::ExpandShapeOp::create(builder, loc, ArrayRef<int64_t>{1},
                                         memref, groups);
  }
  return memref::CollapseShapeOp::create(builder, loc, memref, groups);
}

/// `data` are tiles of the same shape, `bits` has a bit for each lane of their
/// repeats. `fn` gets views of the bits and of the data.
static void emitWithBits(
    OpBuilder &builder, Location loc, const Machine &machine, Value bits,
    ArrayRef<Value> data,
    function_ref<void(OpBuilder &, Value, ArrayRef<Value>, const VectorPiece &)>
        fn) {
  SmallVector<Value> operands{flatten(builder, loc, bits)};
  for (Value value : data)
    operands.push_back(flatten(builder, loc, value));
  Nest nest = Nest::fromMemrefs(operands);
  const Tile &tile = nest.operands[1].tile;
  int64_t bytes = getBytes(tile.dtype), lanes = kRepeatBytes / bytes;
  int64_t count = tile.getNumElements(), full = count / lanes,
          tail = count % lanes;
  // The bits of a group of repeats fill a block: instructions begin at groups.
  int64_t group = kBlockBytes * 8 / lanes;
  Dim repeats{1, {{0, lanes / 8}}}, row{1, {{0, 0}}};
  for (size_t i = 0; i < data.size(); ++i) {
    repeats.steps.push_back({0, lanes});
    row.steps.push_back({0, 1});
  }
  auto emitPart = [&](int64_t first, int64_t repeat, int64_t last) {
    VectorPiece piece;
    static_cast<Piece &>(piece) = nest.getWhole();
    piece.advance(repeats, first);
    piece.repeat = repeat;
    piece.box = {repeats.withSize(repeat), row.withSize(last)};
    Dim inRepeat{lanes / 8, {{0, 1}}};
    inRepeat.steps.resize(operands.size());
    piece.box.push_back(inRepeat);
    if (last != lanes)
      piece.mask = getLaneMask(last, 1, lanes);
    emit(builder, loc, nest, piece,
         [&](OpBuilder &inner, ArrayRef<Value> views) {
           fn(inner, views.front(), views.drop_front(), piece);
         });
  };
  // The tail's bits may begin within a block. Its instruction then begins at
  // the group and partly covers full repeats, which come later and overwrite
  // it.
  if (tail > 0) {
    int64_t first = full / group * group;
    emitPart(first, full - first + 1, tail);
  }
  int64_t most = machine.maxRepeat / group * group;
  for (int64_t first = 0; first < full; first += most)
    emitPart(first, std::min(most, full - first), lanes);
}

LogicalResult CompareOp::expand(OpBuilder &builder, const Machine &machine) {
  auto kind = static_cast<VectorKind>(static_cast<int>(VectorKind::cmp_eq) +
                                      static_cast<int>(getPredicate()));
  emitWithBits(builder, getLoc(), machine, getTarget(), {getLhs(), getRhs()},
               [&](OpBuilder &inner, Value bits, ArrayRef<Value> data,
                   const VectorPiece &piece) {
                 emitVector(inner, getLoc(), kind, data, bits, {}, piece);
               });
  return success();
}

LogicalResult SelectOp::expand(OpBuilder &builder, const Machine &machine) {
  emitWithBits(builder, getLoc(), machine, getCondition(),
               {getTarget(), getLhs(), getRhs()},
               [&](OpBuilder &inner, Value bits, ArrayRef<Value> data,
                   const VectorPiece &piece) {
                 emitVector(inner, getLoc(), VectorKind::select,
                            {bits, data[1], data[2]}, data[0], {}, piece);
               });
  return success();
}
