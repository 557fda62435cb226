// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise evaluation with broadcasting and error bounds, for any function
// of up to kMaxOperands operands.

#ifndef GC_LIB_REFERENCE_ELEMENTWISE_H
#define GC_LIB_REFERENCE_ELEMENTWISE_H

#include "Reference/Evaluation.h"

#include <functional>

namespace gc::reference {

/// A scalar function, applied to arrays so that a chunk costs one call.
struct ElementwiseFunction {
  static constexpr unsigned kMaxOperands = 3;

  using Operands = llvm::ArrayRef<const double *>;
  /// results[i] = f(operands[0][i], operands[1][i], ...).
  std::function<void(Operands, double *results, int64_t count)> evaluate;
  /// The largest intermediate value of the op's formula per element, given the
  /// results, written over them. Null: the result itself.
  std::function<void(Operands, double *results, int64_t count)> magnitude;

  /// How often a correct implementation may round to the result's type, in unit
  /// roundoffs of the magnitude; 0 for functions that select or copy.
  double roundings = 2;
  /// Error of the implementation's own approximation, in f32 unit roundoffs of
  /// the magnitude; for integer results before they are rounded.
  double approximation = 0;
  /// Values of the first operand, besides 0, next to a jump of the function:
  /// on that side of it on which a result is largest.
  llvm::SmallVector<double> jumps = {};
  /// Per operand, whether the function has a pole at 0.
  llvm::SmallVector<bool, kMaxOperands> poles;
};

/// Evaluates `function` for a result of `op`; operands broadcast to its shape.
mlir::FailureOr<BoundedTensor>
evaluateElementwise(mlir::Operation *op, mlir::Type resultType,
                    llvm::ArrayRef<BoundedTensor> operands,
                    const ElementwiseFunction &function,
                    Evaluation &evaluation);

/// The same as the one result of `op`, appended to `results`.
mlir::LogicalResult
pushElementwise(mlir::Operation *op, llvm::ArrayRef<BoundedTensor> operands,
                const ElementwiseFunction &function, Evaluation &evaluation,
                llvm::SmallVectorImpl<BoundedTensor> &results);

/// A tensor of one dimension, or of one element, as a view of `shape`, in which
/// all sizes but the first are 1: broadcast to more dimensions, it has one
/// element per index of that one.
BoundedTensor spreadAlongFirst(const BoundedTensor &tensor,
                               llvm::ArrayRef<int64_t> shape);

/// A bound as it is stored: `error` is how far a result may be from `exact`,
/// the result before rounding to `type`. Infinite where overflow makes any
/// value right; zero where `exact` itself is not finite and nothing else is
/// possible.
double finishBound(ElementType type, double exact, double error);

/// The same for `count` results, in place of their errors.
void finishBounds(ElementType type, const double *exact, double *errors,
                  int64_t count);

/// `operand`, if its memory may take a result of `op`: it is not shared and has
/// the result's shape and type, bound included.
std::optional<BoundedTensor> reuseOperand(const BoundedTensor &operand,
                                          mlir::RankedTensorType type,
                                          bool bound);

} // namespace gc::reference

#endif // GC_LIB_REFERENCE_ELEMENTWISE_H
