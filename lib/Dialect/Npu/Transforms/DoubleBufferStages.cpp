// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which ops of a loop's body can be issued iterations ahead.

#include "DoubleBuffer.h"
#include "DoubleBufferExact.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace gc::npu {

namespace {

/// An op of the body that does something, with everything inside it.
struct Step {
  Operation *op;
  uint32_t pipes = 0;
  /// A buffer is allocated inside it.
  bool hasAlloc = false;
  /// As the program says; 0 if it says nothing.
  int64_t stage = 0;
  std::vector<BoxAccess> accesses;
};

constexpr uint32_t getBit(PipeKind pipe) { return 1u << unsigned(pipe); }

bool isLoad(const Step &step) { return step.pipes == getBit(PipeKind::mte2); }

class Stages {
public:
  Stages(scf::ForOp loop, const Machine &machine)
      : loop(loop), exact(loop, machine) {}

  Leads find(int64_t depth) {
    if (!collect())
      return {};
    bool hasLoads =
        llvm::any_of(steps, [](const Step &step) { return isLoad(step); });
    bool hasStages = lastStage > 0;
    if (!hasLoads && !hasStages) {
      remark(loop,
             "is not pipelined: its body loads nothing from global memory");
      return {};
    }
    // As far ahead as possible; loads for which that is too far follow.
    Loads best;
    Reasons reasons;
    for (int64_t distance = depth - 1; distance > 0 && best.ops.empty();
         --distance) {
      best.distance = distance;
      Reasons own;
      select(best, own);
      if (distance == depth - 1 || !best.ops.empty())
        reasons = own;
    }
    if (best.ops.empty() && hasStages)
      best.distance = depth - 1;
    Leads leads = best.ops.empty() && !hasStages ? Leads() : split(best);
    for (auto &[op, reason] : reasons)
      if (int64_t lead = leads.lookup(op); lead == 0)
        remark(op, "is not issued ahead: " + reason);
      else if (lead < best.distance)
        remark(op, "is issued " + Twine(lead) +
                       " iterations ahead instead of " + Twine(best.distance) +
                       ": " + reason);
    for (const Step &step : steps)
      if (int64_t wanted = getStageLead(step, best.distance);
          leads.lookup(step.op) < wanted)
        remark(step.op, "of stage " + Twine(step.stage) + " is issued " +
                            Twine(leads.lookup(step.op)) +
                            " iterations ahead instead of " + Twine(wanted) +
                            ": it, or what it needs, may touch what later "
                            "stages of earlier iterations touch");
    if (leads.empty()) {
      remark(loop, "is not pipelined: no op can be issued ahead");
      return {};
    }
    if (best.ops.size() == steps.size()) {
      remark(loop, "is not pipelined: there is nothing that loads could "
                   "overlap with");
      return {};
    }
    if (!best.ops.empty() && best.distance < depth - 1)
      remark(loop, "issues its loads " + Twine(best.distance) +
                       " iterations ahead instead of " + Twine(depth - 1) +
                       ": there are no more slots");
    return leads;
  }

private:
  /// Ops that go furthest ahead.
  struct Loads {
    llvm::SetVector<Operation *> ops;
    int64_t distance = 0;
  };
  using Reasons = SmallVector<std::pair<Operation *, std::string>>;

  static void remark(Operation *op, const Twine &text) {
    mlir::emitRemark(op->getLoc()) << text;
  }

  /// False, with a remark, if the body has ops whose order must not change.
  bool collect() {
    int64_t currentStage = 0;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isa<AllocOp>(op) || isMemoryEffectFree(&op))
        continue;
      Step step;
      step.op = &op;
      if (auto stage = op.getAttrOfType<IntegerAttr>(NpuDialect::kStageAttr))
        currentStage = stage.getInt();
      step.stage = currentStage;
      lastStage = std::max(lastStage, currentStage);
      WalkResult result = op.walk([&](Operation *inner) {
        return addTo(step, inner) ? WalkResult::advance()
                                  : WalkResult::interrupt();
      });
      if (result.wasInterrupted())
        return false;
      steps.push_back(std::move(step));
    }
    return true;
  }

  bool addTo(Step &step, Operation *inner) {
    if (auto op = dyn_cast<PipeOpInterface>(inner)) {
      std::optional<PipeKind> pipe = op.getPipe();
      step.pipes |= pipe ? getBit(*pipe) : ~0u;
      for (OpOperand *operand : op.getReadOperands())
        step.accesses.push_back({inner, BufferBox(operand->get()), false});
      for (OpOperand *operand : op.getWrittenOperands())
        step.accesses.push_back({inner, BufferBox(operand->get()), true});
      return true;
    }
    if (isa<AllocOp>(inner)) {
      step.hasAlloc = true;
      return true;
    }
    if (isMemoryEffectFree(inner) ||
        inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        inner->hasTrait<OpTrait::IsTerminator>())
      return true;
    if (isa<SetFlagOp, WaitFlagOp, BarrierOp>(inner))
      remark(loop, "is not pipelined: the program places flags or barriers");
    else
      remark(loop, "is not pipelined: it is not known what '" +
                       inner->getName().getStringRef() + "' does");
    return false;
  }

  /// Whether a value can be computed before the iteration; else why not.
  bool isKnownAhead(Value value, std::string &reason) {
    if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
      return true;
    Operation *op = value.getDefiningOp();
    if (!op) {
      reason = "it needs a value that the previous iteration computes";
      return false;
    }
    if (isa<AllocOp>(op)) {
      reason = "its buffer has one slot";
      return false;
    }
    if (!isMemoryEffectFree(op)) {
      reason =
          "it needs a result of '" + op->getName().getStringRef().str() + "'";
      return false;
    }
    return areOperandsKnownAhead(op, reason);
  }

  bool areOperandsKnownAhead(Operation *op, std::string &reason) {
    llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), values);
    return llvm::all_of(
        values, [&](Value value) { return isKnownAhead(value, reason); });
  }

  /// The distance, if any, at which what `ahead` touches meets what `other`
  /// touches, of which one is a write. In the same iteration only if `other`
  /// comes first.
  std::optional<int64_t> getConflict(const Step &ahead, const Step &other,
                                     int64_t distance) {
    int64_t first = other.op->isBeforeInBlock(ahead.op) ? 0 : 1;
    for (int64_t shift = first; shift <= distance; ++shift)
      for (const BoxAccess &a : ahead.accesses)
        for (const BoxAccess &b : other.accesses)
          if ((a.isWrite || b.isWrite) &&
              !a.box.isApartFrom(b.box, loop, shift) &&
              !exact.areApart(a, b, shift))
            return shift;
    return std::nullopt;
  }

  void select(Loads &stage, Reasons &reasons) {
    llvm::SetVector<Operation *> &ops = stage.ops;
    for (const Step &step : steps) {
      std::string reason;
      if (!isLoad(step))
        continue;
      if (step.hasAlloc)
        reason = "a buffer is allocated inside it";
      else if (step.op->getNumResults())
        reason = "later ops need its results";
      else if (areOperandsKnownAhead(step.op, reason))
        ops.insert(step.op);
      if (!reason.empty())
        reasons.push_back({step.op, reason});
    }
    // Ops that are not issued ahead may hold others back.
    bool hasChanged = true;
    while (hasChanged) {
      hasChanged = false;
      for (const Step &ahead : steps)
        for (const Step &other : steps) {
          if (!ops.contains(ahead.op) || ops.contains(other.op))
            continue;
          std::optional<int64_t> shift =
              getConflict(ahead, other, stage.distance);
          if (!shift)
            continue;
          reasons.push_back(
              {ahead.op, "it may touch what '" +
                             other.op->getName().getStringRef().str() +
                             (*shift ? "' of an earlier iteration touches"
                                     : "' before it touches")});
          ops.remove(ahead.op);
          hasChanged = true;
        }
    }
  }

  /// By how many iterations the stage of an op that is not a load leads.
  int64_t getStageLead(const Step &step, int64_t most) const {
    return isLoad(step) ? 0 : std::min(lastStage - step.stage, most);
  }

  /// Where the front end waits for a value that the body computes, pipes run
  /// dry unless they have work from another iteration. So the ops before such a
  /// wait are issued one iteration ahead of those after it. Returns by how many
  /// iterations each op is to lead.
  llvm::DenseMap<Operation *, int64_t> getWishes(const Loads &loads) {
    llvm::DenseMap<Operation *, int64_t> leads;
    SmallVector<int64_t> segments;
    llvm::SmallPtrSet<Value, 8> written;
    int64_t segment = 0;
    for (const Step &step : steps) {
      segments.push_back(segment);
      if (loads.ops.contains(step.op))
        continue;
      bool waits =
          (step.pipes & getBit(PipeKind::s)) &&
          llvm::any_of(step.accesses, [&](const BoxAccess &access) {
            return !access.isWrite && written.contains(access.box.root);
          });
      if (waits) {
        segments.back() = ++segment;
        written.clear();
      }
      for (const BoxAccess &access : step.accesses)
        if (access.isWrite)
          written.insert(access.box.root);
    }
    for (auto [step, own] : llvm::zip(steps, segments)) {
      std::string reason;
      int64_t &lead = leads[step.op];
      if (loads.ops.contains(step.op))
        lead = loads.distance;
      else if (isLoad(step) && !step.hasAlloc && !step.op->getNumResults() &&
               areOperandsKnownAhead(step.op, reason))
        lead = loads.distance;
      else if (!step.hasAlloc && !step.op->getNumResults() &&
               areOperandsKnownAhead(step.op, reason))
        lead =
            std::max(std::min(segment - own,
                              std::max<int64_t>(loads.distance - 2 - own, 0)),
                     getStageLead(step, loads.distance));
    }
    return leads;
  }

  /// Adds the ops that are issued ahead after the loads.
  Leads split(const Loads &loads) {
    llvm::DenseMap<Operation *, int64_t> leads = getWishes(loads);
    bool hasChanged = true;
    while (hasChanged) {
      hasChanged = false;
      for (const Step &ahead : steps)
        for (const Step &other : steps) {
          int64_t &lead = leads[ahead.op];
          int64_t distance = lead - leads[other.op];
          if (distance > 0 && !loads.ops.contains(ahead.op) &&
              getConflict(ahead, other, distance)) {
            lead = isLoad(ahead) ? lead - 1 : leads[other.op];
            hasChanged = true;
          }
        }
    }
    Leads result;
    for (const Step &step : steps)
      if (int64_t lead = leads[step.op])
        result[step.op] = lead;
    return result;
  }

  scf::ForOp loop;
  ExactBoxes exact;
  std::vector<Step> steps;
  int64_t lastStage = 0;
};

} // namespace

Leads findLeads(scf::ForOp loop, int64_t depth, const Machine &machine) {
  return Stages(loop, machine).find(depth);
}

} // namespace gc::npu
