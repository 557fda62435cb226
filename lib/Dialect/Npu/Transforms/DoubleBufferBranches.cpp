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

namespace {
/// Divides a branch into runs of loads and of other steps.
class BranchSplitter {
public:
  explicit BranchSplitter(scf::IfOp branch) : branch(branch) {}

  void run();

private:
  void findRuns();
  /// The only run that uses a value, views included; nothing for several.
  std::optional<unsigned> getRun(Value value);
  void build(OpBuilder &builder, unsigned number);

  scf::IfOp branch;
  llvm::DenseMap<Operation *, unsigned> runs;
  unsigned count = 0;
  /// Buffers that one run uses are its own; others are of all.
  llvm::DenseMap<Operation *, unsigned> owners;
};
} // namespace

void BranchSplitter::findRuns() {
  std::optional<bool> ofLoads;
  for (Operation &op : *branch.thenBlock()) {
    if (!isStep(op))
      continue;
    if (ofLoads != isLoad(op))
      ++count;
    ofLoads = isLoad(op);
    runs[&op] = count - 1;
  }
}

std::optional<unsigned> BranchSplitter::getRun(Value value) {
  std::optional<unsigned> found;
  for (Operation *user : value.getUsers()) {
    Operation *op = branch.thenBlock()->findAncestorOpInBlock(*user);
    SmallVector<std::optional<unsigned>> own;
    if (auto known = runs.find(op); known != runs.end())
      own.push_back(known->second);
    else
      for (Value result : op->getResults())
        if (!result.use_empty())
          own.push_back(getRun(result));
    for (std::optional<unsigned> number : own) {
      if (!number || (found && found != number))
        return std::nullopt;
      found = number;
    }
  }
  return found;
}

/// The steps of a run with its buffers, and index arithmetic.
void BranchSplitter::build(OpBuilder &builder, unsigned number) {
  auto part = scf::IfOp::create(builder, branch.getLoc(), branch.getCondition(),
                                /*withElseRegion=*/false);
  if (Attribute stage = branch->getAttr(NpuDialect::kStageAttr))
    part->setAttr(NpuDialect::kStageAttr, stage);
  OpBuilder inner = part.getThenBodyBuilder();
  IRMapping mapping;
  // Views of the buffers of other runs.
  llvm::SmallPtrSet<Operation *, 8> left;
  for (Operation &op : branch.thenBlock()->without_terminator()) {
    auto own = isa<AllocOp>(op) ? owners.find(&op) : runs.find(&op);
    bool isOther = own != (isa<AllocOp>(op) ? owners : runs).end() &&
                   own->second != number;
    isOther |= llvm::any_of(op.getOperands(), [&](Value value) {
      return left.contains(value.getDefiningOp());
    });
    if (isOther)
      left.insert(&op);
    else
      inner.clone(op, mapping);
  }
}

void BranchSplitter::run() {
  findRuns();
  for (Operation &op : llvm::make_early_inc_range(*branch.thenBlock())) {
    if (!isa<AllocOp>(op))
      continue;
    if (std::optional<unsigned> own = getRun(op.getResult(0)))
      owners[&op] = *own;
    else
      op.moveBefore(branch);
  }
  OpBuilder builder(branch);
  for (unsigned number = 0; number < count; ++number)
    build(builder, number);
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
    // Before the first of them.
    for (Operation &op : *loop.getBody()) {
      if (op.hasAttr(NpuDialect::kStageAttr))
        break;
      auto branch = dyn_cast<scf::IfOp>(op);
      if (branch && isMixed(branch))
        mixed.push_back(branch);
    }
  });
  for (scf::IfOp branch : mixed)
    BranchSplitter(branch).run();
}

} // namespace gc::npu
