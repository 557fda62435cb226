// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The conversion of functions of upstream dialects to the LLVM dialect.

#include "Conversion/TensorIRToLLVM/MathExpansion.h"
#include "Support/ConvertToLLVM.h"
#include "Support/ModuleMachine.h"
#include "TensorIRToLLVMImpl.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace gc::tir {

/// Vectors of several dimensions, masks and transfers become ops that
/// vector-to-llvm accepts; math functions become polynomials; views become
/// addresses.
static void populateSimplifyPatterns(RewritePatternSet &patterns,
                                     const Machine &machine) {
  vector::populateVectorContractLoweringPatterns(
      patterns, vector::VectorContractLowering::OuterProduct);
  vector::populateVectorMultiReductionLoweringPatterns(
      patterns, vector::VectorMultiReductionLowering::InnerReduction);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorGatherLoweringPatterns(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(
      patterns, vector::VectorTransposeLowering::Shuffle1D);
  vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
  vector::populateVectorTransferLoweringPatterns(patterns,
                                                 /*maxTransferRank=*/1);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorMaskMaterializationPatterns(
      patterns, /*force32BitVectorIndices=*/true);
  vector::populateVectorRankReducingFMAPattern(patterns);
  populateVectorToSCFConversionPatterns(
      patterns, VectorTransferToSCFOptions().enableFullUnroll());

  populateMathToArithPatterns(patterns);
  populateExpByInstructionPatterns(patterns, machine);
  populateNarrowByInstructionPatterns(patterns, machine);
  populateRoundToBFloat16Patterns(patterns, machine);
  populateExpandFloat8Patterns(patterns);
  arith::populateExpandBFloat16Patterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  memref::populateExpandStridedMetadataPatterns(patterns);
  memref::populateExpandOpsPatterns(patterns);
  populateAffineToStdConversionPatterns(patterns);
}

/// The globals that only `functions` refer to.
static SmallVector<Operation *>
collectGlobals(ModuleOp module, ArrayRef<func::FuncOp> functions) {
  DenseSet<Operation *> known(functions.begin(), functions.end());
  SymbolTableCollection tables;
  SymbolUserMap users(tables, module);
  SmallVector<Operation *> globals;
  for (auto global : module.getOps<memref::GlobalOp>())
    if (global.isPrivate() &&
        llvm::all_of(users.getUsers(global), [&](Operation *user) {
          return known.contains(user->getParentOfType<func::FuncOp>());
        }))
      globals.push_back(global);
  return globals;
}

/// Makes global arrays of arrays plain ones of as many elements: LLVM has an
/// object for each innermost array, which for weights of windows is one for
/// every few numbers. Addresses are computed from their begin all the same.
static void flattenGlobals(ModuleOp module) {
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto array = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
    auto data = dyn_cast_or_null<ElementsAttr>(global.getValueOrNull());
    if (!array || !data || !isa<LLVM::LLVMArrayType>(array.getElementType()))
      continue;
    Type element = array;
    while (auto nested = dyn_cast<LLVM::LLVMArrayType>(element))
      element = nested.getElementType();
    auto type =
        RankedTensorType::get(data.getNumElements(), data.getElementType());
    ElementsAttr flat;
    if (auto dense = dyn_cast<DenseElementsAttr>(data))
      flat = dense.reshape(type);
    else if (auto resource = dyn_cast<DenseResourceElementsAttr>(data))
      flat = DenseResourceElementsAttr::get(type, resource.getRawHandle());
    else
      continue;
    global.setValueAttr(flat);
    global.setGlobalType(
        LLVM::LLVMArrayType::get(element, data.getNumElements()));
  }
}

LogicalResult convertFunctionsToLLVM(ModuleOp module,
                                     ArrayRef<func::FuncOp> functions) {
  MLIRContext *context = module.getContext();
  FailureOr<Machine> machine = getMachine(module);
  if (failed(machine))
    return failure();
  RewritePatternSet simplify(context);
  populateSimplifyPatterns(simplify, *machine);
  FrozenRewritePatternSet simplifyPatterns(std::move(simplify));
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  for (func::FuncOp function : functions)
    if (failed(applyPatternsGreedily(function, simplifyPatterns, config)))
      return function.emitError(
          "could not be simplified to ops that convert to the LLVM dialect");

  SmallVector<Operation *> roots(functions.begin(), functions.end());
  if (failed(convertLoopsToBranches(context, roots)))
    return failure();

  SmallVector<std::string> names, helpers;
  for (func::FuncOp function : functions) {
    names.push_back(function.getName().str());
    if (function.isPrivate())
      helpers.push_back(names.back());
  }
  llvm::append_range(roots, collectGlobals(module, functions));

  LowerToLLVMOptions options(context);
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  populateBasicToLLVMPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns,
                                         /*reassociateFPReductions=*/true,
                                         /*force32BitVectorIndices=*/true);
  if (failed(convertToLLVM(module, roots, std::move(patterns))))
    return failure();
  flattenGlobals(module);

  SymbolTable symbols(module);
  for (StringRef name : names)
    if (auto function = symbols.lookup<LLVM::LLVMFuncOp>(name))
      moveBFloat16AsIntegers(function);
  for (StringRef helper : helpers)
    if (auto function = symbols.lookup<LLVM::LLVMFuncOp>(helper))
      function.setLinkage(LLVM::Linkage::Internal);
  return success();
}

} // namespace gc::tir
