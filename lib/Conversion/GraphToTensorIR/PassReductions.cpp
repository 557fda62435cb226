// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a pass combines elements: accumulators, and the value of a row from them.

#include "PassEmission.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

static Type getElement(Operation *reduction) {
  return getComputeType(
      cast<RankedTensorType>(reduction->getOperand(0).getType())
          .getElementType());
}

static DenseElementsAttr getIdentity(Operation *reduction, int64_t count) {
  Type element = getElement(reduction);
  TypedAttr identity =
      cast<ReductionOpInterface>(reduction).getIdentity(element);
  return DenseElementsAttr::get(VectorType::get({count}, element),
                                Attribute(identity));
}

Value PassEmission::makeIdentity(Operation *reduction, int64_t count) {
  return arith::ConstantOp::create(builder, loc, getIdentity(reduction, count));
}

bool PassEmission::isIdentity(Operation *reduction, Value vector) {
  DenseElementsAttr known;
  return matchPattern(vector, m_Constant(&known)) &&
         known == getIdentity(reduction, known.getNumElements());
}

Value PassEmission::combine(Operation *reduction, Value a, Value b) {
  return cast<ReductionOpInterface>(reduction).combine(builder, loc, a, b);
}

size_t PassEmission::getSlot(Slot slot) const {
  return llvm::find(slots, slot) - slots.begin();
}

Value PassEmission::narrow(Operation *op, Value value, int64_t count) {
  int64_t size = cast<VectorType>(value.getType()).getNumElements();
  if (size == count)
    return value;
  int64_t half = size / 2;
  auto getHalf = [&](int64_t offset) -> Value {
    return vector::ExtractStridedSliceOp::create(builder, loc, value, offset,
                                                 half, 1);
  };
  Value low = getHalf(0), high = getHalf(half);
  return narrow(op, combine(op, low, high), count);
}

Value PassEmission::finish(Operation *reduction, ArrayRef<Value> accumulators) {
  Value result = accumulators[0];
  if (!plan.isColumnwise()) {
    // All in one vector, padded with neutral lanes where one is shorter, and
    // then by halves.
    int64_t width = 1;
    for (Value value : accumulators)
      width = std::max<int64_t>(
          width, llvm::PowerOf2Ceil(
                     cast<VectorType>(value.getType()).getNumElements()));
    Value identity = makeIdentity(reduction, width);
    result = Value();
    for (Value value : accumulators) {
      int64_t lanes = cast<VectorType>(value.getType()).getNumElements();
      if (lanes < width) {
        SmallVector<int64_t> mask;
        for (int64_t lane = 0; lane < width; ++lane)
          mask.push_back(lane);
        value = vector::ShuffleOp::create(builder, loc, value, identity, mask);
      }
      result = result ? combine(reduction, result, value) : value;
    }
    while (width > 1) {
      width /= 2;
      auto half = [&](int64_t first) -> Value {
        SmallVector<int64_t> mask;
        for (int64_t lane = 0; lane < width; ++lane)
          mask.push_back(first + lane);
        return vector::ShuffleOp::create(builder, loc, result, result, mask);
      };
      result = combine(reduction, half(0), half(width));
    }
  }
  // Rounded to the tensor's type, as every value is.
  Type stored = cast<RankedTensorType>(reduction->getResult(0).getType())
                    .getElementType();
  return toComputeType(builder, loc,
                       toStorageType(builder, loc, result, stored), stored);
}

} // namespace gc
