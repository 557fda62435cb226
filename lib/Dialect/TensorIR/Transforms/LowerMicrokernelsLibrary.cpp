// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerMicrokernels.h"

using namespace mlir;

namespace gc::tir {

// Names and codes of the runtime's C interface (Runtime/Runtime.h), which
// dialects do not include.
static constexpr StringLiteral kInit = "gc_kernels_init";
static constexpr StringLiteral kDispatch = "gc_brgemm_dispatch";
static constexpr int64_t kStatusOk = 0, kStatusUnsupported = 3;
static constexpr int64_t kSpecVersion = 2;

/// gc_dtype of a type.
static int64_t getCode(DataType type) {
  switch (type) {
  case DataType::f32:
    return 0;
  case DataType::bf16:
    return 1;
  case DataType::f16:
    return 2;
  case DataType::s8:
    return 3;
  case DataType::u8:
    return 4;
  case DataType::s32:
    return 5;
  // The library's kernels have none.
  case DataType::s4:
  case DataType::u4:
    return -1;
  }
  return -1;
}

/// gc_batch_form of a form.
static int64_t getCode(BatchForm form) {
  switch (form) {
  case BatchForm::stride:
    return 0;
  case BatchForm::offset:
    return 1;
  case BatchForm::address:
    return 2;
  }
  return -1;
}

/// The spec as the runtime's gc_kernel_spec, whose fields are all int64_t.
static LLVM::GlobalOp createSpecConstant(ImplicitLocOpBuilder &b,
                                         const KernelSpec &spec,
                                         StringRef name) {
  int64_t fields[] = {kSpecVersion,
                      getCode(spec.a),
                      getCode(spec.b),
                      getCode(spec.c),
                      getCode(spec.accumulator),
                      spec.packA,
                      spec.packB,
                      spec.transposeA,
                      spec.transposeB,
                      spec.m,
                      spec.n,
                      spec.k,
                      spec.lda,
                      spec.ldb,
                      spec.ldc,
                      getCode(spec.batch),
                      spec.strideA,
                      spec.strideB,
                      spec.beta,
                      spec.zeroPointA,
                      spec.zeroPointB,
                      spec.ldScaleB,
                      spec.hasZeroPointsB};
  auto type = LLVM::LLVMArrayType::get(b.getI64Type(), std::size(fields));
  return LLVM::GlobalOp::create(b, type, /*isConstant=*/true,
                                LLVM::Linkage::Internal, name,
                                b.getI64TensorAttr(fields));
}

static LLVM::LLVMFuncOp declareDispatch(ModuleOp module) {
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kDispatch))
    return function;
  auto b =
      ImplicitLocOpBuilder::atBlockBegin(module.getLoc(), module.getBody());
  auto pointer = b.getType<LLVM::LLVMPointerType>();
  return LLVM::LLVMFuncOp::create(
      b, kDispatch, LLVM::LLVMFunctionType::get(pointer, pointer));
}

/// The function that resolves the handles: one block per kernel, then one that
/// returns success; the block for failure is the last.
static LLVM::LLVMFuncOp getOrCreateInit(ModuleOp module) {
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kInit))
    return function;
  auto b = ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody());
  auto function = LLVM::LLVMFuncOp::create(
      b, kInit, LLVM::LLVMFunctionType::get(b.getI32Type(), {}));
  for (int64_t status : {kStatusOk, kStatusUnsupported}) {
    b.createBlock(&function.getBody(), function.getBody().end());
    Value result = LLVM::ConstantOp::create(b, b.getI32Type(),
                                            b.getI32IntegerAttr(status));
    LLVM::ReturnOp::create(b, result);
  }
  return function;
}

LLVM::GlobalOp getOrCreateKernelHandle(ModuleOp module, Location loc,
                                       const KernelSpec &spec) {
  std::string name = "gc_kernel_" + spec.getName();
  if (auto global = module.lookupSymbol<LLVM::GlobalOp>(name))
    return global;
  LLVM::LLVMFuncOp dispatch = declareDispatch(module);
  LLVM::LLVMFuncOp init = getOrCreateInit(module);

  auto b = ImplicitLocOpBuilder::atBlockBegin(loc, module.getBody());
  auto pointer = b.getType<LLVM::LLVMPointerType>();
  auto global =
      LLVM::GlobalOp::create(b, pointer, /*isConstant=*/false,
                             LLVM::Linkage::Internal, name, Attribute());
  b.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(b, LLVM::ZeroOp::create(b, pointer).getResult());
  b.setInsertionPointAfter(global);
  LLVM::GlobalOp constant =
      createSpecConstant(b, spec, "gc_kernel_spec_" + spec.getName());

  // Before the block that returns success, after the existing kernels.
  Block *failure = &init.getBody().back();
  Block *success = failure->getPrevNode();
  Block *block = b.createBlock(success);
  success->replaceAllUsesWith(block);
  Value description = LLVM::AddressOfOp::create(b, constant);
  Value kernel = LLVM::CallOp::create(b, dispatch, description).getResult();
  LLVM::StoreOp::create(b, kernel, LLVM::AddressOfOp::create(b, global));
  Value missing = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, kernel,
                                       LLVM::ZeroOp::create(b, pointer));
  LLVM::CondBrOp::create(b, missing, failure, success);
  return global;
}

LLVM::GlobalOp getOrCreateBatchConstant(ModuleOp module, Location loc,
                                        int64_t batch) {
  std::string name = "gc_batch_" + std::to_string(batch);
  if (auto global = module.lookupSymbol<LLVM::GlobalOp>(name))
    return global;
  auto b = ImplicitLocOpBuilder::atBlockBegin(loc, module.getBody());
  return LLVM::GlobalOp::create(b, b.getI64Type(), /*isConstant=*/true,
                                LLVM::Linkage::Internal, name,
                                b.getI64IntegerAttr(batch));
}

} // namespace gc::tir
