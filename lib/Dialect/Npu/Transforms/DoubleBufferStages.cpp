// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which ops of a loop's body can be issued iterations ahead.

#include "DoubleBuffer.h"
#include "DoubleBufferBox.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace gc::npu {

namespace {

struct BoxAccess {
  BufferBox box;
  bool isWrite;
};

/// An op of the body that does something, with all that is inside of it.
struct Step {
  Operation *op;
  uint32_t pipes = 0;
  /// Entries in queues, about: a tile op is several instructions.
  int64_t entries = 0;
  /// A buffer of its own stands inside.
  bool hasAlloc = false;
  std::vector<BoxAccess> accesses;
};

constexpr uint32_t getBit(PipeKind pipe) { return 1u << unsigned(pipe); }

class Stages {
public:
  Stages(scf::ForOp loop, const Machine &machine)
      : loop(loop), machine(machine) {}

  LeadingStage find(int64_t depth) {
    if (!collect())
      return {};
    std::optional<uint32_t> pipe = getLeadingPipe();
    if (!pipe) {
      remark(loop, "is not pipelined: its body reads nothing from global "
                   "memory, and fills no queue");
      return {};
    }
    // As many ops as can be, then as far ahead as can be.
    LeadingStage best;
    Reasons bestReasons;
    for (int64_t distance = depth - 1; distance > 0; --distance) {
      LeadingStage stage;
      stage.distance = distance;
      Reasons reasons;
      select(*pipe, stage, reasons);
      if (distance == depth - 1 || stage.ops.size() > best.ops.size()) {
        best = stage;
        bestReasons = reasons;
      }
    }
    for (auto &[op, reason] : bestReasons)
      remark(op, "is not issued ahead: " + reason);
    if (best.ops.empty()) {
      remark(loop, "is not pipelined: no op can be issued ahead");
    } else if (best.ops.size() == steps.size()) {
      remark(loop, "is not pipelined: there is nothing that loads could "
                   "overlap with");
      best.ops.clear();
    } else if (best.distance < depth - 1) {
      remark(loop, "issues its loads " + Twine(best.distance) +
                       " iterations ahead instead of " + Twine(depth - 1) +
                       ": there are no more slots");
    }
    return best;
  }

private:
  using Reasons = SmallVector<std::pair<Operation *, std::string>>;

  static void remark(Operation *op, const Twine &text) {
    mlir::emitRemark(op->getLoc()) << text;
  }

  /// False, with a remark, if the body has ops whose order nobody may change.
  bool collect() {
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isa<AllocOp>(op) || isMemoryEffectFree(&op))
        continue;
      Step step;
      step.op = &op;
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
      step.entries += getRuns(inner) * (isa<TileOpInterface>(inner) ? 4 : 1);
      for (OpOperand *operand : op.getReadOperands())
        step.accesses.push_back({BufferBox(operand->get()), false});
      for (OpOperand *operand : op.getWrittenOperands())
        step.accesses.push_back({BufferBox(operand->get()), true});
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
      remark(loop, "is not pipelined: nothing is known of what '" +
                       inner->getName().getStringRef() + "' does");
    return false;
  }

  /// How often an op runs in one iteration, as far as can be seen.
  int64_t getRuns(Operation *op) const {
    int64_t runs = 1;
    for (Operation *parent = op->getParentOp(); parent != loop;
         parent = parent->getParentOp())
      if (auto inner = dyn_cast<scf::ForOp>(parent))
        if (std::optional<APInt> trips = inner.getStaticTripCount())
          runs *= std::min<int64_t>(trips->getLimitedValue(1 << 10), 1 << 10);
    return std::min<int64_t>(runs, 1 << 20);
  }

  std::optional<uint32_t> getLeadingPipe() const {
    constexpr uint32_t kLoads = getBit(PipeKind::mte2);
    if (llvm::any_of(steps,
                     [](const Step &step) { return step.pipes == kLoads; }))
      return kLoads;
    if (steps.empty() || llvm::popcount(steps.front().pipes) != 1)
      return std::nullopt;
    uint32_t first = steps.front().pipes;
    int64_t entries = 0;
    for (const Step &step : steps)
      if (step.pipes != first)
        entries += step.entries;
    if (first == getBit(PipeKind::s) || entries < machine.fifoDepth)
      return std::nullopt;
    return first;
  }

  /// Whether a value can be computed in front of the iteration; else why not.
  bool isKnownAhead(Value value, std::string &reason) {
    if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
      return true;
    Operation *op = value.getDefiningOp();
    if (!op) {
      reason = "it needs a value that the iteration before computes";
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
  /// stands in front.
  std::optional<int64_t> getConflict(const Step &ahead, const Step &other,
                                     int64_t distance) const {
    int64_t first = other.op->isBeforeInBlock(ahead.op) ? 0 : 1;
    for (int64_t shift = first; shift <= distance; ++shift)
      for (const BoxAccess &a : ahead.accesses)
        for (const BoxAccess &b : other.accesses)
          if ((a.isWrite || b.isWrite) &&
              !a.box.isApartFrom(b.box, loop, shift))
            return shift;
    return std::nullopt;
  }

  void select(uint32_t pipe, LeadingStage &stage, Reasons &reasons) {
    llvm::SetVector<Operation *> &ops = stage.ops;
    for (const Step &step : steps) {
      std::string reason;
      if (step.pipes != pipe)
        continue;
      if (step.hasAlloc)
        reason = "a buffer stands inside of it";
      else if (step.op->getNumResults())
        reason = "later ops need its results";
      else if (areOperandsKnownAhead(step.op, reason))
        ops.insert(step.op);
      if (!reason.empty())
        reasons.push_back({step.op, reason});
    }
    // What stays behind may keep others back.
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
                                     : "' in front of it touches")});
          ops.remove(ahead.op);
          hasChanged = true;
        }
    }
  }

  scf::ForOp loop;
  const Machine &machine;
  std::vector<Step> steps;
};

} // namespace

LeadingStage findLeadingStage(scf::ForOp loop, int64_t depth,
                              const Machine &machine) {
  return Stages(loop, machine).find(depth);
}

} // namespace gc::npu
