// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegionGrowth.h"

using namespace mlir;

namespace gc::graph {

/// The ops between the first and the last of `ops` that depend on one of them.
static SmallVector<Operation *>
getDependentsBetween(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 32> members(ops.begin(), ops.end()), moving;
  SmallVector<Operation *> result;
  for (Operation *op = ops.front(); op != ops.back(); op = op->getNextNode()) {
    if (members.contains(op))
      continue;
    WalkResult walk = op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            members.contains(producer) || moving.contains(producer))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (!walk.wasInterrupted())
      continue;
    moving.insert(op);
    result.push_back(op);
  }
  return result;
}

FusedOp createRegion(ArrayRef<Operation *> members) {
  SmallVector<Operation *> ops(members);
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  SmallVector<Operation *> dependents = getDependentsBetween(ops);
  SmallVector<Value> results;
  std::string name;
  for (Operation *op : ops) {
    name += (name.empty() ? "" : "+") + op->getName().stripDialect().str();
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !llvm::is_contained(ops, user);
          }))
        results.push_back(result);
  }
  OpBuilder builder(ops.back());
  SmallVector<Location> locs =
      llvm::map_to_vector(ops, [](Operation *op) { return op->getLoc(); });
  auto fused = FusedOp::create(builder, builder.getFusedLoc(locs),
                               ValueRange(results).getTypes(),
                               builder.getStringAttr(name));
  Block *body = builder.createBlock(&fused.getBody());
  for (Operation *op : ops)
    op->moveBefore(body, body->end());
  builder.setInsertionPointToEnd(body);
  YieldOp::create(builder, fused.getLoc(), results);
  for (auto [inner, outer] : llvm::zip_equal(results, fused.getResults()))
    inner.replaceUsesWithIf(outer, [&](OpOperand &use) {
      return use.getOwner()->getBlock() != body;
    });
  for (Operation *op : llvm::reverse(dependents))
    op->moveAfter(fused);
  return fused;
}

void dissolveRegion(FusedOp fused) {
  Block &body = fused.getBody().front();
  for (auto [outer, inner] :
       llvm::zip_equal(fused.getResults(), fused.getYielded()))
    outer.replaceAllUsesWith(inner);
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
    op.moveBefore(fused);
  fused.erase();
}

} // namespace gc::graph
