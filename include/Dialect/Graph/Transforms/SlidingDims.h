// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Along which dimensions of an iteration space windows slide, and at which
// positions along them all windows lie inside of their images. Passes have code
// of their own for those positions, which compares no indices.

#ifndef GC_DIALECT_GRAPH_TRANSFORMS_SLIDINGDIMS_H
#define GC_DIALECT_GRAPH_TRANSFORMS_SLIDINGDIMS_H

#include "Dialect/Graph/Transforms/PassDims.h"

namespace gc::graph {

/// A dimension of positions.
struct SlidingDim {
  int64_t dim = 0;
  /// Windows at positions [begin, end) are inside along this dimension.
  int64_t begin = 0, end = 0;
  /// The distance of positions whose windows begin at the same place between
  /// elements: 1 unless elements have gaps between them.
  int64_t period = 1;
};

/// The dimensions that windows slide along, in order, without those that are
/// reduced: what is read, in a space of these sizes.
llvm::SmallVector<SlidingDim> getSlidingDims(llvm::ArrayRef<TensorAccess> read,
                                             llvm::ArrayRef<int64_t> sizes,
                                             llvm::ArrayRef<unsigned> reduced);

/// Loops over the elements of windows are unrolled up to this many.
constexpr int64_t kMostUnrolledElements = 32;

/// Whether there are gaps between elements, not only around them.
bool isSpaced(const Gaps &gaps);

/// How much an index of windows grows along a dimension of the space.
int64_t getFactor(mlir::AffineExpr index, unsigned dim);

/// Whether vectors of this many lanes along a dimension read windows of an
/// image by whole vectors, where they are inside: elements in a run of memory
/// that is at most twice as long.
bool readsRuns(const TensorAccess &access, int64_t vectorDim, int64_t lanes);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TRANSFORMS_SLIDINGDIMS_H
