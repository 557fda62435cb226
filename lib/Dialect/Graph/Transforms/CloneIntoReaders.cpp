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
/// there are other readers, or one that has no place for the op.
static SmallVector<FusedOp> getReaders(FusibleOpInterface op, OpResult result,
                                       int64_t maxOps) {
  SmallVector<FusedOp> readers;
  for (Operation *user : result.getUsers()) {
    auto reader = dyn_cast<FusedOp>(user->getParentOp());
    if (!reader || reader->getBlock() != result.getOwner()->getBlock() ||
        reader.getTunableOp())
      return {};
    if (llvm::is_contained(readers, reader))
      continue;
    // With the terminator.
    auto count =
        static_cast<int64_t>(reader.getBody().front().getOperations().size());
    FailureOr<RegionSpace> space = RegionSpace::get(reader);
    if (count > maxOps || failed(space) ||
        ArrayRef<int64_t>(op.getIterationSpace()) != space->getSizes())
      return {};
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

/// Puts a copy of the op into the region, whose ops read it from then on.
static void cloneInto(FusedOp reader, Operation *op, Value result) {
  OpBuilder builder(reader);
  Operation *copy = builder.clone(*op);
  result.replaceUsesWithIf(copy->getResult(0), [&](OpOperand &use) {
    return reader->isAncestor(use.getOwner());
  });
  SmallVector<Operation *> ops = getOps(reader);
  ops.push_back(copy);
  dissolveRegion(reader);
  createRegion(ops);
}

/// Clones what the region computes for others, if that is cheaper than storing
/// it; returns whether it has.
static bool cloneResults(FusedOp fused, int64_t maxOps) {
  if (fused.getTunableOp())
    return false;
  for (auto [value, result] :
       llvm::zip_equal(fused.getYielded(), fused->getResults())) {
    auto op = value.getDefiningOp<FusibleOpInterface>();
    if (!op || !isCheaperThanStoring(op))
      continue;
    SmallVector<FusedOp> readers = getReaders(op, result, maxOps);
    if (readers.empty())
      continue;
    for (FusedOp reader : readers)
      cloneInto(reader, op, result);
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

void cloneIntoReaders(Block &block, int64_t maxOps) {
  Operation *op = &block.front();
  while (op) {
    // Regions that change are replaced, all of them after this one.
    Operation *before = op->getPrevNode();
    auto fused = dyn_cast<FusedOp>(op);
    if (fused && cloneResults(fused, maxOps))
      op = before ? before->getNextNode() : &block.front();
    else
      op = op->getNextNode();
  }
}

} // namespace gc::graph
