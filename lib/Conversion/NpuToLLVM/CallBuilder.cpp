// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CallBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gc::npu;

Value CallBuilder::i32(int64_t value) {
  return LLVM::ConstantOp::create(b, b.getI32IntegerAttr(value));
}
Value CallBuilder::i64(int64_t value) {
  return LLVM::ConstantOp::create(b, b.getI64IntegerAttr(value));
}
Value CallBuilder::f64(double value) {
  return LLVM::ConstantOp::create(b, b.getF64FloatAttr(value));
}

Value CallBuilder::toI64(Value index) {
  return arith::IndexCastOp::create(b, b.getI64Type(), index);
}
Value CallBuilder::toI32(Value flag) {
  return arith::ExtUIOp::create(b, b.getI32Type(), flag);
}
Value CallBuilder::toF64(Value number) {
  return arith::ExtFOp::create(b, b.getF64Type(), number);
}

Value CallBuilder::getAddress(Value memref, Value location,
                              ValueRange indices) {
  auto type = cast<MemRefType>(memref.getType());
  auto multiply = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(b, x, y);
  };
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(b, x, y);
  };
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    offset = ShapedType::kDynamic;
  // A slot has its own address, although its type has an offset.
  if (auto view = memref.getDefiningOp<memref::ReinterpretCastOp>())
    if (getConstantIntValue(view.getMixedOffsets().front()) == 0)
      offset = 0;
  Value elements;
  if (offset != 0)
    elements = metadata.getOffset();
  for (auto [index, stride] : llvm::zip(indices, metadata.getStrides())) {
    Value term = multiply(index, stride);
    elements = elements ? add(elements, term) : term;
  }
  if (!elements)
    return toI64(pointer);
  return call("gc_npu_offset",
              {location, toI64(pointer), toI64(elements),
               i64(type.getElementTypeBitWidth() / 8)},
              b.getI64Type());
}

Value CallBuilder::call(StringRef name, ArrayRef<Value> arguments,
                        Type result) {
  SmallVector<Value> operands{kernel.getArgument(0)};
  llvm::append_range(operands, arguments);
  auto module = kernel->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    auto top =
        ImplicitLocOpBuilder::atBlockBegin(module.getLoc(), module.getBody());
    Type type = result ? result : LLVM::LLVMVoidType::get(b.getContext());
    LLVM::LLVMFuncOp::create(
        top, name,
        LLVM::LLVMFunctionType::get(
            type, llvm::to_vector(ValueRange(operands).getTypes())));
  }
  auto call = LLVM::CallOp::create(b, result ? TypeRange(result) : TypeRange(),
                                   name, operands);
  return result ? call.getResult() : Value();
}
