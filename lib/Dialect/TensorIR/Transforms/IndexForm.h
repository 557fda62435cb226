// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Indices as sums of multiples of other values, and how large they can be.

#ifndef GC_LIB_DIALECT_TENSORIR_TRANSFORMS_INDEXFORM_H
#define GC_LIB_DIALECT_TENSORIR_TRANSFORMS_INDEXFORM_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace gc::tir {

/// Whether two values are equal wherever both are defined: the same value, or
/// computed in the same way without side effects.
bool isSameValue(mlir::Value a, mlir::Value b);

/// The least and the greatest value that an index takes.
struct IndexRange {
  int64_t min = 0, max = 0;
};

/// Bounds of an index from the loops and the arithmetic that it comes from;
/// nothing if they cannot be determined.
std::optional<IndexRange> getRange(mlir::Value index);

/// constant + sum of factor * value. Sums, differences and products with
/// constants are taken apart, every other value is a term of its own.
struct IndexForm {
  using Term = std::pair<mlir::Value, int64_t>;

  IndexForm() = default;
  explicit IndexForm(mlir::Value index) { add(index, 1); }

  /// Adds factor * index.
  void add(mlir::Value index, int64_t factor);
  std::optional<IndexRange> getRange() const;
  /// Whether the terms are equal, constants apart.
  bool hasSameTerms(const IndexForm &other) const;
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc) const;

  int64_t constant = 0;
  llvm::SmallVector<Term> terms;
};

} // namespace gc::tir

#endif // GC_LIB_DIALECT_TENSORIR_TRANSFORMS_INDEXFORM_H
