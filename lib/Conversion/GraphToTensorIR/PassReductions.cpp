// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a pass combines elements: accumulators, and the value of a row from them.

#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "PassEmission.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace gc::graph;

namespace gc {

static vector::CombiningKind getKind(Operation *reduction) {
  Type element = cast<RankedTensorType>(reduction->getOperand(0).getType())
                     .getElementType();
  return cast<ReductionEmissionOpInterface>(reduction).getCombiningKind(
      isa<FloatType>(element));
}

/// The element that changes nothing.
static TypedAttr getIdentity(Type type, vector::CombiningKind kind) {
  using Kind = vector::CombiningKind;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (auto real = dyn_cast<FloatType>(type)) {
    bool isMax = kind == Kind::MAXIMUMF || kind == Kind::MAXNUMF;
    double value = kind == Kind::MUL        ? 1
                   : isMax                  ? -infinity
                   : kind == Kind::MINIMUMF ? infinity
                                            : 0;
    return FloatAttr::get(real, value);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  APInt value = kind == Kind::MUL     ? APInt(width, 1)
                : kind == Kind::MAXSI ? APInt::getSignedMinValue(width)
                : kind == Kind::MINSI ? APInt::getSignedMaxValue(width)
                                      : APInt(width, 0);
  return IntegerAttr::get(type, value);
}

static Type getElement(Operation *reduction) {
  return getComputeType(
      cast<RankedTensorType>(reduction->getOperand(0).getType())
          .getElementType());
}

Value PassEmission::makeIdentity(Operation *reduction, int64_t count) {
  Type element = getElement(reduction);
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          VectorType::get({count}, element),
          Attribute(getIdentity(element, getKind(reduction)))));
}

Value PassEmission::combine(Operation *reduction, Value a, Value b) {
  // Any of the two where one is NaN: a single instruction on x86.
  if (getKind(reduction) == vector::CombiningKind::MAXNUMF) {
    Value isLarger =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a, b);
    return arith::SelectOp::create(builder, loc, isLarger, a, b);
  }
  // Which of two zeros is the larger makes no difference worth an instruction.
  arith::FastMathFlagsAttr flags;
  if (isa<FloatType>(getElement(reduction)))
    flags = arith::FastMathFlagsAttr::get(builder.getContext(),
                                          arith::FastMathFlags::nsz);
  return vector::makeArithReduction(builder, loc, getKind(reduction), a, b,
                                    flags);
}

Value PassEmission::finish(Operation *reduction, ArrayRef<Value> accumulators) {
  Value result = accumulators[0];
  if (!plan.isColumnwise()) {
    // All in one vector, with lanes that change nothing where one is shorter,
    // and then by halves.
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
