// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Result types that follow from operands and attributes.

#ifndef GC_DIALECT_GRAPH_IR_REFINEDTYPES_H
#define GC_DIALECT_GRAPH_IR_REFINEDTYPES_H

#include "mlir/IR/Operation.h"

namespace gc::graph {

/// Gives the results of an op the shapes that follow from its operands and
/// attributes. Element types, which some ops leave to the program, and layouts
/// stay. Reports one error at the op if no shapes follow. Ops without such a
/// rule keep their types.
llvm::LogicalResult refineResultTypes(mlir::Operation *op);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_REFINEDTYPES_H
