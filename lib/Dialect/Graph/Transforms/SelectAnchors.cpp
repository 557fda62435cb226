// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Templates/TemplateOptions.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Machine/CostModel.h"
#include "RegionGrowth.h"
#include "Support/DecisionRecord.h"
#include "Support/ModuleMachine.h"

#include <cmath>

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHSELECTANCHORS
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// Costs that differ by no more than this fraction count as equal.
constexpr double kSamePrice = 0.1;
/// The fraction of the time of an attention that may be spent on not having all
/// of its keys or values in memory in a wider type.
constexpr double kWidePrice = 0.02;

/// Cycles of passing once over elements that are found at a level: an
/// instruction, a load and a store.
double getPassCost(const CostModel &model, double elements,
                   int64_t elementBytes, MemoryLevel level) {
  Cost cost = model.getRead(elements * elementBytes, level) +
              model.getWrite(elements * elementBytes, level);
  cost.vector = model.getPassCycles(elements, 1);
  return cost.getCycles();
}

/// Where an op may be committed.
struct Place {
  AnchorKind kind = AnchorKind::post;
  /// The tunable op's operand that a pre-op computes.
  unsigned operand = 0;
  /// The last of the anchors where what the op reads is committed, null if all
  /// of that is there from the start.
  const AnchorInfo *after = nullptr;
  /// Dimensions of the result that the slice has to have whole, and those along
  /// which the op does not vary: it covers only one of their elements.
  SmallVector<unsigned> whole, constant;

  /// The fraction of a slice's elements that the op covers.
  double getShare(const AnchorInfo &anchor) const {
    double share = 1;
    for (unsigned dim : constant)
      share /= anchor.slice[dim];
    return share;
  }

  /// Whether everything that the op needs is available.
  bool isFeasible(const AnchorInfo &anchor, ArrayRef<int64_t> sizes) const {
    return anchor.isFeasible && (!after || anchor.order >= after->order) &&
           llvm::all_of(whole, [&](unsigned dim) {
             return anchor.slice[dim] >= sizes[dim];
           });
  }
};

std::string printSlice(ArrayRef<int64_t> sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

/// One region's template as its anchors see it.
struct Anchors {
  SmallVector<AnchorInfo> infos;
  /// Iterations of the parallel loops that one core runs.
  int64_t rounds = 1;
  /// Sizes of the tunable op's result.
  SmallVector<int64_t> sizes;
  /// Cycles that an op may cost more than in a loop of its own.
  double allowance = 0;
  /// Bytes that the region writes of each element of the tunable op's result
  /// and that do not stay in the L2 cache, and where they go.
  double leavingBytes = 0;
  MemoryLevel leavingLevel = MemoryLevel::l2;

  /// The rounds that follow from how much of the result one iteration computes.
  int64_t countRounds(int64_t cores) const {
    int64_t elements = 1;
    for (int64_t size : sizes)
      elements *= size;
    for (const AnchorInfo &anchor : infos)
      if (anchor.kind == AnchorKind::post && anchor.totalAccess > 0)
        return llvm::divideCeil(llvm::divideCeil(elements, anchor.totalAccess),
                                cores);
    return 1;
  }

  /// The anchor of an op that an op at `place` reads, or null.
  const AnchorInfo *find(Operation *op, const Place &place) const {
    auto name = op->getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
    if (!name)
      return nullptr;
    auto found = llvm::find_if(infos, [&](const AnchorInfo &anchor) {
      return anchor.kind == name.getKind() && anchor.index == name.getIndex() &&
             anchor.kind == place.kind && anchor.operand == place.operand;
    });
    return found == infos.end() ? nullptr : found;
  }
};

struct SelectAnchors : impl::GraphSelectAnchorsBase<SelectAnchors> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    auto found = getMachine(getOperation()->getParentOfType<ModuleOp>());
    if (failed(found) || failed(checkThreads(getOperation(), threads)))
      return signalPassFailure();
    machine = *found;
    if (threads > 0)
      machine.cores = threads;
    model.emplace(machine);
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
    anchors.sizes = llvm::to_vector(space->getSizes());
    if (auto loops = chosen.getOuterLoops(tunable))
      anchors.rounds = llvm::divideCeil(loops->getParallelism(), machine.cores);
    else
      anchors.rounds = anchors.countRounds(machine.cores);

    findLeavingBytes(fused, tunable, anchors);

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
      place.whole = space->getWholeDims(&op);
      if (space->contains(&op))
        for (unsigned dim = 0; dim < space->getSizes().size(); ++dim)
          if (!space->varies(&op, dim))
            place.constant.push_back(dim);
      // A pre-op feeds an operand, a post-op reads the result.
      if (isPreOp) {
        place.kind = AnchorKind::pre;
        place.operand = preOp->second;
      }
      anchors.allowance =
          isPreOp && widensKeys(tunable, preOps, place.operand)
              ? kWidePrice * chosen.getCycles(tunable, machine, {})
              : 0;
      bool followsLeaving = false;
      for (Value value : op.getOperands())
        if (Operation *producer = value.getDefiningOp()) {
          followsLeaving |= leaving.contains(producer);
          const AnchorInfo *anchor = anchors.find(producer, place);
          if (anchor && (!place.after || anchor->order > place.after->order))
            place.after = anchor;
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

  /// Whether keys or values of an attention take more memory than what the ops
  /// before it compute them from.
  static bool
  widensKeys(TunableOpInterface tunable,
             const llvm::SmallDenseMap<Operation *, unsigned> &preOps,
             unsigned operand) {
    if (!tunable.packsByBlocks(operand))
      return false;
    auto getBits = [](Value value) {
      auto type = cast<RankedTensorType>(value.getType());
      return type.getNumElements() * type.getElementTypeBitWidth();
    };
    int64_t bits = 0;
    for (auto [op, number] : preOps)
      if (number == operand)
        for (Value value : op->getOperands())
          if (!preOps.contains(value.getDefiningOp()))
            bits += getBits(value);
    return bits < getBits(tunable->getOperand(operand));
  }

  /// What the region writes in post-ops and does not find again in L2.
  void findLeavingBytes(FusedOp fused, TunableOpInterface tunable,
                        Anchors &anchors) const {
    double elements = 1, bytes = 0;
    for (int64_t size : anchors.sizes)
      elements *= size;
    for (Value value : fused.getYielded()) {
      auto type = cast<RankedTensorType>(value.getType());
      if (value.getDefiningOp() != tunable.getOperation())
        bytes += double(type.getNumElements()) *
                 llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    }
    anchors.leavingLevel = model->getLevel(bytes / machine.cores, bytes);
    if (anchors.leavingLevel > MemoryLevel::l2)
      anchors.leavingBytes = bytes / elements;
  }

  /// Cycles in which a core waits for cache lines that it writes. While it has
  /// only a few stores pending it computes the next block; the others of a
  /// large slice are one burst that no computing hides.
  double getWaitCost(const AnchorInfo &anchor, const Place &place,
                     const Anchors &anchors) const {
    if (anchor.kind == AnchorKind::pre || anchors.leavingBytes == 0 ||
        place.getShare(anchor) < 1)
      return 0;
    double pending = anchor.accessTimes * model->getPendingStoreBytes();
    double bytes = anchor.totalAccess * anchors.leavingBytes - pending;
    if (bytes <= 0)
      return 0;
    return model->getWrite(bytes, anchors.leavingLevel).getCycles();
  }

  /// Sets the op's anchor, or returns false if the op should leave.
  bool selectFor(Operation *op, const Place &place, const Anchors &anchors) {
    int64_t elementBytes = 0;
    for (Type type : op->getResultTypes())
      elementBytes += llvm::divideCeil(
          cast<RankedTensorType>(type).getElementTypeBitWidth(), 8);
    const AnchorInfo *best = nullptr;
    double bestCost = HUGE_VAL;
    DecisionRecord record(op, getArgument(), "anchor");
    auto describe = [&](unsigned index) {
      return (stringifyAnchorKind(place.kind) + "-op anchor " + Twine(index))
          .str();
    };
    SmallVector<std::tuple<unsigned, double, bool>> considered;
    for (const AnchorInfo &anchor : anchors.infos) {
      if (anchor.kind != place.kind || anchor.operand != place.operand)
        continue;
      bool feasible = place.isFeasible(anchor, anchors.sizes);
      // There is already a loop where its operand is computed.
      bool hasLoop = place.after && place.after->order == anchor.order;
      double cost =
          anchors.rounds *
          (getPassCost(*model, anchor.totalAccess * place.getShare(anchor),
                       elementBytes,
                       model->getLevel(anchor.workingSet * elementBytes)) +
           (hasLoop ? 0
                    : anchor.accessTimes * model->getLoopCycles() +
                          getWaitCost(anchor, place, anchors)));
      if (printCosts)
        op->emitRemark() << stringifyAnchorKind(place.kind) << "-op anchor "
                         << anchor.index << ": slice "
                         << printSlice(anchor.slice) << ", working set "
                         << anchor.workingSet << ", access times "
                         << anchor.accessTimes << ", total access "
                         << anchor.totalAccess << ", cost "
                         << static_cast<int64_t>(cost)
                         << (feasible ? "" : " (not feasible)");
      if (record)
        considered.push_back({anchor.index, cost, feasible});
      // For about the same price the smaller buffer, which leaves more of the
      // caches to others, can be filled right before it is read, and lets loops
      // over blocks merge.
      double limit = bestCost;
      if (best && anchor.workingSet < best->workingSet)
        limit *= 1 + kSamePrice;
      else if (best && anchor.workingSet > best->workingSet)
        limit /= 1 + kSamePrice;
      if (feasible && cost < limit) {
        best = &anchor;
        bestCost = cost;
      }
    }
    double unfused = getUnfusedCost(op, elementBytes);
    if (record) {
      bool fuses = best && bestCost <= unfused + anchors.allowance;
      if (fuses)
        record.choose(describe(best->index), bestCost);
      else
        record.choose("a loop of its own", unfused);
      for (auto [index, cost, feasible] : considered)
        if (!fuses || index != best->index)
          record.reject(describe(index), cost,
                        !feasible ? "the op cannot be committed there"
                        : fuses && cost <= bestCost
                            ? "takes about as long, in a larger buffer"
                            : "");
      if (fuses)
        record.reject("a loop of its own", unfused);
      record.forcedBy("graph.anchor on the op");
    }
    if (best && bestCost <= unfused + anchors.allowance) {
      op->setAttr(GraphDialect::kAnchorAttr,
                  AnchorAttr::get(op->getContext(), place.kind, best->index));
      return true;
    }
    std::string name = "'" + op->getName().getStringRef().str() + "'";
    if (best)
      reportMissed(op, "NotFused", getArgument(),
                   name + " leaves its region: a loop of its own costs " +
                       std::to_string(static_cast<int64_t>(unfused)) +
                       ", the best anchor " +
                       std::to_string(static_cast<int64_t>(bestCost)),
                   place.kind == AnchorKind::pre
                       ? "template_params with fewer parts that need the same "
                         "operand"
                       : "template_params with more parallel parts");
    else
      reportMissed(
          op, "NotFused", getArgument(),
          name + " leaves its region: the template has no " +
              stringifyAnchorKind(place.kind).str() + "-op anchor " +
              (place.whole.empty() ? "for it" : "with whole rows") +
              (place.after && place.after->index > 1
                   ? " from " + std::to_string(place.after->index) + " on"
                   : ""),
          place.whole.empty()
              ? ""
              : "template_params with NPN = 1 and n inside of k");
    return false;
  }

  /// All cores share the elements, but another loop has to read and write them.
  double getUnfusedCost(Operation *op, int64_t elementBytes) {
    int64_t elements = 1;
    for (int64_t size : cast<FusibleOpInterface>(op).getIterationSpace())
      elements *= size;
    int64_t share = llvm::divideCeil(elements, machine.cores);
    // Written by the op that computes the operand or the result, and again
    // here.
    MemoryLevel level =
        model->getLevel(share * elementBytes, elements * elementBytes);
    double cost = 2 * getPassCost(*model, share, elementBytes, level) +
                  model->getBarrierCycles() + model->getLoopCycles();
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
  std::optional<CostModel> model;
};
} // namespace

} // namespace gc::graph
