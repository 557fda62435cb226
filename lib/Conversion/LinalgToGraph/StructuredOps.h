// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Structured ops by what their bodies compute and how their maps walk.

#ifndef GC_LIB_CONVERSION_LINALGTOGRAPH_STRUCTUREDOPS_H
#define GC_LIB_CONVERSION_LINALGTOGRAPH_STRUCTUREDOPS_H

#include "Conversion/ToGraph/GraphBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace gc {

using Values = llvm::SmallVector<mlir::Value>;

/// A result of a structured op that is reduced: result = init `combiner` terms.
struct StructuredReduction {
  mlir::linalg::LinalgOp op;
  unsigned result;
  /// The op of the body that adds a term, and the term.
  mlir::Operation *combiner;
  mlir::Value term;

  mlir::OpOperand *getInit() { return op.getDpsInitOperand(result); }
  mlir::AffineMap getResultMap() {
    return op.getMatchingIndexingMap(getInit());
  }
  mlir::RankedTensorType getType() {
    return mlir::cast<mlir::RankedTensorType>(getInit()->get().getType());
  }
};

/// The graph op that reduces as the combiner does.
llvm::StringRef getReductionName(StructuredReduction &reduction);

/// The two operands of the body that are multiplied, each possibly converted to
/// another type first, if that is what the term is. A null pair otherwise.
std::pair<mlir::OpOperand *, mlir::OpOperand *>
getFactors(StructuredReduction &reduction);

/// Any structured op.
mlir::FailureOr<Values> convertStructuredOp(mlir::linalg::LinalgOp op,
                                            GraphBuilder &builder);

/// A graph value for a tensor that may be smaller and broadcast to it.
mlir::FailureOr<mlir::Value> getUnbroadcast(mlir::Value tensor,
                                            GraphBuilder &builder,
                                            bool isUnsigned = false);

/// Adds the init operand, where it is not the neutral element, to what has been
/// reduced, which has the shape of the result.
mlir::FailureOr<mlir::Value> addInit(StructuredReduction &reduction,
                                     mlir::Value value, GraphBuilder &builder);

/// A product of matrices; nothing if it is none, null if it is not supported.
std::optional<mlir::FailureOr<mlir::Value>>
convertContraction(StructuredReduction &reduction, GraphBuilder &builder);

/// A convolution or a reduction of windows; the same.
std::optional<mlir::FailureOr<mlir::Value>>
convertWindows(StructuredReduction &reduction, GraphBuilder &builder);

} // namespace gc

#endif // GC_LIB_CONVERSION_LINALGTOGRAPH_STRUCTUREDOPS_H
