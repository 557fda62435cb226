// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The pass: functions on tensors become functions on buffers.

#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "Conversion/Passes.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "FunctionLowering.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

#define GEN_PASS_DEF_CONVERTGRAPHTOTIR
#include "Conversion/Passes.h.inc"

namespace {
struct ConvertGraphToTir : impl::ConvertGraphToTirBase<ConvertGraphToTir> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // A fold function belongs to the function that names it.
    llvm::DenseMap<Operation *, func::FuncOp> owners;
    SymbolTable symbols(module);
    for (auto func : module.getOps<func::FuncOp>())
      if (auto name = func->getAttrOfType<FlatSymbolRefAttr>(
              GraphDialect::kFoldFunctionAttr)) {
        auto fold = symbols.lookup<func::FuncOp>(name.getAttr());
        if (!fold) {
          func.emitOpError("names the fold function ")
              << name << ", which does not exist";
          return signalPassFailure();
        }
        owners[fold] = func;
      }
    // Fold functions first: their owners determine which arguments they take.
    SmallVector<func::FuncOp> funcs, entries;
    for (auto func : module.getOps<func::FuncOp>())
      if (isGraphFunction(func))
        (owners.contains(func) ? funcs : entries).push_back(func);
    llvm::append_range(funcs, entries);
    if (failed(refuseCalls(module, funcs)))
      return signalPassFailure();
    for (func::FuncOp func : funcs) {
      FunctionLowering lowering(func, owners.lookup(func));
      if (failed(lowering.run()))
        return signalPassFailure();
    }
  }

private:
  /// The functions that become functions on buffers can no longer be called
  /// with their old types.
  static LogicalResult refuseCalls(ModuleOp module,
                                   ArrayRef<func::FuncOp> funcs) {
    WalkResult result = module.walk([&](func::CallOp call) {
      auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
      if (!llvm::is_contained(funcs, callee))
        return WalkResult::advance();
      call.emitOpError("calls the graph @")
          << call.getCallee()
          << ", which only abi=memref allows, in functions without graph ops";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }
};
} // namespace

} // namespace gc
