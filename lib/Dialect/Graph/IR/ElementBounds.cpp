// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/ElementBounds.h"
#include "ScalarMath.h"

#include <limits>

using namespace mlir;

namespace gc::graph {

ElementBounds BoundsBuilder::get(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  ElementBounds bounds =
      op && op->getBlock() == block ? compute(op) : getOuter(value);
  // The infinities are bounds of all floating-point numbers.
  Type element = getElementTypeOrSelf(value.getType());
  if (isa<FloatType>(element)) {
    ScalarMath m{builder, loc};
    auto complete = [&](Value bound, double infinity) {
      Value all =
          m.constant(builder.getF32FloatAttr(infinity), builder.getF32Type());
      return bound
                 ? m.select(arith::CmpFPredicate::UNO, bound, bound, all, bound)
                 : all;
    };
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    // A scalar that is NaN is not exact any more.
    bounds = {complete(bounds.low, -kInfinity),
              complete(bounds.high, kInfinity)};
  }
  return known[value] = bounds;
}

ElementBounds BoundsBuilder::compute(Operation *op) {
  auto body = dyn_cast<ScalarBodyOpInterface>(op);
  if (!body || op->getNumResults() != 1)
    return {};
  // NaN would become a number outside of the bounds.
  auto isFloat = [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  };
  bool readsIndex = body.getIndexDim().has_value();
  if (!isFloat(op->getResult(0).getType()) && !readsIndex &&
      llvm::any_of(op->getOperandTypes(), isFloat))
    return {};
  SmallVector<ElementBounds> operands;
  if (readsIndex)
    operands.push_back(indices[*body.getIndexDim()]);
  else
    for (Value operand : op->getOperands())
      operands.push_back(get(operand));
  for (auto [i, operand] : llvm::enumerate(operands))
    if (!operand ||
        (body.getMonotonicity(i) == Monotonicity::none && !operand.isExact()))
      return {};
  if (llvm::all_of(operands,
                   [](const ElementBounds &x) { return x.isExact(); })) {
    Value only = getExtreme(body, operands, /*greatest=*/true);
    return {only, only};
  }
  Value low = getExtreme(body, operands, /*greatest=*/false);
  return {low, low ? getExtreme(body, operands, /*greatest=*/true) : Value()};
}

Value BoundsBuilder::getExtreme(ScalarBodyOpInterface op,
                                ArrayRef<ElementBounds> operands,
                                bool greatest) {
  // Corners of the box that the operands span.
  SmallVector<SmallVector<Value>> corners(1);
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Monotonicity kind = op.getMonotonicity(i);
    bool fromHigh = (kind == Monotonicity::increasing) == greatest;
    size_t count = corners.size();
    if (kind == Monotonicity::either && !operand.isExact())
      for (size_t c = 0; c < count; ++c)
        corners.push_back(corners[c]);
    for (auto [c, corner] : llvm::enumerate(corners))
      corner.push_back(kind == Monotonicity::either
                           ? (c < count ? operand.low : operand.high)
                           : (fromHigh ? operand.high : operand.low));
  }
  ScalarMath m{builder, loc};
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  Value extreme;
  for (ArrayRef<Value> corner : corners) {
    SmallVector<Value> results = op.buildBody(builder, loc, corner);
    if (results.empty())
      return {};
    Value x = results[0];
    if (isa<FloatType>(element) && element != x.getType())
      x = m.make<arith::ExtFOp>(x.getType(),
                                m.make<arith::TruncFOp>(element, x));
    if (!extreme) {
      extreme = x;
      continue;
    }
    if (isa<FloatType>(element))
      extreme = greatest ? m.max(extreme, x) : m.min(extreme, x);
    else if (!element.isSignedInteger())
      return {};
    else
      extreme = greatest ? m.make<arith::MaxSIOp>(extreme, x)
                         : m.make<arith::MinSIOp>(extreme, x);
  }
  return extreme;
}

} // namespace gc::graph
