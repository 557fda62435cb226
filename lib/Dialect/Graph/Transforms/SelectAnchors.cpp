// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/Passes.h"
#include "RegionGrowth.h"
#include "Support/ModuleMachine.h"

#include <cmath>

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHSELECTANCHORS
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// Cycles that one more entry into a loop nest costs.
constexpr double kEntryCost = 16;

/// Costs that differ by no more than this part are about the same.
constexpr double kSamePrice = 0.02;

/// Cycles that one more parallel loop costs: its barrier and its start.
constexpr double kBarrierCost = 4000;

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

/// One region's template as its anchors see it.
struct Anchors {
  SmallVector<AnchorInfo> infos;
  /// Iterations of the parallel loops that one core runs.
  int64_t rounds = 1;
  /// Columns of the tunable op's result.
  int64_t columns;
};

/// Where an op may be committed.
struct Place {
  AnchorKind kind = AnchorKind::post;
  /// The tunable op's operand that a pre-op computes.
  unsigned operand = 0;
  /// The first anchor at which everything that the op reads is there.
  unsigned firstIndex = 1;
  bool wholeRows = false;
  /// One element per row only, or per column.
  bool oncePerRow = false, oncePerColumn = false;

  /// Elements of a slice that the op goes over.
  double getShare(const AnchorInfo &anchor) const {
    return 1.0 / ((oncePerRow ? anchor.slice[1] : 1) *
                  (oncePerColumn ? anchor.slice[0] : 1));
  }
};

struct SelectAnchors : impl::GraphSelectAnchorsBase<SelectAnchors> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    auto found = getMachine(getOperation()->getParentOfType<ModuleOp>());
    if (failed(found))
      return signalPassFailure();
    machine = *found;
    if (threads < 0) {
      getOperation()->emitError("option 'threads' is negative");
      return signalPassFailure();
    }
    if (threads > 0)
      machine.cores = threads;
    Block &block = getOperation().getBody().front();
    for (FusedOp fused : llvm::to_vector(block.getOps<FusedOp>()))
      if (failed(select(fused)))
        return signalPassFailure();
  }

  LogicalResult select(FusedOp fused) {
    TunableOpInterface tunable = fused.getTunableOp();
    if (!tunable)
      return success();
    TemplateAttrInterface chosen = tunable.getChosenTemplate();
    if (!chosen)
      return tunable->emitOpError("has no template; run graph-select-template");
    auto space = RegionSpace::get(fused);
    if (failed(space))
      return failure();
    Anchors anchors;
    anchors.infos = chosen.getAnchors(tunable);
    anchors.columns = space->getSizes().empty() ? 1 : space->getSizes().back();
    if (auto loops = chosen.getOuterLoops(tunable))
      anchors.rounds = llvm::divideCeil(loops->getParallelism(), machine.cores);

    llvm::SmallSetVector<Operation *, 8> leaving;
    llvm::SmallDenseMap<Operation *, unsigned> preOps = getPreOps(tunable);
    for (Operation &op : fused.getBody().front().without_terminator()) {
      if (&op == tunable.getOperation() ||
          op.hasAttr(GraphDialect::kAnchorAttr))
        continue;
      auto preOp = preOps.find(&op);
      bool isPreOp = preOp != preOps.end();
      // Ops that compute an operand together go where the last of them goes.
      if (isPreOp && *op.user_begin() != tunable.getOperation())
        continue;
      Place place;
      place.wholeRows = space->needsWholeRows(&op);
      if (unsigned rank = space->getSizes().size();
          space->contains(&op) && rank >= 2) {
        place.oncePerRow = !space->varies(&op, rank - 1);
        place.oncePerColumn = !space->varies(&op, rank - 2);
      }
      // A pre-op feeds an operand, a post-op reads the result.
      if (isPreOp) {
        place.kind = AnchorKind::pre;
        place.operand = preOp->second;
      }
      bool followsLeaving = false;
      for (Value value : op.getOperands())
        if (Operation *producer = value.getDefiningOp()) {
          followsLeaving |= leaving.contains(producer);
          if (auto anchor = producer->getAttrOfType<AnchorAttr>(
                  GraphDialect::kAnchorAttr))
            place.firstIndex = std::max(place.firstIndex, anchor.getIndex());
        }
      if (followsLeaving || !selectFor(&op, place, anchors))
        leaving.insert(&op);
      if (!isPreOp)
        continue;
      for (auto [other, operand] : preOps) {
        if (operand != place.operand)
          continue;
        if (leaving.contains(&op))
          leaving.insert(other);
        else
          other->setAttr(GraphDialect::kAnchorAttr,
                         op.getAttr(GraphDialect::kAnchorAttr));
      }
    }
    if (!leaving.empty())
      expel(fused, leaving.getArrayRef());
    return success();
  }

  /// The ops of the region that the tunable op depends on, with the number of
  /// the operand that they compute.
  static llvm::SmallDenseMap<Operation *, unsigned>
  getPreOps(TunableOpInterface tunable) {
    llvm::SmallDenseMap<Operation *, unsigned> preOps;
    for (OpOperand &operand : tunable->getOpOperands()) {
      SmallVector<Value> worklist = {operand.get()};
      while (!worklist.empty()) {
        Operation *op = worklist.pop_back_val().getDefiningOp();
        if (op && op->getBlock() == tunable->getBlock() &&
            preOps.try_emplace(op, operand.getOperandNumber()).second)
          llvm::append_range(worklist, op->getOperands());
      }
    }
    return preOps;
  }

  /// Sets the op's anchor, or returns false if the op had better leave.
  bool selectFor(Operation *op, const Place &place, const Anchors &anchors) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    int64_t elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    const AnchorInfo *best = nullptr;
    double bestCost = HUGE_VAL;
    for (const AnchorInfo &anchor : anchors.infos) {
      if (anchor.kind != place.kind || anchor.operand != place.operand)
        continue;
      bool hasRows = !place.wholeRows || anchor.slice.back() >= anchors.columns;
      bool feasible =
          anchor.isFeasible && anchor.index >= place.firstIndex && hasRows;
      double cost =
          anchors.rounds *
          (anchor.totalAccess * place.getShare(anchor) *
               getAccessCost(machine, anchor.workingSet * elementBytes) +
           anchor.accessTimes * kEntryCost);
      if (printCosts)
        op->emitRemark() << stringifyAnchorKind(place.kind) << "-op anchor "
                         << anchor.index << ": slice " << anchor.slice[0] << "x"
                         << anchor.slice[1] << ", working set "
                         << anchor.workingSet << ", access times "
                         << anchor.accessTimes << ", total access "
                         << anchor.totalAccess << ", cost "
                         << static_cast<int64_t>(cost)
                         << (feasible ? "" : " (not feasible)");
      // For about the same price the smaller buffer, which leaves more of the
      // caches to others and can be filled right before it is read.
      bool isSmaller = best && anchor.workingSet < best->workingSet;
      if (feasible &&
          cost < (isSmaller ? bestCost * (1 + kSamePrice) : bestCost)) {
        best = &anchor;
        bestCost = cost;
      }
    }
    double unfused = getUnfusedCost(op, elementBytes);
    if (best && bestCost <= unfused) {
      op->setAttr(GraphDialect::kAnchorAttr,
                  AnchorAttr::get(op->getContext(), place.kind, best->index));
      return true;
    }
    std::string name = "'" + op->getName().getStringRef().str() + "'";
    if (best)
      reportMissed(
          op, "NotFused", getArgument(),
          name + " leaves its region: a loop of its own costs " +
              std::to_string(static_cast<int64_t>(unfused)) +
              ", the best anchor " +
              std::to_string(static_cast<int64_t>(bestCost)),
          place.kind == AnchorKind::pre
              ? "choose a template with fewer parts that need the same "
                "operand"
              : "choose a template with more parallel parts");
    else
      reportMissed(
          op, "NotFused", getArgument(),
          name + " leaves its region: the template has no " +
              stringifyAnchorKind(place.kind).str() + "-op anchor " +
              (place.wholeRows ? "with whole rows" : "for it") +
              (place.firstIndex > 1
                   ? " from " + std::to_string(place.firstIndex) + " on"
                   : ""),
          place.wholeRows ? "choose a template with NPN = 1 and n inside of k"
                          : "");
    return false;
  }

  /// All cores share the elements, but another loop has to read and write them.
  double getUnfusedCost(Operation *op, int64_t elementBytes) {
    int64_t elements = 1;
    for (int64_t size : cast<FusibleOpInterface>(op).getIterationSpace())
      elements *= size;
    int64_t share = llvm::divideCeil(elements, machine.cores);
    int64_t bytes = elements * elementBytes;
    int64_t reached =
        bytes > machine.l3Bytes / 2 ? bytes : share * elementBytes;
    double cost =
        2 * share * getAccessCost(machine, reached) + kBarrierCost + kEntryCost;
    if (printCosts)
      op->emitRemark() << "not fused: share " << share << " of " << elements
                       << " elements, read and written again, cost "
                       << static_cast<int64_t>(cost);
    return cost;
  }

  /// Splits the ops off the region; the others stay one. graph-fuse gives those
  /// that have left regions of their own.
  void expel(FusedOp fused, ArrayRef<Operation *> leaving) {
    SmallVector<Operation *> staying;
    for (Operation &op : fused.getBody().front().without_terminator())
      if (!llvm::is_contained(leaving, &op))
        staying.push_back(&op);
    dissolveRegion(fused);
    createRegion(staying);
  }

  Machine machine;
};
} // namespace

} // namespace gc::graph
