// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels as abstract programs, and back.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_INSERTSYNCBUILD_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_INSERTSYNCBUILD_H

#include "InsertSyncIndex.h"
#include "SyncPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gc::npu {

/// A kernel's program, and which op each of its parts is.
struct SyncKernel {
  sync::Program program;
  /// For each block: its statements.
  std::vector<std::vector<mlir::Operation *>> statements;
  std::vector<mlir::Operation *> ops;
  std::vector<mlir::scf::ForOp> loops;
  /// Ops some of whose addresses are not known, with the reason.
  std::vector<std::pair<mlir::Operation *, std::string>> unknown;
};

/// Emits an error, and fails, for ops that are not allowed before the pass:
/// tile ops, flags, barriers, buffers without an address, calls and other
/// regions.
mlir::FailureOr<SyncKernel> buildSyncKernel(mlir::func::FuncOp function,
                                            const Machine &machine);

/// Inserts the plan's flags and barriers.
void emitSync(const SyncKernel &kernel, const sync::Plan &plan);

} // namespace gc::npu

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_INSERTSYNCBUILD_H
