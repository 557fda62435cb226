// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A kernel that slides along a spatial dimension of an image, and what ops that
// have one check.

#ifndef GC_LIB_DIALECT_GRAPH_IR_SPATIALDIMS_H
#define GC_LIB_DIALECT_GRAPH_IR_SPATIALDIMS_H

#include "Checks.h"

namespace gc::graph {

/// Most elements along a spatial dimension, so that sizes do not overflow.
constexpr int64_t kMostElements = int64_t(1) << 30;

/// One spatial dimension.
struct SpatialDim {
  int64_t input, kernel, stride, dilation, padBegin, padEnd;

  /// Elements of the input that one element of the output reads, gaps included.
  int64_t getReach() const { return (kernel - 1) * dilation + 1; }
  /// Elements of the output; 0 if the kernel does not fit. `roundsUp`: another
  /// one if the last kernel does not end at the input's end.
  int64_t getOutput(bool roundsUp = false) const {
    int64_t room = input + padBegin + padEnd - getReach();
    return room < 0 ? 0 : (room + (roundsUp ? stride - 1 : 0)) / stride + 1;
  }
  /// Sets the pads that auto_pad asks for.
  void resolvePads(llvm::StringRef autoPad);
};

/// The positions of an image's dimensions: [batch, spatial..., channel] for
/// "NXC", [batch, channel, spatial...] for "NCX".
struct ImageDims {
  ImageDims(llvm::StringRef format, int64_t rank)
      : channel(format == "NXC" ? rank - 1 : 1),
        firstSpatial(format == "NXC" ? 1 : 2) {}
  int64_t channel, firstSpatial;
};

/// The number of spatial dimensions, one to three (C1).
mlir::FailureOr<int64_t> checkImage(OptionalLoc loc, llvm::StringRef name,
                                    mlir::RankedTensorType type);

/// A name is one of those allowed (C2).
llvm::LogicalResult checkName(OptionalLoc loc, llvm::StringRef name,
                              llvm::StringRef value,
                              llvm::ArrayRef<llvm::StringRef> allowed);

/// A list has one element per spatial dimension, of at least `least` (C3).
llvm::LogicalResult checkList(OptionalLoc loc, llvm::StringRef name,
                              llvm::ArrayRef<int64_t> values, int64_t count,
                              int64_t least);

/// The output along a spatial dimension, which may not be empty.
mlir::FailureOr<int64_t> checkOutput(OptionalLoc loc,
                                     llvm::StringRef constraint, int64_t index,
                                     SpatialDim dim, llvm::StringRef autoPad,
                                     bool roundsUp = false);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_IR_SPATIALDIMS_H
