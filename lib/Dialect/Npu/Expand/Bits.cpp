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

/// The same where sources are broadcast: a repeat is a row or part of it, or a
/// square of blocks, as C3 of the ops says. The bits are operand 0, tiles that
/// `data` has the others; the first of them has stride number `firstStride`.
static LogicalResult emitBroadcast(
    Operation *op, OpBuilder &builder, const Machine &machine, Value bits,
    ArrayRef<Value> data, size_t firstStride,
    function_ref<void(OpBuilder &, Value, ArrayRef<Value>, const VectorPiece &)>
        fn) {
  SmallVector<Value> operands{flatten(builder, op->getLoc(), bits)};
  SmallVector<Tile> tiles;
  SmallVector<int64_t> shape;
  for (Value value : data) {
    operands.push_back(flatten(builder, op->getLoc(), value));
    tiles.push_back(*getTile(value));
    shape.resize(tiles.back().shape.size(), 1);
    for (auto [size, own] : llvm::zip(shape, tiles.back().shape))
      size = std::max(size, own);
  }
  Nest nest = Nest::fromMemrefs(operands);
  int64_t bytes = getBytes(tiles.front().dtype), lanes = kRepeatBytes / bytes;
  int64_t blockLanes = kBlockBytes / bytes, blocks = lanes / blockLanes;
  int64_t rank = shape.size();
  bool isRow = shape.back() % lanes == 0;
  // Dimensions of repeats, with the bytes of bits and the elements of each tile
  // from one index to the next.
  SmallVector<Dim> dims;
  Dim inBlock{blockLanes, {{0, 0}}}, inRepeat{blocks, {{0, 0}}};
  Dim inBits{lanes / 8, {{0, 1}}};
  for (const Tile &tile : tiles) {
    inBlock.steps.push_back({0, 1});
    bool moves = isRow || tile.shape[rank - 2] != 1;
    inRepeat.steps.push_back({0, moves ? blockLanes : 0});
    inBits.steps.push_back({0, 0});
  }
  int64_t inner = lanes / 8;
  if (isRow) {
    Dim parts{shape.back() / lanes, {{0, inner}}};
    parts.steps.append(tiles.size(), Step{0, lanes});
    inner *= parts.size;
    dims.push_back(parts);
  }
  for (int64_t dim = rank - (isRow ? 2 : 3); dim >= 0; --dim) {
    Dim next{shape[dim], {{0, inner}}};
    for (const Tile &tile : tiles)
      next.steps.push_back({0, tile.shape[dim] == 1 ? 0 : tile.getStride(dim)});
    inner *= next.size;
    if (next.size > 1)
      dims.push_back(next);
  }
  // Neighbours whose steps continue become one: the repeats of an instruction.
  Dim repeats = dims.empty() ? Dim{1, SmallVector<Step, 4>(operands.size())}
                             : dims.front();
  size_t used = dims.empty() ? 0 : 1;
  for (; used < dims.size(); ++used) {
    const Dim &next = dims[used];
    bool continues = true;
    for (auto [step, outer] : llvm::zip(repeats.steps, next.steps))
      continues &=
          repeats.size == 1 || outer.count == step.count * repeats.size;
    if (!continues)
      break;
    int64_t size = repeats.size * next.size;
    if (repeats.size == 1)
      repeats = next;
    repeats.size = size;
  }
  int64_t group = kBlockBytes * 8 / lanes;
  if (used < dims.size() && repeats.size % group != 0)
    return op->emitOpError("(C3) has ")
           << repeats.size
           << " repeats in a row, whose bits do not fill blocks "
           << "of " << kBlockBytes << " bytes";
  int64_t most = machine.maxRepeat / group * group;
  for (int64_t first = 0; first < repeats.size; first += most) {
    VectorPiece piece;
    static_cast<Piece &>(piece) = nest.getWhole();
    piece.advance(repeats, first);
    piece.repeat = std::min(most, repeats.size - first);
    piece.box = {repeats.withSize(piece.repeat), inRepeat, inBlock, inBits};
    piece.loops.append(dims.rbegin(), dims.rend() - used);
    for (size_t i = 0; i < tiles.size(); ++i) {
      size_t at = 2 * (firstStride + i);
      piece.strides[at] = inRepeat.steps[i + 1].count / blockLanes;
      piece.strides[at + 1] = repeats.steps[i + 1].count / blockLanes;
    }
    emit(builder, op->getLoc(), nest, piece,
         [&](OpBuilder &inner, ArrayRef<Value> views) {
           fn(inner, views.front(), views.drop_front(), piece);
         });
  }
  return success();
}

static bool isBroadcast(ArrayRef<Value> data) {
  return llvm::any_of(data, [&](Value value) {
    return getTile(value)->shape != getTile(data.front())->shape;
  });
}

LogicalResult CompareOp::expand(OpBuilder &builder, const Machine &machine) {
  auto kind = static_cast<VectorKind>(static_cast<int>(VectorKind::cmp_eq) +
                                      static_cast<int>(getPredicate()));
  auto fn = [&](OpBuilder &inner, Value bits, ArrayRef<Value> data,
                const VectorPiece &piece) {
    emitVector(inner, getLoc(), kind, data, bits, {}, piece);
  };
  if (isBroadcast({getLhs(), getRhs()}))
    return emitBroadcast(*this, builder, machine, getTarget(),
                         {getLhs(), getRhs()}, 1, fn);
  emitWithBits(builder, getLoc(), machine, getTarget(), {getLhs(), getRhs()},
               fn);
  return success();
}

LogicalResult SelectOp::expand(OpBuilder &builder, const Machine &machine) {
  auto fn = [&](OpBuilder &inner, Value bits, ArrayRef<Value> data,
                const VectorPiece &piece) {
    emitVector(inner, getLoc(), VectorKind::select, {bits, data[1], data[2]},
               data[0], {}, piece);
  };
  if (isBroadcast({getTarget(), getLhs(), getRhs()}))
    return emitBroadcast(*this, builder, machine, getCondition(),
                         {getTarget(), getLhs(), getRhs()}, 0, fn);
  emitWithBits(builder, getLoc(), machine, getCondition(),
               {getTarget(), getLhs(), getRhs()}, fn);
  return success();
}
