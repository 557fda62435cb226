// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The machine that a module is compiled for.

#ifndef GC_SUPPORT_MODULEMACHINE_H
#define GC_SUPPORT_MODULEMACHINE_H

#include "Machine/Machine.h"
#include "mlir/IR/BuiltinOps.h"

namespace gc {

/// Host facts overridden by the module's DLTI target description, device "CPU":
/// `num_threads`, `L1_cache_size_in_bytes`, `L2_cache_size_in_bytes`,
/// `L3_cache_size_in_bytes`, `max_vector_op_width` (bits),
/// `num_vector_registers`, all integers of 1 or more. Reports others at the
/// module.
mlir::FailureOr<Machine> getMachine(mlir::ModuleOp module);

} // namespace gc

#endif // GC_SUPPORT_MODULEMACHINE_H
