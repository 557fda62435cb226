// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Graphs as pictures; graph-dump writes them into files.

#ifndef GC_DIALECT_GRAPH_TRANSFORMS_PICTURE_H
#define GC_DIALECT_GRAPH_TRANSFORMS_PICTURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gc::graph {

/// Draws a function of one block as an SVG element: ops as nodes inside of
/// boxes for fused regions and merge groups.
void writeGraphSvg(mlir::func::FuncOp function, llvm::raw_ostream &os);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TRANSFORMS_PICTURE_H
