// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The factors and the products of two contractions in one nest.

#include "ChainNest.h"
#include "TileViews.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

//===----------------------------------------------------------------------===//
// Blocks and slots
//===----------------------------------------------------------------------===//

isl::Schedule ChainNest::addTile(StringRef name, int64_t steps, Fill fill,
                                 bool isFirstOfPanel) {
  std::string text = "0 <= t < " + std::to_string(blocks);
  if (isFirstOfPanel && panelBlocks > 1)
    text += " and t mod " + std::to_string(panelBlocks) + " = 0";
  if (steps > 0)
    text =
        "{ [t, c] : " + text + " and 0 <= c < " + std::to_string(steps) + " }";
  else
    text = "{ [t] : " + text + " }";
  isl::Set domain(isl_set_read_from_str(program.ctx.get(), text.c_str()));
  isl::Schedule tile = program.addTile(name, domain, fill);
  if (!tile)
    return tile;
  isl::UnionSet own(isl_schedule_get_domain(tile.get()));
  isl::Set instances(isl_set_from_union_set(own.take()));
  delays[isl_set_get_tuple_name(instances.get())] = delay;
  return tile;
}

TileOrigin ChainNest::getOrigin(ImplicitLocOpBuilder &b, Value t) const {
  SmallVector<Value> counters(loops.size());
  int64_t stride = 1;
  for (unsigned loop = loops.size(); loop-- > 0;) {
    int64_t count = plan.loops.find(loops[loop])->second.count;
    AffineExpr own = b.getAffineDimExpr(0).floorDiv(stride);
    if (stride * count < blocks)
      own = own % count;
    if (count == 1)
      counters[loop] = arith::ConstantIndexOp::create(b, 0);
    else if (stride == 1 && count == blocks)
      counters[loop] = t;
    else
      counters[loop] = affine::AffineApplyOp::create(
          b, AffineMap::get(1, 0, own), ValueRange(t));
    stride *= count;
  }
  return TileOrigin(b, plan, loops, counters);
}

Value ChainNest::part(ImplicitLocOpBuilder &b, Value memref, unsigned dim,
                      Value counter, int64_t factor, int64_t size) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  if (!counter)
    offsets[dim] = b.getIndexAttr(factor);
  else if (factor == 1)
    offsets[dim] = counter;
  else
    offsets[dim] = affine::AffineApplyOp::create(
                       b, AffineMap::get(1, 0, b.getAffineDimExpr(0) * factor),
                       ValueRange(counter))
                       .getResult();
  return takeBox(b, memref, offsets, shape, {});
}

Value ChainNest::slot(ImplicitLocOpBuilder &b, BufferOp buffer, Value t,
                      int64_t divisor) {
  Value memref = program.refer(b, buffer);
  auto type = cast<MemRefType>(memref.getType());
  int64_t slots = type.getDimSize(0);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<bool> dropped(type.getRank(), false);
  dropped[0] = true;
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = 1;
  if (slots > 1)
    offsets[0] = affine::AffineApplyOp::create(
                     b,
                     AffineMap::get(
                         1, 0, b.getAffineDimExpr(0).floorDiv(divisor) % slots),
                     ValueRange(t))
                     .getResult();
  return takeBox(b, memref, offsets, shape, dropped);
}

/// Slots of what is loaded for each step of `size` columns.
Value ChainNest::stepSlot(ImplicitLocOpBuilder &b, BufferOp buffer,
                          ValueRange counters, int64_t size) {
  return slot(b, buffer, counters[size < first.paddedColumns ? 1 : 0]);
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

isl::Schedule ChainNest::emitPack(const ChainProduct &product, bool isLeft) {
  ArrayOp array = isLeft ? product.leftArray : product.rightArray;
  unsigned read = isLeft ? product.left : product.right;
  const Box &box = product.sums->readBoxes[read];
  ArrayRef<int> dims = product.sums->reads[read].dims;
  int other = isLeft ? product.rowDim : product.columnDim;
  auto fill = [&](ImplicitLocOpBuilder &b, ValueRange counters) {
    SmallVector<bool> dropped(dims.size(), true);
    unsigned term = llvm::find(dims, product.termDim) - dims.begin();
    unsigned row = llvm::find(dims, other) - dims.begin();
    dropped[term] = dropped[row] = false;
    TileOrigin origin = getOrigin(b, counters[0]);
    Value global = takeBox(b, program.refer(b, array), origin.get(box),
                           box.sizes, dropped);
    auto pack = [&](Value from, Value to) {
      npu::PackOp::create(b, from, to, term < row, ValueRange());
    };
    if (isLeft) {
      pack(global, slot(b, leftL1, counters[0]));
      return success();
    }
    Value panel =
        slot(b, panels[&product == &second], counters[0], panelBlocks);
    if (&product == &second) {
      pack(global, part(b, panel, 1, Value(), 0, second.paddedColumns));
      return success();
    }
    for (int64_t begin = 0; begin < first.columns; begin += columnStep)
      pack(part(b, global, row < term ? 0 : 1, Value(), begin,
                std::min(columnStep, first.columns - begin)),
           getBand(b, panel, begin / columnStep));
    return success();
  };
  return addTile("pack_" + array.getSymName().str(), 0, fill, !isLeft);
}

/// What the left factor is computed from, as [terms / 16, rows, 16] in UB.
isl::Schedule ChainNest::emitPrologueLoad() {
  return addTile(
      "pack_" + ArrayOp(first.leftArray).getSymName().str(), 0,
      [&](ImplicitLocOpBuilder &b, ValueRange counters) {
        TileOrigin origin = getOrigin(b, counters[0]);
        for (auto [number, buffer] : llvm::enumerate(prologueUb)) {
          const Box &box = prologue->readBoxes[number];
          SmallVector<bool> dropped(box.getRank(), true);
          for (auto [dim, iteration] :
               llvm::enumerate(prologue->reads[number].dims))
            dropped[dim] = !llvm::is_contained(
                ArrayRef(prologue->write.dims).take_back(2), iteration);
          Value global = takeBox(
              b, program.refer(b, findArray(program.scop, buffer.getArray())),
              origin.get(box), box.sizes, dropped);
          npu::PackOp::create(b, global, slot(b, buffer, counters[0]), false,
                              ValueRange());
        }
        return success();
      });
}

/// The left factor in UB, and from there to L1.
isl::Schedule ChainNest::emitPrologue() {
  StatementOp statement = prologue->getStatement();
  expandFunctions(statement.getBody().front());
  return addTile(
      statement.getSymName().str() + "_tile", 0,
      [&](ImplicitLocOpBuilder &b, ValueRange counters) -> LogicalResult {
        b.setLoc(statement.getLoc());
        TileBuilder builder(b, {first.paddedTerms / 16, paddedRows, 16});
        BodyEvaluator body(builder, statement);
        for (auto [number, buffer] : llvm::enumerate(prologueUb)) {
          TileValue tile;
          tile.memref = slot(b, buffer, counters[0]);
          tile.element = b.getF16Type();
          tile.dims = builder.getAll();
          body.set(statement.getBody().getArgument(number), tile);
        }
        Value target = slot(b, leftUb, counters[0]);
        auto yield = cast<YieldOp>(statement.getBody().front().getTerminator());
        if (failed(body.write(yield.getValue(), builder.getAll(), target)))
          return failure();
        npu::CopyOp::create(b, target, slot(b, leftL1, counters[0]), false,
                            ValueRange());
        return success();
      });
}

/// A column of ones for each row of a fractal, so that every lane of a row gets
/// the sum: the last columns of each panel of the second product.
isl::Schedule ChainNest::emitOnes() {
  isl::Set once(isl_set_read_from_str(program.ctx.get(), "{ [] }"));
  return program.addTile(
      "fill_ones", once, [&](ImplicitLocOpBuilder &b, ValueRange) {
        Value tile =
            allocateTile(b, {first.paddedColumns / 16, 16, 16}, b.getF16Type());
        npu::FillOp::create(
            b, arith::ConstantOp::create(b, b.getF32FloatAttr(1)), tile);
        Value all = program.refer(b, panels[1]);
        for (int64_t slot = 0; slot < panelSlots; ++slot)
          npu::CopyOp::create(b, tile,
                              part(b, getBand(b, all, slot), 1, Value(),
                                   second.paddedColumns, 16),
                              false, ValueRange());
        return success();
      });
}

isl::Schedule ChainNest::emitLeft() {
  return addTile("fractals_" + ArrayOp(first.leftArray).getSymName().str(), 0,
                 [&](ImplicitLocOpBuilder &b, ValueRange counters) {
                   Value from = slot(b, leftL1, counters[0]);
                   Value to = slot(b, leftL0, counters[0]);
                   npu::LoadFractalsOp::create(b, from, to, false,
                                               ValueRange());
                   return success();
                 });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void ChainNest::fillFirst(ImplicitLocOpBuilder &b, ValueRange counters) {
  Value c = part(b, program.refer(b, sumsL0c), 0, counters[1], columnStep / 16,
                 columnStep / 16);
  npu::MatmulOp::create(b, slot(b, leftL0, counters[0]),
                        stepSlot(b, rightL0, counters, columnStep), c, Value(),
                        true, DenseI64ArrayAttr(), ValueRange());
}

isl::Schedule ChainNest::emitFirst() {
  int64_t steps = first.paddedColumns / columnStep;
  auto loadRight = [&](ImplicitLocOpBuilder &b, ValueRange counters) {
    Value panel = slot(b, panels[0], counters[0], panelBlocks);
    Value from = takeBox(
        b, panel,
        {counters[1], b.getIndexAttr(0), b.getIndexAttr(0), b.getIndexAttr(0)},
        {1, first.paddedTerms / 16, columnStep, 16},
        {true, false, false, false});
    npu::LoadFractalsOp::create(b, from,
                                stepSlot(b, rightL0, counters, columnStep),
                                false, ValueRange());
    return success();
  };
  auto multiply = [&](ImplicitLocOpBuilder &b, ValueRange counters) {
    b.setLoc(first.getStatement().getLoc());
    fillFirst(b, counters);
    return success();
  };
  isl::Schedule load =
      addTile("fractals_" + ArrayOp(first.rightArray).getSymName().str(), steps,
              loadRight);
  isl::Schedule product = addTile(
      first.getStatement().getSymName().str() + "_tile", steps, multiply);
  if (!load || !product)
    return isl::Schedule();
  return TileProgram::sequence(std::move(load), std::move(product));
}

void ChainNest::fillSecondLoads(ImplicitLocOpBuilder &b, ValueRange counters) {
  auto load = [&](Value from, BufferOp to) {
    npu::LoadFractalsOp::create(
        b, part(b, from, 0, counters[1], termStep / 16, termStep / 16),
        stepSlot(b, to, counters, termStep), false, ValueRange());
  };
  load(slot(b, operandL1, counters[0]), operandL0);
  load(slot(b, panels[1], counters[0], panelBlocks), factorsL0);
}

isl::Schedule ChainNest::emitSecond() {
  int64_t steps = first.paddedColumns / termStep;
  auto loads = [&](ImplicitLocOpBuilder &b, ValueRange counters) {
    fillSecondLoads(b, counters);
    return success();
  };
  auto multiply = [&](ImplicitLocOpBuilder &b, ValueRange counters) {
    b.setLoc(second.getStatement().getLoc());
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, counters[1],
                              arith::ConstantIndexOp::create(b, 0));
    npu::MatmulOp::create(b, stepSlot(b, operandL0, counters, termStep),
                          stepSlot(b, factorsL0, counters, termStep),
                          slot(b, resultL0c, counters[0]), isFirst, false,
                          DenseI64ArrayAttr(), ValueRange());
    return success();
  };
  isl::Schedule load = addTile(
      "fractals_" + ArrayOp(second.leftArray).getSymName().str(), steps, loads);
  isl::Schedule product = addTile(
      second.getStatement().getSymName().str() + "_tile", steps, multiply);
  if (!load || !product)
    return isl::Schedule();
  return TileProgram::sequence(std::move(load), std::move(product));
}
