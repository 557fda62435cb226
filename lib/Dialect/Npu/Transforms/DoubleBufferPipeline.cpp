// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rewrites a loop so that its leading stage is issued ahead. Nothing is
// guarded: where the number of iterations is not known, the prologue and the
// epilogue are loops themselves, which may run less often.

#include "DoubleBuffer.h"
#include "MemoryPlan.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace gc::npu {

namespace {

/// Copies an op; index arithmetic is folded into one expression.
void cloneFolded(OpBuilder &builder, Operation *op, IRMapping &mapping) {
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<OpFoldResult> operands;
    for (Value operand : apply.getOperands())
      operands.push_back(getAsOpFoldResult(mapping.lookupOrDefault(operand)));
    OpFoldResult result = affine::makeComposedFoldedAffineApply(
        builder, op->getLoc(), apply.getAffineMap(), operands);
    mapping.map(apply.getResult(),
                getValueOrCreateConstantIndexOp(builder, op->getLoc(), result));
    return;
  }
  Operation *copy = builder.clone(*op, mapping);
  SmallVector<Value> results;
  if (copy->getNumRegions() || !isMemoryEffectFree(copy) ||
      failed(builder.tryFold(copy, results)) || results.empty())
    return;
  mapping.map(op->getResults(), results);
  copy->erase();
}

class Pipeliner {
public:
  Pipeliner(scf::ForOp loop, const LeadingStage &stage)
      : loop(loop), distance(stage.distance), builder(loop),
        step(getConstantIntValue(loop.getStep())) {
    collect(stage.ops.getArrayRef(), /*withYield=*/false, leading);
    SmallVector<Operation *> others;
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isa<AllocOp>(op) && !isMemoryEffectFree(&op) &&
          !stage.ops.contains(&op))
        others.push_back(&op);
    collect(others, /*withYield=*/true, trailing);
  }

  void run() {
    std::optional<APInt> trips = loop.getStaticTripCount();
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
    SmallVector<Value> results =
        trips && lower && step ? runKnown(trips->getLimitedValue(), *lower)
                               : runUnknown();
    loop.replaceAllUsesWith(results);
    loop.erase();
  }

private:
  using Stage = llvm::SetVector<Operation *>;

  /// Adds what the ops need of the body.
  void collect(ArrayRef<Operation *> ops, bool withYield, Stage &stage) {
    SmallVector<Operation *> todo(ops);
    if (withYield)
      todo.push_back(loop.getBody()->getTerminator());
    while (!todo.empty()) {
      Operation *op = todo.pop_back_val();
      if (!stage.insert(op))
        continue;
      llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
      getUsedValuesDefinedAbove(op->getRegions(), values);
      for (Value value : values)
        if (Operation *source = value.getDefiningOp();
            source && source->getBlock() == loop.getBody())
          todo.push_back(source);
    }
  }

  /// Builds a stage of the iteration with this value of the induction variable;
  /// returns what the iteration hands on.
  SmallVector<Value> emit(OpBuilder &at, const Stage &stage, Value index,
                          ValueRange carried = {}) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), index);
    if (!carried.empty())
      mapping.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator())
      if (stage.contains(&op))
        cloneFolded(at, &op, mapping);
    SmallVector<Value> results;
    if (!carried.empty())
      for (Value value : loop.getBody()->getTerminator()->getOperands())
        results.push_back(mapping.lookupOrDefault(value));
    return results;
  }

  using Body =
      llvm::function_ref<SmallVector<Value>(OpBuilder &, Value, ValueRange)>;

  SmallVector<Value> buildLoop(Value lower, Value upper, ValueRange carried,
                               Body body) {
    auto result = scf::ForOp::create(
        builder, loop.getLoc(), lower, upper, loop.getStep(), carried,
        [&](OpBuilder &inner, Location loc, Value index, ValueRange values) {
          scf::YieldOp::create(inner, loc, body(inner, index, values));
        },
        loop.getUnsignedCmp());
    return llvm::to_vector_of<Value>(result.getResults());
  }

  /// Loads of iteration i + distance, then the rest of iteration i.
  SmallVector<Value> buildSteady(Value lower, Value upper) {
    return buildLoop(lower, upper, loop.getInitArgs(),
                     [&](OpBuilder &inner, Value index, ValueRange values) {
                       emit(inner, leading, shift(inner, index, distance));
                       return emit(inner, trailing, index, values);
                     });
  }

  SmallVector<Value> buildTrailing(Value lower, Value upper,
                                   ValueRange carried) {
    return buildLoop(lower, upper, carried,
                     [&](OpBuilder &inner, Value index, ValueRange values) {
                       return emit(inner, trailing, index, values);
                     });
  }

  Value constant(int64_t value) {
    return arith::ConstantOp::create(
        builder, loop.getLoc(),
        builder.getIntegerAttr(loop.getInductionVar().getType(), value));
  }

  /// index + count * step.
  Value shift(OpBuilder &at, Value index, int64_t count) {
    Location loc = loop.getLoc();
    if (index.getType().isIndex() && step) {
      AffineExpr expr = at.getAffineDimExpr(0) + count * *step;
      return getValueOrCreateConstantIndexOp(
          at, loc,
          affine::makeComposedFoldedAffineApply(at, loc, expr,
                                                {getAsOpFoldResult(index)}));
    }
    Value factor = arith::ConstantOp::create(
        at, loc, at.getIntegerAttr(index.getType(), count));
    Value bytes = at.createOrFold<arith::MulIOp>(loc, loop.getStep(), factor);
    return at.createOrFold<arith::AddIOp>(loc, index, bytes);
  }

  SmallVector<Value> runKnown(int64_t trips, int64_t lower) {
    int64_t steady = std::max<int64_t>(trips - distance, 0);
    for (int64_t i = 0; i < std::min(distance, trips); ++i)
      emit(builder, leading, constant(lower + i * *step));
    SmallVector<Value> values(loop.getInitArgs());
    Value middle = constant(lower + steady * *step);
    if (steady)
      values = buildSteady(loop.getLowerBound(), middle);
    if (trips - steady > 1)
      return buildTrailing(middle, constant(lower + trips * *step), values);
    if (trips > 0)
      values = emit(builder, trailing, middle, values);
    return values;
  }

  SmallVector<Value> runUnknown() {
    Location loc = loop.getLoc();
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
    Value ahead = arith::MinSIOp::create(
        builder, loc, shift(builder, lower, distance), upper);
    buildLoop(lower, ahead, {}, [&](OpBuilder &inner, Value index, ValueRange) {
      return emit(inner, leading, index);
    });
    // What the prologue has loaded and the epilogue works on counts from the
    // last iteration: the end of the steady loop is a multiple of the step away
    // from the first.
    Value last = shift(builder, upper, -distance);
    SmallVector<Value> values = buildSteady(lower, last);
    Value rest = arith::MaxSIOp::create(
        builder, loc, arith::SubIOp::create(builder, loc, last, lower),
        constant(0));
    Value done = rest;
    if (step != 1)
      done = arith::MulIOp::create(
          builder, loc,
          arith::CeilDivSIOp::create(builder, loc, rest, loop.getStep()),
          loop.getStep());
    Value middle = arith::AddIOp::create(builder, loc, lower, done);
    return buildTrailing(middle, upper, values);
  }

  scf::ForOp loop;
  int64_t distance;
  OpBuilder builder;
  std::optional<int64_t> step;
  /// Ops of the body that the two stages consist of, index arithmetic included.
  Stage leading, trailing;
};

} // namespace

void pipelineLoop(scf::ForOp loop, const LeadingStage &stage,
                  int64_t &nextBuffer) {
  loop.walk([&](AllocOp alloc) {
    if (!alloc->hasAttr(NpuDialect::kBufferAttr) && !alloc.getAddress())
      alloc->setAttr(NpuDialect::kBufferAttr,
                     IntegerAttr::get(IntegerType::get(alloc.getContext(), 64),
                                      nextBuffer++));
  });
  Pipeliner(loop, stage).run();
}

} // namespace gc::npu
