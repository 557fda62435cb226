// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The factors and the products of two contractions in one nest, and the order
// of everything.

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
    BufferOp buffer = isLeft ? leftL1 : panels[&product == &second];
    Value local = slot(b, buffer, counters[0], isLeft ? 1 : panelBlocks);
    npu::PackOp::create(b, global, local, term < row, ValueRange());
    return success();
  };
  return addTile("pack_" + array.getSymName().str(), 0, fill, !isLeft);
}

/// A column of ones for each row of a fractal, so that every lane of a row gets
/// the sum.
isl::Schedule ChainNest::emitOnes() {
  isl::Set once(isl_set_read_from_str(program.ctx.get(), "{ [] }"));
  return program.addTile(
      "fill_ones", once, [&](ImplicitLocOpBuilder &b, ValueRange) {
        Value target = program.refer(b, ones);
        Value tile = allocateTile(
            b, cast<MemRefType>(target.getType()).getShape(), b.getF16Type());
        npu::FillOp::create(
            b, arith::ConstantOp::create(b, b.getF32FloatAttr(1)), tile);
        npu::CopyOp::create(b, tile, target, false, ValueRange());
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

static isl::Schedule markBuffer(isl::Schedule schedule, BufferOp buffer) {
  return TileProgram::mark(std::move(schedule),
                           ("buffer:" + buffer.getSymName()).str());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void ChainNest::fillFirst(ImplicitLocOpBuilder &b, ValueRange counters) {
  Value c = part(b, program.refer(b, sumsL0c), 0, counters[1], columnStep / 16,
                 columnStep / 16);
  npu::MatmulOp::create(b, slot(b, leftL0, counters[0]),
                        program.refer(b, rightL0), c, Value(), true,
                        DenseI64ArrayAttr(), ValueRange());
}

isl::Schedule ChainNest::emitFirst() {
  int64_t steps = first.paddedColumns / columnStep;
  auto loadRight = [&](ImplicitLocOpBuilder &b, ValueRange counters) {
    Value panel = slot(b, panels[0], counters[0], panelBlocks);
    Value from = part(b, panel, 1, counters[1], columnStep, columnStep);
    npu::LoadFractalsOp::create(b, from, program.refer(b, rightL0), false,
                                ValueRange());
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
  return markBuffer(TileProgram::sequence(std::move(load), std::move(product)),
                    rightL0);
}

void ChainNest::fillSecondLoads(ImplicitLocOpBuilder &b, Value t, Value step,
                                unsigned half) {
  auto load = [&](Value from, Value to) {
    npu::LoadFractalsOp::create(b, from, to, false, ValueRange());
  };
  int64_t size = termStep / 16, width = second.paddedColumns / 16;
  load(part(b, slot(b, operandL1, t), 0, step, size, size),
       program.refer(b, operandL0[half]));
  Value factors = program.refer(b, factorsL0[half]);
  load(part(b, slot(b, panels[1], t, panelBlocks), 0, step, size, size),
       part(b, factors, 1, Value(), 0, width));
  if (rowSums)
    load(part(b, program.refer(b, ones), 0, step, size, size),
         part(b, factors, 1, Value(), width, 1));
}

isl::Schedule ChainNest::emitSecond(int64_t begin, int64_t steps,
                                    unsigned half) {
  auto getStep = [&](ImplicitLocOpBuilder &b, Value counter) -> Value {
    if (begin == 0)
      return counter;
    return affine::AffineApplyOp::create(
               b, AffineMap::get(1, 0, b.getAffineDimExpr(0) + begin),
               ValueRange(counter))
        .getResult();
  };
  auto loads = [&](ImplicitLocOpBuilder &b, ValueRange counters) {
    fillSecondLoads(b, counters[0], getStep(b, counters[1]), half);
    return success();
  };
  auto multiply = [&](ImplicitLocOpBuilder &b, ValueRange counters) {
    b.setLoc(second.getStatement().getLoc());
    Value isFirst;
    if (begin == 0)
      isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, counters[1],
                                      arith::ConstantIndexOp::create(b, 0));
    npu::MatmulOp::create(b, program.refer(b, operandL0[half]),
                          program.refer(b, factorsL0[half]),
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
  load = TileProgram::sequence(std::move(load), std::move(product));
  load = markBuffer(std::move(load), operandL0[half]);
  return markBuffer(std::move(load), factorsL0[half]);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

namespace {
/// Schedules one after the other; null if one of them was.
class Sequence {
public:
  Sequence &operator<<(isl::Schedule next) {
    isGood &= bool(next);
    all = TileProgram::sequence(std::move(all), std::move(next));
    return *this;
  }
  /// A loop over the steps of all.
  isl::Schedule takeSteps() {
    return isGood ? TileProgram::loop(std::move(all), 1, 2) : isl::Schedule();
  }
  isl::Schedule take() { return isGood ? std::move(all) : isl::Schedule(); }

private:
  isl::Schedule all;
  bool isGood = true;
};
} // namespace

/// One block after the other.
isl::Schedule ChainNest::emitInOrder() {
  Sequence body;
  body << emitPack(first, /*isLeft=*/false)
       << emitPack(second, /*isLeft=*/false) << emitPack(first, /*isLeft=*/true)
       << emitLeft() << (Sequence() << emitFirst()).takeSteps()
       << (Sequence() << emitDrain()).takeSteps();
  for (const Segment &segment : segments)
    if (segment.reduction) {
      body << emitReduced(segment);
    } else {
      for (LeafPlan *leaf : segment.statements)
        body << (Sequence() << emitStatement(*leaf)).takeSteps();
    }
  body << (Sequence() << emitMove()).takeSteps()
       << (Sequence() << emitSecond(0, first.paddedColumns / termStep, 0))
              .takeSteps()
       << emitResult();
  isl::Schedule all = body.take();
  return all ? TileProgram::loop(std::move(all), 0, 2) : std::move(all);
}

/// In an iteration, the cube unit makes the first product of a block and the
/// second one of the block that is two before, step by step with what the
/// vector unit does for the block between them.
isl::Schedule ChainNest::emitSkewed() {
  Sequence body;
  delay = panelDelay;
  body << emitPack(first, /*isLeft=*/false)
       << emitPack(second, /*isLeft=*/false);
  delay = 0;
  body << emitPack(first, /*isLeft=*/true);
  delay = 1;
  body << emitLeft();
  delay = 2;
  for (const Segment &segment : segments)
    if (segment.reduction)
      body << emitReduced(segment);
  SmallVector<LeafPlan *> rest(segments.back().statements);
  Sequence steps;
  if (!rest.empty())
    steps << emitStatement(*rest.front());
  delay = 1;
  steps << emitFirst();
  body << steps.takeSteps();
  delay = 2;
  for (LeafPlan *leaf :
       ArrayRef(rest).drop_front(!rest.empty()).drop_back(rest.size() > 1))
    body << (Sequence() << emitStatement(*leaf)).takeSteps();
  steps = Sequence();
  if (rest.size() > 1)
    steps << emitStatement(*rest.back());
  steps << emitMove();
  int64_t count = first.paddedColumns / termStep, half = (count + 1) / 2;
  // Loops of other numbers of steps are apart.
  bool isShared = half == first.paddedColumns / vectorStep && count == 2 * half;
  auto divide = [&] {
    if (!isShared)
      body << std::exchange(steps, Sequence()).takeSteps();
  };
  divide();
  delay = 3;
  steps << emitSecond(0, half, 0);
  body << steps.takeSteps();
  steps = Sequence();
  delay = 1;
  steps << emitDrain();
  divide();
  delay = 3;
  if (count > half) {
    steps << emitSecond(half, count - half, 1);
    body << steps.takeSteps();
  }
  delay = 4;
  body << emitResult();
  isl::Schedule all = body.take();
  return all ? TileProgram::skewedLoop(std::move(all), delays) : std::move(all);
}

isl::Schedule ChainNest::emit() {
  if (failed(analyse()))
    return isl::Schedule();
  isl::Schedule body = isSkewed ? emitSkewed() : emitInOrder();
  if (!body)
    return body;
  if (rowSums)
    body = TileProgram::sequence(emitOnes(), std::move(body));
  SmallVector<BufferOp> buffers{leftL1,  leftL0,    panels[0], panels[1],
                                sumsL0c, operandL1, resultL0c};
  if (rowSums)
    buffers.push_back(ones);
  for (auto &[name, array] : arrays)
    if (array.buffer && !llvm::is_contained(buffers, array.buffer))
      buffers.push_back(array.buffer);
  for (BufferOp buffer : buffers)
    body = markBuffer(std::move(body), buffer);
  return body;
}
