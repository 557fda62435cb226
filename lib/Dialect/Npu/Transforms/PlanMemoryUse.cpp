// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The most bytes that the buffers of a kernel need at the same time.

#include "Dialect/Npu/Transforms/Overflow.h"
#include "MemoryPlan.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

namespace gc::npu {

Peak findPeak(ArrayRef<const PlannedBuffer *> buffers) {
  Peak peak;
  for (const PlannedBuffer *buffer : buffers) {
    if (buffer->lifetime.isEmpty())
      continue;
    Interval moment{buffer->lifetime.first, buffer->lifetime.first};
    Peak now;
    now.bytes = 0;
    for (const PlannedBuffer *other : buffers)
      if (other->lifetime.overlaps(moment)) {
        now.alive.push_back(other);
        now.bytes += other->getBytes();
      }
    if (now.bytes > peak.bytes)
      peak = std::move(now);
  }
  return peak;
}

static FailureOr<SmallVector<MemoryUse>> getUse(func::FuncOp kernel,
                                                const Machine &machine) {
  auto buffers = collectBuffers(kernel, machine);
  if (failed(buffers))
    return failure();
  SmallVector<MemoryUse> uses;
  forEachSpace(*buffers, [&](MemorySpace space,
                             ArrayRef<const PlannedBuffer *> own) {
    MemoryUse &use = uses.emplace_back();
    use.space = space;
    use.capacity = machine.getCapacity(Space(space));
    use.bytes = packBuffers(own, use.capacity,
                            machine.getAlignment(Space(space)), Sharing::any)
                    .bytes;
    Peak peak = findPeak(own);
    use.peak = std::max<int64_t>(peak.bytes, 0);
    // The largest ones first, others in the order of the program.
    SmallVector<std::pair<int64_t, size_t>> order;
    for (auto [number, buffer] : llvm::enumerate(peak.alive))
      order.push_back({-buffer->getBytes(), number});
    llvm::sort(order);
    for (auto [bytes, number] : order)
      use.live.push_back({peak.alive[number]->alloc, -bytes});
  });
  return uses;
}

FailureOr<SmallVector<MemoryUse>> findMemoryUse(func::FuncOp kernel,
                                                const Machine &machine) {
  FailureOr<SmallVector<MemoryUse>> before = getUse(kernel, machine);
  if (failed(before) ||
      !llvm::all_of(*before, [](const MemoryUse &use) { return use.fits(); }))
    return before;
  SmallVector<TileOpInterface> tiles;
  kernel.walk([&](TileOpInterface op) { tiles.push_back(op); });
  {
    uint64_t thread = llvm::get_threadid();
    ScopedDiagnosticHandler silence(kernel.getContext(), [&](Diagnostic &) {
      return success(llvm::get_threadid() == thread);
    });
    for (TileOpInterface op : tiles) {
      OpBuilder builder(op);
      if (succeeded(op.expand(builder, machine)))
        op->erase();
    }
  }
  return getUse(kernel, machine);
}

} // namespace gc::npu
