// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The least time that a graph takes on the NPU, whatever the program.

#ifndef GC_DRIVER_NPUBOUND_H
#define GC_DRIVER_NPUBOUND_H

#include "NpuModel/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gc {

/// How the cube can do the work of a graph op: sums of elements, or of products
/// of two, are products of matrices, provided that the cube takes numbers of
/// the factors' types.
enum class NpuBoundRole {
  other,
  /// Adds up elements.
  sum,
  /// Multiplies two elements.
  product,
  /// Passes its operand on in another type.
  cast
};

} // namespace gc

#include "Driver/NpuBoundInterface.h.inc"

namespace gc {

/// A lower bound on the cycles of any program: the latency of global memory
/// plus the longest of the times that the cube, the channel and the vector unit
/// need. Work that a program wastes does not raise it. On several cores, cube
/// and vector work is divided; the channel is not.
struct NpuBound {
  /// Multiplications of matmuls and convolutions, as the cube counts them: one
  /// fractal product per cycle.
  double cubeCycles = 0;
  /// Each byte of the inputs that is read, and of the outputs, counted once. In
  /// profile l2 the first package of each line misses, as the cache is empty at
  /// the start.
  double memoryCycles = 0;
  /// Slopes of the shortest known sequences for the elementwise ops and
  /// reductions. These count as nothing: ops that the move out of L0C can also
  /// do (casts and ReLU of a product), sums that the cube can do together with
  /// what only they use, and unknown ops.
  double vectorCycles = 0;
  int64_t latency = 0;
  int64_t inputBytes = 0, outputBytes = 0;

  /// The bound, rounded up.
  int64_t getCycles() const;
  /// What determines it: "cube", "memory" or "vector".
  llvm::StringRef getReason() const;
};

/// Attaches NpuBoundOpInterface to the graph ops that cost something.
void registerNpuBoundModels(mlir::DialectRegistry &registry);

/// The bound of a graph function, whose ops have NpuBoundOpInterface. With
/// `padded` the channels of a convolution's input are rounded up to whole
/// blocks.
NpuBound computeNpuBound(mlir::func::FuncOp graph, const npu::Machine &machine,
                         int64_t cores, bool padded = false);

} // namespace gc

#endif // GC_DRIVER_NPUBOUND_H
