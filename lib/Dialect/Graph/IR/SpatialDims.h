// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A kernel that slides along a spatial dimension of an image.

#ifndef GC_LIB_DIALECT_GRAPH_IR_SPATIALDIMS_H
#define GC_LIB_DIALECT_GRAPH_IR_SPATIALDIMS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace gc::graph {

/// Most elements along a spatial dimension, so that sizes do not overflow.
constexpr int64_t kMostElements = int64_t(1) << 30;

/// One spatial dimension.
struct SpatialDim {
  int64_t input, kernel, stride, dilation, padBegin, padEnd;

  /// Elements of the input that one element of the output reads, gaps included.
  int64_t getReach() const { return (kernel - 1) * dilation + 1; }
  /// Elements of the output; 0 if the kernel does not fit.
  int64_t getOutput() const {
    int64_t room = input + padBegin + padEnd - getReach();
    return room < 0 ? 0 : room / stride + 1;
  }
  /// Sets the pads that auto_pad asks for.
  void resolvePads(llvm::StringRef autoPad);
};

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_IR_SPATIALDIMS_H
