// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that no compilation sees, as the first simplification removes them.

#ifndef GC_DIALECT_GRAPH_TRANSFORMS_DEADOPS_H
#define GC_DIALECT_GRAPH_TRANSFORMS_DEADOPS_H

#include "mlir/IR/Operation.h"

namespace gc::graph {

/// Ops on whose results nothing depends that is kept. Answers are remembered,
/// so the ops must not change meanwhile.
class DeadOps {
public:
  bool contains(mlir::Operation *op);

private:
  /// Ops that have been looked at, and whether they are dead.
  llvm::DenseMap<mlir::Operation *, bool> known;
};

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TRANSFORMS_DEADOPS_H
