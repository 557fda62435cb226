// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Windows that slide along the rows of an image, seen by vectors along the same
// rows: elements that are next to each other, or every second one.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_WINDOWRUN_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_WINDOWRUN_H

#include "VectorAccess.h"

namespace gc {

/// Elements in a run of memory, of which a vector's lanes read some.
struct WindowRun {
  /// The dimension of the tensor, and the index of the first element in it.
  int64_t dim = 0;
  Coord first;
  /// At most twice as many as lanes; 0 if no lane has an element.
  int64_t length = 0;
  /// By lane, the distance from the first element; nothing where there is none.
  llvm::SmallVector<std::optional<int64_t>> lanes;

  bool isFull() const;
};

/// The run that a vector of windows' elements reads, if its lanes differ in the
/// index of a contiguous dimension alone and it is known where each of them is.
std::optional<WindowRun> getWindowRun(const Access &access,
                                      const Position &position);

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_WINDOWRUN_H
