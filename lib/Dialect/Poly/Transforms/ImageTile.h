// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The part of an image that a tile of a convolution's positions needs in L1.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_IMAGETILE_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_IMAGETILE_H

#include "Dialect/Poly/IR/PolyOps.h"

namespace gc::poly {

/// Whole rows of an image, with the halo of the tile's first and last row. All
/// numbers are those of the image in L1: of a kernel of one row or column only
/// every stride-th row or column of the image is loaded.
struct ImageTile {
  /// For `tile` of `positions` in a row, of which there are several tiles
  /// unless they are the same.
  ImageTile(Img2colAttr img2col, llvm::ArrayRef<int64_t> image,
            int64_t positions, int64_t tile, int64_t c0);

  /// The distance of loaded rows and columns in global memory.
  int64_t rowStep = 1, columnStep = 1;
  int64_t height, width, outputWidth;
  int64_t kernel[2], strides[2], pads[2];
  /// Fractals of channels.
  int64_t blocks;
  /// Loaded rows; all of them if tiles have no image of their own.
  int64_t rows;
  bool isWhole;
  /// A tile whose first position is in row f of the result begins with row
  /// strides[0] * q, where q = f - `halo`, at least 0 and at most `lastStart`.
  int64_t halo, lastStart;

  /// Elements of the buffer for one image.
  int64_t getElements(int64_t c0) const { return blocks * rows * width * c0; }
};

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_IMAGETILE_H
