// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/MemrefAbiCalls.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "HasGraphOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace gc;

namespace {

/// Marks the buffers that calls read, each with another number: upstream's
/// to_buffer is pure, and two of one tensor would become one, in front of what
/// is written in place between the calls.
constexpr llvm::StringLiteral kCallOperandAttr = "call_operand";

/// The plain memref of a plain tensor; null for other types. Only graphs know
/// integers with a sign, and booleans that are bytes.
MemRefType getPlainBuffer(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding() ||
      !tensor.getElementType().isIntOrFloat() ||
      tensor.getElementType().isInteger(1))
    return {};
  Type element = tensor.getElementType();
  if (isa<IntegerType>(element))
    element =
        IntegerType::get(type.getContext(), element.getIntOrFloatBitWidth());
  return MemRefType::get(tensor.getShape(), element);
}

/// A tensor of the buffer's elements for one whose integers may have a sign.
Value dropSign(ImplicitLocOpBuilder &b, Value tensor, MemRefType buffer) {
  auto type = RankedTensorType::get(buffer.getShape(), buffer.getElementType());
  if (tensor.getType() == type)
    return tensor;
  if (auto bitcast = tensor.getDefiningOp<tensor::BitcastOp>();
      bitcast && bitcast.getSource().getType() == type)
    return bitcast.getSource();
  return tensor::BitcastOp::create(b, type, tensor);
}

/// Has the tensor, whose integers have no sign, read instead of `old`.
void replaceWithSign(ImplicitLocOpBuilder &b, Value old, Value tensor) {
  if (old.getType() == tensor.getType()) {
    old.replaceAllUsesWith(tensor);
    return;
  }
  for (Operation *user : llvm::make_early_inc_range(old.getUsers()))
    if (auto bitcast = dyn_cast<tensor::BitcastOp>(user);
        bitcast && bitcast.getType() == tensor.getType()) {
      bitcast.replaceAllUsesWith(tensor);
      bitcast.erase();
    }
  if (!old.use_empty())
    old.replaceAllUsesWith(tensor::BitcastOp::create(b, old.getType(), tensor));
}

struct MemrefAbiCallsPass
    : public PassWrapper<MemrefAbiCallsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MemrefAbiCallsPass)

  StringRef getArgument() const override { return "gc-memref-abi-calls"; }
  StringRef getDescription() const override {
    return "Makes calls of graph functions calls on memrefs";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<bufferization::BufferizationDialect, tensor::TensorDialect>();
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
    Operation *existing = symbols.lookup(name);
    auto declaration = dyn_cast_or_null<func::FuncOp>(existing);
    if (existing && (!declaration || declaration.getFunctionType() != type))
      return call.emitOpError("needs the name @")
             << name << ", which is that of something else";
    if (!declaration) {
      declaration = func::FuncOp::create(callee.getLoc(), name, type);
      declaration.setPrivate();
      symbols.insert(declaration);
    }
    ImplicitLocOpBuilder b(call.getLoc(), call);
    SmallVector<Value> operands;
    for (auto [operand, buffer] : llvm::zip(call.getOperands(), inputs)) {
      auto op = bufferization::ToBufferOp::create(
          b, buffer, dropSign(b, operand, cast<MemRefType>(buffer)),
          /*read_only=*/true);
      op->setAttr(kCallOperandAttr, b.getI64IntegerAttr(numOperands++));
      operands.push_back(op);
    }
    auto converted = func::CallOp::create(b, declaration, operands);
    for (auto [result, buffer] :
         llvm::zip(call.getResults(), converted.getResults()))
      replaceWithSign(b, result,
                      bufferization::ToTensorOp::create(
                          b,
                          RankedTensorType::get(
                              cast<MemRefType>(buffer.getType()).getShape(),
                              getElementTypeOrSelf(buffer.getType())),
                          buffer, /*restrict=*/true));
    SmallVector<Value> passed(call.getOperands());
    call.erase();
    for (Value operand : passed)
      if (auto bitcast = operand.getDefiningOp<tensor::BitcastOp>();
          bitcast && bitcast->use_empty())
        bitcast.erase();
    return success();
  }

  int64_t numOperands = 0;
};

struct SinkCallOperandsPass
    : public PassWrapper<SinkCallOperandsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SinkCallOperandsPass)

  StringRef getArgument() const override { return "gc-sink-call-operands"; }
  StringRef getDescription() const override {
    return "Moves the buffers that calls of graphs read in front of the calls";
  }

  void runOnOperation() override {
    // A walk would meet again what it has moved ahead.
    SmallVector<bufferization::ToBufferOp> operands;
    getOperation()->walk([&](bufferization::ToBufferOp op) {
      if (op->hasAttr(kCallOperandAttr) && op->hasOneUse())
        operands.push_back(op);
    });
    for (bufferization::ToBufferOp op : operands)
      op->moveBefore(*op->user_begin());
  }
};

} // namespace

std::unique_ptr<Pass> gc::createMemrefAbiCallsPass() {
  return std::make_unique<MemrefAbiCallsPass>();
}

std::unique_ptr<Pass> gc::createSinkCallOperandsPass() {
  return std::make_unique<SinkCallOperandsPass>();
}

void gc::registerMemrefAbiCallsPass() {
  PassRegistration<MemrefAbiCallsPass>();
  PassRegistration<SinkCallOperandsPass>();
}
