// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise ops: verifiers, folders, domains, and how the composite ones
// decompose.

#include "Dialect/Graph/IR/GraphOps.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace gc::graph;

//===----------------------------------------------------------------------===//
// Properties of functions
//===----------------------------------------------------------------------===//

bool MultiplyOp::scalesOperand(unsigned) { return true; }
bool DivideOp::scalesOperand(unsigned operand) { return operand == 0; }

bool RoundOp::isDiscontinuous() { return true; }

Interval ErfOp::getResultInterval(unsigned) { return {-1, 1}; }
Interval SigmoidOp::getResultInterval(unsigned) { return {0, 1}; }
Interval TanhOp::getResultInterval(unsigned) { return {-1, 1}; }

Interval ClampOp::getResultInterval(unsigned) {
  return {getMin().convertToDouble(), getMax().convertToDouble()};
}

Interval ExpOp::getResultInterval(unsigned) {
  Interval result{0};
  auto producer = getSrc().getDefiningOp<FusibleOpInterface>();
  if (getAtMostOne())
    result.highest = 1;
  else if (producer && !isa<ExpOp>(producer)) // no endless chains
    result.highest = std::exp(
        producer.getResultInterval(cast<OpResult>(getSrc()).getResultNumber())
            .highest);
  return result;
}

// Only the maximum of an element's own row: values far below those of other
// rows are not computed accurately.
Interval SubtractOp::getResultInterval(unsigned) {
  Interval result;
  auto max = getSrc_1().getDefiningOp<ReduceMaxOp>();
  if (max && max.getSrc() == getSrc_0() && max.getKeepDims() &&
      max.getReducedAxes() ==
          SmallVector<int64_t>{max.getSrc().getType().getRank() - 1})
    result.highest = 0;
  return result;
}

Interval ReluOp::inferInterval(unsigned, ArrayRef<Interval> x) {
  return {std::max(x[0].lowest, 0.0), std::max(x[0].highest, 0.0)};
}
Interval MaximumOp::inferInterval(unsigned, ArrayRef<Interval> x) {
  return {std::max(x[0].lowest, x[1].lowest),
          std::max(x[0].highest, x[1].highest)};
}
Interval MinimumOp::inferInterval(unsigned, ArrayRef<Interval> x) {
  return {std::min(x[0].lowest, x[1].lowest),
          std::min(x[0].highest, x[1].highest)};
}
Interval AddOp::inferInterval(unsigned, ArrayRef<Interval> x) {
  return {x[0].lowest + x[1].lowest, x[0].highest + x[1].highest};
}
Interval SubtractOp::inferInterval(unsigned result, ArrayRef<Interval> x) {
  Interval known = getResultInterval(result);
  return {x[0].lowest - x[1].highest,
          std::min(known.highest, x[0].highest - x[1].lowest)};
}
Interval MultiplyOp::inferInterval(unsigned, ArrayRef<Interval> x) {
  Interval result{0, 0};
  bool isFirst = true;
  for (double a : {x[0].lowest, x[0].highest})
    for (double b : {x[1].lowest, x[1].highest}) {
      // 0 times infinity is NaN for the elements, 0 for bounds.
      double product = a == 0 || b == 0 ? 0 : a * b;
      result.lowest = isFirst ? product : std::min(result.lowest, product);
      result.highest = isFirst ? product : std::max(result.highest, product);
      isFirst = false;
    }
  return result;
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult ClampOp::verify() {
  if (getMin().isNaN() || getMax().isNaN())
    return emitOpError("(C1) a bound is NaN");
  if (getMin() > getMax())
    return emitOpError("(C1) min ")
           << getMin().convertToFloat() << " exceeds max "
           << getMax().convertToFloat();
  return success();
}

LogicalResult EluOp::verify() {
  if (getAlpha().isNegative() && !getAlpha().isZero())
    return emitOpError("(C1) alpha is negative");
  return success();
}

LogicalResult GeluOp::verify() {
  if (getMode() != "gelu_erf" && getMode() != "gelu_tanh")
    return emitOpError("(C1) unknown mode \"") << getMode() << "\"";
  return success();
}

LogicalResult SoftPlusOp::verify() {
  if (getBeta().isZero())
    return emitOpError("(C1) beta is zero");
  return success();
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

/// Whether value is a constant whose every element is `expected`.
static bool isSplat(Attribute value, double expected) {
  auto elements = dyn_cast_or_null<SplatElementsAttr>(value);
  if (!elements)
    return false;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().convertToDouble() == expected;
  return elements.getSplatValue<APInt>().getSExtValue() ==
         static_cast<int64_t>(expected);
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getSrc_1(), 0) && getSrc_0().getType() == getType())
    return getSrc_0();
  if (isSplat(adaptor.getSrc_0(), 0) && getSrc_1().getType() == getType())
    return getSrc_1();
  return {};
}

OpFoldResult SubtractOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getSrc_1(), 0) && getSrc_0().getType() == getType())
    return getSrc_0();
  return {};
}

OpFoldResult MultiplyOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getSrc_1(), 1) && getSrc_0().getType() == getType())
    return getSrc_0();
  if (isSplat(adaptor.getSrc_0(), 1) && getSrc_1().getType() == getType())
    return getSrc_1();
  return {};
}
