// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Predicted cycles of loops over ops before they have anchors and schedules:
// what passes write down beside their decisions.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_LOOPCOSTS_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_LOOPCOSTS_H

#include "Machine/CostModel.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace gc::graph {

/// Cycles that ops take in one parallel loop: what they read of others and what
/// others read of them is moved once, from and to the cache that holds all of
/// it, and a barrier ends the loop. Of a tunable op that is among them only
/// what it reads and writes counts. Nothing if sizes are not known.
std::optional<double> getLoopCycles(llvm::ArrayRef<mlir::Operation *> ops,
                                    const CostModel &model);

/// Cycles that each of them takes in a loop of its own, all in all; not less
/// than what they take together.
std::optional<double> getCyclesApart(llvm::ArrayRef<mlir::Operation *> ops,
                                     const CostModel &model);

/// Cycles of the team to read a tensor once from the cache that holds it; 0 if
/// its size is not known.
double getReadCycles(mlir::Type tensor, const CostModel &model);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_LOOPCOSTS_H
