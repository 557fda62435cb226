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
  FunctionLowering(mlir::func::FuncOp func, mlir::func::FuncOp owner)
      : func(func), owner(owner), builder(func) {}

  llvm::LogicalResult run();

private:
  mlir::func::FuncOp createFunction();
  llvm::LogicalResult lower(mlir::Operation *op);
  llvm::LogicalResult lowerReshape(mlir::Operation *op);
  llvm::LogicalResult lowerConstant(mlir::Operation *op);
  /// The part of another op's result that a region's result is, or nothing.
  Buffer getPlace(mlir::Value value);
  llvm::LogicalResult lowerPlacement(mlir::Operation *op);
  /// The buffer of a region's result: the function's own, if it returns the
  /// value or a view of it, or a temporary.
  Buffer makeResultBuffer(mlir::Value value);
  /// The memory of a plain buffer in another shape.
  mlir::Value createView(mlir::Location loc, mlir::Value memref,
                         mlir::MemRefType type);
  /// Checks that what is returned has been written to the results.
  llvm::LogicalResult checkResults();

  mlir::func::FuncOp func, owner;
  mlir::OpBuilder builder;
  BufferMap buffers;
  /// Output buffers by result number, and whether each one holds a value.
  llvm::SmallVector<Buffer> outputs;
  llvm::SmallVector<bool> held;
  /// The numbers of the results that are a value or a view of it.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<unsigned>> resultsOf;
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_FUNCTIONLOWERING_H
