// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Support/ModuleMachine.h"
#include "TunableChains.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHSELECTTEMPLATE
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {
struct SelectTemplate : impl::GraphSelectTemplateBase<SelectTemplate> {
  using Base::Base;

  void runOnOperation() override {
    if (threads < 0) {
      getOperation()->emitError("option 'threads' is negative");
      return signalPassFailure();
    }
    if (kernel != "auto" && kernel != "libxsmm" && kernel != "vector") {
      getOperation()->emitError(
          "option 'kernel' is auto, libxsmm or vector, not '")
          << kernel << "'";
      return signalPassFailure();
    }
    auto machine = getMachine(getOperation()->getParentOfType<ModuleOp>());
    if (failed(machine))
      return signalPassFailure();
    TemplateOptions options;
    options.threads = threads;
    options.vectorKernels = kernel == "vector";
    // Ops are at the top of the function, or in regions that are there already.
    WalkResult result = getOperation().walk([&](Block *block) {
      for (ArrayRef<ChainLink> chain : getTunableChains(*block))
        if (failed(chooseTemplates(chain, *machine, options)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

} // namespace gc::graph
