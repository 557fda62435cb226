// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps of the conversion of NPU programs to the LLVM dialect.

#ifndef GC_LIB_CONVERSION_NPUTOLLVM_NPUTOLLVMIMPL_H
#define GC_LIB_CONVERSION_NPUTOLLVM_NPUTOLLVMIMPL_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace gc::npu {

/// Rejects what an earlier pass should have removed and what is not part of an
/// NPU program, with an error at the op.
mlir::LogicalResult checkKernel(mlir::func::FuncOp kernel);

/// Rejects addresses and branches that depend on a value loaded from UB.
mlir::LogicalResult checkScalarsUnused(mlir::func::FuncOp kernel);

/// Replaces the ops of the npu dialect with calls of the C interface on
/// addresses that upstream's conversions compute, and the arguments by a core
/// and addresses. Locations are numbered from `nextLocation` on.
mlir::LogicalResult rewriteKernel(mlir::func::FuncOp kernel,
                                  const mlir::LLVMTypeConverter &converter,
                                  int32_t &nextLocation);

/// Puts a check before divisions by numbers that may be zero, and turns a
/// division that overflows into a division by one: a program must not crash
/// this process.
void guardDivisions(mlir::func::FuncOp kernel, int32_t &nextLocation);

/// Teaches the converter that memory spaces of the NPU are not address spaces
/// of the host: addresses are numbers, of which the space is a part.
void addSpaceConversion(mlir::LLVMTypeConverter &converter);

} // namespace gc::npu

#endif // GC_LIB_CONVERSION_NPUTOLLVM_NPUTOLLVMIMPL_H
