// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHFUSE
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// A region while it grows: its ops in block order.
struct Region {
  llvm::SetVector<Operation *> ops;
  SmallVector<int64_t> space;
  int64_t extraBytes = 0;

  bool contains(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && ops.contains(op);
  }
};

int64_t getBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() *
         llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
}

/// Whether a value depends on an op of the region through ops outside of it.
bool dependsOn(Value value, const Region &region) {
  SmallVector<Value> worklist = {value};
  llvm::SmallPtrSet<Operation *, 16> visited;
  Operation *first = region.ops.front();
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || !visited.insert(op).second)
      continue;
    if (region.ops.contains(op))
      return true;
    if (op->isBeforeInBlock(first))
      continue;
    op->walk([&](Operation *inner) {
      llvm::append_range(worklist, inner->getOperands());
    });
  }
  return false;
}

/// Why `op` cannot join the region as a consumer, or nothing if it can.
std::optional<std::string> getObstacle(FusibleOpInterface op,
                                       const Region &region) {
  switch (op.getFusibleKind()) {
  case FusibleKind::elementwise:
  case FusibleKind::broadcast:
  case FusibleKind::reorder:
  case FusibleKind::cast:
    break;
  case FusibleKind::reduction:
  case FusibleKind::transpose:
    return "a " + stringifyFusibleKind(op.getFusibleKind()).str() +
           " is not committed at an anchor";
  }
  if (op.getIterationSpace() != region.space)
    return "its iteration space differs from the region's";
  for (OpOperand &operand : op->getOpOperands()) {
    if (region.contains(operand.get())) {
      if (!op.getOperandMap(operand.getOperandNumber()).isIdentity())
        return "it reads the region's result at other indices";
    } else if (dependsOn(operand.get(), region)) {
      return "operand " + std::to_string(operand.getOperandNumber()) +
             " depends on the region through an op outside of it";
    }
  }
  return std::nullopt;
}

struct Fuse : impl::GraphFuseBase<Fuse> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    Block &block = getOperation().getBody().front();
    // Tunable ops first: what can be done while their tile is in the cache is
    // not worth a pass of its own.
    for (auto op : llvm::to_vector(block.getOps<TunableOpInterface>())) {
      Region region;
      region.ops.insert(op);
      region.space = llvm::to_vector(
          cast<RankedTensorType>(op->getResult(0).getType()).getShape());
      growConsumers(region);
      addPreOps(op, region);
      create(region);
    }
    for (auto op : llvm::to_vector(block.getOps<FusibleOpInterface>())) {
      if (isa<FusedOp>(op->getParentOp()))
        continue;
      Region region;
      region.ops.insert(op);
      region.space = op.getIterationSpace();
      growConsumers(region);
      create(region);
    }
    sortTopologically(&block);
  }

  /// Adds consumers of the region's results as long as one can join.
  void growConsumers(Region &region) {
    for (size_t i = 0; i < region.ops.size(); ++i) {
      SmallVector<Operation *> users(region.ops[i]->getUsers());
      llvm::sort(users, [](Operation *a, Operation *b) {
        return a->getBlock() == b->getBlock() && a->isBeforeInBlock(b);
      });
      for (Operation *user : users) {
        auto op = dyn_cast<FusibleOpInterface>(user);
        if (!op || user->getBlock() != region.ops[0]->getBlock() ||
            region.ops.contains(user))
          continue;
        std::optional<std::string> obstacle = getObstacle(op, region);
        int64_t bytes = 0;
        for (Value operand : user->getOperands())
          if (!region.contains(operand))
            bytes += getBytes(operand.getType());
        int64_t fusible = region.ops.size() -
                          isa<TunableOpInterface>(region.ops[0]);
        if (!obstacle && fusible >= maxOps)
          obstacle = "the region has max-ops = " + std::to_string(maxOps) + " ops";
        if (!obstacle && maxInputBytes > 0 &&
            region.extraBytes + bytes > maxInputBytes)
          obstacle = "its inputs exceed max-input-bytes = " +
                     std::to_string(maxInputBytes);
        if (obstacle) {
          remark::missed(user->getLoc(), remark::RemarkOpts::name("NotFused")
                                             .category("graph-fuse"))
              << "'" + user->getName().getStringRef().str() +
                     "' is not fused with '" +
                     region.ops[0]->getName().getStringRef().str() + "': " +
                     *obstacle;
          continue;
        }
        region.ops.insert(user);
        region.extraBytes += bytes;
      }
    }
  }

  /// A reorder of the first operand packs each block right before it is used.
  void addPreOps(TunableOpInterface op, Region &region) {
    auto reorder = op->getOperand(0).getDefiningOp<FusibleOpInterface>();
    if (!reorder || reorder.getFusibleKind() != FusibleKind::reorder ||
        reorder->getBlock() != op->getBlock() || !reorder->hasOneUse() ||
        dependsOn(reorder->getOperand(0), region))
      return;
    region.ops.insert(reorder);
  }

  void create(Region &region) {
    SmallVector<Operation *> ops(region.ops.getArrayRef());
    llvm::sort(ops, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    SmallVector<Value> results;
    std::string name;
    for (Operation *op : ops) {
      name += (name.empty() ? "" : "+") +
              op->getName().stripDialect().str();
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !region.ops.contains(user);
            }))
          results.push_back(result);
    }
    OpBuilder builder(ops.back());
    SmallVector<Location> locs = llvm::map_to_vector(
        ops, [](Operation *op) { return op->getLoc(); });
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
  }
};
} // namespace

} // namespace gc::graph
