// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Splits a reduction that leaves too little parallelism in two: parts first,
// then their results. graph-fuse and graph-select-anchors do so before they
// form regions without a tunable op.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_SPLITREDUCTIONS_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_SPLITREDUCTIONS_H

#include "RegionGrowth.h"

namespace gc::graph {

/// Splits the reductions of the block that are in no region and need it. What
/// would then be written to memory only to be read in another region is
/// recomputed where that is cheaper and regions have room for it. Each split is
/// a remark of the category.
///
/// Returns how many split reductions, one after another, an op of the block
/// depends on; empty if nothing was split.
llvm::DenseMap<mlir::Operation *, unsigned>
splitReductions(mlir::Block &block, const FusionLimits &limits,
                const Machine &machine, llvm::StringRef category);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_SPLITREDUCTIONS_H
