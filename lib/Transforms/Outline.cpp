// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Outline.h"
#include "Conversion/LinalgToGraph/LinalgToGraph.h"
#include "Conversion/TosaToGraph/TosaToGraph.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "HasGraphOps.h"
#include "OutlineBlock.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace gc;

namespace {

struct OutlinePass : public PassWrapper<OutlinePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OutlinePass)

  OutlinePass() = default;
  OutlinePass(const OutlinePass &other) : PassWrapper(other) {
    copyOptionValuesFrom(&other);
  }

  StringRef getArgument() const override { return "gc-outline"; }
  StringRef getDescription() const override {
    return "Moves what can be compiled as graphs to functions of their own";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<graph::GraphDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto *dialect = getContext().getLoadedDialect<graph::GraphDialect>();
    const graph::TargetSupport *support = dialect->findTarget(target);
    if (!support) {
      module.emitError() << "no target is named '" << target << "'";
      return signalPassFailure();
    }
    OpConversions conversions;
    addLinalgConversions(conversions);
    addTosaConversions(conversions);
    OutlineOptions options{conversions, *support, minOps, minElements,
                           getArgument()};
    SymbolTable symbols(module);
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      // A graph is compiled as a whole.
      if (function.isDeclaration() || hasGraphOps(function))
        continue;
      // Bodies of structured ops are not programs.
      SmallVector<Block *> blocks;
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (op != function && conversions.contains(op))
          return WalkResult::skip();
        for (Region &region : op->getRegions())
          for (Block &block : region)
            if (block.mightHaveTerminator())
              blocks.push_back(&block);
        return WalkResult::advance();
      });
      for (Block *block : blocks)
        outlineBlock(*block, function, symbols, options);
    }
  }

private:
  Option<std::string> target{
      *this, "target", llvm::cl::desc("Target that has to run the graphs"),
      llvm::cl::init("cpu")};
  Option<int64_t> minOps{
      *this, "min-ops",
      llvm::cl::desc("Minimum number of graph ops that compute something, of "
                     "graphs without a contraction"),
      llvm::cl::init(2)};
  Option<int64_t> minElements{
      *this, "min-elements",
      llvm::cl::desc("Minimum number of elements that these ops compute "
                     "together"),
      llvm::cl::init(4096)};
};

} // namespace

void gc::registerOutlinePass() { PassRegistration<OutlinePass>(); }
