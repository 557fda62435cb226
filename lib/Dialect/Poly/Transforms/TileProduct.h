// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which loops of a contraction are rows, columns and terms.

#ifndef GC_DIALECT_POLY_TRANSFORMS_TILEPRODUCT_H
#define GC_DIALECT_POLY_TRANSFORMS_TILEPRODUCT_H

#include "TileModel.h"

namespace gc::poly {

/// The member of a cluster that adds up the products of its first two reads.
struct TileProduct {
  TileProduct(const TileModel &model, size_t update);

  const TileModel::Array *lhs, *rhs, *result;
  /// The last dimension that only the left factor depends on, that only the
  /// right one does, and that the result does not have.
  std::optional<unsigned> row, column, term;
  /// For each dimension, whether the result does not have it.
  llvm::SmallVector<bool> isTerm;
};

} // namespace gc::poly

#endif // GC_DIALECT_POLY_TRANSFORMS_TILEPRODUCT_H
