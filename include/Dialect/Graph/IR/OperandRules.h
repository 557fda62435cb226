// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What passes ask of ops that compute operands of tunable ops.

#ifndef GC_DIALECT_GRAPH_IR_OPERANDRULES_H
#define GC_DIALECT_GRAPH_IR_OPERANDRULES_H

#include "mlir/IR/Operation.h"

namespace gc::graph {

/// Whether the templates of a tunable op pack an operand in blocks as they are
/// needed, also where the batch shares it: keys and values of an attention.
bool packsByBlocks(mlir::Operation *tunable, unsigned operand);

/// Whether an op has operands, smaller than its result, of which a block of the
/// result needs no more than a block: scales of groups.
bool hasOperandsOfGroups(mlir::Operation *op);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_OPERANDRULES_H
