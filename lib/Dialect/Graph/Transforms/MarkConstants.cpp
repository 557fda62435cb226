// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHMARKCONSTANTS
#include "Dialect/Graph/Transforms/Passes.h.inc"

bool isConstantValue(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto func = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp());
    return func && arg.getOwner()->isEntryBlock() &&
           func.getArgAttr(arg.getArgNumber(), GraphDialect::kConstArgAttr);
  }
  Operation *op = value.getDefiningOp();
  return isa<ConstantOp>(op) || op->hasAttr(GraphDialect::kConstantAttr);
}

namespace {
struct MarkConstants : impl::GraphMarkConstantsBase<MarkConstants> {
  using Base::Base;

  void runOnOperation() override {
    if (publicOnly && getOperation().isPrivate())
      return;
    auto unit = UnitAttr::get(&getContext());
    for (Operation &op : getOperation().getOps()) {
      if (!isa_and_present<GraphDialect>(op.getDialect()) ||
          isa<ConstantOp>(op) || op.getNumOperands() == 0 ||
          op.getNumRegions() != 0 || !isPure(&op))
        continue;
      if (llvm::all_of(op.getOperands(), isConstantValue))
        op.setAttr(GraphDialect::kConstantAttr, unit);
      else
        op.removeAttr(GraphDialect::kConstantAttr);
    }
  }
};
} // namespace

} // namespace gc::graph
