// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/Decompose.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "mlir/IR/Diagnostics.h"

#include <thread>

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHDECOMPOSE
#include "Dialect/Graph/Transforms/Passes.h.inc"

LogicalResult decomposeOp(ComplexOpInterface op, bool isUnguarded,
                          llvm::function_ref<void(Operation *)> visit) {
  IRRewriter rewriter(op->getContext());
  Operation *previous = op->getPrevNode();
  auto results =
      isUnguarded ? op.decomposeUnguarded(rewriter) : op.decompose(rewriter);
  if (failed(results))
    return failure();
  for (Operation *built = previous ? previous->getNextNode()
                                   : &op->getBlock()->front();
       built != op; built = built->getNextNode())
    visit(built);
  // Layouts and sizes that the program specifies stay as they are.
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *results))
    if (result.getType() != value.getType())
      value.setType(result.getType());
  rewriter.replaceOp(op, *results);
  return success();
}

namespace {
struct Decompose : impl::GraphDecomposeBase<Decompose> {
  using GraphDecomposeBase::GraphDecomposeBase;

  void runOnOperation() override {
    SmallVector<ComplexOpInterface> worklist;
    auto collect = [&](Operation *op) {
      auto complex = dyn_cast<ComplexOpInterface>(op);
      // Some are computed where they are read.
      if (complex && complex.isComplex() &&
          !op->hasAttr(GraphDialect::kWhereReadAttr) &&
          (!contractionsOnly || complex.decomposesToContractions()))
        worklist.push_back(complex);
    };
    getOperation()->walk(collect);

    // An op that says itself why it cannot be decomposed has no second error.
    bool isReported = false;
    ScopedDiagnosticHandler handler(
        &getContext(), [&, thread = std::this_thread::get_id()](Diagnostic &d) {
          isReported |= d.getSeverity() == DiagnosticSeverity::Error &&
                        std::this_thread::get_id() == thread;
          return failure();
        });
    while (!worklist.empty()) {
      ComplexOpInterface op = worklist.pop_back_val();
      if (succeeded(decomposeOp(op, fastSoftmax, collect)))
        continue;
      if (!isReported)
        op->emitOpError("cannot be decomposed");
      return signalPassFailure();
    }
  }
};
} // namespace

} // namespace gc::graph
