// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The last steps of a conversion to the LLVM dialect, as those for the CPU and
// for the NPU share them.

#ifndef GC_SUPPORT_CONVERTTOLLVM_H
#define GC_SUPPORT_CONVERTTOLLVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir {
class LLVMTypeConverter;
} // namespace mlir

namespace gc {

/// Makes branches of the loops and conditions (scf) in `roots`.
mlir::LogicalResult
convertLoopsToBranches(mlir::MLIRContext *context,
                       llvm::ArrayRef<mlir::Operation *> roots);

/// Patterns from arith, cf, func, memref and ub to the LLVM dialect.
void populateBasicToLLVMPatterns(const mlir::LLVMTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);

/// Converts all of `roots`, which are in `module`. Emits an error at what no
/// pattern converts and at a cast of types that stays in a function.
mlir::LogicalResult convertToLLVM(mlir::ModuleOp module,
                                  llvm::ArrayRef<mlir::Operation *> roots,
                                  mlir::RewritePatternSet patterns);

} // namespace gc

#endif // GC_SUPPORT_CONVERTTOLLVM_H
