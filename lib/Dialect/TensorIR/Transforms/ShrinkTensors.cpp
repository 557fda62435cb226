// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/TensorIR/Transforms/Passes.h"
#include "LoopSlice.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace gc::tir {

#define GEN_PASS_DEF_TIRSHRINKTENSORS
#include "Dialect/TensorIR/Transforms/Passes.h.inc"

namespace {

/// The strides of a kernel follow those of the smaller buffer.
void updateKernel(const BufferAccess &access, ArrayRef<int64_t> strides) {
  auto op = dyn_cast<BrgemmOp>(access.getOp());
  if (!op)
    return;
  auto kernel = op.getKernel().getDefiningOp<BrgemmDispatchOp>();
  KernelSpec spec = kernel.getSpec();
  for (const BufferAccess::Movement &movement : access.movements)
    spec.*(movement.field) = movement.step * strides[movement.dim];
  if (spec == kernel.getSpec())
    return;
  auto clone = cast<BrgemmDispatchOp>(OpBuilder(kernel).clone(*kernel));
  clone.setSpecAttr(KernelSpecAttr::get(op.getContext(), spec));
  op.getKernelMutable().assign(clone);
  if (kernel.use_empty())
    kernel.erase();
}

/// A line or less at the end of rows stays: a template has put it there to keep
/// rows from evicting each other from the cache.
void keepRowPadding(Slice &slice, MemRefType type) {
  constexpr int64_t kLineBytes = 64;
  int64_t last = type.getRank() - 1;
  int64_t unused = type.getDimSize(last) - slice.shape[last];
  bool isPadding =
      last > 0 && slice.bases[last].terms.empty() &&
      slice.bases[last].constant == 0 &&
      unused * type.getElementTypeBitWidth() <= kLineBytes * 8 &&
      slice.shape[last] * type.getElementTypeBitWidth() > kLineBytes * 8;
  if (!isPadding)
    return;
  slice.elements = slice.elements / slice.shape[last] * type.getDimSize(last);
  slice.shape[last] = type.getDimSize(last);
  slice.bases[last] = IndexForm();
}

struct ShrinkTensors : impl::TirShrinkTensorsBase<ShrinkTensors> {
  void runOnOperation() override {
    SmallVector<ScratchOp> temporaries;
    getOperation().walk([&](ScratchOp op) { temporaries.push_back(op); });
    for (ScratchOp op : temporaries)
      shrink(op);
  }

  void shrink(ScratchOp op) {
    auto type = cast<MemRefType>(op.getBuffer().getType());
    std::optional<SmallVector<BufferAccess>> accesses = getAccesses(op);
    if (!accesses || accesses->empty())
      return;
    // The loops that are around every access but not around the temporary.
    SmallVector<Operation *> loops = getLoops(accesses->front().getOp());
    llvm::erase_if(loops,
                   [&](Operation *loop) { return loop->isProperAncestor(op); });
    for (const BufferAccess &access : *accesses)
      llvm::erase_if(loops, [&](Operation *loop) {
        return !loop->isProperAncestor(access.getOp());
      });
    if (loops.empty() || !isa<ParallelOp>(loops.back()))
      return;
    Slice best;
    best.elements = type.getNumElements();
    Operation *around = nullptr;
    // Iterations of the parallel loop do not wait for each other, so none can
    // read what another writes.
    for (Operation *loop : loops) {
      Slice slice = getSlice(*accesses, type.getShape(), loop);
      if (slice.elements < best.elements &&
          areSeparate(slice, loop, /*withParallel=*/false)) {
        best = std::move(slice);
        around = loop;
      }
    }
    if (around) {
      keepRowPadding(best, type);
      replace(op, *accesses, best, around);
    } else if (op.getPerThread()) {
      op->moveBefore(&loops.back()->getRegion(0).front().front());
    }
  }

  void replace(ScratchOp op, ArrayRef<BufferAccess> accesses,
               const Slice &slice, Operation *loop) {
    auto builder = OpBuilder::atBlockBegin(&loop->getRegion(0).front());
    auto type = cast<MemRefType>(op.getBuffer().getType());
    auto shrunk = MemRefType::get(slice.shape, type.getElementType());
    auto smaller =
        ScratchOp::create(builder, op.getLoc(), shrunk, /*per_thread=*/true);
    SmallVector<int64_t> strides = getRowMajorStrides(slice.shape);
    for (const BufferAccess &access : accesses) {
      Operation *user = access.getOp();
      builder.setInsertionPoint(user);
      for (auto [dim, base] : llvm::enumerate(slice.bases)) {
        if (slice.shape[dim] == type.getDimSize(dim))
          continue;
        IndexForm index;
        index.constant = access.starts[dim].constant - base.constant;
        for (const IndexForm::Term &term : access.starts[dim].terms)
          if (!llvm::any_of(base.terms, [&](const IndexForm::Term &outer) {
                return outer.atom.isSame(term.atom);
              }))
            index.terms.push_back(term);
        user->setOperand(access.getIndexOperand(dim),
                         index.materialize(builder, user->getLoc()));
      }
      access.memref->set(smaller.getBuffer());
      updateKernel(access, strides);
    }
    op.erase();
    remark::passed(smaller.getLoc(), remark::RemarkOpts::name("Shrunk")
                                         .category(getArgument())
                                         .function(getOperation().getName()))
        << remark::add("a temporary of {0} elements has {1}",
                       type.getNumElements(), shrunk.getNumElements());
  }
};

} // namespace

} // namespace gc::tir
