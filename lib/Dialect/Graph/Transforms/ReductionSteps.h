// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions in two steps: parts first, then the parts' results. Whatever reads
// a second step waits for the whole team.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_REDUCTIONSTEPS_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_REDUCTIONSTEPS_H

#include "Dialect/Graph/IR/GraphOps.h"

namespace gc::graph {

/// Per op of the block, how many second steps, one after another, it depends
/// on. Empty if there are none.
llvm::DenseMap<mlir::Operation *, unsigned>
getReductionDepths(mlir::Block &block);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_REDUCTIONSTEPS_H
