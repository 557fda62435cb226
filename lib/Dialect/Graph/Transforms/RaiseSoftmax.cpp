// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The basic ops are matched by name and not through an interface: they form one
// formula, that of softmax, and nothing else is needed from them.

#include "RaiseSoftmax.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace gc::graph {

/// The reduction of whole rows to size 1 that a value is the result of.
template <typename Op>
static Op getRowReduction(Value value) {
  auto op = value.getDefiningOp<Op>();
  if (op && op.getKeepDims() &&
      op.getReducedAxes() ==
          SmallVector<int64_t>{op.getSrc().getType().getRank() - 1})
    return op;
  return {};
}

/// Whether all elements of a value are the same constant.
static bool isSplat(Value value, double expected) {
  ElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return false;
  auto dense = dyn_cast<DenseFPElementsAttr>(elements);
  return dense && dense.isSplat() &&
         dense.getSplatValue<APFloat>().convertToDouble() == expected;
}

/// If the value is the maximum of a reduction of rows and a constant: the
/// reduction, and the op in `guard`. Else the reduction that the value is.
template <typename Op>
static Op getGuarded(Value value, double bound, Operation *&guard) {
  auto maximum = value.getDefiningOp<MaximumOp>();
  if (!maximum)
    return getRowReduction<Op>(value);
  Value inner = maximum.getSrc_0(), constant = maximum.getSrc_1();
  if (isSplat(inner, bound))
    std::swap(inner, constant);
  if (!isSplat(constant, bound))
    return {};
  guard = maximum;
  return getRowReduction<Op>(inner);
}

std::optional<Quotient> getQuotient(Operation *op) {
  if (auto divide = dyn_cast<DivideOp>(op))
    return Quotient{divide.getSrc_0(), divide.getSrc_1()};
  auto multiply = dyn_cast<MultiplyOp>(op);
  if (!multiply)
    return std::nullopt;
  Value dividend = multiply.getSrc_0(), inverse = multiply.getSrc_1();
  if (!inverse.getDefiningOp<ReciprocalOp>())
    std::swap(dividend, inverse);
  auto reciprocal = inverse.getDefiningOp<ReciprocalOp>();
  if (!reciprocal)
    return std::nullopt;
  return Quotient{dividend, reciprocal.getSrc(), reciprocal};
}

std::optional<RowSoftmax> raiseSoftmax(Value exponentials, Operation *division,
                                       const Quotient &quotient) {
  RowSoftmax softmax;
  softmax.exponentials = exponentials;
  softmax.division = division;
  auto exp = exponentials.getDefiningOp<ExpOp>();
  Operation *sumGuard = nullptr, *maxGuard = nullptr;
  auto sum = getGuarded<ReduceSumOp>(quotient.divisor, 1, sumGuard);
  if (!exp || !sum || sum.getSrc() != exponentials)
    return std::nullopt;
  softmax.ops = {exp, sum};
  if (quotient.reciprocal)
    softmax.ops.push_back(quotient.reciprocal);
  if (sumGuard)
    softmax.ops.push_back(sumGuard);

  auto shifted = exp.getSrc().getDefiningOp<SubtractOp>();
  ReduceMaxOp max;
  if (shifted)
    max = getGuarded<ReduceMaxOp>(
        shifted.getSrc_1(), std::numeric_limits<float>::lowest(), maxGuard);
  if (max && max.getSrc() == shifted.getSrc_0()) {
    // That of the sum alone hides NaN. That of the maximum alone has no effect:
    // a row of -infinity is NaN with and without it.
    if (sumGuard && !maxGuard)
      return std::nullopt;
    softmax.logits = max.getSrc();
    softmax.mode = sumGuard ? SoftmaxMode::inf_as_zero : SoftmaxMode::none;
    softmax.ops.append({max, shifted});
    if (maxGuard)
      softmax.ops.push_back(maxGuard);
    return softmax;
  }
  if (sumGuard)
    return std::nullopt;
  softmax.logits = exp.getSrc();
  softmax.mode = SoftmaxMode::unshifted;
  return softmax;
}

std::optional<RowSoftmax> raiseSoftmax(Value weights) {
  if (auto op = weights.getDefiningOp<SoftmaxOpInterface>()) {
    auto type = cast<RankedTensorType>(weights.getType());
    if (weights != op->getResult(0) ||
        op.getNormalizedDim() != type.getRank() - 1)
      return std::nullopt;
    RowSoftmax softmax;
    softmax.logits = op->getOperand(0);
    softmax.mode = op.getSoftmaxMode();
    softmax.ops = {op};
    return softmax;
  }
  Operation *op = weights.getDefiningOp();
  std::optional<Quotient> quotient = op ? getQuotient(op) : std::nullopt;
  if (!quotient)
    return std::nullopt;
  return raiseSoftmax(quotient->dividend, op, *quotient);
}

/// The magnitude of a constant whose elements are all equal.
static std::optional<double> getFactor(Value value) {
  DenseFPElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  return std::fabs(elements.getSplatValue<APFloat>().convertToDouble());
}

std::optional<double> getSoftmaxBound(Value value) {
  // Without a maximum the inverse of a sum may be infinite.
  auto isBounded = [](const std::optional<RowSoftmax> &softmax) {
    return softmax && (softmax->mode != SoftmaxMode::unshifted ||
                       !isa_and_nonnull<MultiplyOp>(softmax->division));
  };
  if (isBounded(raiseSoftmax(value)))
    return 1;
  auto product = value.getDefiningOp<MultiplyOp>();
  if (!product)
    return std::nullopt;
  // A constant may have joined the reciprocal of the sum.
  for (unsigned i : {0, 1}) {
    auto inverse = product->getOperand(i).getDefiningOp<MultiplyOp>();
    Value exponentials = product->getOperand(1 - i);
    for (unsigned k : {0, 1}) {
      std::optional<double> factor =
          inverse ? getFactor(inverse->getOperand(k)) : std::nullopt;
      auto reciprocal =
          inverse ? inverse->getOperand(1 - k).getDefiningOp<ReciprocalOp>()
                  : ReciprocalOp();
      if (factor && reciprocal &&
          isBounded(raiseSoftmax(
              exponentials, product,
              Quotient{exponentials, reciprocal.getSrc(), reciprocal})))
        return factor;
    }
  }
  return std::nullopt;
}

} // namespace gc::graph
