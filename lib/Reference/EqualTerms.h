// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Equal terms of the sums of products in one tile of a matrix product.
//
// As in Sums.h, what counts are terms that equal the one before them: their
// roundings do not cancel. A product a[k] b[k] does so where a[k] = a[k - 1]
// and b[k] = b[k - 1], and is not 0. Let there be m of these, each at least c
// in size, and S the sum of the sizes of all terms. In any order of the terms,
// the last of the m is added to a sum of at most S, the one before it to one of
// at most S - c, and so on: the roundings of the m additions are together at
// most the unit roundoff times
//
//   m S - c m (m - 1) / 2.
//
// m is counted exactly, from one bit per element of a and b. For S and c the
// bounds S <= |a| |b| (Cauchy-Schwarz, Euclidean norms) and
// c >= min |a[k]| min |b[k]| (over the elements of each that equal the one
// before them) need no work per product. If a and b are constant, both are
// exact. Where a large a[k] meets a small b[k], |a| |b| says little:
// ContractionBound has the terms add no more than n sqrt(n sum a[k]^2 b[k]^2)
// for n terms, since m <= n and S <= sqrt(n sum a[k]^2 b[k]^2).

#ifndef GC_LIB_REFERENCE_EQUALTERMS_H
#define GC_LIB_REFERENCE_EQUALTERMS_H

#include "MatmulKernel.h"
#include "MatmulTile.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cmath>

namespace gc::reference {

/// Up to kRows rows of one operand, in panels of `width` as the kernel reads
/// them.
template <int64_t kRows, int64_t width>
class EqualElements {
public:
  static constexpr int64_t kWords = TileWorkspace::kDepth / 64;
  static_assert(kRows % width == 0 && TileWorkspace::kDepth % 64 == 0);

  EqualElements() { std::fill_n(smallest, kRows, HUGE_VAL); }

  /// Reads the next `depths` elements of each row.
  void read(const double *packed, int64_t rows, int64_t depths);

  /// Rows where, of the depths that were read last, some element equals the
  /// one before it.
  llvm::ArrayRef<int64_t> getFound() const { return found; }
  /// One bit for each of these depths, set if the element does.
  const uint64_t *getBits(int64_t row) const { return bits[row]; }

  /// The sum of the squares of all elements.
  double getSquares(int64_t row) const { return squares[row]; }
  /// The smallest size of an element that equals the one before it.
  double getSmallest(int64_t row) const { return smallest[row]; }

private:
  void find(const double *elements, int64_t row, int64_t depths);

  llvm::SmallVector<int64_t, kRows> found;
  double previous[kRows] = {}, squares[kRows] = {}, smallest[kRows];
  uint64_t bits[kRows][kWords];
};

/// What equal terms add to the errors of the sums of a tile.
class EqualTerms {
public:
  /// `sum` has the layout of the sums of a workspace.
  EqualTerms(int64_t rows, int64_t columns, double *sum);

  /// Reads the operands of the next `depths` terms of each sum.
  void read(const double *packedA, const double *packedB, int64_t depths);
  /// Writes what the terms add to the error, in unit roundoffs, to `sum`.
  void finish();

private:
  int64_t rows, columns;
  double *sum;
  EqualElements<TileWorkspace::kRows, kKernelRows> a;
  EqualElements<TileWorkspace::kColumns, kKernelColumns> b;
};

} // namespace gc::reference

#endif // GC_LIB_REFERENCE_EQUALTERMS_H
