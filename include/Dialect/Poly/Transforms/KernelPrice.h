// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a kernel is expected to take, without compiling all of it.

#ifndef GC_DIALECT_POLY_TRANSFORMS_KERNELPRICE_H
#define GC_DIALECT_POLY_TRANSFORMS_KERNELPRICE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <optional>
#include <string>

namespace gc::poly {

/// Cycles, or why there is no kernel.
struct KernelPrice {
  std::optional<double> cycles;
  std::string problem;
};

/// The cycles that Auto Tiling expects of all kernels of a module. `extract`
/// adds the passes that make scops of it. There is no price if a scop has no
/// tiles that fit the core. Nothing is reported; the module is changed.
KernelPrice
priceKernels(mlir::ModuleOp module,
             llvm::function_ref<void(mlir::OpPassManager &)> extract);

} // namespace gc::poly

#endif // GC_DIALECT_POLY_TRANSFORMS_KERNELPRICE_H
