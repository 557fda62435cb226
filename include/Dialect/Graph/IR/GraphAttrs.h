// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attributes of the Graph dialect: layouts, templates, anchors.

#ifndef GC_DIALECT_GRAPH_IR_GRAPHATTRS_H
#define GC_DIALECT_GRAPH_IR_GRAPHATTRS_H

#include "Dialect/Graph/IR/GraphInterfaces.h"
#include "Machine/VectorPlan.h"
#include "mlir/IR/TensorEncoding.h"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Graph/IR/GraphAttrs.h.inc"

#endif // GC_DIALECT_GRAPH_IR_GRAPHATTRS_H
