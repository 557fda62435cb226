// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the vector unit does between and after two contractions of a nest, on
// tiles [columns / 16, rows, 16] of a block of rows.

#include "ChainNest.h"
#include "TileViews.h"
#include "VectorNest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

/// Bits of the dimensions of a tile.
static constexpr DimMask kBlocks = 1, kRows = 2, kLanes = 4;

/// What of an array from global memory a step needs.
Value ChainNest::load(const ChainArray &array, ImplicitLocOpBuilder &b,
                      ValueRange counters, StringRef name) {
  TileOrigin origin = getOrigin(b, counters[0]);
  SmallVector<OpFoldResult> offsets = origin.get(array.box);
  SmallVector<int64_t> shape(array.box.sizes);
  SmallVector<bool> dropped(shape.size(), true);
  shape[array.columnDim] = vectorStep;
  dropped[array.columnDim] = false;
  if (array.hasRows)
    dropped[array.rowDim] = false;
  // The first column is that of the step.
  AffineExpr first = b.getAffineDimExpr(0) * vectorStep;
  SmallVector<Value> operands{counters[1]};
  offsets[array.columnDim] =
      affine::AffineApplyOp::create(b, AffineMap::get(1, 0, first), operands)
          .getResult();
  Value global = takeBox(b, program.refer(b, findArray(program.scop, name)),
                         offsets, shape, dropped);
  if (array.hasRows) {
    Value local =
        allocateTile(b, {vectorStep / 16, paddedRows, 16}, b.getF16Type());
    npu::PackOp::create(b, global, local, false, ValueRange());
    return local;
  }
  Value local = allocateTile(b, {vectorStep}, b.getF16Type());
  npu::CopyOp::create(b, global, local, false, ValueRange());
  if (vectorStep == 16)
    return local;
  return memref::ExpandShapeOp::create(
      b, ArrayRef<int64_t>{vectorStep / 16, 16}, local,
      SmallVector<ReassociationIndices>{{0, 1}});
}

FailureOr<TileValue> ChainNest::view(StringRef name, ImplicitLocOpBuilder &b,
                                     ValueRange counters) {
  const ChainArray &array = arrays.find(name)->second;
  TileValue value;
  value.element = b.getF16Type();
  if (array.hasColumns)
    value.dims |= kBlocks | kLanes;
  if (array.hasRows)
    value.dims |= kRows | kLanes;
  if (array.isLoaded) {
    if (!array.hasRows && vectorStep == 16)
      value.dims = kLanes;
    value.memref = load(array, b, counters, name);
    return value;
  }
  value.memref = slot(b, array.buffer, counters[0]);
  if (array.hasColumns)
    value.memref =
        part(b, value.memref, 0, counters[1], vectorStep / 16, vectorStep / 16);
  return value;
}

LogicalResult ChainNest::fillStatement(const LeafPlan &leaf,
                                       ImplicitLocOpBuilder &b,
                                       ValueRange counters) {
  StatementOp statement = leaf.getStatement();
  b.setLoc(statement.getLoc());
  TileBuilder builder(b, {vectorStep / 16, paddedRows, 16});
  BodyEvaluator body(builder, statement);
  for (auto [number, name] : llvm::enumerate(
           statement.getReadArrays().getAsRange<FlatSymbolRefAttr>())) {
    FailureOr<TileValue> tile = view(name.getValue(), b, counters);
    if (failed(tile))
      return failure();
    body.set(statement.getBody().getArgument(number), *tile);
  }
  FailureOr<TileValue> target = view(statement.getWrittenArray(), b, counters);
  if (failed(target))
    return failure();
  auto yield = cast<YieldOp>(statement.getBody().front().getTerminator());
  return body.write(yield.getValue(), builder.getAll(), target->memref);
}

isl::Schedule ChainNest::emitDrain() {
  StringRef name = conversion->getStatement().getWrittenArray();
  int64_t size = vectorStep / 16;
  return addTile(
      "drain_" + name.str(), first.paddedColumns / vectorStep,
      [&](ImplicitLocOpBuilder &b, ValueRange counters) -> LogicalResult {
        FailureOr<TileValue> target = view(name, b, counters);
        if (failed(target))
          return failure();
        Value from =
            part(b, program.refer(b, sumsL0c), 0, counters[1], size, size);
        npu::DrainOp::create(b, from, target->memref, false,
                             DenseI64ArrayAttr(), ValueRange());
        return success();
      });
}

isl::Schedule ChainNest::emitStatement(const LeafPlan &leaf) {
  StatementOp statement = leaf.getStatement();
  expandFunctions(statement.getBody().front());
  return addTile(statement.getSymName().str() + "_tile",
                 first.paddedColumns / vectorStep,
                 [&](ImplicitLocOpBuilder &b, ValueRange counters) {
                   return fillStatement(leaf, b, counters);
                 });
}

/// The part of a reduction that a step of columns has.
isl::Schedule ChainNest::emitReduction(const LeafPlan &leaf) {
  StatementOp statement = leaf.getStatement();
  std::optional<Reduction> reduction = getReduction(statement);
  unsigned argument = cast<BlockArgument>(reduction->value).getArgNumber();
  auto name = cast<FlatSymbolRefAttr>(statement.getReadArrays()[argument]);
  int64_t size = vectorStep / 16;
  return addTile(
      statement.getSymName().str() + "_tile", first.paddedColumns / vectorStep,
      [&](ImplicitLocOpBuilder &b, ValueRange counters) -> LogicalResult {
        FailureOr<TileValue> source = view(name.getValue(), b, counters);
        if (failed(source))
          return failure();
        Value target =
            part(b, program.refer(b, partials), 0, counters[1], size, size);
        npu::ReduceOp::create(b, reduction->kind, source->memref, target);
        return success();
      });
}

isl::Schedule ChainNest::emitMove() {
  StringRef name = ArrayOp(second.leftArray).getSymName();
  int64_t size = vectorStep / 16;
  return addTile(
      "move_" + name.str(), first.paddedColumns / vectorStep,
      [&](ImplicitLocOpBuilder &b, ValueRange counters) -> LogicalResult {
        FailureOr<TileValue> from = view(name, b, counters);
        if (failed(from))
          return failure();
        Value to = part(b, slot(b, operandL1, counters[0]), 0, counters[1],
                        size, size);
        npu::CopyOp::create(b, from->memref, to, false, ValueRange());
        return success();
      });
}

/// A value for each row and block of columns becomes one for each row, in all
/// lanes of a block.
isl::Schedule ChainNest::emitFold(const LeafPlan &leaf) {
  StatementOp statement = leaf.getStatement();
  return addTile("fold_" + statement.getWrittenArray().str(), 0,
                 [&](ImplicitLocOpBuilder &b, ValueRange counters) {
                   b.setLoc(statement.getLoc());
                   npu::BinaryKind kind =
                       getReduction(statement)->kind == npu::ReduceKind::max
                           ? npu::BinaryKind::max
                           : npu::BinaryKind::min;
                   Value all = program.refer(b, partials);
                   int64_t count = first.paddedColumns / 16;
                   while (count > 1) {
                     int64_t half = count / 2;
                     Value low = part(b, all, 0, Value(), 0, half);
                     Value high = part(b, all, 0, Value(), count - half, half);
                     npu::BinaryOp::create(b, kind, low, high, low);
                     count -= half;
                   }
                   Value row = part(b, all, 0, Value(), 0, 1);
                   Value repeated =
                       allocateTile(b, {16, paddedRows}, b.getF16Type());
                   npu::BinaryOp::create(b, kind, row, row, repeated);
                   StringRef name = statement.getWrittenArray();
                   Value target =
                       slot(b, arrays.find(name)->second.buffer, counters[0]);
                   npu::TransposeOp::create(b, repeated, target);
                   return success();
                 });
}

isl::Schedule ChainNest::emitReduced(const Segment &segment) {
  auto f16 = Float16Type::get(program.scop.getContext());
  StatementOp statement = segment.reduction->getStatement();
  ArrayOp array = findArray(program.scop, statement.getWrittenArray());
  partials =
      program.addBuffer((array.getSymName() + "_blocks").str(), array,
                        getBufferType({first.paddedColumns / 16, paddedRows},
                                      f16, npu::MemorySpace::ub));
  isl::Schedule body;
  auto append = [&](isl::Schedule next, bool isStep) {
    if (next && isStep)
      next = TileProgram::loop(std::move(next), 1, 2);
    bool isGood = bool(next);
    body = TileProgram::sequence(std::move(body), std::move(next));
    return isGood;
  };
  for (LeafPlan *leaf : segment.statements)
    if (!append(emitStatement(*leaf), true))
      return isl::Schedule();
  if (!append(emitReduction(*segment.reduction), true) ||
      !append(emitFold(*segment.reduction), false))
    return isl::Schedule();
  return TileProgram::mark(std::move(body),
                           ("buffer:" + partials.getSymName()).str());
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

LogicalResult ChainNest::fillPost(const LeafPlan &leaf,
                                  ImplicitLocOpBuilder &b) {
  StatementOp statement = leaf.getStatement();
  b.setLoc(statement.getLoc());
  int64_t width = second.paddedColumns / 16;
  TileBuilder builder(b, {width, paddedRows, 16});
  BodyEvaluator body(builder, statement);
  StringRef sums = second.getStatement().getWrittenArray();
  StringRef ones = rowSums ? rowSums->getStatement().getWrittenArray() : "";
  for (auto [number, read] : llvm::enumerate(
           statement.getReadArrays().getAsRange<FlatSymbolRefAttr>())) {
    TileValue tile;
    tile.element = b.getF32Type();
    tile.dims = kBlocks | kRows | kLanes;
    if (read.getValue() == sums) {
      tile.memref = part(b, program.refer(b, resultUb), 0, Value(), 0, width);
    } else if (read.getValue() == ones) {
      OpFoldResult zero = b.getIndexAttr(0);
      tile.memref = takeBox(b, program.refer(b, resultUb),
                            {b.getIndexAttr(width), zero, zero},
                            {1, paddedRows, 16}, {true, false, false});
      tile.dims = kRows | kLanes;
    } else {
      BufferOp buffer = results.lookup(read.getValue());
      tile.memref = program.refer(b, buffer);
      tile.element = buffer.getMemRefType().getElementType();
    }
    body.set(statement.getBody().getArgument(number), tile);
  }
  BufferOp target = results.lookup(statement.getWrittenArray());
  auto yield = cast<YieldOp>(statement.getBody().front().getTerminator());
  return body.write(yield.getValue(), builder.getAll(),
                    program.refer(b, target));
}

isl::Schedule ChainNest::emitResult() {
  isl::Schedule body;
  bool isGood = true;
  auto append = [&](isl::Schedule next) {
    isGood &= bool(next);
    body = TileProgram::sequence(std::move(body), std::move(next));
  };
  append(addTile("drain_" + second.getStatement().getWrittenArray().str(), 0,
                 [&](ImplicitLocOpBuilder &b, ValueRange counters) {
                   npu::DrainOp::create(b, slot(b, resultL0c, counters[0]),
                                        program.refer(b, resultUb), false,
                                        DenseI64ArrayAttr(), ValueRange());
                   return success();
                 }));
  SmallVector<BufferOp> buffers{resultUb};
  for (LeafPlan *post : posts) {
    StatementOp statement = post->getStatement();
    expandFunctions(statement.getBody().front());
    ArrayOp array = findArray(program.scop, statement.getWrittenArray());
    BufferOp buffer = program.addBuffer(
        (array.getSymName() + "_ub").str(), array,
        getBufferType({second.paddedColumns / 16, paddedRows, 16},
                      array.getTensorType().getElementType(),
                      npu::MemorySpace::ub));
    results[statement.getWrittenArray()] = buffer;
    buffers.push_back(buffer);
    append(addTile(statement.getSymName().str() + "_tile", 0,
                   [&](ImplicitLocOpBuilder &b, ValueRange) {
                     return fillPost(*post, b);
                   }));
    if (!array.getOutputAttr())
      continue;
    append(addTile("store_" + array.getSymName().str(), 0,
                   [&](ImplicitLocOpBuilder &b, ValueRange counters) {
                     TileOrigin origin = getOrigin(b, counters[0]);
                     SmallVector<bool> dropped(post->writeBox.getRank(), true);
                     for (auto [dim, iteration] :
                          llvm::enumerate(post->write.dims))
                       dropped[dim] = !llvm::is_contained(
                           ArrayRef(post->write.dims).take_back(2), iteration);
                     Value global = takeBox(b, program.refer(b, array),
                                            origin.get(post->writeBox),
                                            post->writeBox.sizes, dropped);
                     npu::UnpackOp::create(b, program.refer(b, buffer), global,
                                           false, ValueRange());
                     return success();
                   }));
  }
  if (!isGood)
    return isl::Schedule();
  for (BufferOp buffer : buffers)
    body = TileProgram::mark(std::move(body),
                             ("buffer:" + buffer.getSymName()).str());
  return body;
}
