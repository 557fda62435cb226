// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tile sizes that the cube unit can have, as far as they follow from the
// statement alone.

#ifndef GC_DIALECT_POLY_TRANSFORMS_CUBESIZES_H
#define GC_DIALECT_POLY_TRANSFORMS_CUBESIZES_H

#include "Dialect/Poly/IR/PolyOps.h"
#include "Dialect/Poly/Isl/Isl.h"

#include <optional>

namespace gc::poly {

/// Of a contraction whose sums have one or more dimensions, of which the last
/// are rows and columns.
struct CubeSizes {
  /// The iteration dimension that is added up along, and its size.
  unsigned term = 0;
  int64_t terms = 0;
  /// Terms in a fractal.
  int64_t fractal = 16;
  /// Of a convolution, what slices of terms are multiples of; else 0.
  int64_t block = 0;
  /// Iteration dimensions of which a tile has one iteration.
  llvm::SmallVector<unsigned> singles;
  /// Of a convolution with several images: their iteration dimension and that
  /// of positions, and the size of the latter.
  std::optional<unsigned> image;
  unsigned position = 0;
  int64_t positions = 0;

  /// Nothing for statements that are not contractions, or of a form that the
  /// cube unit does not have.
  static std::optional<CubeSizes> get(const isl::Ctx &ctx,
                                      StatementOp statement);

  /// Whether terms can be added up in slices for L1 and steps for L0.
  bool canDivide(int64_t slice, int64_t step) const;
  /// Whether a tile can have this many images and positions.
  bool canHave(int64_t images, int64_t ofPositions) const {
    return images == 1 || ofPositions >= positions;
  }
};

} // namespace gc::poly

#endif // GC_DIALECT_POLY_TRANSFORMS_CUBESIZES_H
