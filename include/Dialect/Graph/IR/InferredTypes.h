// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verification of result types against those that follow from operands and
// attributes. The type inference interface reports two errors where one is
// enough.

#ifndef GC_DIALECT_GRAPH_IR_INFERREDTYPES_H
#define GC_DIALECT_GRAPH_IR_INFERREDTYPES_H

#include "mlir/IR/OpDefinition.h"

namespace gc::graph {

/// Infers the result types of an op with type inference. If that fails, reports
/// one error, at the op and with its name.
llvm::LogicalResult inferTypes(mlir::Operation *op,
                               llvm::SmallVectorImpl<mlir::Type> &types);

/// Reports one error at the op if its result types do not follow from its
/// operands and attributes.
llvm::LogicalResult verifyInferredTypes(mlir::Operation *op);

/// Trait of ops whose result has the shape of the first operand, while element
/// type and layout are chosen by the program.
template <typename ConcreteOp>
class KeepsShape : public mlir::OpTrait::TraitBase<ConcreteOp, KeepsShape> {};

/// Trait of ops whose result has the elements of the first operand, in
/// row-major order, in another shape. Where both are plain, it is the same
/// memory.
template <typename ConcreteOp>
class RowMajorView : public mlir::OpTrait::TraitBase<ConcreteOp, RowMajorView> {
};

/// Trait of ops with type inference.
template <typename ConcreteOp>
class InferredTypes
    : public mlir::OpTrait::TraitBase<ConcreteOp, InferredTypes> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyInferredTypes(op);
  }
};

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_INFERREDTYPES_H
