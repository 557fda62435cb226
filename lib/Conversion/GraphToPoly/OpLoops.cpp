// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpLoops.h"
#include "Conversion/ToGraph/OpConversions.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

static bool isStatement(Operation *op, StatementKind kind) {
  auto statement = dyn_cast<StatementOpInterface>(op);
  return statement && statement.getStatementKind() == kind;
}

bool gc::isContraction(Operation *op) {
  return isa<ContractionOpInterface>(op) ||
         isStatement(op, StatementKind::contraction);
}

bool gc::isReduction(Operation *op) {
  return isa<ReductionOpInterface>(op) ||
         isStatement(op, StatementKind::reduction);
}

bool gc::isElementwise(Operation *op) {
  if (isa<FusibleOpInterface>(op) && isa<ScalarBodyOpInterface>(op))
    return !isReduction(op) && !isContraction(op);
  return isStatement(op, StatementKind::elementwise);
}

OpLoops::OpLoops(Operation *op)
    : fusible(dyn_cast<FusibleOpInterface>(op)),
      statement(dyn_cast<StatementOpInterface>(op)) {}

std::optional<OpLoops> OpLoops::get(Operation *op) {
  if (!isElementwise(op) && !isReduction(op))
    return std::nullopt;
  return OpLoops(op);
}

SmallVector<int64_t> OpLoops::getSpace() {
  return fusible ? fusible.getIterationSpace() : statement.getSpace();
}

AffineMap OpLoops::getOperandMap(unsigned operand) {
  return fusible ? fusible.getOperandMap(operand)
                 : statement.getReadMap(operand);
}

AffineMap OpLoops::getResultMap(unsigned result) {
  return fusible ? fusible.getResultMap(result) : statement.getWriteMap(result);
}

bool gc::readsElements(Operation *op, unsigned operand) {
  auto statement = dyn_cast<StatementOpInterface>(op);
  return !statement || statement.getReadMap(operand);
}

bool gc::isNumber(Operation *op) { return op && isConstantLike(op); }
