// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A branch in the body of a loop is issued as a whole. Where it loads what it
// computes with, in a loop whose program asks for stages, the loads get a
// branch of their own.

#include "DoubleBuffer.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace gc::npu {

static bool isLoad(Operation &op) {
  auto pipeOp = dyn_cast<PipeOpInterface>(op);
  return pipeOp && pipeOp.getPipe() == PipeKind::mte2;
}

static bool isStep(Operation &op) {
  return !isa<AllocOp>(op) && !isMemoryEffectFree(&op) &&
         !op.hasTrait<OpTrait::IsTerminator>();
}

/// Whether there are loads and other steps in a branch without results.
static bool isMixed(scf::IfOp branch) {
  if (branch.getNumResults() || branch.elseBlock())
    return false;
  bool hasLoads = false, hasOthers = false;
  for (Operation &op : *branch.thenBlock()) {
    // Later steps may need its results.
    if (isStep(op) && op.getNumResults())
      return false;
    hasLoads |= isLoad(op);
    hasOthers |= isStep(op) && !isLoad(op);
  }
  return hasLoads && hasOthers;
}

/// Copies the branch for each run of loads or of other steps, each with the
/// index arithmetic that is there.
static void split(scf::IfOp branch) {
  OpBuilder builder(branch);
  // A buffer is the same for all of them.
  for (Operation &op : llvm::make_early_inc_range(*branch.thenBlock()))
    if (isa<AllocOp>(op))
      op.moveBefore(branch);
  auto next = branch.thenBlock()->begin(), end = branch.thenBlock()->end();
  Attribute stage = branch->getAttr(NpuDialect::kStageAttr);
  while (true) {
    while (next != end && !isStep(*next))
      ++next;
    if (next == end)
      break;
    bool ofLoads = isLoad(*next);
    auto part =
        scf::IfOp::create(builder, branch.getLoc(), branch.getCondition(),
                          /*withElseRegion=*/false);
    if (stage)
      part->setAttr(NpuDialect::kStageAttr, stage);
    OpBuilder inner = part.getThenBodyBuilder();
    IRMapping mapping;
    for (auto op = branch.thenBlock()->begin(); op != next; ++op)
      if (isMemoryEffectFree(&*op) && !op->hasTrait<OpTrait::IsTerminator>())
        inner.clone(*op, mapping);
    for (; next != end && (!isStep(*next) || isLoad(*next) == ofLoads); ++next)
      if (!next->hasTrait<OpTrait::IsTerminator>())
        inner.clone(*next, mapping);
  }
  branch.erase();
}

void splitBranches(func::FuncOp kernel) {
  SmallVector<scf::IfOp> mixed;
  kernel.walk([&](scf::ForOp loop) {
    bool hasStages = llvm::any_of(*loop.getBody(), [](Operation &op) {
      return op.hasAttr(NpuDialect::kStageAttr);
    });
    if (!hasStages || getPipelineDepth(loop) < 2)
      return;
    for (auto branch : loop.getBody()->getOps<scf::IfOp>())
      if (isMixed(branch))
        mixed.push_back(branch);
  });
  for (scf::IfOp branch : mixed)
    split(branch);
}

} // namespace gc::npu
