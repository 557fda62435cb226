// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/OperandRules.h"
#include "Dialect/Graph/IR/GraphOps.h"

using namespace gc::graph;

bool gc::graph::packsByBlocks(mlir::Operation *tunable, unsigned operand) {
  return mlir::isa<AttentionOp>(tunable) && operand > 0;
}

bool gc::graph::hasOperandsOfGroups(mlir::Operation *op) {
  return mlir::isa<DynamicDequantizeOp>(op);
}
