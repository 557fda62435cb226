// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/TargetSupport.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHCHECKSUPPORT
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {
struct CheckSupport : impl::GraphCheckSupportBase<CheckSupport> {
  using Base::Base;

  void runOnOperation() override {
    auto *dialect = getContext().getLoadedDialect<GraphDialect>();
    const TargetSupport *support = dialect->findTarget(target);
    if (!support) {
      getOperation()->emitError() << "no target is named '" << target << "'";
      return signalPassFailure();
    }
    SmallVector<std::pair<Operation *, std::string>> refused;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      if (publicOnly && symbol && symbol.isPrivate())
        return WalkResult::skip();
      if (op->getDialect() != dialect)
        return WalkResult::advance();
      if (std::optional<std::string> obstacle = support->getObstacle(op))
        refused.push_back({op, *obstacle});
      return WalkResult::advance();
    });
    markAllAnalysesPreserved();
    if (refused.empty())
      return;
    // One error about all of them.
    constexpr size_t kMost = 8;
    auto [first, reason] = refused[0];
    InFlightDiagnostic diag = first->emitOpError("cannot run on target '")
                              << target << "': " << reason;
    for (auto &[op, why] : ArrayRef(refused).drop_front().take_front(kMost))
      diag.attachNote(op->getLoc())
          << "neither can '" << op->getName() << "': " << why;
    if (refused.size() > kMost + 1)
      diag.attachNote(first->getLoc())
          << "nor " << refused.size() - kMost - 1 << " more";
    signalPassFailure();
  }
};
} // namespace

} // namespace gc::graph
