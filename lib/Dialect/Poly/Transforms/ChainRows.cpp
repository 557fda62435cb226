// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the vector unit does between two contractions of a nest, on parts of a
// block of rows [bands, columns / 16, 16, 16]. The distance of two blocks of
// columns is 16 rows, so that one instruction reaches all columns of a row.

#include "ChainNest.h"
#include "TileViews.h"
#include "VectorNest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

/// Bits of the dimensions of a tile.
static constexpr DimMask kBands = 1, kBlocks = 2, kRows = 4, kLanes = 8;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

int64_t ChainNest::getCount(ChainSteps steps) const {
  switch (steps) {
  case ChainSteps::whole:
    return 0;
  case ChainSteps::columns:
    return first.paddedColumns / vectorStep;
  case ChainSteps::pieces:
    return bands * (first.paddedColumns / pieceStep);
  case ChainSteps::rows:
    return paddedRows / rowStep;
  }
  llvm_unreachable("all kinds of steps are above");
}

/// A statement that takes values of rows from registers does so once for each
/// row; what is loaded is loaded for all rows.
ChainSteps ChainNest::getSteps(const LeafPlan &leaf) const {
  ChainSteps steps = ChainSteps::pieces;
  StatementOp statement = leaf.getStatement();
  for (auto read : statement.getReadArrays().getAsRange<FlatSymbolRefAttr>()) {
    const ChainArray &array = arrays.find(read.getValue())->second;
    if (array.isStepped)
      return ChainSteps::columns;
    if (array.hasRows && !array.hasColumns && !array.isSpread)
      steps = ChainSteps::rows;
  }
  return steps;
}

ChainPart ChainNest::getPart(ImplicitLocOpBuilder &b, ChainSteps steps,
                             ValueRange counters) const {
  OpFoldResult zero = b.getIndexAttr(0);
  ChainPart part{zero, zero, zero, bands, first.paddedColumns / 16, 16};
  auto compute = [&](AffineExpr expr) -> OpFoldResult {
    return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr,
                                                 {OpFoldResult(counters[1])});
  };
  auto divide = [&](int64_t perBand, int64_t size, OpFoldResult &offset) {
    AffineExpr step = b.getAffineDimExpr(0);
    part.bands = 1;
    if (bands > 1)
      part.band = compute(step.floorDiv(perBand));
    if (perBand > 1)
      offset = compute((bands > 1 ? step % perBand : step) * size);
  };
  switch (steps) {
  case ChainSteps::whole:
    break;
  case ChainSteps::columns:
    part.blocks = vectorStep / 16;
    part.block = compute(b.getAffineDimExpr(0) * part.blocks);
    break;
  case ChainSteps::pieces:
    part.blocks = pieceStep / 16;
    divide(first.paddedColumns / pieceStep, part.blocks, part.block);
    break;
  case ChainSteps::rows:
    part.rows = rowStep;
    divide(16 / rowStep, rowStep, part.row);
    break;
  }
  return part;
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

Value ChainNest::getBand(ImplicitLocOpBuilder &b, Value memref, int64_t band) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<bool> dropped(type.getRank(), false);
  offsets[0] = b.getIndexAttr(band);
  shape[0] = 1;
  dropped[0] = true;
  return takeBox(b, memref, offsets, shape, dropped);
}

/// What of an array from global memory a tile needs: a block, or a step of
/// columns [bands, columns / 16, 16, 16].
Value ChainNest::load(const ChainArray &array, ImplicitLocOpBuilder &b,
                      ValueRange counters, StringRef name) {
  TileOrigin origin = getOrigin(b, counters[0]);
  SmallVector<OpFoldResult> offsets = origin.get(array.box);
  SmallVector<int64_t> shape(array.box.sizes);
  SmallVector<bool> dropped(shape.size(), true);
  dropped[array.columnDim] = false;
  if (array.hasRows)
    dropped[array.rowDim] = false;
  if (array.isStepped) {
    // The first column is that of the step.
    shape[array.columnDim] = vectorStep;
    offsets[array.columnDim] = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0) * vectorStep,
        {OpFoldResult(counters[1])});
  }
  Value global = takeBox(b, program.refer(b, findArray(program.scop, name)),
                         offsets, shape, dropped);
  Value local =
      array.isStepped
          ? allocateTile(b, {bands, vectorStep / 16, 16, 16}, b.getF16Type())
          : slot(b, array.buffer, counters[0]);
  if (!array.hasRows) {
    Value flat = memref::CollapseShapeOp::create(
        b, local, SmallVector<ReassociationIndices>{{0, 1}});
    npu::CopyOp::create(b, global, flat, false, ValueRange());
    return local;
  }
  for (int64_t band = 0; band < bands; ++band) {
    Value own = part(b, global, 0, Value(), 16 * band,
                     std::min<int64_t>(16, rows - 16 * band));
    npu::PackOp::create(b, own, getBand(b, local, band), false, ValueRange());
  }
  return local;
}

isl::Schedule ChainNest::emitLoads() {
  auto isOfBlock = [](auto &entry) {
    return entry.second.isLoaded && !entry.second.isStepped;
  };
  if (llvm::none_of(arrays, isOfBlock))
    return isl::Schedule();
  return addTile("load", 0, [&](ImplicitLocOpBuilder &b, ValueRange counters) {
    for (auto &entry : arrays)
      if (isOfBlock(entry))
        load(entry.second, b, counters, entry.first);
    return success();
  });
}

TileValue ChainNest::view(StringRef name, ImplicitLocOpBuilder &b,
                          ValueRange counters, const ChainPart &part) {
  const ChainArray &array = arrays.find(name)->second;
  TileValue value;
  value.element = b.getF16Type();
  if (array.isStepped) {
    value.memref = load(array, b, counters, name);
    value.dims = kBands | kBlocks | kRows | kLanes;
    return value;
  }
  if (!array.hasRows) {
    value.memref =
        takeBox(b, slot(b, array.buffer, counters[0]),
                {part.block, b.getIndexAttr(0)}, {part.blocks, 16}, {});
    value.dims = kBlocks | kLanes;
    return value;
  }
  SmallVector<OpFoldResult> offsets{part.band};
  SmallVector<int64_t> shape{part.bands};
  value.dims = kBands | kRows;
  if (array.hasColumns) {
    offsets.push_back(part.block);
    shape.push_back(part.blocks);
    value.dims |= kBlocks | kLanes;
  }
  offsets.push_back(part.row);
  shape.push_back(part.rows);
  if (array.hasColumns || array.isSpread) {
    offsets.push_back(b.getIndexAttr(0));
    shape.push_back(16);
    value.dims |= kLanes;
  }
  value.memref =
      takeBox(b, slot(b, array.buffer, counters[0]), offsets, shape, {});
  return value;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

LogicalResult ChainNest::fillStatement(const LeafPlan &leaf,
                                       ImplicitLocOpBuilder &b,
                                       ValueRange counters) {
  StatementOp statement = leaf.getStatement();
  b.setLoc(statement.getLoc());
  ChainPart part = getPart(b, getSteps(leaf), counters);
  TileBuilder builder(b, {part.bands, part.blocks, part.rows, 16});
  BodyEvaluator body(builder, statement);
  for (auto [number, name] : llvm::enumerate(
           statement.getReadArrays().getAsRange<FlatSymbolRefAttr>()))
    body.set(statement.getBody().getArgument(number),
             view(name.getValue(), b, counters, part));
  TileValue target = view(statement.getWrittenArray(), b, counters, part);
  auto yield = cast<YieldOp>(statement.getBody().front().getTerminator());
  return body.write(yield.getValue(), builder.getAll(), target.memref);
}

isl::Schedule ChainNest::emitStatement(const LeafPlan &leaf) {
  StatementOp statement = leaf.getStatement();
  expandFunctions(statement.getBody().front());
  return addTile(statement.getSymName().str() + "_tile",
                 getCount(getSteps(leaf)),
                 [&](ImplicitLocOpBuilder &b, ValueRange counters) {
                   return fillStatement(leaf, b, counters);
                 });
}

/// Steps are those of the second product.
isl::Schedule ChainNest::emitDrain() {
  StringRef name = conversion->getStatement().getWrittenArray();
  int64_t size = termStep / 16;
  return addTile("drain_" + name.str(), first.paddedColumns / termStep,
                 [&](ImplicitLocOpBuilder &b, ValueRange counters) {
                   Value target = view(name, b, counters,
                                       getPart(b, ChainSteps::whole, counters))
                                      .memref;
                   target = part(b, target, 1, counters[1], size, size);
                   Value sums = part(b, program.refer(b, sumsL0c), 0,
                                     counters[1], size, size);
                   for (int64_t band = 0; band < bands; ++band)
                     npu::DrainOp::create(b, part(b, sums, 1, Value(), band, 1),
                                          getBand(b, target, band), false,
                                          DenseI64ArrayAttr(), ValueRange());
                   return success();
                 });
}

isl::Schedule ChainNest::emitMove() {
  StringRef name = ArrayOp(second.leftArray).getSymName();
  return addTile("move_" + name.str(), 0,
                 [&](ImplicitLocOpBuilder &b, ValueRange counters) {
                   Value from = view(name, b, counters,
                                     getPart(b, ChainSteps::whole, counters))
                                    .memref;
                   Value to = slot(b, operandL1, counters[0]);
                   for (int64_t band = 0; band < bands; ++band)
                     npu::CopyOp::create(b, getBand(b, from, band),
                                         part(b, to, 1, Value(), 16 * band, 16),
                                         false, ValueRange());
                   return success();
                 });
}
