// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/PassStages.h"
#include "Dialect/Graph/Transforms/PassDims.h"

using namespace mlir;

namespace gc::graph {

PassStages::PassStages(const RegionSpace &space, ArrayRef<Operation *> ops)
    : space(space), inner(space.getSizes().size(), false),
      opSet(ops.begin(), ops.end()) {
  for (Operation *op : ops) {
    for (unsigned dim : space.getReducedDims(op))
      inner[dim] = true;
    unsigned stage = 0;
    for (Value operand : op->getOperands())
      stage = std::max(stage, getStage(operand));
    stageOf[op] = stage;
    numStages = std::max(numStages, stage + 1 + isReducing(op));
  }
}

bool PassStages::isComputed(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && opSet.contains(op);
}

bool PassStages::isReducing(Operation *op) const {
  return !space.getReducedDims(op).empty();
}

bool PassStages::isOfRow(AffineMap map) const {
  return llvm::none_of(map.getResults(), [&](AffineExpr index) {
    for (auto [dim, isInner] : llvm::enumerate(inner))
      if (isInner && varies(index, dim))
        return true;
    return false;
  });
}

bool PassStages::isOfRow(Value value) const {
  return isOfRow(space.getValueMap(value));
}

unsigned PassStages::getStage(Value value) const {
  if (!isComputed(value))
    return 0;
  Operation *op = value.getDefiningOp();
  return getStage(op) + isReducing(op);
}

int64_t PassStages::getCost(Value value,
                            function_ref<bool(Value)> isKept) const {
  llvm::SmallPtrSet<Operation *, 8> seen;
  return getCost(value, isKept, seen);
}

int64_t PassStages::getCost(Value value, function_ref<bool(Value)> isKept,
                            llvm::SmallPtrSetImpl<Operation *> &seen) const {
  if (!isComputed(value))
    return isSplat(value) ? 0 : 1;
  if (isOfRow(value) || isKept(value))
    return 0;
  Operation *op = value.getDefiningOp();
  if (!seen.insert(op).second)
    return 0;
  auto body = dyn_cast<ScalarBodyOpInterface>(op);
  int64_t cost = body ? body.getBodyCost() : 1;
  for (OpOperand &operand : op->getOpOperands())
    if (isComputed(operand.get()) || !isOfRow(space.getOperandMap(operand)))
      cost += getCost(operand.get(), isKept, seen);
  return cost;
}

} // namespace gc::graph
