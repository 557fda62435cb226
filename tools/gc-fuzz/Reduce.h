// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes a failing graph smaller.

#ifndef GC_TOOLS_GC_FUZZ_REDUCE_H
#define GC_TOOLS_GC_FUZZ_REDUCE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace gc::fuzz {

/// The smallest module found, by dropping results, ops and arguments of @main
/// and by cutting the graph at values, which become arguments, as long as
/// `fails` says that a candidate still fails.
mlir::OwningOpRef<mlir::ModuleOp>
reduceGraph(mlir::ModuleOp module,
            llvm::function_ref<bool(mlir::ModuleOp)> fails);

} // namespace gc::fuzz

#endif // GC_TOOLS_GC_FUZZ_REDUCE_H
