// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two halves of a module, for two threads to generate code from.

#ifndef GC_LIB_DRIVER_SPLITMODULE_H
#define GC_LIB_DRIVER_SPLITMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace gc {

/// Moves about half of the code of a module in the LLVM dialect, as whole
/// functions, into a new one. What one half needs from the other is declared
/// there and becomes visible to it, wherever both are loaded.
/// Returns null, and changes nothing, if there is little code or most of it is
/// one function.
mlir::OwningOpRef<mlir::ModuleOp> splitModule(mlir::ModuleOp module);

} // namespace gc

#endif // GC_LIB_DRIVER_SPLITMODULE_H
