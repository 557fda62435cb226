// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/Machine.h"
#include "Dialect/Graph/Transforms/Passes.h"

#include <cmath>

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHSELECTANCHORS
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// Cost in cycles per element of touching a slice of so many bytes again.
double getAccessCost(const Machine &machine, int64_t bytes) {
  if (bytes <= machine.l1Bytes / 2)
    return 1;
  if (bytes <= machine.l2Bytes / 2)
    return 2;
  if (bytes <= machine.l3Bytes / 2)
    return 6;
  return 12;
}

/// Cycles that one more entry into a loop nest costs.
constexpr double kEntryCost = 16;

struct SelectAnchors : impl::GraphSelectAnchorsBase<SelectAnchors> {
  using Base::Base;

  void runOnOperation() override {
    auto machine = Machine::get(getOperation()->getParentOfType<ModuleOp>());
    if (failed(machine))
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](FusedOp fused) {
      return failed(select(fused, *machine)) ? WalkResult::interrupt()
                                             : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult select(FusedOp fused, const Machine &machine) {
    TunableOpInterface tunable = fused.getTunableOp();
    if (!tunable)
      return success();
    TemplateAttrInterface chosen = tunable.getChosenTemplate();
    if (!chosen)
      return tunable->emitOpError("has no template; run graph-select-template");
    SmallVector<AnchorInfo> anchors = chosen.getAnchors(tunable);
    for (Operation &op : fused.getBody().front().without_terminator()) {
      if (&op == tunable.getOperation() || op.hasAttr(GraphDialect::kAnchorAttr))
        continue;
      // A pre-op feeds an operand, a post-op reads the result.
      AnchorKind kind = AnchorKind::post;
      unsigned operand = 0, firstIndex = 1;
      for (OpOperand &use : tunable->getOpOperands())
        if (use.get().getDefiningOp() == &op) {
          kind = AnchorKind::pre;
          operand = use.getOperandNumber();
        }
      // An op cannot come before what it reads.
      for (Value value : op.getOperands())
        if (Operation *producer = value.getDefiningOp())
          if (auto anchor = producer->getAttrOfType<AnchorAttr>(
                  GraphDialect::kAnchorAttr))
            firstIndex = std::max(firstIndex, anchor.getIndex());
      if (failed(selectFor(&op, kind, operand, firstIndex, anchors, machine)))
        return failure();
    }
    return success();
  }

  LogicalResult selectFor(Operation *op, AnchorKind kind, unsigned operand,
                          unsigned firstIndex, ArrayRef<AnchorInfo> anchors,
                          const Machine &machine) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    int64_t elementBytes =
        llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    const AnchorInfo *best = nullptr;
    double bestCost = HUGE_VAL;
    for (const AnchorInfo &anchor : anchors) {
      if (anchor.kind != kind || anchor.operand != operand)
        continue;
      bool feasible = anchor.isFeasible && anchor.index >= firstIndex;
      double cost = anchor.totalAccess *
                        getAccessCost(machine, anchor.workingSet * elementBytes) +
                    anchor.accessTimes * kEntryCost;
      if (printCosts)
        op->emitRemark() << stringifyAnchorKind(kind) << "-op anchor "
                         << anchor.index << ": slice " << anchor.slice[0] << "x"
                         << anchor.slice[1] << ", working set "
                         << anchor.workingSet << ", access times "
                         << anchor.accessTimes << ", total access "
                         << anchor.totalAccess << ", cost "
                         << static_cast<int64_t>(cost)
                         << (feasible ? "" : " (not feasible)");
      if (feasible && cost < bestCost) {
        best = &anchor;
        bestCost = cost;
      }
    }
    if (!best)
      return op->emitOpError("has no feasible ")
             << stringifyAnchorKind(kind) << "-op anchor for operand "
             << operand << " of the template";
    op->setAttr(GraphDialect::kAnchorAttr,
                AnchorAttr::get(op->getContext(), kind, best->index));
    return success();
  }
};
} // namespace

} // namespace gc::graph
