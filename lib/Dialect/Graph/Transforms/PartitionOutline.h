// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a target is asked about a partition: the function that it becomes.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_PARTITIONOUTLINE_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_PARTITIONOUTLINE_H

#include "Dialect/Graph/Transforms/DeadOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace gc::graph {

/// A function, in no module, of the values that the ops of a partition read
/// from others, which returns the values that others, which are not dead, read.
class PartitionOutline {
public:
  /// The ops are in the order of their block. Constants that they read are
  /// copied, others are arguments.
  PartitionOutline(llvm::ArrayRef<mlir::Operation *> ops, DeadOps &dead,
                   llvm::function_ref<bool(mlir::Operation *)> isConstant);

  /// The copy of each op.
  llvm::ArrayRef<mlir::Operation *> getCopies() const { return copies; }

  mlir::func::ReturnOp getTerminator() const { return terminator; }

  /// The index of the op that computes a value, if one of them does.
  std::optional<unsigned> getMaker(mlir::Value value) const;

  /// Gives an op to another partition. Returns the ops that this changes:
  /// those that share values with it.
  llvm::SmallVector<unsigned> remove(unsigned index);

private:
  mlir::OwningOpRef<mlir::func::FuncOp> function;
  llvm::SmallVector<mlir::Operation *> copies;
  llvm::DenseMap<mlir::Operation *, unsigned> indices;
  mlir::func::ReturnOp terminator;
};

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_PARTITIONOUTLINE_H
