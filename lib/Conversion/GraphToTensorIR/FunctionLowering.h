// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lowers one function of graph ops to a function on buffers.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_FUNCTIONLOWERING_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_FUNCTIONLOWERING_H

#include "RegionEmitter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gc {

/// Whether a function computes on tensors with graph ops.
bool isGraphFunction(mlir::func::FuncOp func);

class FunctionLowering {
public:
  /// `owner` is the function that `func` folds constants for, or null.
  FunctionLowering(mlir::func::FuncOp func, mlir::func::FuncOp owner,
                   const Machine &machine)
      : func(func), owner(owner), machine(machine), builder(func) {}

  llvm::LogicalResult run();

private:
  mlir::func::FuncOp createFunction();
  llvm::LogicalResult lower(mlir::Operation *op);
  llvm::LogicalResult lowerReshape(mlir::Operation *op);
  llvm::LogicalResult lowerConstant(mlir::Operation *op);
  /// The buffer of a result: the function's own, if it returns it, or a
  /// temporary.
  Buffer makeResultBuffer(mlir::Value value);
  /// Emits a copy of a tensor into a buffer of another layout.
  llvm::LogicalResult emitCopy(mlir::Value value, const Buffer &to);
  llvm::LogicalResult copyResults();

  mlir::func::FuncOp func, owner;
  const Machine &machine;
  mlir::OpBuilder builder;
  BufferMap buffers;
  /// Output buffers by result number, and the value that each already holds.
  llvm::SmallVector<Buffer> outputs;
  llvm::SmallVector<mlir::Value> held;
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_FUNCTIONLOWERING_H
