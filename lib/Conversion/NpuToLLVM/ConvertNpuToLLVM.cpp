// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/Passes.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "NpuToLLVMImpl.h"
#include "Support/ConvertToLLVM.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gc {
#define GEN_PASS_DEF_CONVERTNPUTOLLVM
#include "Conversion/Passes.h.inc"
} // namespace gc

using namespace mlir;
using namespace gc;
using namespace gc::npu;

/// Views become offsets, affine expressions arithmetic.
static LogicalResult simplify(ArrayRef<func::FuncOp> kernels,
                              int32_t &nextLocation) {
  if (kernels.empty())
    return success();
  func::FuncOp first = kernels.front();
  RewritePatternSet patterns(first.getContext());
  memref::populateExpandStridedMetadataPatterns(patterns);
  memref::populateExpandOpsPatterns(patterns);
  populateAffineToStdConversionPatterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  FrozenRewritePatternSet frozen(std::move(patterns));
  for (func::FuncOp kernel : kernels) {
    if (failed(applyPatternsGreedily(kernel, frozen)))
      return kernel.emitError(
          "could not be simplified to ops that convert to the LLVM dialect");
    guardDivisions(kernel, nextLocation);
  }
  return success();
}

static LogicalResult lower(ModuleOp module, ArrayRef<func::FuncOp> kernels,
                           const LLVMTypeConverter &converter) {
  MLIRContext *context = module.getContext();
  SmallVector<Operation *> roots(kernels.begin(), kernels.end());
  if (failed(convertLoopsToBranches(context, roots)))
    return failure();
  RewritePatternSet patterns(context);
  populateBasicToLLVMPatterns(converter, patterns);
  return convertToLLVM(module, roots, std::move(patterns));
}

/// With `cyclesOnly` also refuses what needs values to run.
static LogicalResult convert(ModuleOp module, bool cyclesOnly) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(NpuDialect::kKernelAttr))
      kernels.push_back(function);
  for (func::FuncOp kernel : kernels)
    if (failed(checkKernel(kernel)) ||
        (cyclesOnly && failed(checkScalarsUnused(kernel))))
      return failure();

  LowerToLLVMOptions options(module.getContext());
  LLVMTypeConverter converter(module.getContext(), options);
  addSpaceConversion(converter);
  int32_t nextLocation = 0;
  for (func::FuncOp kernel : kernels)
    if (failed(rewriteKernel(kernel, converter, nextLocation)))
      return failure();
  if (failed(simplify(kernels, nextLocation)))
    return failure();
  return lower(module, kernels, converter);
}

namespace {

struct ConvertNpuToLLVMPass
    : public gc::impl::ConvertNpuToLLVMBase<ConvertNpuToLLVMPass> {
  using ConvertNpuToLLVMBase::ConvertNpuToLLVMBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    cf::ControlFlowDialect, func::FuncDialect,
                    LLVM::LLVMDialect, memref::MemRefDialect, NpuDialect,
                    scf::SCFDialect, mlir::ub::UBDialect>();
  }

  void runOnOperation() override {
    if (failed(convert(getOperation(), mode == SimulatedResult::cycles)))
      signalPassFailure();
  }
};

} // namespace
