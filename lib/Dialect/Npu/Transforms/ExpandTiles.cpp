// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Turns ops on tiles into instructions: each knows how (TileOpInterface).

#include "../IR/Verify.h"
#include "Dialect/Npu/Transforms/Passes.h"
#include "KernelPass.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gc::npu {
#define GEN_PASS_DEF_NPUEXPANDTILES
#include "Dialect/Npu/Transforms/Passes.h.inc"
} // namespace gc::npu

using namespace mlir;
using namespace gc::npu;

/// Refuses a buffer that nothing can make fit, before instructions would be
/// refused that leave its space. npu-plan-memory looks at all of them together.
static LogicalResult checkSize(AllocOp alloc, const Machine &machine) {
  Tile tile = *getTile(alloc.getBuffer());
  int64_t bytes = tile.getNumElements() * getBytes(tile.dtype),
          capacity = machine.getCapacity(static_cast<Space>(tile.space));
  if (bytes <= capacity)
    return success();
  return alloc.emitOpError("of ") << bytes << " bytes does not fit into "
                                  << stringifyMemorySpace(*getSpace(tile.type))
                                  << ", which has " << capacity;
}

namespace {
struct ExpandTiles
    : KernelPass<gc::npu::impl::NpuExpandTilesBase<ExpandTiles>> {
  LogicalResult runOnKernel(func::FuncOp kernel,
                            const Machine &machine) override {
    WalkResult fits = kernel.walk(
        [&](AllocOp alloc) { return WalkResult(checkSize(alloc, machine)); });
    if (fits.wasInterrupted())
      return failure();
    SmallVector<TileOpInterface> ops;
    kernel.walk([&](TileOpInterface op) { ops.push_back(op); });
    for (TileOpInterface op : ops) {
      OpBuilder builder(op);
      if (failed(op.expand(builder, machine)))
        return failure();
      op.erase();
    }
    return success();
  }
};
} // namespace
