// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferPlan.h"
#include "InPlace.h"
#include "MemoryUse.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

#include <deque>

using namespace mlir;

namespace gc::tir {

namespace {

constexpr int64_t kAlignment = 64;

/// How many placements are tried to see whether an output is better.
constexpr size_t kMostPlacements = 20000;

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

/// When the team reaches a barrier: without a barrier after it, a loop may
/// still run on another thread during the ops that follow.
class Meetings {
public:
  Meetings(Block *body, const OpClock &clock) {
    for (Operation &op : *body) {
      auto loop = dyn_cast<ParallelOp>(op);
      bool meets = isa<BarrierOp>(op) || (loop && !loop.getNowait());
      ops.push_back({clock.get(&op).last, loop && loop.getNowait(), meets, 0});
    }
    int64_t next = ops.back().end;
    for (Op &op : llvm::reverse(ops)) {
      if (op.meets)
        next = op.end;
      op.meeting = next;
    }
  }

  /// How long a buffer whose last use is at `last` lives: until the team's next
  /// barrier.
  int64_t get(int64_t last) const {
    const Op *op = llvm::partition_point(
        ops, [&](const Op &other) { return other.end < last; });
    if (op == ops.end())
      return last;
    return op->end == last && op->isNowaitLoop ? op->meeting : op->end;
  }

private:
  struct Op {
    int64_t end;
    bool isNowaitLoop;
    bool meets;
    /// The end of the next op with a barrier, or of the last op.
    int64_t meeting;
  };
  SmallVector<Op> ops;
};

/// Outputs that a temporary may live in before they are touched.
struct Output {
  Value memref;
  int64_t first;
  /// The parallel loop that touches it first and its time; or null.
  ParallelOp loop;
  Interval loopTime;
};

int64_t getCount(func::FuncOp function, StringRef name) {
  auto count = function->getAttrOfType<IntegerAttr>(name);
  return count ? count.getInt() : 0;
}

SmallVector<Output> getOutputs(func::FuncOp function, const OpClock &clock) {
  SmallVector<Output> outputs;
  int64_t begin = getCount(function, TensorIRDialect::kInputsAttr);
  int64_t end = begin + getCount(function, TensorIRDialect::kOutputsAttr);
  DenseMap<int64_t, ParallelOp> loops;
  for (auto loop : function.getBody().front().getOps<ParallelOp>())
    loops[clock.get(loop).first] = loop;
  for (int64_t i = begin; i < end && i < function.getNumArguments(); ++i) {
    Value memref = function.getArgument(i);
    auto type = dyn_cast<MemRefType>(memref.getType());
    if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
      continue;
    Interval life;
    addUses(memref, &function.getBody().front(), clock, life);
    if (life.isEmpty())
      continue;
    Output output{memref, life.first, loops.lookup(life.first), {}};
    if (output.loop)
      output.loopTime = clock.get(output.loop);
    outputs.push_back(output);
  }
  return outputs;
}

/// Whether the temporary is no longer needed when the output is touched.
bool isBefore(const Temporary &temporary, const Output &output) {
  if (temporary.life.last < output.first)
    return true;
  // Or both in the same loop, element by element.
  return output.loop && temporary.life.last == output.loopTime.last &&
         readsBeforeWriting(output.loop, temporary.getBuffer(), output.memref);
}

/// The memory of an arena in pieces, each with the time of the last use of what
/// was placed there.
class Pieces {
public:
  /// The best place for `bytes` from `now` on, at the beginning of a piece, in
  /// an arena that has `total` so far.
  int64_t find(int64_t bytes, int64_t now, int64_t total) const {
    // Reuse must not make the arena larger than a fresh place at its end would.
    // Among the other places, memory that was used last is likely still in the
    // cache.
    std::pair<int64_t, int64_t> bestRank;
    int64_t best = -1;
    // Of the pieces that a place covers, those that are used later than all
    // after them; the first is used last.
    std::deque<size_t> latest;
    size_t next = 0;
    for (size_t i = 0; i < pieces.size(); ++i) {
      int64_t offset = pieces[i].offset;
      while (!latest.empty() && latest.front() < i)
        latest.pop_front();
      for (; next < pieces.size() && pieces[next].offset < offset + bytes;
           ++next) {
        while (!latest.empty() &&
               pieces[latest.back()].lastUse <= pieces[next].lastUse)
          latest.pop_back();
        latest.push_back(next);
      }
      int64_t heat = pieces[latest.front()].lastUse;
      if (heat >= now)
        continue;
      std::pair rank(-std::max(total, offset + bytes), heat);
      if (best < 0 || rank > bestRank) {
        best = offset;
        bestRank = rank;
      }
    }
    return best;
  }

  void use(int64_t offset, int64_t bytes, int64_t lastUse) {
    size_t first = cut(offset), last = cut(offset + bytes);
    pieces[first].lastUse = lastUse;
    pieces.erase(pieces.begin() + first + 1, pieces.begin() + last);
  }

private:
  struct Piece {
    int64_t offset;
    int64_t lastUse;
  };

  /// The number of the piece that begins at `offset`.
  size_t cut(int64_t offset) {
    auto *next = llvm::partition_point(
        pieces, [&](const Piece &piece) { return piece.offset < offset; });
    if (next == pieces.end() || next->offset != offset)
      next = pieces.insert(next, {offset, std::prev(next)->lastUse});
    return next - pieces.begin();
  }

  /// By offset; the last one has no end.
  SmallVector<Piece> pieces = {{0, -1}};
};

/// Places one temporary after another in the order of their first use, so that
/// what is already placed is alive if it is used later on.
void place(Arena &arena, bool reuse) {
  arena.bytes = 0;
  Pieces pieces;
  for (Temporary &current : arena.temporaries) {
    if (current.output)
      continue;
    if (reuse) {
      current.offset =
          pieces.find(current.bytes, current.life.first, arena.bytes);
      pieces.use(current.offset, current.bytes, current.life.last);
    } else {
      current.offset = arena.bytes;
    }
    arena.bytes = std::max(arena.bytes, current.offset + current.bytes);
  }
}

/// An output that is free for a temporary, or null.
Value findOutput(const Temporary &temporary, ArrayRef<Output> outputs,
                 ArrayRef<Temporary *> moved) {
  MemRefType type = temporary.getType();
  for (const Output &output : outputs) {
    auto place = cast<MemRefType>(output.memref.getType());
    if (place.getElementType() == type.getElementType() &&
        place.getNumElements() >= type.getNumElements() &&
        isBefore(temporary, output) &&
        llvm::none_of(moved, [&](const Temporary *other) {
          return other->output == output.memref &&
                 other->life.overlaps(temporary.life);
        }))
      return output.memref;
  }
  return {};
}

/// Moves temporaries into outputs where that makes the arena smaller; the large
/// ones first, with a limited number of attempts.
void useOutputs(Arena &arena, ArrayRef<Output> outputs) {
  if (outputs.empty() || arena.temporaries.empty())
    return;
  SmallVector<Temporary *> largest;
  for (Temporary &temporary : arena.temporaries)
    if (!temporary.life.isEmpty())
      largest.push_back(&temporary);
  llvm::sort(largest, [](const Temporary *a, const Temporary *b) {
    return std::tie(b->bytes, a->life.first, a->position) <
           std::tie(a->bytes, b->life.first, b->position);
  });
  size_t attempts =
      std::clamp<size_t>(kMostPlacements / arena.temporaries.size(), 1, 16);
  SmallVector<Temporary *> moved;
  for (Temporary *temporary : ArrayRef(largest).take_front(attempts)) {
    temporary->output = findOutput(*temporary, outputs, moved);
    if (!temporary->output)
      continue;
    Arena before = arena;
    place(arena, /*reuse=*/true);
    if (arena.bytes < before.bytes) {
      moved.push_back(temporary);
      continue;
    }
    arena.bytes = before.bytes;
    for (auto [now, old] : llvm::zip(arena.temporaries, before.temporaries))
      now.offset = old.offset;
    temporary->output = {};
  }
}

/// The ops of the function's own block that use a buffer or a view of it.
void collectUsers(Value buffer, Block *block,
                  llvm::SmallPtrSetImpl<Operation *> &users) {
  for (Operation *user : buffer.getUsers()) {
    for (Value result : user->getResults())
      if (isa<BaseMemRefType>(result.getType()))
        collectUsers(result, block, users);
    if (!getViewSource(user))
      users.insert(block->findAncestorOpInBlock(*user));
  }
}

/// The ops that read an input, and until when they do.
class Readers {
public:
  Readers(Value input, Block *block, const OpClock &clock,
          const Meetings &meetings)
      : input(input) {
    collectUsers(input, block, users);
    for (Operation *user : users) {
      int64_t end = meetings.get(clock.get(user).last);
      if (!latest || end > last) {
        before = last;
        last = end;
        latest = user;
      } else {
        before = std::max(before, end);
      }
    }
  }

  /// Whether the input is read for the last time before anything is written to
  /// the output, which temporaries may live in from `begin` on.
  bool endBefore(const Output &output, int64_t begin) const {
    ParallelOp loop = output.loop;
    bool isShared = loop && begin == output.first && users.contains(loop);
    int64_t end = isShared && latest == loop ? before : last;
    return end < begin &&
           (!isShared || readsBeforeWriting(loop, input, output.memref));
  }

private:
  Value input;
  llvm::SmallPtrSet<Operation *, 4> users;
  /// When the last one ends, and the last of the others.
  Operation *latest = nullptr;
  int64_t last = -1, before = -1;
};

SmallVector<std::pair<int64_t, int64_t>> findInPlace(func::FuncOp function,
                                                     const Arena &arena,
                                                     const OpClock &clock,
                                                     const Meetings &meetings) {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  int64_t inputs = getCount(function, TensorIRDialect::kInputsAttr);
  llvm::SmallBitVector taken(inputs);
  DenseMap<Value, int64_t> begins;
  for (const Temporary &temporary : arena.temporaries)
    if (temporary.output) {
      auto [begin, isNew] =
          begins.try_emplace(temporary.output, temporary.life.first);
      begin->second = std::min(begin->second, temporary.life.first);
    }
  // Inputs may have as many readers as there are outputs.
  DenseMap<int64_t, Readers> readers;
  for (const Output &output : getOutputs(function, clock)) {
    int64_t begin = output.first;
    if (auto found = begins.find(output.memref); found != begins.end())
      begin = std::min(begin, found->second);
    for (int64_t i = 0; i < inputs; ++i) {
      Value input = function.getArgument(i);
      if (taken[i] || input.use_empty() ||
          input.getType() != output.memref.getType())
        continue;
      auto known = readers.find(i);
      if (known == readers.end())
        known = readers
                    .try_emplace(i, input, &function.getBody().front(), clock,
                                 meetings)
                    .first;
      if (!known->second.endBefore(output, begin))
        continue;
      taken.set(i);
      int64_t argument = cast<BlockArgument>(output.memref).getArgNumber();
      pairs.push_back({i, argument - inputs});
      break;
    }
  }
  return pairs;
}

} // namespace

FailureOr<BufferPlan> planBuffers(func::FuncOp function,
                                  const PlanOptions &options) {
  Block *body = &function.getBody().front();
  OpClock clock(function.getBody());
  Meetings meetings(body, clock);
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
      temporary.life.last = meetings.get(temporary.life.last);
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
  plan.inPlace = findInPlace(function, plan.shared, clock, meetings);
  return plan;
}

} // namespace gc::tir
