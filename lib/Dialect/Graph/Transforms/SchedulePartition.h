// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the parallel loop of a region without a tunable op iterates over.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_SCHEDULEPARTITION_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_SCHEDULEPARTITION_H

#include "Schedule.h"

namespace gc::graph {

/// How a region is cut into tasks.
class TaskPartition {
public:
  /// What is cut, and what limits it.
  struct Limits {
    /// The dimension of vectors and the transposed one.
    PassDims dims;
    /// Sums of columns, rather than of rows.
    bool columnwise = false;
    /// Vectors may be cut at all.
    bool cutsVectors = true;
    /// Pieces of a dimension are multiples of its unit.
    llvm::ArrayRef<int64_t> units;
    /// The dimension that is cut only if there are too few tasks otherwise; -1
    /// for none.
    int64_t last = -1;
    /// The most elements along vectors that a task works on; 0 for all.
    int64_t channels = 0;
    /// Elements in a cache line of what is written.
    int64_t lineElements = 1;
  };

  TaskPartition(const RegionSpace &space, const Limits &limits,
                const ScheduleContext &context);

  llvm::ArrayRef<int64_t> getDims() const { return cutDims; }
  llvm::ArrayRef<int64_t> getPieces() const { return pieces; }
  int64_t getTasks() const { return tasks; }
  /// Of a dimension, all of it if it is not cut.
  int64_t getPiece(int64_t dim) const;

private:
  void cut(int64_t dim, int64_t piece);
  /// Cuts a dimension of vectors into pieces of whole cache lines, of at most
  /// `most` elements unless that is 0.
  void cutVectors(int64_t dim, int64_t least, int64_t most, int64_t enough);
  /// Cuts what is transposed into squares: rows of operands and of results are
  /// far apart, and a page should be of use more than once.
  void cutSquare(int64_t vectors, int64_t rows, int64_t enough);

  llvm::ArrayRef<int64_t> sizes, units;
  int64_t lineElements;
  llvm::SmallVector<int64_t> cutDims, pieces;
  int64_t tasks = 1;
};

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_SCHEDULEPARTITION_H
