// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/NamedDims.h"
#include "Dialect/Graph/Transforms/Passes.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHSPECIALIZE
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {
struct Specialize : impl::GraphSpecializeBase<Specialize> {
  using GraphSpecializeBase::GraphSpecializeBase;

  void runOnOperation() override {
    NamedSizes sizes;
    for (const NamedSize &dim : dims)
      if (!sizes.try_emplace(dim.name, dim.size).second) {
        getOperation()->emitError("option 'dims': two sizes for '")
            << dim.name << "'";
        return signalPassFailure();
      }
    NamedSizes unknown = sizes;
    WalkResult walked = getOperation()->walk([&](FunctionOpInterface function) {
      // Functions need not have the same names.
      NamedSizes own;
      for (const NamedDim &dim : getNamedDims(function))
        if (auto size = sizes.find(dim.name); size != sizes.end()) {
          own.insert(*size);
          unknown.erase(dim.name);
        }
      return WalkResult(specializeDims(function, own));
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    if (!unknown.empty()) {
      getOperation()->emitError("no function has a dimension '")
          << unknown.begin()->first << "'";
      signalPassFailure();
    }
  }
};
} // namespace

} // namespace gc::graph
