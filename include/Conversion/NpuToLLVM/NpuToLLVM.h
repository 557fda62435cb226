// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// NPU programs as host code that drives the simulator (Simulator/Interface.h):
// what a caller of convert-npu-to-llvm needs besides the pass.

#ifndef GC_CONVERSION_NPUTOLLVM_NPUTOLLVM_H
#define GC_CONVERSION_NPUTOLLVM_NPUTOLLVM_H

#include "mlir/IR/BuiltinOps.h"

namespace gc {

/// The source locations of the instructions of all converted kernels, by the
/// number that each call passes to the simulator. Empty locations are unknown.
llvm::SmallVector<mlir::Location>
getInstructionLocations(mlir::ModuleOp module);

} // namespace gc

#endif // GC_CONVERSION_NPUTOLLVM_NPUTOLLVM_H
