// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/TensorIR/Transforms/IndexRange.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"

using namespace mlir;

namespace gc::tir {

static ConstantIntRanges toUpstream(std::optional<IndexRange> range) {
  constexpr unsigned width = IndexType::kInternalStorageBitWidth;
  if (!range)
    return ConstantIntRanges::maxRange(width);
  return ConstantIntRanges::fromSigned(
      APInt(width, range->min, /*isSigned=*/true),
      APInt(width, range->max, /*isSigned=*/true));
}

/// Nothing for what is open on one side.
static std::optional<IndexRange> fromUpstream(const ConstantIntRanges &range) {
  const APInt &min = range.smin(), &max = range.smax();
  if (min.getBitWidth() == 0 || min.getBitWidth() > 64 ||
      min.isMinSignedValue() || max.isMaxSignedValue())
    return std::nullopt;
  return IndexRange{min.getSExtValue(), max.getSExtValue()};
}

static std::optional<IndexRange> getArgumentRange(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto parallel = dyn_cast_or_null<ParallelOp>(parent))
    return IndexRange{0, parallel.getSizes()[argument.getArgNumber()] - 1};
  auto loop = dyn_cast_or_null<scf::ForOp>(parent);
  if (!loop || argument != loop.getInductionVar())
    return std::nullopt;
  std::optional<IndexRange> lower = getRange(loop.getLowerBound());
  std::optional<IndexRange> upper = getRange(loop.getUpperBound());
  if (!lower || !upper)
    return std::nullopt;
  // A loop that does not run has an empty range, which any range holds.
  int64_t last = std::max(lower->min, upper->max - 1);
  APInt step;
  if (lower->min == lower->max &&
      matchPattern(loop.getStep(), m_ConstantInt(&step)) &&
      step.isStrictlyPositive() && step.getActiveBits() < 63)
    last -= (last - lower->min) % step.getSExtValue();
  return IndexRange{lower->min, last};
}

/// The range of the smallest or the largest of several expressions, of which
/// `precedes` orders two.
template <typename ExtremeOp>
static std::optional<IndexRange>
getExtremeRange(ExtremeOp op, function_ref<bool(int64_t, int64_t)> precedes) {
  std::optional<IndexRange> extreme;
  AffineMap map = op.getAffineMap();
  for (AffineExpr expr : map.getResults()) {
    std::optional<IndexRange> range =
        getRange(expr, map.getNumDims(), op.getMapOperands());
    if (!range)
      return std::nullopt;
    if (!extreme)
      extreme = range;
    if (precedes(range->min, extreme->min))
      extreme->min = range->min;
    if (precedes(range->max, extreme->max))
      extreme->max = range->max;
  }
  return extreme;
}

std::optional<IndexRange> getRange(Value index) {
  if (auto argument = dyn_cast<BlockArgument>(index))
    return getArgumentRange(argument);
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return fromUpstream(ConstantIntRanges::constant(constant));
  // Upstream's affine.min and affine.max do not implement the interface.
  if (auto min = index.getDefiningOp<affine::AffineMinOp>())
    return getExtremeRange(min, [](int64_t x, int64_t y) { return x < y; });
  if (auto max = index.getDefiningOp<affine::AffineMaxOp>())
    return getExtremeRange(max, [](int64_t x, int64_t y) { return x > y; });
  auto op = index.getDefiningOp<InferIntRangeInterface>();
  if (!op)
    return std::nullopt;
  SmallVector<ConstantIntRanges, 4> operands;
  for (Value operand : op->getOperands()) {
    // Conditions and the like.
    unsigned width = ConstantIntRanges::getStorageBitwidth(operand.getType());
    if (width != IndexType::kInternalStorageBitWidth)
      operands.push_back(ConstantIntRanges::maxRange(width));
    else
      operands.push_back(toUpstream(getRange(operand)));
  }
  std::optional<IndexRange> result;
  op.inferResultRanges(operands,
                       [&](Value value, const ConstantIntRanges &range) {
                         if (value == index)
                           result = fromUpstream(range);
                       });
  return result;
}

std::optional<IndexRange> getRange(AffineExpr expr, unsigned numDims,
                                   ValueRange operands) {
  SmallVector<ConstantIntRanges, 4> ranges;
  for (Value operand : operands)
    ranges.push_back(toUpstream(getRange(operand)));
  return fromUpstream(
      intrange::inferAffineExpr(expr, ArrayRef(ranges).take_front(numDims),
                                ArrayRef(ranges).drop_front(numDims)));
}

} // namespace gc::tir
