// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReductionSteps.h"
#include "Dialect/Graph/Transforms/RegionSpace.h"

using namespace mlir;

namespace gc::graph {

/// A reduction of what a reduction has left.
static bool isSecondStep(Operation *op) {
  return isReduction(op) && isReduction(op->getOperand(0).getDefiningOp());
}

llvm::DenseMap<Operation *, unsigned> getReductionDepths(Block &block) {
  llvm::DenseMap<Operation *, unsigned> depths;
  if (llvm::none_of(block, [](Operation &op) { return isSecondStep(&op); }))
    return depths;
  for (Operation &op : block) {
    unsigned depth = 0;
    // What the op reads, from inside of its regions too.
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *producer = operand.getDefiningOp();
        producer = producer ? block.findAncestorOpInBlock(*producer) : nullptr;
        if (producer && producer != &op)
          depth =
              std::max(depth, depths.lookup(producer) + isSecondStep(producer));
      }
    });
    depths[&op] = depth;
  }
  return depths;
}

} // namespace gc::graph
