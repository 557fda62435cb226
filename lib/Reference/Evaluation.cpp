// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Evaluation.h"
#include "Reference/ReferenceInterface.h"
#include "mlir/IR/Operation.h"

using namespace gc::reference;
using namespace mlir;

#include "Reference/ReferenceInterface.cpp.inc"

Evaluation::~Evaluation() = default;

FailureOr<BoundedTensor> Evaluation::allocate(Operation *op, Type type,
                                              bool bound) {
  std::string error;
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType)
    return op->emitOpError("has a result of type ") << type << ", not a tensor";
  BoundedTensor result;
  // Results are row-major whatever their layout, which does not affect values.
  tensorType =
      RankedTensorType::get(tensorType.getShape(), tensorType.getElementType());
  FailureOr<Tensor> value = Tensor::create(tensorType, &error);
  if (failed(value))
    return op->emitOpError("cannot be evaluated: ") << error;
  result.value = *value;
  if (bound) {
    value = Tensor::create(ElementType::F32, tensorType.getShape(),
                           std::nullopt, &error);
    if (failed(value))
      return op->emitOpError("cannot be evaluated: ") << error;
    result.bound = *value;
  }
  return result;
}

LogicalResult
Evaluation::allocateResults(Operation *op,
                            SmallVectorImpl<BoundedTensor> &results) {
  for (Type type : op->getResultTypes()) {
    FailureOr<BoundedTensor> result = allocate(op, type, wantsBounds());
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
  }
  return success();
}
