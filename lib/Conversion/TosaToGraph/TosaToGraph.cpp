// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/TosaToGraph/TosaToGraph.h"
#include "Conversion/Passes.h"
#include "Conversion/ToGraph/OpConversions.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "TosaOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gc;

static FailureOr<SmallVector<Value>> convertTosa(Operation *op,
                                                 GraphBuilder &b) {
  for (auto convert :
       {convertTosaElementwise, convertTosaShape, convertTosaWindows})
    if (MaybeValue value = convert(op, b)) {
      if (failed(*value))
        return failure();
      return SmallVector<Value>{**value};
    }
  return b.fail("there is no such operation in the Graph dialect");
}

void gc::addTosaConversions(OpConversions &conversions) {
  conversions.add("tosa", convertTosa);
}

namespace gc {

#define GEN_PASS_DEF_CONVERTTOSATOGRAPH
#include "Conversion/Passes.h.inc"

namespace {
struct ConvertTosaToGraphPass
    : impl::ConvertTosaToGraphBase<ConvertTosaToGraphPass> {
  using Base::Base;

  void runOnOperation() override {
    OpConversions conversions;
    addTosaConversions(conversions);
    for (auto function : getOperation().getOps<func::FuncOp>())
      convertInPlace(function, conversions, getArgument());
  }
};
} // namespace

} // namespace gc
