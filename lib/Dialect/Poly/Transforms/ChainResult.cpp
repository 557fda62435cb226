// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The result of two contractions in one nest, and what is computed from it, on
// tiles [columns / 16, rows, 16].

#include "ChainNest.h"
#include "TileViews.h"
#include "VectorNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

/// Bits of the dimensions of a tile.
static constexpr DimMask kBlocks = 1, kRows = 2, kLanes = 4;

/// Quotients of the argument's values become products with their inverses; that
/// rounds twice, but in f32. Whether all that is done with it are quotients.
static bool invert(BlockArgument divisor) {
  if (!divisor.getType().isF32() || divisor.use_empty())
    return false;
  for (OpOperand &use : divisor.getUses())
    if (!isa<arith::DivFOp>(use.getOwner()) || use.getOperandNumber() != 1)
      return false;
  for (Operation *user : llvm::make_early_inc_range(divisor.getUsers())) {
    OpBuilder b(user);
    Value product =
        arith::MulFOp::create(b, user->getLoc(), user->getOperand(0), divisor);
    user->replaceAllUsesWith(ValueRange(product));
    user->erase();
  }
  return true;
}

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
      bool isInverse = inverted.contains(statement);
      Value all = program.refer(b, isInverse ? inverseUb : resultUb);
      tile.memref = getBand(b, all, isInverse ? 0 : width);
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

void ChainNest::fillStore(const LeafPlan &post, BufferOp buffer,
                          ImplicitLocOpBuilder &b, Value t) {
  ArrayOp array =
      findArray(program.scop, post.getStatement().getWrittenArray());
  TileOrigin origin = getOrigin(b, t);
  SmallVector<bool> dropped(post.writeBox.getRank(), true);
  for (auto [dim, iteration] : llvm::enumerate(post.write.dims))
    dropped[dim] =
        !llvm::is_contained(ArrayRef(post.write.dims).take_back(2), iteration);
  Value global = takeBox(b, program.refer(b, array), origin.get(post.writeBox),
                         post.writeBox.sizes, dropped);
  npu::UnpackOp::create(b, program.refer(b, buffer), global, false,
                        ValueRange());
}

/// 1 / sums of rows, once for each row.
isl::Schedule ChainNest::emitInverse() {
  StatementOp statement = rowSums->getStatement();
  inverseUb = program.addScratch(
      (statement.getWrittenArray() + "_inverse").str(),
      findArray(program.scop, statement.getWrittenArray()),
      getBufferType({1, paddedRows, 16},
                    Float32Type::get(program.scop.getContext()),
                    npu::MemorySpace::ub));
  phaseBuffers.push_back(inverseUb);
  return addTile("invert_" + statement.getWrittenArray().str(), 0,
                 [&](ImplicitLocOpBuilder &b, ValueRange) {
                   b.setLoc(statement.getLoc());
                   Value sums = part(b, program.refer(b, resultUb), 0, Value(),
                                     second.paddedColumns / 16, 1);
                   npu::UnaryOp::create(b, npu::UnaryKind::rec, sums,
                                        program.refer(b, inverseUb));
                   return success();
                 });
}

ChainNest::Phases ChainNest::emitResult() {
  Phases phases;
  phaseBuffers.push_back(resultUb);
  phases.push_back(
      addTile("drain_" + second.getStatement().getWrittenArray().str(), 0,
              [&](ImplicitLocOpBuilder &b, ValueRange counters) {
                npu::DrainOp::create(b, slot(b, resultL0c, counters[0]),
                                     program.refer(b, resultUb), false,
                                     DenseI64ArrayAttr(), ValueRange());
                return success();
              }));
  for (LeafPlan *post : posts) {
    StatementOp statement = post->getStatement();
    expandFunctions(statement.getBody().front());
    for (auto [number, read] : llvm::enumerate(
             statement.getReadArrays().getAsRange<FlatSymbolRefAttr>()))
      if (rowSums &&
          read.getValue() == rowSums->getStatement().getWrittenArray() &&
          invert(statement.getBody().getArgument(number)))
        inverted.insert(statement);
  }
  if (!inverted.empty())
    phases.push_back(emitInverse());
  for (LeafPlan *post : posts) {
    StatementOp statement = post->getStatement();
    ArrayOp array = findArray(program.scop, statement.getWrittenArray());
    BufferOp buffer = program.addScratch(
        (array.getSymName() + "_ub").str(), array,
        getBufferType({second.paddedColumns / 16, paddedRows, 16},
                      array.getTensorType().getElementType(),
                      npu::MemorySpace::ub));
    results[statement.getWrittenArray()] = buffer;
    phaseBuffers.push_back(buffer);
    isl::Schedule tile = addTile(statement.getSymName().str() + "_tile", 0,
                                 [&](ImplicitLocOpBuilder &b, ValueRange) {
                                   return fillPost(*post, b);
                                 });
    if (tile && array.getOutputAttr())
      tile = TileProgram::sequence(
          std::move(tile), addTile("store_" + array.getSymName().str(), 0,
                                   [&](ImplicitLocOpBuilder &b, ValueRange c) {
                                     fillStore(*post, buffer, b, c[0]);
                                     return success();
                                   }));
    phases.push_back(std::move(tile));
  }
  return phases;
}
