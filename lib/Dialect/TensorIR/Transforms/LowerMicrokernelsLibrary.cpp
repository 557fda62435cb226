// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerMicrokernels.h"

#include <algorithm>
#include <limits>

using namespace mlir;

namespace gc::tir {

// Names and codes of the runtime's C interface (Runtime/Runtime.h), which
// dialects do not include.
static constexpr StringLiteral kInit = "gc_kernels_init";
static constexpr StringLiteral kDispatch = "gc_brgemm_dispatch";
static constexpr int64_t kStatusOk = 0, kStatusUnsupported = 3;
static constexpr int64_t kTypeF32 = 0;

static LLVM::LLVMFuncOp declareDispatch(ModuleOp module) {
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kDispatch))
    return function;
  auto b =
      ImplicitLocOpBuilder::atBlockBegin(module.getLoc(), module.getBody());
  SmallVector<Type> arguments(10, b.getI64Type());
  return LLVM::LLVMFuncOp::create(
      b, kDispatch,
      LLVM::LLVMFunctionType::get(b.getType<LLVM::LLVMPointerType>(),
                                  arguments));
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
                                       const KernelShape &shape) {
  std::string name = "gc_kernel_" + shape.getName();
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

  // Before the block that returns success, after the existing kernels.
  Block *failure = &init.getBody().back();
  Block *success = failure->getPrevNode();
  Block *block = b.createBlock(success);
  success->replaceAllUsesWith(block);
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, b.getI64Type(),
                                    b.getI64IntegerAttr(value));
  };
  // The runtime rejects distances that do not fit, whatever their size.
  auto inBytes = [](int64_t elements) {
    constexpr int64_t most = std::numeric_limits<int64_t>::max() / 4;
    return std::clamp(elements, -most, most) * 4;
  };
  SmallVector<Value> arguments;
  for (int64_t value :
       {kTypeF32, shape.m, shape.n, shape.k, shape.lda, shape.ldb, shape.ldc,
        inBytes(shape.strideA), inBytes(shape.strideB), shape.beta})
    arguments.push_back(constant(value));
  Value kernel = LLVM::CallOp::create(b, dispatch, arguments).getResult();
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
