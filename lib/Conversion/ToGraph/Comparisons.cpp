// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/ToGraph/Comparisons.h"

using namespace mlir;
using namespace gc;
using arith::CmpFPredicate;

/// whenTrue where lhs >= rhs; false for NaN.
static FailureOr<Value> selectGreaterEqual(GraphBuilder &b, Value lhs,
                                           Value rhs, Value whenTrue,
                                           Value whenFalse) {
  FailureOr<Value> condition = b.build("graph.greater_equal", {lhs, rhs}, {},
                                       b.getBuilder().getI1Type());
  if (failed(condition))
    return failure();
  return b.build("graph.select", {*condition, whenTrue, whenFalse}, {},
                 getElement(whenTrue));
}

FailureOr<Value> gc::buildSelect(GraphBuilder &b, CmpFPredicate predicate,
                                 Value lhs, Value rhs, Value whenTrue,
                                 Value whenFalse) {
  auto nest = [&](Value l0, Value r0, Value l1, Value r1, Value both,
                  Value otherwise) -> FailureOr<Value> {
    FailureOr<Value> inner = selectGreaterEqual(b, l1, r1, both, otherwise);
    if (failed(inner))
      return failure();
    return selectGreaterEqual(b, l0, r0, *inner, otherwise);
  };
  switch (predicate) {
  case CmpFPredicate::OGE:
    return selectGreaterEqual(b, lhs, rhs, whenTrue, whenFalse);
  case CmpFPredicate::OLE:
    return selectGreaterEqual(b, rhs, lhs, whenTrue, whenFalse);
  case CmpFPredicate::ULT:
    return selectGreaterEqual(b, lhs, rhs, whenFalse, whenTrue);
  case CmpFPredicate::UGT:
    return selectGreaterEqual(b, rhs, lhs, whenFalse, whenTrue);
  case CmpFPredicate::OEQ:
    return nest(lhs, rhs, rhs, lhs, whenTrue, whenFalse);
  case CmpFPredicate::UNE:
    return nest(lhs, rhs, rhs, lhs, whenFalse, whenTrue);
  case CmpFPredicate::ORD:
    return nest(lhs, lhs, rhs, rhs, whenTrue, whenFalse);
  case CmpFPredicate::UNO:
    return nest(lhs, lhs, rhs, rhs, whenFalse, whenTrue);
  // lhs > rhs: lhs >= rhs and not rhs >= lhs.
  case CmpFPredicate::OGT:
  case CmpFPredicate::ULE:
  case CmpFPredicate::OLT:
  case CmpFPredicate::UGE: {
    if (predicate == CmpFPredicate::OLT || predicate == CmpFPredicate::UGE)
      std::swap(lhs, rhs);
    if (predicate == CmpFPredicate::ULE || predicate == CmpFPredicate::UGE)
      std::swap(whenTrue, whenFalse);
    FailureOr<Value> inner =
        selectGreaterEqual(b, rhs, lhs, whenFalse, whenTrue);
    if (failed(inner))
      return failure();
    return selectGreaterEqual(b, lhs, rhs, *inner, whenFalse);
  }
  default:
    return b.fail("this comparison is not supported");
  }
}
