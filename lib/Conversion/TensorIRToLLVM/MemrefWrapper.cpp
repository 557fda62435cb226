// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// abi=memref: functions from memrefs to memrefs around compiled graphs.

#include "TensorIRToLLVMImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace gc::tir {

namespace {

/// A buffer of the type in new memory; strided types get memory for the whole
/// span of their elements.
Value allocate(ImplicitLocOpBuilder &b, MemRefType type) {
  if (type.getLayout().isIdentity())
    return memref::AllocOp::create(b, type);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return {};
  int64_t span = offset + 1;
  for (auto [size, stride] : llvm::zip(type.getShape(), strides))
    span += (size - 1) * stride;
  Value memory = memref::AllocOp::create(
      b, MemRefType::get({span}, type.getElementType()));
  return memref::ReinterpretCastOp::create(b, type, memory, offset,
                                           type.getShape(), strides);
}

/// An array of the buffers' pointers on the stack.
Value storePointers(ImplicitLocOpBuilder &b, ArrayRef<Value> buffers) {
  auto pointer = b.getType<LLVM::LLVMPointerType>();
  Value count = LLVM::ConstantOp::create(
      b, b.getI64IntegerAttr(std::max<size_t>(buffers.size(), 1)));
  Value array = LLVM::AllocaOp::create(b, pointer, pointer, count);
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
    address = arith::IndexCastOp::create(b, b.getI64Type(), address);
    Value slot = LLVM::GEPOp::create(b, pointer, pointer, array,
                                     LLVM::GEPArg(int32_t(index)));
    LLVM::StoreOp::create(b, LLVM::IntToPtrOp::create(b, pointer, address),
                          slot);
  }
  return array;
}

} // namespace

LogicalResult emitMemrefWrapper(ModuleOp module, const EntryPoint &entry) {
  auto b = ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody());
  auto pointer = b.getType<LLVM::LLVMPointerType>();
  ArrayRef<MemRefType> types = entry.compute.arguments;
  SmallVector<Type> inputs(types.take_front(entry.compute.inputs));
  SmallVector<Type> outputs(
      types.slice(entry.compute.inputs, entry.compute.outputs));
  if (Operation *other = module.lookupSymbol(entry.name))
    return other->emitOpError("has the name of a compiled graph");

  std::string slotName = entry.name + "_module_instance";
  auto slot =
      LLVM::GlobalOp::create(b, pointer, /*isConstant=*/false,
                             LLVM::Linkage::Internal, slotName, Attribute());
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&slot.getInitializerRegion());
    LLVM::ReturnOp::create(b, LLVM::ZeroOp::create(b, pointer).getResult());
  }
  auto function =
      func::FuncOp::create(b, entry.name, b.getFunctionType(inputs, outputs));
  if (entry.isPrivate)
    function.setPrivate();
  Block *block = function.addEntryBlock();
  b.setInsertionPointToStart(block);
  SmallVector<Value> arguments(block->getArguments()), results;
  for (Type type : outputs)
    results.push_back(allocate(b, cast<MemRefType>(type)));
  Value inputArray = storePointers(b, arguments);
  Value outputArray = storePointers(b, results);
  SmallVector<Value> operands = {
      LLVM::AddressOfOp::create(b, pointer, entry.name + "_module"),
      LLVM::AddressOfOp::create(b, pointer, slotName), inputArray, outputArray};
  auto execute =
      declareRuntime(module, "gc_execute_module",
                     LLVM::LLVMFunctionType::get(
                         b.getI32Type(), {pointer, pointer, pointer, pointer}));
  Value status = LLVM::CallOp::create(b, execute, operands).getResult();
  // The signature has no place for a status.
  Value zero = arith::ConstantIntOp::create(b, 0, 32);
  Value fine = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, status, zero);
  cf::AssertOp::create(b, fine, "execution of @" + entry.name + " failed");
  func::ReturnOp::create(b, results);

  std::string declared = entry.name + "__memref";
  if (auto declaration = module.lookupSymbol<func::FuncOp>(declared)) {
    if (declaration.getFunctionType() != function.getFunctionType())
      return declaration.emitOpError("is not of the type of @")
             << entry.name << ", " << function.getFunctionType();
    if (failed(SymbolTable::replaceAllSymbolUses(
            declaration, function.getSymNameAttr(), module)))
      return declaration.emitOpError("has calls that cannot be redirected");
    declaration.erase();
  }
  return success();
}

} // namespace gc::tir
