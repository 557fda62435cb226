// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Graphs with ops that the CPU target does not run.

#ifndef GC_LIB_DRIVER_TARGETS_PARTITIONEDCPU_H
#define GC_LIB_DRIVER_TARGETS_PARTITIONEDCPU_H

#include "Driver/Target.h"

namespace gc {

/// Divides a graph by `graph-partition` and compiles each partition; those that
/// the CPU does not run are evaluated by the reference interpreter, and there
/// is a remark for each of their ops. What no result depends on is left out.
/// Fails if the interpreter does not know an op that is needed either.
llvm::Expected<std::unique_ptr<Executable>>
compilePartitions(mlir::func::FuncOp graph, const CompileOptions &options);

/// Writes the module with the attributes that show how its graphs are divided.
/// `entry` may be empty; else it must be one of its functions.
llvm::Error writePartitions(mlir::ModuleOp module, llvm::StringRef entry,
                            llvm::raw_ostream &os);

} // namespace gc

#endif // GC_LIB_DRIVER_TARGETS_PARTITIONEDCPU_H
