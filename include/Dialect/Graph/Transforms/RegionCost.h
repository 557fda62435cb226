// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What fused regions are predicted to cost, from what has been decided on them:
// templates, anchors, merge groups.

#ifndef GC_DIALECT_GRAPH_TRANSFORMS_REGIONCOST_H
#define GC_DIALECT_GRAPH_TRANSFORMS_REGIONCOST_H

#include "Dialect/Graph/IR/GraphOps.h"
#include "Machine/CostModel.h"

namespace gc::graph {

struct RegionCost {
  FusedOp region;
  /// Cycles of the busiest core, the barrier after the region included.
  Cost cost;
  /// Multiplications and additions of contractions.
  int64_t flops = 0;
  /// Bytes of the values that enter and leave the region, each of which has to
  /// be moved once.
  int64_t bytes = 0;

  CostAttr getAttr() const;
};

/// The costs of the fused regions of a block, in their order. Anchors, where
/// they are missing, are taken to be the innermost ones. Where the data of a
/// region is found depends on what the block has touched since its last use;
/// arguments were last used by a previous execution, so this is the cost of one
/// of many executions. Reports a region whose ops have no common iteration
/// space.
mlir::FailureOr<llvm::SmallVector<RegionCost>>
predictCosts(mlir::Block &block, const CostModel &model);

/// One execution of all regions, with the start of the team.
RegionCost getTotal(llvm::ArrayRef<RegionCost> regions, const CostModel &model);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TRANSFORMS_REGIONCOST_H
