// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The least time that a graph takes on the NPU, whatever the program.

#ifndef GC_DRIVER_NPUBOUND_H
#define GC_DRIVER_NPUBOUND_H

#include "NpuModel/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "Driver/NpuBoundInterface.h.inc"

namespace gc {

/// Cycles below which no program can stay: the latency of global memory and the
/// longest of what the cube, the channel and the vector unit have to do. Work
/// that a program wastes does not raise it. On several cores cube and vector
/// work is divided, the channel is not.
struct NpuBound {
  /// Multiplications of matmuls and convolutions, as the cube counts them: one
  /// fractal product a cycle.
  double cubeCycles = 0;
  /// Each byte of used inputs and of outputs once. In profile l2 the first
  /// package of each line misses, as the cache is empty at the start.
  double memoryCycles = 0;
  /// Slopes of the shortest sequences that are known for the elementwise ops
  /// and reductions; ops that the way out of L0C does as well (casts and ReLU
  /// of a product) are free, ops that are not known count nothing.
  double vectorCycles = 0;
  int64_t latency = 0;
  int64_t inputBytes = 0, outputBytes = 0;

  /// The bound, rounded up.
  int64_t getCycles() const;
  /// What it comes from: "cube", "memory" or "vector".
  llvm::StringRef getReason() const;
};

/// Attaches NpuBoundOpInterface to the graph ops that cost something.
void registerNpuBoundModels(mlir::DialectRegistry &registry);

/// The bound of a graph function, whose ops have NpuBoundOpInterface. With `padded` the channels of a
/// convolution's input count as the multiple of a block that they fill.
NpuBound computeNpuBound(mlir::func::FuncOp graph, const npu::Machine &machine,
                         int64_t cores, bool padded = false);

} // namespace gc

#endif // GC_DRIVER_NPUBOUND_H
