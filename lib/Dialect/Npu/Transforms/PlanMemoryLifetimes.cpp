// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which buffers a kernel has and when each is needed.

#include "MemoryPlan.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gc::npu {

namespace {

Operation *getOutermostLoop(Operation *op) {
  Operation *loop = nullptr;
  for (Operation *parent = op; parent; parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      loop = parent;
  return loop;
}

LogicalResult addUses(PlannedBuffer &buffer, const OpClock &clock) {
  AllocOp alloc = buffer.alloc;
  auto getTime = [&](Operation *user) {
    return clock.get(alloc->getBlock()->findAncestorOpInBlock(*user));
  };
  Interval &life = buffer.lifetime;
  LogicalResult result = forEachUse(alloc.getBuffer(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    auto op = dyn_cast<PipeOpInterface>(user);
    std::optional<PipeKind> pipe = op ? op.getPipe() : std::nullopt;
    buffer.pipes |= pipe ? 1u << unsigned(*pipe) : ~0u;
    if (Operation *loop = getOutermostLoop(user))
      if (!llvm::is_contained(buffer.loops, loop))
        buffer.loops.push_back(loop);
    life.add(getTime(user));
  });
  // Where the buffer will be placed, before its first view, its bytes become
  // undefined. (Those of loops are placed before everything.)
  if (!life.isEmpty() && isa<func::FuncOp>(alloc->getParentOp()))
    for (Operation *user : alloc->getUsers())
      life.first = std::min(life.first, getTime(user).first);
  return result;
}

} // namespace

bool PlannedBuffer::sharesLoopWith(const PlannedBuffer &other) const {
  return llvm::any_of(loops, [&](Operation *loop) {
    return llvm::is_contained(other.loops, loop);
  });
}

bool mayShare(const PlannedBuffer &a, const PlannedBuffer &b, Sharing sharing) {
  if (a.isAliveWith(b))
    return false;
  // Unused buffers conflict with nothing.
  if (a.lifetime.isEmpty() || b.lifetime.isEmpty())
    return true;
  bool samePipe = a.pipes == b.pipes && llvm::isPowerOf2_32(a.pipes);
  switch (sharing) {
  case Sharing::none:
    return false;
  case Sharing::samePipe:
    return samePipe;
  case Sharing::phases:
    return samePipe || !a.sharesLoopWith(b);
  case Sharing::any:
    return true;
  }
  llvm_unreachable("all levels are above");
}

LogicalResult forEachUse(Value memref,
                         llvm::function_ref<void(OpOperand &)> use) {
  for (OpOperand &operand : memref.getUses()) {
    Operation *user = operand.getOwner();
    if (isa<SlotOp, ViewLikeOpInterface>(user)) {
      for (Value result : user->getResults())
        if (isa<BaseMemRefType>(result.getType()) &&
            failed(forEachUse(result, use)))
          return failure();
      continue;
    }
    if (user->hasTrait<OpTrait::IsTerminator>() ||
        llvm::any_of(user->getResultTypes(), llvm::IsaPred<BaseMemRefType>))
      return user->emitOpError(
          "hides which buffer it passes on: uses of buffers of the core are "
          "followed through views and slots only");
    // For example, a query of a size.
    if (!isMemoryEffectFree(user))
      use(operand);
  }
  return success();
}

FailureOr<SmallVector<PlannedBuffer>> collectBuffers(func::FuncOp function,
                                                     const Machine &machine) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("memory is planned only for kernels of one block "
                              "whose loops are scf loops");
  OpClock clock(function.getBody());
  SmallVector<PlannedBuffer> buffers;
  WalkResult result = function.walk([&](AllocOp alloc) {
    PlannedBuffer &buffer = buffers.emplace_back();
    buffer.alloc = alloc;
    buffer.space = *getSpace(alloc.getBuffer());
    buffer.slots = alloc.getSlots();
    buffer.slotBytes = alloc.getSlotBytes(machine);
    if (std::optional<uint64_t> address = alloc.getAddress()) {
      buffer.fixed = true;
      buffer.offset = *address;
    }
    return WalkResult(addUses(buffer, clock));
  });
  if (result.wasInterrupted())
    return failure();
  return buffers;
}

void forEachSpace(
    ArrayRef<PlannedBuffer> buffers,
    llvm::function_ref<void(MemorySpace, ArrayRef<const PlannedBuffer *>)> fn) {
  for (int space = 1; space < kNumSpaces; ++space) {
    SmallVector<const PlannedBuffer *> own;
    for (const PlannedBuffer &buffer : buffers)
      if (buffer.space == MemorySpace(space))
        own.push_back(&buffer);
    if (!own.empty())
      fn(MemorySpace(space), own);
  }
}

} // namespace gc::npu
