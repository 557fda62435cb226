// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The Graph dialect itself, without its ops and attributes.

#ifndef GC_DIALECT_GRAPH_IR_GRAPHDIALECT_H
#define GC_DIALECT_GRAPH_IR_GRAPHDIALECT_H

#include "Dialect/Graph/IR/TargetSupport.h"
#include "Dialect/Graph/Templates/TemplateRegistry.h"
#include "mlir/IR/Dialect.h"

#include <memory>
#include <vector>

#include "Dialect/Graph/IR/GraphDialect.h.inc"

#endif // GC_DIALECT_GRAPH_IR_GRAPHDIALECT_H
