// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegionDependences.h"

using namespace mlir;

namespace gc::graph {

std::string quote(Operation *op) {
  return "'" + op->getName().getStringRef().str() + "'";
}

bool dependsOn(Value value, const llvm::SetVector<Operation *> &ops) {
  Block *block = ops.front()->getBlock();
  Operation *first = *llvm::min_element(ops, isBefore);
  SmallVector<Value> worklist = {value};
  llvm::SmallPtrSet<Operation *, 16> visited;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    // Values of other blocks are inside a region whose operands were added.
    if (!op || op->getBlock() != block || !visited.insert(op).second)
      continue;
    if (ops.contains(op))
      return true;
    if (op->isBeforeInBlock(first))
      continue;
    op->walk([&](Operation *inner) {
      llvm::append_range(worklist, inner->getOperands());
    });
  }
  return false;
}

/// The number of an operand by which the ops would depend on themselves through
/// an op outside, and its owner.
static OpOperand *findCycle(const llvm::SetVector<Operation *> &ops) {
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      if (producer && !ops.contains(producer) && dependsOn(operand.get(), ops))
        return &operand;
    }
  return nullptr;
}

std::optional<Obstacle> checkCycle(FusibleOpInterface op,
                                   llvm::SetVector<Operation *> ops) {
  ops.insert(op);
  OpOperand *operand = findCycle(ops);
  if (!operand)
    return std::nullopt;
  std::string number = std::to_string(operand->getOperandNumber());
  if (operand->getOwner() == op)
    return Obstacle{"operand " + number +
                        " depends on the region through an op outside of it",
                    ""};
  return Obstacle{"operand " + number + " of " + quote(operand->getOwner()) +
                      " depends on it through an op outside of the region",
                  ""};
}

} // namespace gc::graph
