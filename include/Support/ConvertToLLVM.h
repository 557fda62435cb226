// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The last steps of a conversion to the LLVM dialect, shared by those for the
// CPU and the NPU.

#ifndef GC_SUPPORT_CONVERTTOLLVM_H
#define GC_SUPPORT_CONVERTTOLLVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir {
class LLVMTypeConverter;
} // namespace mlir

namespace gc {

/// Turns the loops and conditions (scf) in `roots` into branches.
mlir::LogicalResult
convertLoopsToBranches(mlir::MLIRContext *context,
                       llvm::ArrayRef<mlir::Operation *> roots);

/// Patterns from arith, cf, func, memref and ub to the LLVM dialect.
void populateBasicToLLVMPatterns(const mlir::LLVMTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);

/// Converts all of `roots`, which are in `module`. Emits an error at an op that
/// no pattern converts and at a type cast that is left in a function.
mlir::LogicalResult convertToLLVM(mlir::ModuleOp module,
                                  llvm::ArrayRef<mlir::Operation *> roots,
                                  mlir::RewritePatternSet patterns);

} // namespace gc

#endif // GC_SUPPORT_CONVERTTOLLVM_H
