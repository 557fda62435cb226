// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_LIB_DIALECT_GRAPH_IR_GROUPEDDEQUANTIZE_H
#define GC_LIB_DIALECT_GRAPH_IR_GROUPEDDEQUANTIZE_H

#include "mlir/IR/MLIRContext.h"

namespace gc::graph {

/// Makes dynamic_dequantize an op that can be computed on a slice.
void attachGroupedDequantize(mlir::MLIRContext *context);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_IR_GROUPEDDEQUANTIZE_H
