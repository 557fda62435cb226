// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/Passes.h"
#include "RegionGrowth.h"
#include "Support/ModuleMachine.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHFUSE
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {
struct Fuse : impl::GraphFuseBase<Fuse> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    for (auto [name, value] :
         {std::pair<const char *, int64_t>{"max-ops", maxOps},
          {"max-reductions", maxReductions},
          {"max-reorders", maxReorders},
          {"max-input-bytes", maxInputBytes},
          {"split-elements", splitElements}})
      if (value < 0) {
        getOperation()->emitError("option '") << name << "' is negative";
        return signalPassFailure();
      }
    auto machine = getMachine(getOperation()->getParentOfType<ModuleOp>());
    if (failed(machine) || failed(checkThreads(getOperation(), threads)))
      return signalPassFailure();
    if (threads > 0)
      machine->cores = threads;
    FusionLimits limits{maxOps, maxReductions, maxReorders, maxInputBytes,
                        splitElements};
    RegionGrowth growth(limits, *machine, getArgument());
    Block &block = getOperation().getBody().front();
    // Tunable ops first: work that can be done while their tile is in the cache
    // is not worth a separate pass.
    growth.fuseTunable(block);
    growth.fuseFusible(block);
  }
};
} // namespace

} // namespace gc::graph
