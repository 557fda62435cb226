// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results that other regions compute again rather than read: what takes an
// instruction or two from a tensor that is as large need not be stored.

#include "Dialect/Graph/IR/TensorMemory.h"
#include "RegionGrowth.h"

using namespace mlir;

namespace gc::graph {

/// Instructions that take less time than storing a vector.
constexpr int64_t kMostInstructions = 2;

/// Whether the op computes its result from one tensor that takes no more bytes,
/// in the same order, and from others that are small, all of which are there
/// before its region.
static bool isCheaperThanStoring(FusibleOpInterface op) {
  auto body = dyn_cast<ScalarBodyOpInterface>(op.getOperation());
  if (!body || body.getBodyCost() > kMostInstructions ||
      !isPointwise(op.getFusibleKind()) || op->getNumResults() != 1 ||
      op->hasAttr(GraphDialect::kWhereReadAttr))
    return false;
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (!result.hasStaticShape())
    return false;
  constexpr int64_t kSmall = 8;
  int64_t large = 0;
  for (Value operand : op->getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (operand.getParentBlock() == op->getBlock())
      return false;
    if (type.getNumElements() * kSmall <= result.getNumElements())
      continue;
    if (type.getShape() != result.getShape() ||
        getLayout(type) != getLayout(result) ||
        getMemoryBytes(type) > getMemoryBytes(result))
      return false;
    ++large;
  }
  return large == 1;
}

/// The regions without a tunable op that read the result, in order; none if
/// there are other readers, or one that is full.
static SmallVector<FusedOp> getReaders(OpResult result,
                                       const FusionLimits &limits) {
  SmallVector<FusedOp> readers;
  for (Operation *user : result.getUsers()) {
    auto reader = dyn_cast<FusedOp>(user->getParentOp());
    if (!reader || reader->getBlock() != result.getOwner()->getBlock() ||
        reader.getTunableOp())
      return {};
    // With the terminator.
    auto count =
        static_cast<int64_t>(reader.getBody().front().getOperations().size());
    if (count > limits.maxOps)
      return {};
    if (!llvm::is_contained(readers, reader))
      readers.push_back(reader);
  }
  return readers;
}

static SmallVector<Operation *> getOps(FusedOp fused) {
  SmallVector<Operation *> ops;
  for (Operation &op : fused.getBody().front().without_terminator())
    ops.push_back(&op);
  return ops;
}

/// Whether the ops have a place in one space, and read no more than regions
/// may.
static bool canBeRegion(ArrayRef<Operation *> ops, const FusionLimits &limits) {
  std::string reason;
  Operation *culprit = nullptr;
  if (!RegionSpace::get(ops, reason, culprit))
    return false;
  if (limits.maxInputBytes == 0)
    return true;
  int64_t bytes = 0;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (auto type = cast<RankedTensorType>(operand.getType());
          type.hasStaticShape() &&
          !llvm::is_contained(ops, operand.getDefiningOp()))
        bytes += getMemoryBytes(type);
  return bytes <= limits.maxInputBytes;
}

/// Puts copies of the op into the regions, which then read them, or changes
/// nothing if one of the regions has no place for it.
static bool cloneInto(ArrayRef<FusedOp> readers, Operation *op, Value result,
                      const FusionLimits &limits) {
  SmallVector<SmallVector<Operation *>> regions;
  bool fits = true;
  for (FusedOp reader : readers) {
    Operation *copy = OpBuilder(reader).clone(*op);
    result.replaceUsesWithIf(copy->getResult(0), [&](OpOperand &use) {
      return reader->isAncestor(use.getOwner());
    });
    SmallVector<Operation *> &ops = regions.emplace_back();
    ops.push_back(copy);
    llvm::append_range(ops, getOps(reader));
    fits &= canBeRegion(ops, limits);
  }
  for (auto [reader, ops] : llvm::zip_equal(readers, regions)) {
    if (fits) {
      dissolveRegion(reader);
      createRegion(ops);
      continue;
    }
    ops.front()->getResult(0).replaceAllUsesWith(result);
    ops.front()->erase();
  }
  return fits;
}

/// Clones what the region computes for others, if that is cheaper than storing
/// it; returns whether it has.
static bool cloneResults(FusedOp fused, const FusionLimits &limits) {
  if (fused.getTunableOp())
    return false;
  for (auto [value, result] :
       llvm::zip_equal(fused.getYielded(), fused->getResults())) {
    auto op = value.getDefiningOp<FusibleOpInterface>();
    if (!op || !isCheaperThanStoring(op))
      continue;
    SmallVector<FusedOp> readers = getReaders(result, limits);
    if (readers.empty() || !cloneInto(readers, op, result, limits))
      continue;
    // Without the result, or without anything.
    SmallVector<Operation *> ops = getOps(fused);
    dissolveRegion(fused);
    if (op->use_empty()) {
      llvm::erase(ops, op.getOperation());
      op->erase();
    }
    if (!ops.empty())
      createRegion(ops);
    return true;
  }
  return false;
}

void cloneIntoReaders(Block &block, const FusionLimits &limits) {
  Operation *op = &block.front();
  while (op) {
    // Regions that change are replaced, all of them after this one.
    Operation *before = op->getPrevNode();
    auto fused = dyn_cast<FusedOp>(op);
    if (fused && cloneResults(fused, limits))
      op = before ? before->getNextNode() : &block.front();
    else
      op = op->getNextNode();
  }
}

} // namespace gc::graph
