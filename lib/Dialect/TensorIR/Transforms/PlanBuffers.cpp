// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "Dialect/TensorIR/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace gc::tir {

#define GEN_PASS_DEF_TIRPLANBUFFERS
#include "Dialect/TensorIR/Transforms/Passes.h.inc"

namespace {

constexpr int64_t kAlignment = 64;

/// A temporary with the range of top-level ops that use it.
struct Temporary {
  ScratchOp op;
  int64_t bytes;
  int64_t first, last;
  /// Place in the function, to break ties.
  int64_t position;
  int64_t offset = 0;
};

/// The last top-level op that uses a buffer or a view of it.
void extendLifetime(Value buffer, Block *body,
                    const llvm::DenseMap<Operation *, int64_t> &order,
                    Temporary &temporary) {
  for (Operation *user : buffer.getUsers()) {
    int64_t position = order.lookup(body->findAncestorOpInBlock(*user));
    // Making a view does not touch the memory, but what uses the view does.
    if (isa<ViewLikeOpInterface>(user)) {
      extendLifetime(user->getResult(0), body, order, temporary);
      continue;
    }
    temporary.first = std::min(temporary.first, position);
    temporary.last = std::max(temporary.last, position);
  }
}

/// Without a barrier behind it, a loop may still run on another thread during
/// the ops that follow: what it uses lives until the team has met.
int64_t getMeeting(Block *body, int64_t position) {
  int64_t i = 0;
  bool running = false;
  for (Operation &op : *body) {
    auto loop = dyn_cast<ParallelOp>(op);
    if (i >= position) {
      if (i == position)
        running = loop && loop.getNowait();
      if (!running || isa<BarrierOp>(op) || (loop && !loop.getNowait()))
        return i;
    }
    ++i;
  }
  return i;
}

/// Places one temporary after another in the order of their first use. Among
/// the gaps that are free for its lifetime, the one whose memory was used last
/// wins, since it is likely still in the cache; then the lowest.
int64_t place(MutableArrayRef<Temporary> temporaries) {
  int64_t total = 0;
  for (size_t i = 0; i < temporaries.size(); ++i) {
    Temporary &current = temporaries[i];
    SmallVector<const Temporary *> live, dead;
    for (const Temporary &other : temporaries.take_front(i))
      (other.last >= current.first ? live : dead).push_back(&other);
    auto isFree = [&](int64_t offset) {
      return llvm::none_of(live, [&](const Temporary *other) {
        return offset < other->offset + other->bytes &&
               other->offset < offset + current.bytes;
      });
    };
    auto getHeat = [&](int64_t offset) {
      int64_t heat = -1;
      for (const Temporary *other : dead)
        if (offset < other->offset + other->bytes &&
            other->offset < offset + current.bytes)
          heat = std::max(heat, other->last);
      return heat;
    };
    SmallVector<int64_t> candidates = {0};
    for (const Temporary &other : temporaries.take_front(i)) {
      candidates.push_back(other.offset);
      candidates.push_back(other.offset + other.bytes);
    }
    llvm::sort(candidates);
    int64_t best = -1;
    // Reuse must not make the arena larger than a fresh place at its end would.
    auto rank = [&](int64_t offset) {
      int64_t end = std::max(total, offset + current.bytes);
      return std::make_pair(-end, getHeat(offset));
    };
    for (int64_t offset : candidates)
      if (isFree(offset) && (best < 0 || rank(offset) > rank(best)))
        best = offset;
    current.offset = best;
    total = std::max(total, best + current.bytes);
  }
  return total;
}

struct PlanBuffers : impl::TirPlanBuffersBase<PlanBuffers> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isDeclaration() || !func->hasAttr(TensorIRDialect::kEntryAttr) ||
        func->hasAttr(TensorIRDialect::kArenaAttr))
      return;
    Block *body = &func.getBody().front();
    llvm::DenseMap<Operation *, int64_t> order;
    for (auto [i, op] : llvm::enumerate(*body))
      order[&op] = i;

    SmallVector<Temporary> shared, perThread;
    int64_t position = 0;
    WalkResult result = func.walk([&](ScratchOp op) {
      auto type = cast<MemRefType>(op.getBuffer().getType());
      int64_t bytes =
          llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      for (int64_t size : type.getShape())
        if (llvm::MulOverflow(bytes, size, bytes) ||
            bytes > (int64_t(1) << 46)) {
          op.emitOpError("is larger than memory can be");
          return WalkResult::interrupt();
        }
      Temporary temporary{op, static_cast<int64_t>(llvm::alignTo(bytes, kAlignment)),
                          std::numeric_limits<int64_t>::max(), -1, position++};
      extendLifetime(op.getBuffer(), body, order, temporary);
      if (!op.getPerThread() && temporary.last >= 0)
        temporary.last = getMeeting(body, temporary.last);
      (op.getPerThread() ? perThread : shared).push_back(temporary);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();

    auto byFirstUse = [](const Temporary &a, const Temporary &b) {
      return std::tie(a.first, a.position) < std::tie(b.first, b.position);
    };
    llvm::sort(shared, byFirstUse);
    llvm::sort(perThread, byFirstUse);
    bind(func, shared, TensorIRDialect::kArenaAttr);
    bind(func, perThread, TensorIRDialect::kThreadArenaAttr);
  }

  /// Adds an arena argument and makes the temporaries views of it.
  void bind(func::FuncOp func, MutableArrayRef<Temporary> temporaries,
            StringRef attribute) {
    OpBuilder builder(func.getContext());
    auto arenaType =
        MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
    unsigned index = func.getNumArguments();
    (void)func.insertArgument(index, arenaType, {}, func.getLoc());
    Value arena = func.getArgument(index);
    func->setAttr(attribute, builder.getI64IntegerAttr(place(temporaries)));
    for (Temporary &temporary : temporaries) {
      builder.setInsertionPoint(temporary.op);
      Value offset = arith::ConstantIndexOp::create(
          builder, temporary.op.getLoc(), temporary.offset);
      Value view = memref::ViewOp::create(
          builder, temporary.op.getLoc(),
          cast<MemRefType>(temporary.op.getBuffer().getType()), arena, offset,
          ValueRange());
      temporary.op.replaceAllUsesWith(view);
      temporary.op.erase();
    }
  }
};

} // namespace

} // namespace gc::tir
