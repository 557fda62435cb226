// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gives every buffer of a kernel an address.

#include "Dialect/Npu/Transforms/Passes.h"
#include "KernelPass.h"
#include "MemoryPlan.h"
#include "PlanMemoryOverflow.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gc::npu {

#define GEN_PASS_DEF_NPUPLANMEMORY
#include "Dialect/Npu/Transforms/Passes.h.inc"

namespace {

struct PlanMemory : KernelPass<impl::NpuPlanMemoryBase<PlanMemory>> {
  using KernelPass::KernelPass;

  LogicalResult runOnKernel(func::FuncOp function,
                            const Machine &machine) override {
    eraseUnused(function);
    FailureOr<SmallVector<PlannedBuffer>> buffers =
        collectBuffers(function, machine);
    if (failed(buffers) || failed(checkFixed(*buffers)) ||
        failed(place(*buffers, machine)) || failed(show(*buffers, machine)))
      return failure();
    Operation *start = &function.getBody().front().front();
    // Those of loops first: `start` may be a buffer that moves.
    auto isOfLoop = [&](const PlannedBuffer &buffer) {
      return AllocOp(buffer.alloc)->getBlock() != start->getBlock();
    };
    SmallVector<const PlannedBuffer *> ordered, others;
    for (const PlannedBuffer &buffer : *buffers)
      (isOfLoop(buffer) ? ordered : others).push_back(&buffer);
    llvm::append_range(ordered, others);
    for (const PlannedBuffer *buffer : ordered)
      bind(*buffer, start);
    return success();
  }

  /// Prints and draws the plan if requested.
  LogicalResult show(ArrayRef<PlannedBuffer> buffers, const Machine &machine) {
    if (!print && svg.empty())
      return success();
    func::FuncOp function = getOperation();
    MemoryPicture plan = drawPlan(function, buffers, machine);
    if (print) {
      std::string text;
      llvm::raw_string_ostream os(text);
      printPlan(plan, os);
      mlir::emitRemark(function.getLoc()) << "buffers\n"
                                          << StringRef(text).rtrim();
    }
    return svg.empty() ? success() : writeMemoryPicture(plan, function, svg);
  }

  /// Buffers that nothing touches, with their views: wherever they were placed,
  /// they would make bytes undefined.
  static void eraseUnused(func::FuncOp function) {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      auto alloc = dyn_cast<AllocOp>(op);
      if (alloc ? !alloc.getAddress() : isa<SlotOp, ViewLikeOpInterface>(op))
        ops.push_back(op);
    });
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        op->erase();
  }

  static LogicalResult checkFixed(ArrayRef<PlannedBuffer> buffers) {
    for (auto [i, buffer] : llvm::enumerate(buffers))
      for (const PlannedBuffer &other : buffers.take_front(i))
        if (buffer.fixed && other.fixed && buffer.space == other.space &&
            buffer.meets(other) && buffer.isAliveWith(other)) {
          InFlightDiagnostic error =
              AllocOp(buffer.alloc).emitOpError()
              << "its bytes " << buffer.offset << " to " << buffer.getEnd()
              << " of " << stringifyMemorySpace(buffer.space)
              << " overlap with a buffer that is alive at the same time";
          error.attachNote(AllocOp(other.alloc).getLoc())
              << "the other, bytes " << other.offset << " to "
              << other.getEnd();
          return error;
        }
    return success();
  }

  static LogicalResult place(MutableArrayRef<PlannedBuffer> buffers,
                             const Machine &machine) {
    bool isPlaced = true;
    forEachSpace(
        buffers, [&](MemorySpace space, ArrayRef<const PlannedBuffer *> own) {
          int64_t capacity = machine.getCapacity(Space(space)),
                  alignment = machine.getAlignment(Space(space));
          Packing packing = packBuffers(own, capacity, alignment, Sharing::any);
          if (!packing.fits) {
            emitOverflow(own, capacity, alignment, packing.bytes);
            isPlaced = false;
            return;
          }
          const int64_t *offset = packing.offsets.begin();
          for (PlannedBuffer &buffer : buffers)
            if (buffer.space == space)
              buffer.offset = *offset++;
          if (packing.sharing == Sharing::any)
            remarkOnSharing(own);
        });
    return success(isPlaced);
  }

  /// Reports where bytes had to be shared so that pipes wait for each other.
  static void remarkOnSharing(ArrayRef<const PlannedBuffer *> buffers) {
    for (auto [i, buffer] : llvm::enumerate(buffers))
      for (const PlannedBuffer *other : buffers.take_front(i))
        if (buffer->meets(*other) &&
            !mayShare(*buffer, *other, Sharing::phases) &&
            !(buffer->fixed && other->fixed)) {
          InFlightDiagnostic remark =
              mlir::emitRemark(AllocOp(buffer->alloc).getLoc());
          remark << getBufferText(*buffer) << " shares bytes of "
                 << stringifyMemorySpace(buffer->space)
                 << " with another buffer of its loop, since there is no more "
                    "room: pipes that use the one ("
                 << buffer->getPipeText() << ") wait for those of the other ("
                 << other->getPipeText() << ")";
          remark.attachNote(AllocOp(other->alloc).getLoc())
              << "the other: " << getBufferText(*other);
        }
  }

  /// Writes the address. A buffer of a loop moves before everything else,
  /// others to where their lives begin.
  static void bind(const PlannedBuffer &buffer, Operation *start) {
    AllocOp alloc = buffer.alloc;
    alloc.setAddress(buffer.offset);
    if (alloc->getBlock() != start->getBlock()) {
      alloc->moveBefore(start);
      return;
    }
    Operation *first = nullptr;
    for (Operation *user : alloc->getUsers()) {
      Operation *op = start->getBlock()->findAncestorOpInBlock(*user);
      if (!first || op->isBeforeInBlock(first))
        first = op;
    }
    if (first && !buffer.fixed)
      alloc->moveBefore(first);
  }
};

} // namespace

} // namespace gc::npu
