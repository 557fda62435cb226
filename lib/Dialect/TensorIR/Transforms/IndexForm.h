// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Indices as sums of multiples of other values.

#ifndef GC_LIB_DIALECT_TENSORIR_TRANSFORMS_INDEXFORM_H
#define GC_LIB_DIALECT_TENSORIR_TRANSFORMS_INDEXFORM_H

#include "Dialect/TensorIR/Transforms/IndexRange.h"
#include "mlir/IR/Builders.h"

namespace gc::tir {

/// Whether two values are equal wherever both are defined: the same value, or
/// computed in the same way without side effects.
bool isSameValue(mlir::Value a, mlir::Value b);

/// What a sum does not take apart: a value, or a quotient or a remainder inside
/// an affine map.
struct IndexAtom {
  explicit IndexAtom(mlir::Value value) : operands{value} {}
  /// Of a map's operands those that the expression has stay, as dims.
  IndexAtom(mlir::AffineExpr expr, unsigned numDims,
            mlir::ValueRange mapOperands);

  /// The value, or null for an expression.
  mlir::Value getValue() const { return expr ? mlir::Value() : operands[0]; }
  bool isSame(const IndexAtom &other) const;
  std::optional<IndexRange> getRange() const;

  /// Null for a value; else over all operands as dims.
  mlir::AffineExpr expr;
  llvm::SmallVector<mlir::Value, 1> operands;
};

/// constant + sum of factor * atom. Only affine maps are taken apart.
struct IndexForm {
  struct Term {
    IndexAtom atom;
    int64_t factor;
  };

  IndexForm() = default;
  explicit IndexForm(mlir::Value index) { add(index, 1); }

  /// Adds factor * index.
  void add(mlir::Value index, int64_t factor);
  std::optional<IndexRange> getRange() const;
  /// Whether the terms are equal, constants apart.
  bool hasSameTerms(const IndexForm &other) const;
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc) const;

  int64_t constant = 0;
  llvm::SmallVector<Term, 2> terms;

private:
  void add(mlir::AffineExpr expr, unsigned numDims, mlir::ValueRange operands,
           int64_t factor);
  void addTerm(IndexAtom atom, int64_t factor);
};

} // namespace gc::tir

#endif // GC_LIB_DIALECT_TENSORIR_TRANSFORMS_INDEXFORM_H
