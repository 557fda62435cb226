// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/Passes.h"
#include "Dialect/Graph/Transforms/RegionCost.h"
#include "Support/ModuleMachine.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHPREDICTCOST
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {
struct PredictCost : impl::GraphPredictCostBase<PredictCost> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    auto machine = getMachine(getOperation()->getParentOfType<ModuleOp>());
    if (failed(machine))
      return signalPassFailure();
    if (threads < 0) {
      getOperation()->emitError("option 'threads' is negative");
      return signalPassFailure();
    }
    CostModel model(*machine, threads);
    auto costs = predictCosts(getOperation().getBody().front(), model);
    if (failed(costs))
      return signalPassFailure();
    for (const RegionCost &cost : *costs)
      FusedOp(cost.region)->setAttr(GraphDialect::kCostAttr, cost.getAttr());
    if (!costs->empty())
      getOperation()->setAttr(GraphDialect::kCostAttr,
                              getTotal(*costs, model).getAttr());
  }
};
} // namespace

} // namespace gc::graph
