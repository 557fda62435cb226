// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/Passes.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "Machine/Machine.h"
#include "TensorIRToLLVMImpl.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

namespace gc {
#define GEN_PASS_DEF_CONVERTTIRTOLLVM
#include "Conversion/Passes.h.inc"
} // namespace gc

using namespace mlir;
using namespace gc;
using namespace gc::tir;

namespace {

/// Tensor IR that an earlier pass should have removed.
LogicalResult refuseLeftovers(func::FuncOp function) {
  auto result = function.walk([](Operation *op) {
    if (isa<ScratchOp>(op)) {
      op->emitOpError("has no place yet: run tir-plan-buffers first");
      return WalkResult::interrupt();
    }
    if (isa<BrgemmOp, BrgemmDispatchOp>(op)) {
      op->emitOpError("is not a call yet: run tir-lower-microkernels first");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Adds the functions that `functions` call, if they have bodies.
void addCallees(ModuleOp module, SetVector<func::FuncOp> &functions) {
  for (size_t i = 0; i < functions.size(); ++i) {
    func::FuncOp function = functions[i];
    function.walk([&](func::CallOp call) {
      auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
      if (callee && callee.isPrivate() && !callee.isDeclaration())
        functions.insert(callee);
    });
  }
}

/// The function and its parts run once: time that the code generator spends on
/// them would not pay off.
void markRunsOnce(ModuleOp module, const Twine &name) {
  SymbolTable symbols(module);
  auto mark = [](LLVM::LLVMFuncOp function) {
    if (!function || function.isDeclaration())
      return;
    function.setOptimizeNone(true);
    function.setNoInline(true);
  };
  auto function = symbols.lookup<LLVM::LLVMFuncOp>(name.str());
  mark(function);
  if (!function || function.isDeclaration())
    return;
  std::string part = (name + kPartSuffix).str();
  for (auto call : function.getOps<LLVM::CallOp>())
    if (std::optional<StringRef> callee = call.getCallee();
        callee && callee->starts_with(part))
      mark(symbols.lookup<LLVM::LLVMFuncOp>(*callee));
}

struct ConvertTirToLLVMPass
    : public gc::impl::ConvertTirToLLVMBase<ConvertTirToLLVMPass> {
  using ConvertTirToLLVMBase::ConvertTirToLLVMBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    cf::ControlFlowDialect, func::FuncDialect,
                    LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                    scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (partOps < 0) {
      module.emitError() << "part-ops is negative";
      return signalPassFailure();
    }
    for (StringRef name : features)
      if (llvm::none_of(getInstructionSets(), [&](const InstructionSet &set) {
            return set.name == name;
          })) {
        InFlightDiagnostic diag = module.emitError()
                                  << "option 'features': '" << name
                                  << "' is not one of the instruction sets "
                                     "that are checked for: ";
        llvm::interleaveComma(
            getInstructionSets(), diag,
            [&](const InstructionSet &set) { diag << set.name; });
        return signalPassFailure();
      }
    FailureOr<std::vector<EntryPoint>> entries = collectEntryPoints(module);
    if (failed(entries))
      return signalPassFailure();
    if (entries->empty())
      return markAllAnalysesPreserved();

    SetVector<func::FuncOp> functions;
    for (EntryPoint &entry : *entries) {
      numberParallelLoops(entry);
      if (failed(lower(entry, entry.compute, functions)) ||
          (entry.fold && failed(lower(entry, *entry.fold, functions))))
        return signalPassFailure();
      shareLoops(module, entry, partOps);
      if (partOps == 0)
        continue;
      splitLongFunction(module, entry.compute.function, partOps);
      if (entry.fold)
        splitLongFunction(module, entry.fold->function, partOps);
    }
    addCallees(module, functions);
    if (failed(convertFunctionsToLLVM(module, functions.getArrayRef())))
      return signalPassFailure();
    markRunsOnce(module, "gc_kernels_init");
    for (const EntryPoint &entry : *entries) {
      markRunsOnce(module, entry.name + "_fold");
      emitDescriptor(module, entry, *features);
      if (abi == CallAbi::memref && failed(emitMemrefWrapper(module, entry)))
        return signalPassFailure();
    }
  }

private:
  LogicalResult lower(const EntryPoint &entry, EntryFunction &function,
                      SetVector<func::FuncOp> &functions) {
    functions.insert(function.function);
    if (failed(refuseLeftovers(function.function)))
      return failure();
    flattenAccesses(function.function);
    lowerIndices(function.function);
    return failure(failed(convertEntrySignature(entry, function)) ||
                   failed(lowerParallelLoops(function.function, trace)));
  }
};

} // namespace
