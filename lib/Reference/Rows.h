// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Evaluation of ops that look at whole rows: reductions, softmax, norms. A row
// is all elements that differ only in the reduced dimensions.

#ifndef GC_LIB_REFERENCE_ROWS_H
#define GC_LIB_REFERENCE_ROWS_H

#include "Reference/Evaluation.h"

#include <vector>

namespace gc::reference {

/// A shape cut into rows.
class RowSpace {
public:
  /// partSize > 0: the first of the reduced dimensions, which ascend, is
  /// divided in parts of that size, and a row has elements of only one part.
  RowSpace(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> reduced,
           int64_t partSize = 0);

  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumRows() const { return numRows; }
  /// Elements of the longest row, and of row `row`.
  int64_t getLength() const { return length; }
  int64_t getLength(int64_t row) const;

  /// Reads or writes row `row`, counted in row-major order of the dimensions
  /// that are kept and of the parts, of a tensor of the space's shape.
  void load(const Tensor &tensor, int64_t row, double *values) const;
  void store(const Tensor &tensor, int64_t row, const double *values) const;

private:
  template <typename Visit>
  void visitRuns(const Tensor &tensor, int64_t row, Visit visit) const;
  /// The part that a row is of; 0 without parts.
  int64_t getPart(int64_t row) const;
  /// Indices of the divided dimension in a part.
  int64_t getPartLength(int64_t part) const;

  llvm::SmallVector<int64_t> shape, reduced;
  /// Dimensions that rows are counted in, and their sizes or numbers of parts.
  llvm::SmallVector<int64_t> kept, keptSizes;
  int64_t partSize;
  int64_t numRows = 1, length = 1;
};

/// What a function on a row sees.
struct RowData {
  int64_t length;
  /// Per input its elements, and bounds on their errors (zeros if exact).
  llvm::SmallVector<double *> values, errors;
  /// Elements of the result of the space's shape, before rounding, and bounds
  /// that leave out the rounding to the result's type.
  double *result, *resultError;
  /// The same for results of one element per row.
  llvm::SmallVector<double> scalars, scalarErrors;
};

/// An op as a function of rows.
struct RowProgram {
  RowSpace space;
  /// Of the space's shape.
  llvm::SmallVector<BoundedTensor> inputs;
  /// Of the space's shape, if there is one.
  BoundedTensor result = {};
  /// Row-major, one element per row.
  llvm::SmallVector<BoundedTensor> scalars = {};
  /// Roundings to the result's type, in unit roundoffs of the result.
  double roundings = 2;

  /// Evaluates all rows.
  void run(llvm::function_ref<void(RowData &)> function) const;
};

/// Bounds as they are stored, in place of errors that leave out the roundings
/// to `type`.
void finishErrors(ElementType type, double roundings, int64_t count,
                  const double *values, double *errors);

/// Whether any of the tensors is not exact.
bool isInexact(llvm::ArrayRef<BoundedTensor> tensors);

/// The tensor and its bound, broadcast to a shape by numpy's rules.
BoundedTensor broadcastTo(const BoundedTensor &tensor,
                          llvm::ArrayRef<int64_t> shape);

/// Error of a sum of `count` terms in f32, in any order that does not depend on
/// the data, in units of sqrt(sum of squares) + |sum| (see
/// Reference/Interpreter.h).
double getSumFactor(int64_t count);

} // namespace gc::reference

#endif // GC_LIB_REFERENCE_ROWS_H
