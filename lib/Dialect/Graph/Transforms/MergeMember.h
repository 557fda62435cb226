// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A region as a member of a group whose parallel loops become one: where its
// iterations read and write what is between the regions, and what it costs to
// have one loop over blocks of rows as well. graph-mark-mergeable bases its
// decisions on it.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_MERGEMEMBER_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_MERGEMEMBER_H

#include "Dialect/Graph/Transforms/RegionSpace.h"
#include "Machine/CostModel.h"

namespace gc::graph {

/// Per dimension of a tensor the dimension of a region's space that is its
/// index, or -1.
using TensorDims = llvm::SmallVector<int64_t>;

/// A region whose loops can be merged with others.
struct MergeMember {
  FusedOp fused;
  TunableOpInterface tunable;
  OuterLoops loops;
  RegionSpace space;

  mlir::Operation *getTunable() const { return tunable; }
  mlir::Block &getBody() const { return fused->getRegion(0).front(); }
  unsigned getRowDim() const { return loops.batch.size(); }
  unsigned getColumnDim() const { return loops.batch.size() + 1; }
  /// Sizes of the parallel loops.
  llvm::SmallVector<int64_t> getParallelSizes() const;

  /// Where the region writes one of its results.
  TensorDims getWrittenDims(mlir::OpResult result) const;
  /// Where the region reads an operand of one of its ops that is computed
  /// outside; nothing if that is not known.
  std::optional<TensorDims> getReadDims(mlir::OpOperand &use) const;

  /// Calls `function(result, use)` for the uses of this region's results inside
  /// the other one.
  template <typename Function>
  void forEachFlow(const MergeMember &to, Function function) const {
    for (mlir::OpResult result : fused->getOpResults())
      for (mlir::OpOperand &use : result.getUses())
        if (to.fused->isProperAncestor(use.getOwner()))
          function(result, use);
  }
};

/// Whether an iteration over the dimensions reads only what the same iteration
/// has written.
bool isOwn(const TensorDims &written, const TensorDims &read,
           llvm::ArrayRef<unsigned> dims);

/// Whether the region's blocks of rows can follow those of the group.
bool canMergeRows(llvm::ArrayRef<MergeMember> group, const MergeMember &next);

struct RowCosts {
  double apart, merged;
};

/// Cycles that one core spends per batch item on operands and on values between
/// the regions, with the loops over blocks of rows apart and merged.
RowCosts getRowCosts(llvm::ArrayRef<MergeMember> group, const MergeMember &next,
                     const CostModel &model);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_MERGEMEMBER_H
