// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One step of graph-decompose.

#ifndef GC_DIALECT_GRAPH_TRANSFORMS_DECOMPOSE_H
#define GC_DIALECT_GRAPH_TRANSFORMS_DECOMPOSE_H

#include "Dialect/Graph/IR/GraphOps.h"

namespace gc::graph {

/// Replaces an op by the simpler ops that define it, which may be complex
/// themselves, and visits each of these. `isUnguarded`: without guards against
/// overflow (ComplexOpInterface).
llvm::LogicalResult
decomposeOp(ComplexOpInterface op, bool isUnguarded,
            llvm::function_ref<void(mlir::Operation *)> visit);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TRANSFORMS_DECOMPOSE_H
