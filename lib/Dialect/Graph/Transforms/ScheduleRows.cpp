// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The order in which a pass that reduces goes over its rows: how many it works
// on together, and what it computes again after a reduction.

#include "Dialect/Graph/Transforms/PassStages.h"
#include "Schedule.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace gc::graph {

/// Values are computed again in a later stage if that takes at most this many
/// instructions: about as many as storing and loading them where the rows that
/// are worked on together stay near, in a quarter of the L1 cache, and what
/// reading the operands again saves where they do not.
constexpr int64_t kRecomputeCost = 3, kRecomputeCostOfLongRow = 8;
constexpr int64_t kShortRowsInCache = 4;
/// The share of the L1 cache that a kept value may take, rounded down to a
/// power of two, so that what a pass reads and writes besides has room; beyond
/// it a result's memory, which will be written anyway, is better.
constexpr int64_t kRowInCache = 2;
/// Keeping a value saves nothing if its rows leave the core's share of the
/// last-level cache before they are read again; half of that is for operands.
/// Each thread has a buffer, so that it is small.
constexpr int64_t kRowInLastCache = 2, kMostRowBytes = 1024 * 1024;
/// Steps of more instructions than these wait for each other.
constexpr int64_t kLongCost = 12;
/// Vectors of columns that are worked on together, so that whole cache lines
/// are read in each row, where little is computed; half as many elsewhere.
constexpr int64_t kMostVectors = 8;
constexpr int64_t kLittle = 12;

namespace {
/// What a pass computes in each stage.
class StageTargets {
public:
  StageTargets(const PassShape &pass, int64_t recompute,
               function_ref<bool(Value)> isStored)
      : stages(pass.space, pass.ops), recompute(recompute),
        targets(stages.getNumStages()) {
    for (Operation *op : pass.ops) {
      unsigned stage = stages.getStage(op);
      bool reduces = stages.isReducing(op);
      if (reduces) {
        targets[stage].reductions += 1;
        llvm::append_range(targets[stage].values, op->getOperands());
      }
      for (Value result : op->getResults())
        if (isStored(result) && !stages.isOfRow(result))
          targets[stage + reduces].values.push_back(result);
    }
  }

  bool hasSeveral() const {
    return targets.size() > 1 &&
           llvm::any_of(llvm::drop_begin(targets), [](const Targets &later) {
             return !later.values.empty();
           });
  }

  /// Whether each stage computes little, and at most one reduction.
  bool areCheap() {
    for (auto [stage, wanted] : llvm::enumerate(targets))
      for (Value value : wanted.values)
        findKept(value, stage);
    for (auto [stage, wanted] : llvm::enumerate(targets)) {
      auto isKept = [&, stage = stage](Value value) {
        return wasKept(value, stage);
      };
      llvm::SmallPtrSet<Operation *, 8> seen;
      int64_t cost = 0;
      for (Value value : wanted.values)
        cost += 1 + stages.getCost(value, isKept, seen);
      for (Operation *op : kept)
        if (stages.getStage(op) == stage)
          cost += 1 + stages.getCost(op->getResult(0), isKept, seen);
      if (cost > kLittle || wanted.reductions > 1)
        return false;
    }
    return true;
  }

private:
  struct Targets {
    /// What reductions read and what is stored.
    SmallVector<Value> values;
    int64_t reductions = 0;
  };

  bool wasKept(Value value, unsigned stage) const {
    Operation *op = value.getDefiningOp();
    return kept.contains(op) && stages.getStage(op) < stage;
  }

  void findKept(Value value, unsigned stage) {
    if (!stages.isComputed(value) || stages.isOfRow(value))
      return;
    Operation *op = value.getDefiningOp();
    if (stages.getStage(op) < stage) {
      auto isKept = [&](Value other) { return wasKept(other, stage); };
      if (stages.getCost(value, isKept) > recompute)
        kept.insert(op);
      return;
    }
    if (visited.insert({op, stage}).second)
      for (Value operand : op->getOperands())
        findKept(operand, stage);
  }

  PassStages stages;
  int64_t recompute;
  SmallVector<Targets> targets;
  llvm::SmallPtrSet<Operation *, 8> kept;
  llvm::DenseSet<std::pair<Operation *, unsigned>> visited;
};
} // namespace

/// Bytes of the rows that a pass works on together, of its widest elements.
static int64_t getRowBytes(const PassShape &pass, bool columnwise,
                           int64_t unroll, int64_t lanes) {
  int64_t elements =
      columnwise ? std::min(pass.box[pass.vectorDim].size, unroll * lanes)
                 : unroll;
  for (unsigned dim : pass.space.getReducedDims()) {
    int64_t size = pass.box[dim].size, part = pass.space.getPartSize(dim);
    elements *= part ? std::min(part, size) : size;
  }
  int64_t bytes = 1;
  for (Operation *op : pass.ops)
    for (Type type : op->getResultTypes())
      bytes = std::max<int64_t>(
          bytes, llvm::divideCeil(getStorageType(getElementTypeOrSelf(type))
                                      .getIntOrFloatBitWidth(),
                                  8));
  return elements * bytes;
}

int64_t chooseInterleave(FusedOp fused, const RegionSpace &space) {
  // The most that a stage can take: each op and what it reads from memory, the
  // stores of results. A value may also be reduced and kept, and what one pass
  // of a template computes is read by another one.
  bool isTemplate = bool(fused.getTunableOp());
  bool hasStages = isTemplate || !space.getReducedDims().empty();
  int64_t cost = fused.getNumResults();
  // A tunable op may have a region of its own.
  fused.getBody().walk([&](Operation *op) {
    if (isa<TunableOpInterface>(op) || op->hasTrait<OpTrait::IsTerminator>())
      return;
    auto body = dyn_cast<ScalarBodyOpInterface>(op);
    cost += (body ? body.getBodyCost() : 1) + (hasStages ? 2 : 0);
    for (Value operand : op->getOperands())
      cost += isTemplate ||
              (operand.getParentBlock() != op->getBlock() && !isSplat(operand));
  });
  return cost > kLongCost ? kLongCost : 0;
}

std::string describe(const RowOrder &order) {
  SmallVector<std::string> parts;
  if (order.unroll > 1)
    parts.push_back(std::to_string(order.unroll) +
                    " rows or vectors of columns together");
  if (order.recompute > 0)
    parts.push_back("values of up to " + std::to_string(order.recompute) +
                    " instructions computed again");
  if (order.rowBytes > 0)
    parts.push_back("rows of more than " + std::to_string(order.rowBytes) +
                    " bytes kept in the place of results");
  return llvm::join(parts, ", ");
}

RowOrder chooseRowOrder(const PassShape &pass,
                        function_ref<bool(Value)> isStored,
                        const ScheduleContext &context) {
  ArrayRef<unsigned> reduced = pass.space.getReducedDims();
  bool columnwise =
      pass.vectorDim >= 0 && !llvm::is_contained(reduced, pass.vectorDim);
  bool hasRows = false;
  for (auto [dim, extent] : llvm::enumerate(pass.box))
    hasRows |= !llvm::is_contained(reduced, dim) && extent.size > 1;
  constexpr int64_t kManyRegisters = 32;
  RowOrder order;
  if (columnwise)
    order.unroll = kMostVectors;
  else if (hasRows)
    order.unroll = context.machine.vectorRegisters >= kManyRegisters ? 4 : 2;
  if (context.unroll > 0)
    order.unroll = context.unroll;
  const Machine &machine = context.machine;
  int64_t bytes =
      getRowBytes(pass, columnwise, order.unroll, context.getLanes());
  int64_t recompute = bytes <= machine.l1Bytes / kShortRowsInCache
                          ? kRecomputeCost
                          : kRecomputeCostOfLongRow;
  recompute = context.recompute.value_or(recompute);
  StageTargets stages(pass, recompute, isStored);
  int64_t rowBytes = llvm::bit_floor<uint64_t>(
      std::min(machine.l1Bytes / kRowInCache, kMostRowBytes));
  if (stages.hasSeveral()) {
    order.recompute = recompute;
    if (bytes > rowBytes) {
      order.rowBytes = rowBytes;
      order.maxRowBytes = std::max(
          rowBytes, std::min(kMostRowBytes, machine.l3Bytes / machine.cores /
                                                kRowInLastCache));
    }
  }
  if (!columnwise || context.unroll > 0)
    return order;
  if (!stages.areCheap())
    order.unroll /= 2;
  // Their code is long without that.
  if (pass.unrollsWindows)
    order.unroll = std::max<int64_t>(1, order.unroll / 4);
  return order;
}

} // namespace gc::graph
