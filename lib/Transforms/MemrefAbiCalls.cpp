// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/MemrefAbiCalls.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace gc;

namespace {

bool hasGraphOps(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        return isa_and_nonnull<graph::GraphDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The plain memref of a plain tensor with a signless element type; null for
/// other types.
MemRefType getPlainBuffer(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding() ||
      !tensor.getElementType().isSignlessIntOrFloat())
    return {};
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

struct MemrefAbiCallsPass
    : public PassWrapper<MemrefAbiCallsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MemrefAbiCallsPass)

  StringRef getArgument() const override { return "gc-memref-abi-calls"; }
  StringRef getDescription() const override {
    return "Makes calls of graph functions calls on memrefs";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<bufferization::BufferizationDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    SmallVector<std::pair<func::CallOp, func::FuncOp>> calls;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (hasGraphOps(function))
        continue;
      function.walk([&](func::CallOp call) {
        auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
        if (callee && hasGraphOps(callee))
          calls.emplace_back(call, callee);
      });
    }
    for (auto [call, callee] : calls)
      if (failed(convert(call, callee, symbols)))
        return signalPassFailure();
  }

private:
  LogicalResult convert(func::CallOp call, func::FuncOp callee,
                        SymbolTable &symbols) {
    SmallVector<Type> inputs, results;
    for (auto [types, buffers] : {std::pair<TypeRange, SmallVector<Type> &>(
                                      call.getOperandTypes(), inputs),
                                  std::pair<TypeRange, SmallVector<Type> &>(
                                      call.getResultTypes(), results)})
      for (Type type : types) {
        MemRefType buffer = getPlainBuffer(type);
        if (!buffer)
          return call.emitOpError("passes ")
                 << type << ", which has no plain memref";
        buffers.push_back(buffer);
      }

    std::string name = (callee.getName() + "__memref").str();
    auto type = FunctionType::get(call.getContext(), inputs, results);
    auto declaration = symbols.lookup<func::FuncOp>(name);
    if (!declaration) {
      declaration = func::FuncOp::create(callee.getLoc(), name, type);
      declaration.setPrivate();
      symbols.insert(declaration);
    }
    ImplicitLocOpBuilder b(call.getLoc(), call);
    SmallVector<Value> operands;
    for (auto [operand, buffer] : llvm::zip(call.getOperands(), inputs))
      operands.push_back(bufferization::ToBufferOp::create(b, buffer, operand));
    auto converted = func::CallOp::create(b, declaration, operands);
    for (auto [result, buffer] :
         llvm::zip(call.getResults(), converted.getResults()))
      result.replaceAllUsesWith(bufferization::ToTensorOp::create(
          b, result.getType(), buffer, /*restrict=*/true));
    call.erase();
    return success();
  }
};

} // namespace

std::unique_ptr<Pass> gc::createMemrefAbiCallsPass() {
  return std::make_unique<MemrefAbiCallsPass>();
}

void gc::registerMemrefAbiCallsPass() {
  PassRegistration<MemrefAbiCallsPass>();
}
