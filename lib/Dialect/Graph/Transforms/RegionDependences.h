// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which ops may not join a region because they depend on it through ops
// outside.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_REGIONDEPENDENCES_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_REGIONDEPENDENCES_H

#include "RegionGrowth.h"

namespace gc::graph {

/// The op's name, in quotes.
std::string quote(mlir::Operation *op);

/// The order of ops in a block.
inline bool isBefore(mlir::Operation *a, mlir::Operation *b) {
  return a->isBeforeInBlock(b);
}

/// Whether a value depends on one of the ops through ops that are not among
/// them.
bool dependsOn(mlir::Value value,
               const llvm::SetVector<mlir::Operation *> &ops);

/// Says by which operand the region would depend on itself if the op joined it;
/// none if it would not.
std::optional<Obstacle> checkCycle(FusibleOpInterface op,
                                   llvm::SetVector<mlir::Operation *> ops);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_REGIONDEPENDENCES_H
