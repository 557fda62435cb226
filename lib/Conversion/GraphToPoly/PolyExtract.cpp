// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/GraphToPoly/Statements.h"
#include "Conversion/Passes.h"
#include "Dialect/Graph/IR/GraphDialect.h"
#include "Dialect/Poly/IR/PolyOps.h"
#include "ReadGraph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace gc {
#define GEN_PASS_DEF_POLYEXTRACT
#include "Conversion/Passes.h.inc"
} // namespace gc

using namespace gc;

static bool isGraphFunction(func::FuncOp function) {
  if (function.isDeclaration() || function.isPrivate())
    return false;
  return function
      .walk([](Operation *op) {
        return isCompiledForNpu(op) ? WalkResult::interrupt()
                                    : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct PolyExtractPass : gc::impl::PolyExtractBase<PolyExtractPass> {
  LogicalResult extract(func::FuncOp function) {
    FailureOr<ScopModel> scop = readGraph(function);
    if (failed(scop))
      return failure();
    scop->simplify();
    scop->keepWide();
    SymbolTable symbols(getOperation());
    std::string name = function.getName().str();
    StringAttr reference = StringAttr::get(&getContext(), name + "_graph");
    if (failed(symbols.rename(function, reference)) ||
        function.getName() != reference)
      return function.emitOpError()
             << "cannot be renamed to '" << reference.getValue()
             << "', since there is another function of that name";
    function.setPrivate();
    OpBuilder builder(function);
    builder.setInsertionPointAfter(function);
    return success(static_cast<bool>(
        scop->build(builder, function.getLoc(), name, reference.getValue())));
  }

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isGraphFunction(function))
        functions.push_back(function);
    for (func::FuncOp function : functions)
      if (failed(extract(function)))
        return signalPassFailure();
  }
};
} // namespace
