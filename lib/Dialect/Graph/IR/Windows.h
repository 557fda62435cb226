// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Building `graph.windows` in decompositions.

#ifndef GC_LIB_DIALECT_GRAPH_IR_WINDOWS_H
#define GC_LIB_DIALECT_GRAPH_IR_WINDOWS_H

#include "Decomposition.h"

namespace gc::graph {

/// How windows slide along one dimension: see `graph.windows`.
struct Sliding {
  int64_t kernel = 1, positions, stride = 1, dilation = 1, offset = 0,
          spacing = 1;

  /// Windows of one element: all there are, `count` from one on.
  static Sliding slice(int64_t first, int64_t count) {
    return {1, count, 1, 1, first, 1};
  }
  static Sliding all(int64_t count) { return slice(0, count); }

  /// Whether that is all of a dimension of `size`, in order.
  bool keepsAll(int64_t size) const {
    return kernel == 1 && positions == size && (stride == 1 || size == 1) &&
           offset == 0 && spacing == 1;
  }
};

/// Windows of an image [n, x..., c] along its spatial dimensions.
mlir::Value makeWindows(Decomposition &b, mlir::Value image,
                        llvm::ArrayRef<Sliding> dims, bool clamps = false,
                        double fill = 0);

/// The image [n, p..., c] that windows of one element are, or the image itself
/// if they are all of it.
mlir::Value makeSlice(Decomposition &b, mlir::Value image,
                      llvm::ArrayRef<Sliding> dims);

/// The permutations from [n, channel, x...] to [n, x..., channel] and back.
llvm::SmallVector<int64_t> getChannelsLast(int64_t rank);
llvm::SmallVector<int64_t> getChannelsSecond(int64_t rank);

/// Whether all operands and results have static shapes.
bool hasStaticShapes(mlir::Operation *op);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_IR_WINDOWS_H
