// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cycles of a kernel that a plan gives.

#ifndef GC_TOOLS_GC_TUNE_MEASURE_H
#define GC_TOOLS_GC_TUNE_MEASURE_H

#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace gc::tune {

/// A kernel as poly-conv-to-fractal leaves it, alone in a module with its
/// reference.
using Kernel = mlir::OwningOpRef<mlir::ModuleOp>;

/// The kernels of the module's graphs, in order.
llvm::Expected<std::vector<Kernel>> extractKernels(mlir::ModuleOp module);

poly::ScopOp getScop(mlir::ModuleOp kernel);

struct Measurement {
  int64_t cycles = 0;
  /// All that was chosen, what the given plan left open included.
  poly::KernelPlan plan;
};

/// Compiles the kernel with a plan and runs the program on the simulator, which
/// checks every access. An error if the plan cannot be had.
llvm::Expected<Measurement> measure(mlir::ModuleOp kernel,
                                    const poly::KernelPlan &plan);

} // namespace gc::tune

#endif // GC_TOOLS_GC_TUNE_MEASURE_H
