// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What follows a contraction, in parts of its rows: the drain of the sums to
// UB, statements on tiles [columns / 16, rows, 16], transfers from and to
// global memory.

#include "CubeNest.h"
#include "TileModel.h"
#include "TileViews.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

/// Products that are stored as they leave L0C may have tails. What is computed
/// on them, or what factors are computed from, with vector ops of static sizes,
/// needs whole tiles.
void CubeNest::chooseTails() {
  if (image || (!posts.empty() && (posts.size() > 1 || !conversion)))
    return;
  SmallVector<TileNode *> loops = getLoops(sums->node);
  for (auto [operand, dim] :
       {std::pair(&rows, rowDim), std::pair(&columns, columnDim)}) {
    std::optional<unsigned> loop;
    if (dim >= 0)
      loop = sums->box.offsets[dim].getOnlyLoop();
    if (!loop || *loop >= outer || !operand->hasRows || operand->isProduced())
      continue;
    LoopInfo &info = plan.loops.find(loops[*loop])->second;
    if (!info.isShifted() || info.tile != operand->rows ||
        !canBeTail(info.extent % info.tile, operand == &rows ? parts : 1))
      continue;
    info.hasTail = true;
    operand->tailLoop = *loop;
    operand->total = info.extent;
  }
}

LogicalResult CubeNest::addPartBuffers() {
  StringRef acc = getStatement().getWrittenArray();
  chooseTails();

  auto add = [&](const LeafPlan &leaf, StringRef name, const Projection &access,
                 const Box &box, bool isWrite) -> LogicalResult {
    StatementOp statement = leaf.getStatement();
    PartTile tile;
    tile.box = box;
    int column = leaf.write.dims.empty() ? -1 : leaf.write.dims.back();
    int row = rowDim >= 0 && leaf.write.dims.size() > 1
                  ? leaf.write.dims[leaf.write.dims.size() - 2]
                  : -1;
    int ownImage = images > 1 ? leaf.write.dims.front() : -1;
    for (auto [dim, own] : llvm::enumerate(access.dims)) {
      if (own >= 0 && own == ownImage) {
        tile.imageDim = dim;
      } else if (own >= 0 && own == row) {
        tile.hasRows = true;
        tile.rowDim = dim;
      } else if (own >= 0 && own == column) {
        tile.hasColumns = true;
        tile.columnDim = dim;
      } else if (box.sizes[dim] != 1) {
        return statement.emitOpError("uses ")
               << box.sizes[dim] << " elements of @" << name << " in dimension "
               << dim << ", which is neither rows nor columns of the sums";
      }
    }
    if (tile.hasRows && tile.hasColumns && tile.rowDim > tile.columnDim)
      return statement.emitOpError("uses @")
             << name
             << " transposed after a contraction, which is not "
                "supported";
    if (isWrite && !(tile.hasColumns && (tile.hasRows || rowDim < 0) &&
                     (tile.imageDim >= 0 || images == 1)))
      return statement.emitOpError("writes @")
             << name
             << " without all rows and columns of the sums; "
                "reductions after a contraction are not supported";
    if (tile.imageDim >= 0) {
      Linear &offset = tile.box.offsets[tile.imageDim];
      offset.factors.resize(outer);
      offset.factors.push_back(1);
      tile.box.sizes[tile.imageDim] = 1;
    }
    if (parts > 1 && tile.hasRows && images == 1) {
      Linear &offset = tile.box.offsets[tile.rowDim];
      offset.factors.resize(outer);
      offset.factors.push_back(partRows);
      tile.box.sizes[tile.rowDim] = partRows;
    }
    auto [it, isNew] = partTiles.try_emplace(name, tile);
    PartTile &known = it->second;
    if (!isNew &&
        (known.hasRows != tile.hasRows || known.hasColumns != tile.hasColumns ||
         known.box.sizes != tile.box.sizes ||
         known.box.offsets != tile.box.offsets))
      return statement.emitOpError("uses @")
             << name << " in another way than the statements before it";
    ArrayOp array = findArray(program.scop, name);
    if (isWrite)
      known.isStored |= bool(array.getOutputAttr());
    else if (isNew && name != getStatement().getWrittenArray()) {
      if (array.isTemporary())
        return statement.emitOpError("reads @")
               << name
               << ", which another nest computes; temporaries must "
                  "stay on the core";
      known.isLoaded = true;
    }
    return success();
  };
  for (LeafPlan *post : posts) {
    StatementOp statement = post->getStatement();
    for (auto [number, name] : llvm::enumerate(
             statement.getReadArrays().getAsRange<FlatSymbolRefAttr>()))
      if (post != conversion &&
          failed(add(*post, name.getValue(), post->reads[number],
                     post->readBoxes[number], false)))
        return failure();
    if (failed(add(*post, statement.getWrittenArray(), post->write,
                   post->writeBox, true)))
      return failure();
  }
  // Sums that are a result themselves, whatever follows them.
  if ((posts.empty() || findArray(program.scop, acc).getOutputAttr()) &&
      failed(add(*sums, acc, sums->write, sums->writeBox, true)))
    return failure();
  for (auto &[name, tile] : partTiles) {
    ArrayOp array = findArray(program.scop, name);
    Type element = array.getTensorType().getElementType();
    SmallVector<int64_t> shape;
    // A block has at least 32 bytes.
    int64_t lanes = element.isInteger(8) ? 32 : 16;
    if (tile.hasColumns)
      shape.push_back(llvm::divideCeil(columns.padded, lanes));
    if (tile.hasRows || (tile.hasColumns && rowDim < 0))
      shape.push_back(partPadded);
    if (tile.hasColumns)
      shape.push_back(lanes);
    if (shape.empty())
      shape.push_back(1);
    if (tile.isLoaded && tile.hasRows && tile.hasColumns && !element.isF16())
      return array.emitOpError("is a matrix of ")
             << element
             << " that is combined with a product; only f16 is "
                "supported";
    tile.buffer =
        program.addBuffer((name + "_ub").str(), array,
                          getBufferType(shape, element, npu::MemorySpace::ub));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Drain and statements
//===----------------------------------------------------------------------===//

isl::Schedule CubeNest::emitDrain() {
  StringRef name = conversion ? conversion->getStatement().getWrittenArray()
                              : getStatement().getWrittenArray();
  BufferOp target = partTiles[name].buffer;
  auto fill = [&](ImplicitLocOpBuilder &b, ValueRange counters) {
    Value from = getSums(b, counters);
    if (parts > 1) {
      int64_t blocks = partPadded / 16;
      OpFoldResult zero = b.getIndexAttr(0);
      OpFoldResult at = getPartStart(counters[outer], 16, b, counters);
      from = takeBox(b, from, {zero, at, zero, zero},
                     {getColumnBlocks(), blocks, 16, 16}, {});
    }
    SmallVector<Value> upTo;
    if (hasTails())
      upTo = {getPartRows(b, counters),
              getRows(columns, columns.padded, b, counters)};
    npu::DrainOp::create(b, from, program.refer(b, target), false,
                         DenseI64ArrayAttr(), upTo);
    return success();
  };
  return program.addTile("drain_" + name.str(), getPartCounters(), fill);
}

FailureOr<TileValue> CubeNest::view(StringRef name, ImplicitLocOpBuilder &b) {
  const PartTile &tile = partTiles.find(name)->second;
  TileValue value;
  value.memref = program.refer(b, tile.buffer);
  value.element = cast<MemRefType>(value.memref.getType()).getElementType();
  if (tile.hasColumns)
    value.dims |= kBlocks | kLanes;
  if (tile.hasRows || (tile.hasColumns && rowDim < 0))
    value.dims |= kRows;
  return value;
}

isl::Schedule CubeNest::emitPost(const LeafPlan &leaf) {
  StatementOp statement = leaf.getStatement();
  expandFunctions(statement.getBody().front());
  auto fill = [&](ImplicitLocOpBuilder &b,
                  ValueRange counters) -> LogicalResult {
    b.setLoc(statement.getLoc());
    TileBuilder builder(b, {getColumnBlocks(), partPadded, 16});
    BodyEvaluator body(builder, statement);
    for (auto [number, name] : llvm::enumerate(
             statement.getReadArrays().getAsRange<FlatSymbolRefAttr>())) {
      FailureOr<TileValue> tile = view(name.getValue(), b);
      if (failed(tile))
        return failure();
      body.set(statement.getBody().getArgument(number), *tile);
    }
    FailureOr<TileValue> target = view(statement.getWrittenArray(), b);
    if (failed(target))
      return failure();
    auto yield = cast<YieldOp>(statement.getBody().front().getTerminator());
    return body.write(yield.getValue(), builder.getAll(), target->memref);
  };
  return program.addTile(statement.getSymName().str() + "_tile",
                         getPartCounters(), fill);
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

LogicalResult CubeNest::fillTransfer(StringRef name, bool isLoad,
                                     ImplicitLocOpBuilder &b,
                                     ValueRange counters) {
  const PartTile &tile = partTiles.find(name)->second;
  SmallVector<TileNode *> loops = getLoops(sums->node);
  loops.truncate(outer);
  TileOrigin origin(b, plan, loops, counters);
  bool hasPart = parts > 1 && !tile.isOfTile();
  if (hasPart && rows.tailLoop)
    origin.addLoop(getPartStart(counters[outer], 1, b, counters), partRows);
  else if (hasPart)
    origin.addLoop(counters[outer]);
  ArrayOp array = findArray(program.scop, name);
  SmallVector<bool> isDropped(tile.box.getRank(), true);
  if (tile.hasRows)
    isDropped[tile.rowDim] = false;
  if (tile.hasColumns)
    isDropped[tile.columnDim] = false;
  int64_t height = tile.hasRows ? tile.box.sizes[tile.rowDim] : 1;
  int64_t width = tile.hasColumns ? tile.box.sizes[tile.columnDim] : 1;
  if (!tile.hasRows && !tile.hasColumns && !isDropped.empty())
    isDropped.back() = false;
  Value global = takeBox(b, program.refer(b, array), origin.get(tile.box),
                         tile.box.sizes, isDropped);
  if (tile.box.sizes.empty())
    global = expandUnits(b, global, {1});
  Value local = program.refer(b, tile.buffer);
  bool isMatrix = tile.hasColumns && (tile.hasRows || rowDim < 0);
  if (isMatrix && !tile.hasRows)
    global = expandUnits(b, global, {1, width});
  if (isMatrix && isLoad) {
    npu::PackOp::create(b, global, local, false, ValueRange());
    return success();
  }
  if (isMatrix) {
    SmallVector<Value> upTo;
    if (hasTails())
      upTo = {rows.tailLoop
                  ? getPartRows(b, counters)
                  : arith::ConstantIndexOp::create(b, height).getResult(),
              getRows(columns, width, b, counters)};
    npu::UnpackOp::create(b, local, global, false, upTo);
    return success();
  }
  // A row of values, or one for each row.
  int64_t count = std::max(height, width);
  auto type = cast<MemRefType>(local.getType());
  if (type.getRank() > 1)
    local = memref::CollapseShapeOp::create(
        b, local, SmallVector<ReassociationIndices>{{0, 1}});
  int64_t all = type.getNumElements();
  // Values that no element of the matrix has are computed with, too.
  int64_t block = 256 / type.getElementTypeBitWidth();
  bool isFilled = int64_t(llvm::alignTo(count, block)) >= all;
  if (!isFilled)
    npu::FillOp::create(b, arith::ConstantOp::create(b, b.getF32FloatAttr(0)),
                        local);
  local = takeBox(b, local, {b.getIndexAttr(0)}, {count}, {});
  npu::CopyOp::create(b, global, local, false, ValueRange());
  return success();
}

isl::Schedule CubeNest::emitPartTransfer(StringRef name, bool isLoad) {
  isl::Set counters = getPartCounters();
  const PartTile &tile = partTiles.find(name)->second;
  if (parts > 1 && tile.isOfTile())
    counters =
        isl::Set(isl_set_project_out(counters.take(), isl_dim_set, outer, 1));
  if (isSharedByAll(tile))
    for (unsigned depth = 0; depth < outer; ++depth)
      counters =
          isl::Set(isl_set_fix_si(counters.take(), isl_dim_set, depth, 0));
  return program.addTile((isLoad ? "load_" : "store_") + name.str(), counters,
                         [&](ImplicitLocOpBuilder &b, ValueRange counters) {
                           return fillTransfer(name, isLoad, b, counters);
                         });
}

isl::Schedule CubeNest::addSharedLoads(isl::Schedule body, bool isOfAll) {
  for (auto &[name, tile] : partTiles) {
    if (!tile.isOfTile() || isSharedByAll(tile) != isOfAll)
      continue;
    isl::Schedule load = emitPartTransfer(name, true);
    if (!load || (isSkewed && !isOfAll &&
                  failed(TileProgram::setDelay(load, 1, delays))))
      return isl::Schedule();
    body = TileProgram::sequence(std::move(load), std::move(body));
    BufferOp buffer = tile.buffer;
    body = TileProgram::mark(std::move(body),
                             ("buffer:" + buffer.getSymName()).str());
  }
  return body;
}

isl::Schedule CubeNest::emitParts() {
  isl::Schedule body, after;
  auto append = [&](isl::Schedule &to, isl::Schedule part) {
    bool isGood = bool(part);
    to = TileProgram::sequence(std::move(to), std::move(part));
    return isGood;
  };
  for (auto &[name, tile] : partTiles) {
    if (tile.isLoaded && !tile.isOfTile() &&
        !append(body, emitPartTransfer(name, true)))
      return isl::Schedule();
    if (tile.isStored && !append(after, emitPartTransfer(name, false)))
      return isl::Schedule();
  }
  if (!append(body, emitDrain()))
    return isl::Schedule();
  for (LeafPlan *post : posts)
    if (post != conversion && !append(body, emitPost(*post)))
      return isl::Schedule();
  body = TileProgram::sequence(std::move(body), std::move(after));
  for (auto &[name, tile] : partTiles) {
    if (tile.isOfTile())
      continue;
    BufferOp buffer = tile.buffer;
    body = TileProgram::mark(std::move(body),
                             ("buffer:" + buffer.getSymName()).str());
  }
  // Beside slices of the next tile there is one part at a time, if possible.
  if (parts > 1 && !(isSkewed && isSpread() && parts <= slices))
    body = TileProgram::loop(std::move(body), outer, 4);
  return body;
}
