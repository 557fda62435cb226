// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rewrites a loop so that its leading ops are issued ahead. The last iterations
// have nothing to issue: a comparison guards them, a cycle each. A separate
// epilogue would be a second copy of the body, whose ops other passes would
// have to order against those of the first.

#include "DoubleBuffer.h"
#include "IndexExpression.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

#include <map>

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
  Pipeliner(scf::ForOp loop, const Leads &leads)
      : loop(loop), builder(loop), step(getConstantIntValue(loop.getStep())) {
    std::map<int64_t, SmallVector<Operation *>, std::greater<>> byLead;
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isa<AllocOp>(op) && !isMemoryEffectFree(&op))
        byLead[leads.lookup(&op)].push_back(&op);
    byLead[0].push_back(loop.getBody()->getTerminator());
    for (auto &[lead, ops] : byLead)
      stages.push_back({lead, collect(ops)});
  }

  void run() {
    std::optional<APInt> trips = loop.getStaticTripCount();
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
    int64_t furthest = stages.front().lead;
    if (trips && lower && step) {
      int64_t count = trips->getLimitedValue();
      buildPrologue(std::min(furthest, count),
                    [&](int64_t i) { return constant(*lower + i * *step); });
      loop.replaceAllUsesWith(buildLoop([&](int64_t lead) {
        return lead < count ? constant(*lower + (count - lead) * *step)
                            : Value();
      }));
    } else {
      buildUnknownPrologue();
      loop.replaceAllUsesWith(buildLoop([&](int64_t lead) {
        return shift(builder, loop.getUpperBound(), -lead);
      }));
    }
    loop.erase();
  }

private:
  /// Ops of the body that are issued `lead` iterations ahead, with the index
  /// arithmetic that they need; by decreasing lead, the last has 0.
  struct Stage {
    int64_t lead;
    llvm::SmallPtrSet<Operation *, 16> ops;
  };

  llvm::SmallPtrSet<Operation *, 16> collect(SmallVector<Operation *> todo) {
    llvm::SmallPtrSet<Operation *, 16> ops;
    while (!todo.empty()) {
      Operation *op = todo.pop_back_val();
      if (!ops.insert(op).second)
        continue;
      llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
      getUsedValuesDefinedAbove(op->getRegions(), values);
      for (Value value : values)
        if (Operation *source = value.getDefiningOp();
            source && source->getBlock() == loop.getBody())
          todo.push_back(source);
    }
    return ops;
  }

  /// Builds a stage of the iteration with this value of the induction variable;
  /// returns what the iteration passes on.
  SmallVector<Value> emit(OpBuilder &at, const Stage &stage, Value index,
                          ValueRange carried = {}) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), index);
    if (!carried.empty())
      mapping.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator())
      if (stage.ops.contains(&op))
        cloneFolded(at, &op, mapping);
    SmallVector<Value> results;
    if (!carried.empty())
      for (Value value : loop.getBody()->getTerminator()->getOperands())
        results.push_back(mapping.lookupOrDefault(value));
    return results;
  }

  /// What iterations before the first would issue: for `count` iterations, in
  /// the order of the steady loop.
  void buildPrologue(int64_t count,
                     llvm::function_ref<Value(int64_t)> getIndex) {
    for (int64_t early = stages.front().lead; early > 0; --early)
      for (const Stage &stage : stages)
        if (int64_t i = stage.lead - early; i >= 0 && i < count && stage.lead)
          emit(builder, stage, getIndex(i));
  }

  /// With one leading stage, a loop that may run fewer times; with several,
  /// each step is guarded, since they alternate.
  void buildUnknownPrologue() {
    Location loc = loop.getLoc();
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
    int64_t furthest = stages.front().lead;
    if (stages.size() == 2) {
      Value shifted = shift(builder, lower, furthest);
      Value first;
      if (lower.getType().isIndex())
        first = getValueOrCreateConstantIndexOp(
            builder, loc,
            affine::makeComposedFoldedAffineMin(
                builder, loc, builder.getMultiDimIdentityMap(2),
                {getAsOpFoldResult(shifted), getAsOpFoldResult(upper)}));
      else
        first = arith::MinSIOp::create(builder, loc, shifted, upper);
      auto prologue = scf::ForOp::create(
          builder, loc, lower, first, loop.getStep(), ValueRange(),
          /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
      OpBuilder inner = OpBuilder::atBlockBegin(prologue.getBody());
      emit(inner, stages.front(), prologue.getInductionVar());
      return;
    }
    for (int64_t early = furthest; early > 0; --early)
      for (const Stage &stage : stages)
        if (int64_t i = stage.lead - early; i >= 0 && stage.lead) {
          Value index = shift(builder, lower, i);
          OpBuilder inner = buildGuard(index, upper);
          emit(inner, stage, index);
        }
  }

  OpBuilder buildGuard(Value index, Value upper) {
    Value more =
        arith::CmpIOp::create(builder, loop.getLoc(),
                              loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                                    : arith::CmpIPredicate::slt,
                              index, upper);
    auto guarded = scf::IfOp::create(builder, loop.getLoc(), more,
                                     /*withElseRegion=*/false);
    return guarded.getThenBodyBuilder();
  }

  /// The loop, with the leading ops of iterations `lead` later as long as the
  /// induction variable is below `getEnd(lead)`, null for never.
  SmallVector<Value> buildLoop(llvm::function_ref<Value(int64_t)> getEnd) {
    SmallVector<Value> ends;
    for (const Stage &stage : stages)
      ends.push_back(stage.lead ? getEnd(stage.lead) : Value());
    // Not filled by a callback: folding looks at the surrounding loop, which
    // must exist.
    auto result = scf::ForOp::create(
        builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
        loop.getStep(), loop.getInitArgs(), /*bodyBuilder=*/nullptr,
        loop.getUnsignedCmp());
    OpBuilder::InsertionGuard restore(builder);
    Value index = result.getInductionVar();
    builder.setInsertionPointToStart(result.getBody());
    SmallVector<Value> values;
    for (auto [stage, end] : llvm::zip(stages, ends)) {
      if (stage.lead == 0) {
        values = emit(builder, stage, index, result.getRegionIterArgs());
      } else if (end) {
        OpBuilder inner = buildGuard(index, end);
        emit(inner, stage, shift(inner, index, stage.lead));
      }
    }
    if (!values.empty())
      scf::YieldOp::create(builder, loop.getLoc(), values);
    return llvm::to_vector_of<Value>(result.getResults());
  }

  Value constant(int64_t value) {
    return arith::ConstantOp::create(
        builder, loop.getLoc(),
        builder.getIntegerAttr(loop.getInductionVar().getType(), value));
  }

  /// index + count * step.
  Value shift(OpBuilder &at, Value index, int64_t count) {
    Location loc = loop.getLoc();
    if (count == 0)
      return index;
    if (index.getType().isIndex()) {
      IndexExpression all(at.getContext());
      return all.materialize(
          at, loc, all.dim(index) + all.fixed(loop.getStep()) * count);
    }
    Value factor = arith::ConstantOp::create(
        at, loc, at.getIntegerAttr(index.getType(), count));
    Value bytes = at.createOrFold<arith::MulIOp>(loc, loop.getStep(), factor);
    return at.createOrFold<arith::AddIOp>(loc, index, bytes);
  }

  scf::ForOp loop;
  OpBuilder builder;
  std::optional<int64_t> step;
  SmallVector<Stage, 0> stages;
};

} // namespace

void pipelineLoop(scf::ForOp loop, const Leads &leads) {
  Pipeliner(loop, leads).run();
}

} // namespace gc::npu
