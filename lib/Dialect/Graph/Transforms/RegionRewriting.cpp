// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegionGrowth.h"
#include "mlir/Analysis/TopologicalSortUtils.h"

using namespace mlir;

namespace gc::graph {

FusedOp createRegion(ArrayRef<Operation *> members) {
  SmallVector<Operation *> ops(members);
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
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
  // Users between the first and the last op of the region have to follow it.
  sortTopologically(fused->getBlock());
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
