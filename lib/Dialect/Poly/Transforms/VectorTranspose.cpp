// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arrays whose dimensions have another order than the iterations that read
// them. If their rows become columns, the load transposes them to fractals; the
// vector unit moves blocks of 32 bytes to where they belong.

#include "TileViews.h"
#include "VectorNest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

/// Finds out in which order the statements of the nest go through the tile.
LogicalResult VectorNest::findOrder(Tile &tile) {
  ArrayOp array = tile.plan->array;
  auto visit = [&](const LeafPlan &leaf, const Projection &access,
                   bool isWrite) -> LogicalResult {
    SmallVector<unsigned> order = tile.kept;
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(access.dims[a], a) < std::pair(access.dims[b], b);
    });
    bool isMoved = order != tile.kept;
    if (isMoved && isWrite)
      return leaf.getStatement().emitOpError("writes @")
             << array.getSymName()
             << " with its dimensions in another order than its iterations";
    if (isMoved && access.dims[order.front()] < 0)
      return leaf.getStatement().emitOpError("reads @")
             << array.getSymName()
             << " in another order than its iterations, at constant indices";
    if (!tile.order.empty() && order != tile.order)
      return leaf.getStatement().emitOpError("uses @")
             << array.getSymName()
             << " with its dimensions in another order than a use before it";
    tile.isMoved |= isMoved;
    tile.order = std::move(order);
    return success();
  };
  for (const LeafPlan *leaf : tile.plan->users) {
    StatementOp statement = leaf->getStatement();
    StringRef name = array.getSymName();
    for (auto [number, read] : llvm::enumerate(
             statement.getReadArrays().getAsRange<FlatSymbolRefAttr>()))
      if (read.getValue() == name &&
          failed(visit(*leaf, leaf->reads[number], false)))
        return failure();
    if (statement.getWrittenArray() == name &&
        failed(visit(*leaf, leaf->write, true)))
      return failure();
  }
  if (!tile.isMoved)
    return success();
  Type element = array.getTensorType().getElementType();
  if (element.isInteger(8))
    return array.emitOpError("has elements of i8 in another order than the "
                             "iterations that read them; the vector unit moves "
                             "elements of 16 and 32 bits");
  return success();
}

/// The shape of the tile's buffer: fractals where rows become columns.
SmallVector<int64_t> VectorNest::getTileShape(const Tile &tile) const {
  SmallVector<int64_t> shape;
  ArrayOp array = tile.plan->array;
  Type element = array.getTensorType().getElementType();
  for (unsigned dim : tile.kept)
    if (!tile.isPacked() || (dim != tile.kept.back() && dim != tile.getLane()))
      shape.push_back(tile.plan->box.sizes[dim]);
  if (!tile.isPacked())
    return padRows(shape, element);
  int64_t lanes = npu::kBlockBytes * 8 / element.getIntOrFloatBitWidth();
  shape.push_back(
      llvm::divideCeil(tile.plan->box.sizes[tile.getLane()], lanes));
  shape.push_back(tile.plan->box.sizes[tile.kept.back()]);
  shape.push_back(lanes);
  return shape;
}

/// One transfer for each matrix: rows of the array, columns of the iterations.
void VectorNest::emitPacks(const Tile &tile, ImplicitLocOpBuilder &b,
                           Value global, Value local) const {
  SmallVector<OpFoldResult> from(tile.kept.size(), b.getIndexAttr(0)), to;
  SmallVector<int64_t> sizes, shape;
  SmallVector<bool> isDropped, isOuter;
  OpBuilder::InsertionGuard guard(b);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  for (auto [position, dim] : llvm::enumerate(tile.kept)) {
    int64_t size = tile.plan->box.sizes[dim];
    bool isInner = dim == tile.kept.back() || dim == tile.getLane();
    isDropped.push_back(!isInner);
    sizes.push_back(isInner ? size : 1);
    if (isInner)
      continue;
    Value end = arith::ConstantIndexOp::create(b, size);
    auto loop = scf::ForOp::create(b, zero, end, one);
    b.setInsertionPointToStart(loop.getBody());
    from[position] = loop.getInductionVar();
    to.push_back(loop.getInductionVar());
    shape.push_back(1);
    isOuter.push_back(true);
  }
  to.append(3, b.getIndexAttr(0));
  llvm::append_range(shape,
                     cast<MemRefType>(local.getType()).getShape().take_back(3));
  isOuter.append(3, false);
  npu::PackOp::create(b, takeBox(b, global, from, sizes, isDropped),
                      takeBox(b, local, to, shape, isOuter),
                      /*transposed=*/true, ValueRange());
}

/// Moves a tile to `target`, a buffer in the order of the iterations: rows of
/// the longest dimension at a time, by whole blocks.
void VectorNest::moveBlocks(const Tile &tile, ImplicitLocOpBuilder &b,
                            Value source, Value target) const {
  auto from = cast<MemRefType>(source.getType());
  auto to = cast<MemRefType>(target.getType());
  ArrayRef<unsigned> outer = ArrayRef(tile.order).drop_back();
  auto getSize = [&](unsigned dim) { return tile.plan->box.sizes[dim]; };
  unsigned rows = *llvm::max_element(
      outer, [&](unsigned a, unsigned b) { return getSize(a) < getSize(b); });
  unsigned last = from.getRank() - 1;
  SmallVector<OpFoldResult> at(last + 1, b.getIndexAttr(0)),
      place(to.getRank(), b.getIndexAttr(0));
  SmallVector<int64_t> shape(last + 1, 1), sizes(to.getRank(), 1);
  SmallVector<bool> isDropped(last + 1, true), isOuter(to.getRank(), true);
  int64_t width = from.getDimSize(last);
  // Of padded rows only blocks that have elements were loaded.
  int64_t lanes = npu::kBlockBytes * 8 / from.getElementTypeBitWidth();
  if (!tile.isPacked())
    width = std::min<int64_t>(width,
                              llvm::alignTo(getSize(tile.kept.back()), lanes));
  shape.back() = sizes.back() = width;
  isDropped.back() = isOuter.back() = false;
  OpBuilder::InsertionGuard guard(b);
  auto addLoop = [&](int64_t size) {
    auto loop = scf::ForOp::create(b, arith::ConstantIndexOp::create(b, 0),
                                   arith::ConstantIndexOp::create(b, size),
                                   arith::ConstantIndexOp::create(b, 1));
    b.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  };
  for (auto [number, dim] : llvm::enumerate(outer)) {
    unsigned position = llvm::find(tile.kept, dim) - tile.kept.begin();
    if (tile.isPacked()) {
      unsigned lane = llvm::find(tile.kept, tile.getLane()) - tile.kept.begin();
      position =
          dim == tile.kept.back() ? last - 1 : position - (position > lane);
    }
    if (dim == rows) {
      shape[position] = sizes[number] = getSize(dim);
      isDropped[position] = isOuter[number] = false;
      continue;
    }
    at[position] = place[number] = addLoop(getSize(dim));
  }
  if (tile.isPacked()) {
    Value block = addLoop(from.getDimSize(last - 2));
    at[last - 2] = block;
    place.back() =
        affine::AffineApplyOp::create(
            b,
            AffineMap::get(1, 0, b.getAffineDimExpr(0) * from.getDimSize(last)),
            ValueRange(block))
            .getResult();
  }
  npu::CopyOp::create(b, takeBox(b, source, at, shape, isDropped),
                      takeBox(b, target, place, sizes, isOuter), false,
                      ValueRange());
}

/// The tile in the order of the iterations; in `target`, a whole buffer, if
/// there is one.
Value VectorNest::reorder(const Tile &tile, ImplicitLocOpBuilder &b,
                          Value target) {
  ArrayOp array = tile.plan->array;
  SmallVector<int64_t> shape;
  for (unsigned dim : tile.order)
    shape.push_back(tile.plan->box.sizes[dim]);
  Type element = array.getTensorType().getElementType();
  if (!target)
    target = npu::AllocOp::create(
        b,
        getBufferType(padRows(shape, element), element, npu::MemorySpace::ub),
        b.getI64IntegerAttr(1), IntegerAttr());
  moveBlocks(tile, b, program.refer(b, tile.buffer), target);
  SmallVector<OpFoldResult> zeros(shape.size(), b.getIndexAttr(0));
  return takeBox(b, target, zeros, shape, {});
}

/// Whether a leaf goes through all of the tile.
static bool isWhole(const Box &box, const Box &tile) {
  return box.sizes == tile.sizes && box.offsets == tile.offsets;
}

FailureOr<TileValue>
VectorNest::viewMoved(const LeafPlan &leaf, const Tile &tile,
                      ImplicitLocOpBuilder &b, const Projection &access,
                      const Box &box, ArrayRef<int> iteration) {
  ArrayOp array = tile.plan->array;
  if (!isWhole(box, tile.plan->box))
    return leaf.getStatement().emitOpError("reads a part of the tile of @")
           << array.getSymName()
           << " with its dimensions in another order than its iterations";
  TileValue result;
  result.element = array.getTensorType().getElementType();
  for (unsigned dim : tile.order)
    result.dims |= DimMask(1) << iteration[access.dims[dim]];
  result.memref = reorder(tile, b, Value());
  return result;
}

bool VectorNest::moveTile(const LeafPlan &leaf, ImplicitLocOpBuilder &b) {
  StatementOp statement = leaf.getStatement();
  auto yield = cast<YieldOp>(statement.getBody().front().getTerminator());
  auto argument = dyn_cast<BlockArgument>(yield.getValue());
  if (!argument)
    return false;
  unsigned number = argument.getArgNumber();
  auto name = cast<FlatSymbolRefAttr>(statement.getReadArrays()[number]);
  const Tile &from = tiles.find(name.getValue())->second;
  const Tile &to = tiles.find(statement.getWrittenArray())->second;
  if (!from.isMoved || to.isMoved || from.kept.size() != to.kept.size() ||
      !isWhole(leaf.readBoxes[number], from.plan->box) ||
      !isWhole(leaf.writeBox, to.plan->box))
    return false;
  // Nothing is broadcast: the orders go through the same iterations.
  for (auto [source, target] : llvm::zip(from.order, to.kept))
    if (leaf.reads[number].dims[source] != leaf.write.dims[target])
      return false;
  reorder(from, b, program.refer(b, to.buffer));
  return true;
}
