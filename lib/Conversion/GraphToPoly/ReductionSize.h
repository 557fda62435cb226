// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many elements a reduction combines, and how many a tile has room for.

#ifndef GC_LIB_CONVERSION_GRAPHTOPOLY_REDUCTIONSIZE_H
#define GC_LIB_CONVERSION_GRAPHTOPOLY_REDUCTIONSIZE_H

#include "Dialect/Npu/IR/NpuOps.h"

namespace gc {

struct ReductionSize {
  /// The reduced dimensions of more than one element, outermost first.
  llvm::SmallVector<int64_t> dims;
  /// Elements that become one.
  int64_t elements = 1;
  /// The same with the gaps between rows that are reduced.
  int64_t padded = 1;
  /// Elements inside of the innermost reduced dimension: 1 if rows are reduced.
  int64_t columns = 1;
  /// Whether only dimensions inside of all others are reduced.
  bool isInnermost = false;
  /// The most elements that one tile should combine.
  int64_t most = 0;

  bool isOfRows() const { return columns == 1; }
  /// Whether tiles of it may not fit. Only a price says whether they do.
  bool isLarge() const { return padded > most / 2; }
};

/// Nothing if the op reduces no dimension of more than one element, or has
/// dimensions of unknown size.
std::optional<ReductionSize> getReductionSize(mlir::Operation *op,
                                              const npu::Machine &machine);

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOPOLY_REDUCTIONSIZE_H
