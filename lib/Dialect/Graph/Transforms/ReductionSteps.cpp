// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReductionSteps.h"
#include "Dialect/Graph/Transforms/RegionSpace.h"

#include <set>

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

bool ReductionSides::isApart(Operation *op,
                             ArrayRef<Operation *> others) const {
  auto contains = [](const auto &set) {
    return [&](Operation *other) { return set.contains(other); };
  };
  return (inParts.contains(op) && llvm::any_of(others, contains(whole))) ||
         (whole.contains(op) && llvm::any_of(others, contains(inParts)));
}

/// The dimensions of an op's space that a reduction leaves fewer elements of.
static SmallVector<int64_t> getShortenedDims(Operation *op) {
  AffineMap map = cast<FusibleOpInterface>(op).getResultMap(0);
  SmallVector<int64_t> dims{map.getNumDims()};
  for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
    if (!llvm::is_contained(map.getResults(),
                            getAffineDimExpr(dim, op->getContext())))
      dims.push_back(dim);
  return dims;
}

ReductionSides getReductionSides(Block &block) {
  ReductionSides sides;
  if (llvm::none_of(block, [](Operation &op) { return isSecondStep(&op); }))
    return sides;
  auto isElementwise = [](Operation *op) {
    auto fusible = dyn_cast<FusibleOpInterface>(op);
    return fusible && isPointwise(fusible.getFusibleKind());
  };
  auto isFirst = [](Operation *op) {
    return isReduction(op) && llvm::any_of(op->getUsers(), isSecondStep);
  };
  std::set<SmallVector<int64_t>> ofParts;
  for (Operation &op : block)
    if (isFirst(&op))
      ofParts.insert(getShortenedDims(&op));
  for (Operation &op : llvm::reverse(block)) {
    bool isFirstStep = isFirst(&op);
    auto isInParts = [&](Operation *user) {
      return sides.inParts.contains(user);
    };
    auto isWhole = [&](Operation *user) { return sides.whole.contains(user); };
    bool isPoint = isElementwise(&op);
    if (isFirstStep ||
        (isPoint && !op.use_empty() && llvm::all_of(op.getUsers(), isInParts)))
      sides.inParts.insert(&op);
    else if ((isReduction(&op) && !isSecondStep(&op) &&
              !ofParts.count(getShortenedDims(&op))) ||
             (isPoint && llvm::any_of(op.getUsers(), isWhole)))
      sides.whole.insert(&op);
  }
  for (Operation &op : block)
    if (isElementwise(&op) && !sides.inParts.contains(&op) &&
        llvm::any_of(op.getOperands(), [&](Value operand) {
          Operation *producer = operand.getDefiningOp();
          return producer && isReduction(producer) &&
                 sides.whole.contains(producer);
        }))
      sides.whole.insert(&op);
  return sides;
}

} // namespace gc::graph
