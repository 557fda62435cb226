// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Error bounds of sums of products, for all ops that consist of them (see
// Reference/Interpreter.h for the formula). Integers are summed exactly: only
// errors of their operands count.

#ifndef GC_LIB_REFERENCE_CONTRACTIONBOUND_H
#define GC_LIB_REFERENCE_CONTRACTIONBOUND_H

#include "MatmulTile.h"
#include "Reference/Evaluation.h"

namespace gc::reference {

class ContractionBound {
public:
  ContractionBound() = default;
  /// Of `terms` products of elements of a and b, in an element of `result`.
  ContractionBound(int64_t terms, const BoundedTensor &a,
                   const BoundedTensor &b, ElementType result);

  /// Appends the products whose sums finish() takes as `squares`. Views of
  /// errors may be null.
  void addProducts(const MatrixView &a, const MatrixView &errorA,
                   const MatrixView &b, const MatrixView &errorB,
                   llvm::SmallVectorImpl<MatrixProduct> &products) const;

  /// Adds `addends` to `values`, the sums of products, and turns `errors`,
  /// those of the addends, into the bounds. `repeats` is what equal products
  /// add to the errors (see EqualTerms.h).
  void finish(const double *squares, const double *repeats,
              const double *addends, double *values, double *errors,
              int64_t count) const;

private:
  ElementType type = ElementType::F32;
  bool isInexact = false;
  /// Error of the sum in units of sqrt(sum of squares) and of its value;
  /// weights of values and errors in the sum of squares.
  double rootFactor = 0, sumFactor = 0, valueWeight = 0, errorWeight = 0;
  /// Unit roundoff of the sum.
  double repeatFactor = 0, mostRepeats = 0;
  double resultFactor = 0, tiny = 0;
};

/// A tensor for the result of a contraction `op`, with bounds if they are
/// wanted and the result is not exact.
mlir::FailureOr<BoundedTensor>
allocateContraction(mlir::Operation *op, llvm::ArrayRef<BoundedTensor> operands,
                    Evaluation &evaluation);

} // namespace gc::reference

#endif // GC_LIB_REFERENCE_CONTRACTIONBOUND_H
