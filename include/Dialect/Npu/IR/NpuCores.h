// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels of several programs: cores whose parts of the data have another size
// run a program of their own at the same time.

#ifndef GC_DIALECT_NPU_IR_NPUCORES_H
#define GC_DIALECT_NPU_IR_NPUCORES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace gc::npu {

/// Function attribute (integer): the number of the program's first core.
/// Default 0.
constexpr llvm::StringLiteral kFirstCoreAttr = "npu.first_core";
/// Function attribute (symbol): the kernel whose other cores run at the same
/// time. The program has its arguments; `npu.cores` of both are different ones.
constexpr llvm::StringLiteral kBesideAttr = "npu.beside";

/// `npu.cores` and `npu.first_core`, with their defaults.
int64_t getNumCores(mlir::func::FuncOp kernel);
int64_t getFirstCore(mlir::func::FuncOp kernel);

/// The programs that are beside the kernel, in the order of the module.
llvm::SmallVector<mlir::func::FuncOp> getBeside(mlir::func::FuncOp kernel);

/// Whether a program that is beside a kernel fits it: a kernel with the same
/// arguments that is not beside a third one, and the next numbers of cores
/// after those before it in the module. An error at the program if not.
mlir::LogicalResult checkBeside(mlir::func::FuncOp program);

} // namespace gc::npu

#endif // GC_DIALECT_NPU_IR_NPUCORES_H
