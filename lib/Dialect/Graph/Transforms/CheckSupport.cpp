// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/TargetSupport.h"
#include "Dialect/Graph/Transforms/DeadOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHCHECKSUPPORT
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {
struct CheckSupport : impl::GraphCheckSupportBase<CheckSupport> {
  using Base::Base;

  /// Why the target does not take an argument that no op reads which is
  /// compiled; about others, these are asked.
  static std::optional<std::string>
  findArgumentObstacle(func::FuncOp function, const TargetSupport &support,
                       DeadOps &dead) {
    bool hasGraph = llvm::any_of(function.getOps(), [](Operation &op) {
      return isa_and_nonnull<GraphDialect>(op.getDialect());
    });
    if (!hasGraph)
      return std::nullopt;
    for (BlockArgument argument : function.getArguments()) {
      auto isRead = [&](Operation *user) { return !dead.contains(user); };
      if (llvm::any_of(argument.getUsers(), isRead))
        continue;
      if (auto obstacle = support.getBorderObstacle(argument.getType()))
        return "argument " + std::to_string(argument.getArgNumber()) +
               ", which nothing reads, cannot be passed: " + *obstacle;
    }
    return std::nullopt;
  }

  /// That of the first result that has one.
  static std::optional<std::string>
  findReturnObstacle(Operation &terminator, const TargetSupport &support) {
    for (auto &obstacle : support.getReturnObstacles(&terminator))
      if (obstacle)
        return obstacle;
    return std::nullopt;
  }

  void runOnOperation() override {
    auto *dialect = getContext().getLoadedDialect<GraphDialect>();
    const TargetSupport *support = dialect->findTarget(target);
    if (!support) {
      getOperation()->emitError() << "no target is named '" << target << "'";
      return signalPassFailure();
    }
    DeadOps dead;
    SmallVector<std::pair<Operation *, std::string>> refused;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      if (publicOnly && symbol && symbol.isPrivate())
        return WalkResult::skip();
      std::optional<std::string> obstacle;
      if (op->getDialect() == dialect && !dead.contains(op))
        obstacle = support->getObstacle(op);
      else if (isa<func::ReturnOp>(op))
        obstacle = findReturnObstacle(*op, *support);
      else if (auto function = dyn_cast<func::FuncOp>(op))
        obstacle = findArgumentObstacle(function, *support, dead);
      if (obstacle)
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
