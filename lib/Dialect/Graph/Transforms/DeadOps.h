// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that no compilation sees, as the first simplification removes them.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_DEADOPS_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_DEADOPS_H

#include "mlir/IR/Operation.h"

namespace gc::graph {

/// Ops in the root whose results no result of a function needs.
llvm::DenseSet<mlir::Operation *> findDeadOps(mlir::Operation *root);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_DEADOPS_H
