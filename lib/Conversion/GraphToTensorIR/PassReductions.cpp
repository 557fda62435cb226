// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a pass combines elements: accumulators, and the value of a row from them.

#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "PassEmission.h"

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
    double value = kind == Kind::MUL        ? 1
                   : kind == Kind::MAXIMUMF ? -infinity
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
  // Which of two zeros is the larger makes no difference worth an instruction.
  arith::FastMathFlagsAttr flags;
  if (isa<FloatType>(getElement(reduction)))
    flags = arith::FastMathFlagsAttr::get(builder.getContext(),
                                          arith::FastMathFlags::nsz);
  return vector::makeArithReduction(builder, loc, getKind(reduction), a, b,
                                    flags);
}

Value PassEmission::finish(Operation *reduction, ArrayRef<Value> ofSlots,
                           int64_t units) {
  Type element = getElement(reduction);
  Value result;
  if (units) {
    result = ofSlots[0];
  } else {
    // Vectors of the same size first, then across the lanes of each size.
    Values bySize;
    for (Value value : ofSlots) {
      auto same = llvm::find_if(bySize, [&](Value other) {
        return other.getType() == value.getType();
      });
      if (same == bySize.end())
        bySize.push_back(value);
      else
        *same = combine(reduction, *same, value);
    }
    auto single = VectorType::get({1}, element);
    for (Value value : bySize) {
      if (value.getType() != single) {
        auto flags = isa<FloatType>(element)
                         ? arith::FastMathFlags::nsz |
                               arith::FastMathFlags::reassoc
                         : arith::FastMathFlags::none;
        Value scalar = vector::ReductionOp::create(
            builder, loc, getKind(reduction), value, flags);
        value = vector::BroadcastOp::create(builder, loc, single, scalar);
      }
      result = result ? combine(reduction, result, value) : value;
    }
  }
  // Rounded to the tensor's type, as every value is.
  Type stored = cast<RankedTensorType>(reduction->getResult(0).getType())
                    .getElementType();
  return toComputeType(builder, loc,
                       toStorageType(builder, loc, result, stored), stored);
}

} // namespace gc
