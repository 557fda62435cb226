// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How small and how large an index can be.

#ifndef GC_DIALECT_TENSORIR_TRANSFORMS_INDEXRANGE_H
#define GC_DIALECT_TENSORIR_TRANSFORMS_INDEXRANGE_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/ValueRange.h"

#include <optional>

namespace gc::tir {

/// The least and the greatest value that an index takes.
struct IndexRange {
  int64_t min = 0, max = 0;
};

/// Bounds of an index: from the sizes of loops, and from what ops that
/// implement upstream's InferIntRangeInterface say about their results (affine
/// and arith ops do); nothing where they cannot be seen.
std::optional<IndexRange> getRange(mlir::Value index);

/// Bounds of an expression over operands, its dims before its symbols.
std::optional<IndexRange> getRange(mlir::AffineExpr expr, unsigned numDims,
                                   mlir::ValueRange operands);

} // namespace gc::tir

#endif // GC_DIALECT_TENSORIR_TRANSFORMS_INDEXRANGE_H
