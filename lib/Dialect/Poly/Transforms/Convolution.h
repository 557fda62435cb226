// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolutions among the statements of a scop.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_CONVOLUTION_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_CONVOLUTION_H

#include "Dialect/Poly/IR/Scop.h"

namespace gc::poly {

/// An index as a sum of multiples of dimensions and a constant.
struct Index {
  llvm::SmallVector<std::pair<unsigned, int64_t>> terms;
  int64_t constant = 0;

  /// Whether the index is a dimension, or 0.
  bool isPlain() const {
    return terms.empty() ? constant == 0 : getDim().has_value();
  }
  /// The dimension that the index is.
  std::optional<unsigned> getDim() const {
    if (terms.size() == 1 && terms[0].second == 1 && constant == 0)
      return terms[0].first;
    return std::nullopt;
  }
};

/// A spatial dimension of the image: position * stride + tap * dilation - pad.
/// Either of them may be missing: there is only one.
struct SpatialDim {
  std::optional<unsigned> position, tap;
  int64_t stride = 1, dilation = 1, pad = 0;
  int64_t size = 1, kernel = 1, output = 1;
};

/// A convolution, by the dimensions of its statement.
struct Convolution {
  StatementOp statement;
  std::optional<unsigned> images, channels;
  unsigned columns;
  /// Height and width.
  SpatialDim spatial[2];
  int64_t channelCount = 1;
  ArrayOp image, weights;

  int64_t getTaps() const { return spatial[0].kernel * spatial[1].kernel; }
};

/// The indices of an access that is one linear function; failure for others.
mlir::FailureOr<llvm::SmallVector<Index>> getIndices(const isl::Map &access);

/// The number of values of each dimension of a statement.
llvm::SmallVector<int64_t> getExtents(const isl::Ctx &ctx,
                                      StatementOp statement);

/// The convolution that a statement is, if it is a contraction that reads
/// windows of its first factor. An error if fractals cannot be made of it.
mlir::FailureOr<std::optional<Convolution>>
recogniseConvolution(const isl::Ctx &ctx, ScopOp scop, StatementOp statement);

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_CONVOLUTION_H
