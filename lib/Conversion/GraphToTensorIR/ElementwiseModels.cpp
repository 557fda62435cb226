// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise ops that are computed on vectors differently from their scalar
// bodies.

#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "EmissionModels.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

namespace {
using Values = SmallVector<Value>;

/// What is known of the results makes the expansion of exp shorter.
struct ExpModel : EmissionOpInterface::ExternalModel<ExpModel, ExpOp> {
  Values emitVector(Operation *op, OpBuilder &builder, Location loc,
                    ValueRange x) const {
    auto exp = cast<ExpOp>(op);
    Values results = exp.buildBody(builder, loc, x);
    if (exp.getAtMostOne() && !results.empty())
      results[0].getDefiningOp()->setAttr(tir::TensorIRDialect::kAtMostOneAttr,
                                          builder.getUnitAttr());
    return results;
  }
};

} // namespace

void attachElementwiseModels(MLIRContext *context) {
  ExpOp::attachInterface<ExpModel>(*context);
}

} // namespace gc
