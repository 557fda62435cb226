// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Softmax over the rows of a tensor, wherever it comes from: one op, or the
// basic ops that it is made of.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_RAISESOFTMAX_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_RAISESOFTMAX_H

#include "Dialect/Graph/IR/GraphOps.h"

#include <optional>

namespace gc::graph {

/// A softmax over the last dimension.
struct RowSoftmax {
  /// Its operand, and its kind.
  mlir::Value logits;
  SoftmaxMode mode = SoftmaxMode::none;
  /// The ops that it consists of, apart from the division.
  llvm::SmallVector<mlir::Operation *, 8> ops;
  /// The division by the sum, or the product with its reciprocal; null if it is
  /// part of the one op.
  mlir::Operation *division = nullptr;
  /// The exponentials before the division; null if no separate op computes
  /// them.
  mlir::Value exponentials;
};

/// A quotient, or a product with a reciprocal.
struct Quotient {
  mlir::Value dividend, divisor;
  /// The op that computes the reciprocal, or null.
  mlir::Operation *reciprocal = nullptr;
};
std::optional<Quotient> getQuotient(mlir::Operation *op);

/// What the elements of a value are at most in magnitude if it is a softmax, or
/// one whose sums are inverted and multiplied by a constant; apart from
/// rounding.
std::optional<double> getSoftmaxBound(mlir::Value value);

/// The softmax that gives `weights`, or nothing.
std::optional<RowSoftmax> raiseSoftmax(mlir::Value weights);

/// The softmax with the exponentials `exponentials` that the op `division`
/// divides by the divisor of `quotient`, now or later. Nothing if that is not
/// their sum.
std::optional<RowSoftmax> raiseSoftmax(mlir::Value exponentials,
                                       mlir::Operation *division,
                                       const Quotient &quotient);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_RAISESOFTMAX_H
