// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls of the C interface of the simulator, and the numbers they take.

#ifndef GC_LIB_CONVERSION_NPUTOLLVM_CALLBUILDER_H
#define GC_LIB_CONVERSION_NPUTOLLVM_CALLBUILDER_H

#include "Dialect/Npu/IR/NpuOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace gc::npu {

class CallBuilder {
public:
  /// Builds before `op`, inside `kernel`, whose first argument is already the
  /// core.
  CallBuilder(mlir::func::FuncOp kernel, mlir::Operation *op)
      : b(op->getLoc(), op), kernel(kernel) {}

  mlir::ImplicitLocOpBuilder b;

  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value f64(double value);
  /// An index, i1 or float as the C interface takes it.
  mlir::Value toI64(mlir::Value index);
  mlir::Value toI32(mlir::Value flag);
  mlir::Value toF64(mlir::Value number);

  /// Address of a memref's first element, or of the element at `indices`. One
  /// that is far from any buffer is an error at `location`.
  mlir::Value getAddress(mlir::Value memref, mlir::Value location,
                         mlir::ValueRange indices = {});

  /// Calls `name(core, arguments...)`, declared on first use.
  mlir::Value call(llvm::StringRef name, llvm::ArrayRef<mlir::Value> arguments,
                   mlir::Type result = {});

private:
  mlir::func::FuncOp kernel;
};

/// The call for one instruction. `location` is the number of its source
/// location.
void buildInstructionCall(CallBuilder &builder, InstructionOpInterface op,
                          mlir::Value location);

} // namespace gc::npu

#endif // GC_LIB_CONVERSION_NPUTOLLVM_CALLBUILDER_H
