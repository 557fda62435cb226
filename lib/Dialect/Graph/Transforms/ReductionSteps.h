// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions in two steps: parts first, then the parts' results. Whatever reads
// a second step waits for the whole team.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_REDUCTIONSTEPS_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_REDUCTIONSTEPS_H

#include "Dialect/Graph/IR/GraphOps.h"

namespace gc::graph {

/// Rows that are added at a time to sums in memory; parts of columns are whole
/// blocks of them.
constexpr int64_t kSummedRows = 8;

/// Per op of the block, how many second steps, one after another, it depends
/// on. Empty if there are none.
llvm::DenseMap<mlir::Operation *, unsigned>
getReductionDepths(mlir::Block &block);

/// Pointwise ops and reductions by what their results end in. A tensor that is
/// reduced in parts and, along other dimensions, as a whole is read twice: no
/// region can have both reductions.
struct ReductionSides {
  /// Reductions in parts, and ops whose results all end in such.
  llvm::SmallPtrSet<mlir::Operation *, 8> inParts;
  /// Reductions in one step along other dimensions, ops whose results end in
  /// them, and ops that need their results element by element.
  llvm::SmallPtrSet<mlir::Operation *, 16> whole;

  /// Whether an op is of the other side than some of those given.
  bool isApart(mlir::Operation *op,
               llvm::ArrayRef<mlir::Operation *> others) const;
};

ReductionSides getReductionSides(mlir::Block &block);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_REDUCTIONSTEPS_H
