// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/LinalgToGraph/LinalgToGraph.h"
#include "Conversion/Passes.h"
#include "Conversion/ToGraph/OpConversions.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "ScalarBodies.h"
#include "StructuredOps.h"
#include "TensorOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gc;

static FailureOr<Values> convertLinalg(Operation *op, GraphBuilder &b) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return convertStructuredOp(structured, b);
  return convertUnstructuredOp(op, b);
}

/// Ops of arith and math on tensors.
static FailureOr<Values> convertElementwise(Operation *op, GraphBuilder &b) {
  FailureOr<Value> value =
      convertScalarOp(op, b, [&](Value operand) -> FailureOr<Value> {
        return b.get(operand, isReadAsUnsigned(operand));
      });
  if (failed(value))
    return failure();
  return Values{*value};
}

void gc::addLinalgConversions(OpConversions &conversions) {
  conversions.add("arith", convertElementwise);
  conversions.add("linalg", convertLinalg);
  conversions.add("math", convertElementwise);
  conversions.add("tensor", convertTensorOp);
}

namespace gc {

#define GEN_PASS_DEF_CONVERTLINALGTOGRAPH
#include "Conversion/Passes.h.inc"

namespace {
struct ConvertLinalgToGraphPass
    : impl::ConvertLinalgToGraphBase<ConvertLinalgToGraphPass> {
  using Base::Base;

  void runOnOperation() override {
    OpConversions conversions;
    addLinalgConversions(conversions);
    for (auto function : getOperation().getOps<func::FuncOp>())
      convertInPlace(function, conversions, getArgument());
  }
};
} // namespace

} // namespace gc
