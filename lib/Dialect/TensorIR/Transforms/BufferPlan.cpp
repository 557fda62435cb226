// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferPlan.h"
#include "LoopSlice.h"
#include "MemoryUse.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gc::tir {

namespace {

constexpr int64_t kAlignment = 64;

/// Widens a life to the ops of the block that use a buffer or a view of it: a
/// loop of the block counts as a whole.
void addUses(Value buffer, Block *block, const OpClock &clock, Interval &life) {
  for (Operation *user : buffer.getUsers()) {
    for (Value result : user->getResults())
      if (isa<BaseMemRefType>(result.getType()))
        addUses(result, block, clock, life);
    // Making a view does not touch the memory, but what uses the view does.
    if (getViewSource(user))
      continue;
    life.add(clock.get(block->findAncestorOpInBlock(*user)));
  }
}

/// Without a barrier behind it, a loop may still run on another thread during
/// the ops that follow: what it uses lives until the team has met.
int64_t getMeeting(Block *body, const OpClock &clock, int64_t last) {
  bool running = false;
  int64_t meeting = last;
  for (Operation &op : *body) {
    int64_t end = clock.get(&op).last;
    if (end < last)
      continue;
    auto loop = dyn_cast<ParallelOp>(op);
    meeting = end;
    if (meeting == last)
      running = loop && loop.getNowait();
    if (!running || isa<BarrierOp>(op) || (loop && !loop.getNowait()))
      return meeting;
  }
  return meeting;
}

/// Outputs that a temporary may live in before they are touched.
struct Output {
  Value memref;
  int64_t first;
  /// The parallel loop that touches it first and its time; or null.
  ParallelOp loop;
  Interval loopTime;
};

SmallVector<Output> getOutputs(func::FuncOp function, const OpClock &clock) {
  SmallVector<Output> outputs;
  auto getCount = [&](StringRef name) -> int64_t {
    auto count = function->getAttrOfType<IntegerAttr>(name);
    return count ? count.getInt() : 0;
  };
  int64_t begin = getCount(TensorIRDialect::kInputsAttr);
  int64_t end = begin + getCount(TensorIRDialect::kOutputsAttr);
  for (int64_t i = begin; i < end && i < function.getNumArguments(); ++i) {
    Value memref = function.getArgument(i);
    auto type = dyn_cast<MemRefType>(memref.getType());
    if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
      continue;
    Interval life;
    addUses(memref, &function.getBody().front(), clock, life);
    if (life.isEmpty())
      continue;
    Output output{memref, life.first, {}, {}};
    for (auto loop : function.getBody().front().getOps<ParallelOp>())
      if (clock.get(loop).first == life.first) {
        output.loop = loop;
        output.loopTime = clock.get(loop);
      }
    outputs.push_back(output);
  }
  return outputs;
}

/// Whether a loop reads each element of `from` only right before it writes the
/// same element of `to`.
bool isElementwise(ParallelOp loop, Value from, Value to) {
  if (from.getType() != to.getType())
    return false;
  SmallVector<BufferAccess> accesses;
  bool isKnown = true;
  auto addAccesses = [&](Value buffer, auto isWanted) {
    for (OpOperand &use : buffer.getUses()) {
      Operation *op = use.getOwner();
      if (!loop->isProperAncestor(op))
        continue;
      std::optional<BufferAccess> access = getAccess(use);
      isKnown &= access && isWanted(op);
      if (isKnown)
        accesses.push_back(*access);
    }
  };
  addAccesses(from, [](Operation *op) {
    return isa<memref::LoadOp, vector::LoadOp>(op);
  });
  size_t loads = accesses.size();
  addAccesses(to, [](Operation *op) {
    return isa<memref::StoreOp, vector::StoreOp>(op);
  });
  if (!isKnown || loads == 0 || loads == accesses.size())
    return false;
  const BufferAccess &first = accesses.front();
  for (auto [i, access] : llvm::enumerate(accesses)) {
    if (access.getOp()->getBlock() != first.getOp()->getBlock() ||
        access.extents != first.extents)
      return false;
    for (auto [a, b] : llvm::zip_equal(access.starts, first.starts))
      if (a.constant != b.constant || !a.hasSameTerms(b))
        return false;
    for (const BufferAccess &store : ArrayRef(accesses).drop_front(loads))
      if (i < loads && !access.getOp()->isBeforeInBlock(store.getOp()))
        return false;
  }
  SmallVector<Operation *> loops = getLoops(first.getOp());
  if (loops.empty())
    return false;
  ArrayRef<int64_t> sizes = cast<MemRefType>(from.getType()).getShape();
  return areSeparate(getSlice(accesses, sizes, loops.front()), loops.front(),
                     /*withParallel=*/true);
}

/// Whether the temporary is not needed any more when the output is touched.
bool isBefore(const Temporary &temporary, const Output &output) {
  if (temporary.life.last < output.first)
    return true;
  // Or both in the same loop, element by element.
  return output.loop && temporary.life.last == output.loopTime.last &&
         isElementwise(output.loop, temporary.getBuffer(), output.memref);
}

/// Places one temporary after another in the order of their first use. Among
/// the gaps that are free for its lifetime, the one whose memory was used last
/// wins, since it is likely still in the cache; then the lowest.
void place(Arena &arena, bool reuse) {
  arena.bytes = 0;
  SmallVector<const Temporary *> placed;
  for (Temporary &current : arena.temporaries) {
    if (current.output)
      continue;
    SmallVector<const Temporary *> live, dead;
    SmallVector<int64_t> candidates = {0};
    for (const Temporary *other : placed) {
      (!reuse || current.life.overlaps(other->life) ? live : dead)
          .push_back(other);
      candidates.push_back(other->offset);
      candidates.push_back(other->offset + other->bytes);
    }
    llvm::sort(candidates);
    auto meets = [&](const Temporary *other, int64_t offset) {
      return offset < other->offset + other->bytes &&
             other->offset < offset + current.bytes;
    };
    auto isFree = [&](int64_t offset) {
      return llvm::none_of(
          live, [&](const Temporary *other) { return meets(other, offset); });
    };
    auto getHeat = [&](int64_t offset) {
      int64_t heat = -1;
      for (const Temporary *other : dead)
        if (meets(other, offset))
          heat = std::max(heat, other->life.last);
      return heat;
    };
    // Reuse must not make the arena larger than a fresh place at its end would.
    auto rank = [&](int64_t offset) {
      int64_t end = std::max(arena.bytes, offset + current.bytes);
      return std::make_pair(-end, getHeat(offset));
    };
    int64_t best = -1;
    for (int64_t offset : candidates)
      if (isFree(offset) && (best < 0 || rank(offset) > rank(best)))
        best = offset;
    current.offset = best;
    arena.bytes = std::max(arena.bytes, best + current.bytes);
    placed.push_back(&current);
  }
}

/// An output that is free for a temporary, or null.
Value findOutput(const Temporary &temporary, ArrayRef<Output> outputs,
                 const Arena &arena) {
  MemRefType type = temporary.getType();
  for (const Output &output : outputs) {
    auto place = cast<MemRefType>(output.memref.getType());
    if (place.getElementType() == type.getElementType() &&
        place.getNumElements() >= type.getNumElements() &&
        isBefore(temporary, output) &&
        llvm::none_of(arena.temporaries, [&](const Temporary &other) {
          return other.output == output.memref &&
                 other.life.overlaps(temporary.life);
        }))
      return output.memref;
  }
  return {};
}

/// Moves temporaries into outputs where that makes the arena smaller; the large
/// ones first, and not more attempts than what pays.
void useOutputs(Arena &arena, ArrayRef<Output> outputs) {
  if (outputs.empty())
    return;
  SmallVector<Temporary *> largest;
  for (Temporary &temporary : arena.temporaries)
    if (!temporary.life.isEmpty())
      largest.push_back(&temporary);
  llvm::sort(largest, [](const Temporary *a, const Temporary *b) {
    return std::tie(b->bytes, a->life.first, a->position) <
           std::tie(a->bytes, b->life.first, b->position);
  });
  for (Temporary *temporary : ArrayRef(largest).take_front(16)) {
    temporary->output = findOutput(*temporary, outputs, arena);
    if (!temporary->output)
      continue;
    int64_t before = arena.bytes;
    place(arena, /*reuse=*/true);
    if (arena.bytes < before)
      continue;
    temporary->output = {};
    place(arena, /*reuse=*/true);
  }
}

} // namespace

FailureOr<BufferPlan> planBuffers(func::FuncOp function,
                                  const PlanOptions &options) {
  Block *body = &function.getBody().front();
  OpClock clock(function.getBody());
  BufferPlan plan;
  for (auto [i, loop] : llvm::enumerate(body->getOps<ParallelOp>())) {
    std::string name = "loop " + std::to_string(i);
    if (StringRef own = loop.getName().value_or(""); !own.empty())
      name += " (" + own.str() + ")";
    plan.phases.push_back({name, clock.get(loop)});
  }

  int64_t position = 0;
  WalkResult result = function.walk([&](ScratchOp op) {
    auto type = cast<MemRefType>(op.getBuffer().getType());
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    for (int64_t size : type.getShape())
      if (llvm::MulOverflow(bytes, size, bytes) || bytes > (int64_t(1) << 46)) {
        op.emitOpError("is larger than memory can be");
        return WalkResult::interrupt();
      }
    Temporary temporary;
    temporary.op = op;
    temporary.bytes = llvm::alignTo(bytes, kAlignment);
    temporary.position = position++;
    addUses(op.getBuffer(), op->getBlock(), clock, temporary.life);
    if (!op.getPerThread() && !temporary.life.isEmpty())
      temporary.life.last = getMeeting(body, clock, temporary.life.last);
    (op.getPerThread() ? plan.perThread : plan.shared)
        .temporaries.push_back(temporary);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (Arena *arena : {&plan.shared, &plan.perThread}) {
    llvm::sort(arena->temporaries, [](const Temporary &a, const Temporary &b) {
      return std::tie(a.life.first, a.position) <
             std::tie(b.life.first, b.position);
    });
    place(*arena, options.reuse);
  }
  if (options.reuse && options.outputs)
    useOutputs(plan.shared, getOutputs(function, clock));
  return plan;
}

} // namespace gc::tir
