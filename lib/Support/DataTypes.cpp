// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/DataTypes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace gc;

std::optional<DataType> gc::getDataType(Type element) {
  if (element.isF32())
    return DataType::f32;
  if (element.isBF16())
    return DataType::bf16;
  if (element.isF16())
    return DataType::f16;
  if (element.isUnsignedInteger(8))
    return DataType::u8;
  if (element.isSignedInteger(8))
    return DataType::s8;
  if (element.isSignedInteger(32))
    return DataType::s32;
  if (element.isSignedInteger(4))
    return DataType::s4;
  if (element.isUnsignedInteger(4))
    return DataType::u4;
  return std::nullopt;
}

Type gc::getElementType(MLIRContext *context, DataType type) {
  switch (type) {
  case DataType::f32:
    return Float32Type::get(context);
  case DataType::bf16:
    return BFloat16Type::get(context);
  case DataType::f16:
    return Float16Type::get(context);
  case DataType::s4:
  case DataType::s8:
  case DataType::s32:
    return IntegerType::get(context, getBits(type), IntegerType::Signed);
  case DataType::u4:
  case DataType::u8:
    return IntegerType::get(context, getBits(type), IntegerType::Unsigned);
  }
  return {};
}
