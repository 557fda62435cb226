// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two marked loops, one inside the other, become one, so that loads are issued
// ahead from the last iterations of the inner loop into the first of its next
// run. What the outer loop does before and after the inner one is guarded. A
// loop of loads before it, such as that of a panel, is spread over the first
// iterations of the inner loop where these do not need more.

#include "Dialect/Npu/Transforms/Overflow.h"
#include "DoubleBuffer.h"
#include "DoubleBufferExact.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace gc::npu {

namespace {

/// A loop whose bounds are constants and that passes nothing on.
struct Counted {
  scf::ForOp loop;
  int64_t lower = 0, step = 1, trips = 0;
};

std::optional<Counted> getCounted(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         step = getConstantIntValue(loop.getStep());
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!lower || !step || !trips || trips->getActiveBits() > 31 ||
      trips->isZero() || loop.getNumResults() ||
      !loop.getInductionVar().getType().isIndex())
    return std::nullopt;
  return Counted{loop, *lower, *step, trips->getSExtValue()};
}

bool isOnPipe(Operation *op, PipeKind pipe) {
  auto pipeOp = dyn_cast<PipeOpInterface>(op);
  return pipeOp && pipeOp.getPipe() == pipe;
}

bool hasLoads(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isOnPipe(inner, PipeKind::mte2) ? WalkResult::interrupt()
                                               : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether nothing but instructions and index arithmetic is in an op.
bool isPlain(Operation *op) {
  return !op->walk([](Operation *inner) {
              bool isKnown =
                  isa<PipeOpInterface, AllocOp, scf::ForOp, scf::IfOp>(inner) ||
                  isMemoryEffectFree(inner) ||
                  inner->hasTrait<OpTrait::IsTerminator>();
              return isKnown && !isa<SetFlagOp, WaitFlagOp, BarrierOp>(inner)
                         ? WalkResult::advance()
                         : WalkResult::interrupt();
            }).wasInterrupted();
}

std::vector<BoxAccess> getAccesses(Operation *root) {
  std::vector<BoxAccess> accesses;
  root->walk([&](PipeOpInterface op) {
    for (OpOperand *operand : op.getReadOperands())
      accesses.push_back({op, BufferBox(operand->get()), false});
    for (OpOperand *operand : op.getWrittenOperands())
      accesses.push_back({op, BufferBox(operand->get()), true});
  });
  return accesses;
}

class Flattener {
public:
  Flattener(Counted outer, Counted inner, const Machine &machine)
      : outer(outer), inner(inner), machine(machine),
        builder(outer.loop.getContext()) {}

  /// The two loops, if they can be one.
  static std::optional<Flattener> find(func::FuncOp kernel,
                                       const Machine &machine);
  void run();

private:
  bool isStep(Operation &op) const {
    return !isa<AllocOp>(op) && !isMemoryEffectFree(&op);
  }
  bool canSpread(scf::ForOp loop) const;
  /// Builds an op of the outer loop, under a condition unless it is null.
  void build(Operation &op, Value condition, IRMapping &mapping);
  Value apply(AffineExpr expr, Value index) {
    return affine::AffineApplyOp::create(builder, outer.loop.getLoc(),
                                         AffineMap::get(1, 0, expr),
                                         ValueRange(index));
  }
  Value compare(arith::CmpIPredicate predicate, Value index, int64_t number) {
    Location loc = outer.loop.getLoc();
    return arith::CmpIOp::create(
        builder, loc, predicate, index,
        arith::ConstantIndexOp::create(builder, loc, number));
  }

  Counted outer, inner;
  const Machine &machine;
  OpBuilder builder;
};

std::optional<Flattener> Flattener::find(func::FuncOp kernel,
                                         const Machine &machine) {
  std::optional<Flattener> found;
  kernel.walk([&](scf::ForOp loop) {
    std::optional<Counted> outer = getCounted(loop), inner;
    if (!outer || getPipelineDepth(loop) < 2)
      return WalkResult::advance();
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isa<AllocOp>(op) || isMemoryEffectFree(&op))
        continue;
      if (op.getNumResults() || !isPlain(&op))
        return WalkResult::advance();
      auto nested = dyn_cast<scf::ForOp>(op);
      if (!nested || getPipelineDepth(nested) < 2 || !hasLoads(nested))
        continue;
      // Which of several would be the one to flatten?
      if (inner)
        return WalkResult::advance();
      inner = getCounted(nested);
      if (!inner)
        return WalkResult::advance();
    }
    if (!inner || inner->trips * outer->trips > (int64_t(1) << 31))
      return WalkResult::advance();
    found.emplace(*outer, *inner, machine);
    return WalkResult::interrupt();
  });
  return found;
}

/// Whether iteration i of a loop of loads may be issued with iteration i of the
/// inner loop instead of before all of them.
bool Flattener::canSpread(scf::ForOp loop) const {
  std::optional<Counted> counted = getCounted(loop);
  if (!counted || counted->trips > inner.trips || counted->trips < 2)
    return false;
  bool onlyLoads = true;
  loop->walk([&](Operation *op) {
    onlyLoads &= !isa<AllocOp>(op) &&
                 (!isa<PipeOpInterface>(op) || isOnPipe(op, PipeKind::mte2));
  });
  if (!onlyLoads)
    return false;
  std::vector<BoxAccess> own = getAccesses(loop),
                         inside = getAccesses(inner.loop);
  // What lies between the two is no longer after all of the loads.
  for (Operation *op = loop->getNextNode(); op != inner.loop;
       op = op->getNextNode())
    for (const BoxAccess &between : getAccesses(op))
      for (const BoxAccess &access : own)
        if ((between.isWrite || access.isWrite) &&
            (!between.box.root || !access.box.root ||
             between.box.root == access.box.root))
          return false;
  ExactBoxes boxes(loop, machine), innerBoxes(inner.loop, machine);
  for (const BoxAccess &one : own)
    for (const BoxAccess &other : inside) {
      if (!one.isWrite && !other.isWrite)
        continue;
      if (!one.box.root || !other.box.root)
        return false;
      if (one.box.root == other.box.root &&
          !boxes.areApartFromEarlier(one, innerBoxes, other))
        return false;
    }
  return true;
}

void Flattener::build(Operation &op, Value condition, IRMapping &mapping) {
  if (!condition) {
    builder.clone(op, mapping);
    return;
  }
  auto guarded = scf::IfOp::create(builder, op.getLoc(), condition,
                                   /*withElseRegion=*/false);
  Operation *copy = guarded.getThenBodyBuilder().clone(op, mapping);
  if (Attribute stage = copy->removeAttr(NpuDialect::kStageAttr))
    guarded->setAttr(NpuDialect::kStageAttr, stage);
}

void Flattener::run() {
  Location loc = outer.loop.getLoc();
  int64_t depth =
      std::max(getPipelineDepth(outer.loop), getPipelineDepth(inner.loop));
  llvm::SmallPtrSet<Operation *, 4> spread;
  for (Operation *op = &outer.loop.getBody()->front(); op != inner.loop;
       op = op->getNextNode())
    if (auto loads = dyn_cast<scf::ForOp>(op))
      if (canSpread(loads))
        spread.insert(op);

  builder.setInsertionPoint(outer.loop);
  // Buffers keep their contents from one iteration of the new loop to the next.
  for (Operation &op : llvm::make_early_inc_range(*outer.loop.getBody()))
    if (isa<AllocOp>(op))
      op.moveBefore(outer.loop);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto loop =
      scf::ForOp::create(builder, loc, constant(0),
                         constant(outer.trips * inner.trips), constant(1));
  loop->setAttr(NpuDialect::kPipelineAttr, builder.getI64IntegerAttr(depth));
  builder.setInsertionPointToStart(loop.getBody());
  AffineExpr t = builder.getAffineDimExpr(0);
  Value index = loop.getInductionVar();
  IRMapping mapping;
  mapping.map(outer.loop.getInductionVar(),
              apply(t.floorDiv(inner.trips) * outer.step + outer.lower, index));
  mapping.map(inner.loop.getInductionVar(),
              apply(t % inner.trips * inner.step + inner.lower, index));
  Value round = apply(t % inner.trips, index);
  Value isFirst, isLast;
  bool isBefore = true;
  for (Operation &op : outer.loop.getBody()->without_terminator()) {
    if (&op == inner.loop) {
      for (Operation &part : inner.loop.getBody()->without_terminator())
        builder.clone(part, mapping);
      isBefore = false;
      continue;
    }
    if (!isStep(op) || inner.trips == 1) {
      builder.clone(op, mapping);
      continue;
    }
    if (spread.contains(&op)) {
      Counted loads = *getCounted(cast<scf::ForOp>(op));
      Value isIn = compare(arith::CmpIPredicate::ult, round, loads.trips);
      mapping.map(loads.loop.getInductionVar(),
                  apply(t % inner.trips * loads.step + loads.lower, index));
      auto guarded = scf::IfOp::create(builder, op.getLoc(), isIn,
                                       /*withElseRegion=*/false);
      OpBuilder inside = guarded.getThenBodyBuilder();
      for (Operation &part : loads.loop.getBody()->without_terminator())
        inside.clone(part, mapping);
      continue;
    }
    Value &condition = isBefore ? isFirst : isLast;
    if (!condition)
      condition = compare(arith::CmpIPredicate::eq, round,
                          isBefore ? 0 : inner.trips - 1);
    build(op, condition, mapping);
  }
  outer.loop.erase();
}

} // namespace

/// Whether there are addresses for all buffers, although pipes may wait for
/// each other.
static bool hasAddresses(func::FuncOp kernel, const Machine &machine) {
  auto copy = cast<func::FuncOp>(kernel->clone());
  FailureOr<SmallVector<MemoryUse>> uses = findMemoryUse(copy, machine);
  bool result =
      succeeded(uses) &&
      llvm::all_of(*uses, [](const MemoryUse &use) { return use.fits(); });
  copy->erase();
  return result;
}

void flattenNests(func::FuncOp kernel, const Machine &machine) {
  if (!Flattener::find(kernel, machine))
    return;
  auto before = cast<func::FuncOp>(kernel->clone());
  Location loc = kernel.getLoc();
  while (auto flattener = Flattener::find(kernel, machine))
    flattener->run();
  // Buffers of outer loops now live as long as the loop.
  if ((fitsMachine(before, machine) && !fitsMachine(kernel, machine)) ||
      (!hasAddresses(kernel, machine) && hasAddresses(before, machine))) {
    mlir::emitRemark(loc) << "nests are not flattened, so loads are not issued "
                             "ahead from one run of an inner loop to the next: "
                             "their buffers would not fit at the same time";
    kernel.getBody().takeBody(before.getBody());
  }
  before->erase();
}

} // namespace gc::npu
