// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a core computes one small product after another, the operands of the
// next product are fetched into its cache while it works on this one: the rows
// of a head of attention are far apart, so the hardware does not predict them.
// A few lines are fetched with every row of the passes over the result, a part
// of them with each run over the row.
// Fetching many at a time, before a kernel, would make them wait for each
// other, and the kernel for them.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULPREFETCH_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULPREFETCH_H

#include "MatmulNest.h"

namespace gc {

class MatmulPrefetch {
public:
  explicit MatmulPrefetch(MatmulNest &nest) : nest(nest) {}

  /// Emits the coordinates of the next product if the schedule fetches some of
  /// it.
  void emitStart();
  /// Fetches the share of one kernel call, if no pass fetches it.
  void emitWithKernel();
  /// Fetches what goes with a run over the given rows of the current block.
  void emitWithRows(const RegionEmitter::Rows &rows);

  /// Whether there is something to fetch.
  explicit operator bool() const { return !nextBatch.empty(); }

private:
  /// The input that an operand of the next product is read from if the schedule
  /// fetches it, else an empty buffer.
  Buffer getSource(unsigned operand) const;
  /// So many lines from `line` on of this many rows from `row` on.
  void emitLines(const Buffer &source, const Coord &row, int64_t rows,
                 const Coord &line, int64_t lines);

  MatmulNest &nest;
  /// Coordinates of the product after this one.
  llvm::SmallVector<Coord> nextBatch;
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULPREFETCH_H
