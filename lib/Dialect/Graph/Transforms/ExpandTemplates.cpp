// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHEXPANDTEMPLATES
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {
struct ExpandTemplates : impl::GraphExpandTemplatesBase<ExpandTemplates> {
  void runOnOperation() override {
    SmallVector<TunableOpInterface> worklist;
    getOperation().walk([&](TunableOpInterface op) { worklist.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (TunableOpInterface op : worklist) {
      TemplateAttrInterface chosen = op.getChosenTemplate();
      if (!chosen)
        continue;
      rewriter.setInsertionPoint(op);
      SmallVector<Value> results = chosen.expand(op, rewriter);
      if (results.empty())
        continue;
      // Layouts that the program specifies stay as they are.
      for (auto [result, value] : llvm::zip_equal(op->getResults(), results))
        value.setType(result.getType());
      llvm::SmallSetVector<Operation *, 4> producers;
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          producers.insert(producer);
      rewriter.replaceOp(op, results);
      // The expansion may read what these read.
      for (Operation *producer : producers)
        if (isOpTriviallyDead(producer))
          rewriter.eraseOp(producer);
    }
  }
};
} // namespace

} // namespace gc::graph
