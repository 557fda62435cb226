// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "RaiseSoftmax.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHBOUNDCASTS
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// Half of what the attribute states: rounding is not taken into account.
constexpr double kMost = 1 << 29;
/// Elements of a constant that are looked at.
constexpr int64_t kMostElements = 1 << 16;

class Bounds {
public:
  /// Of the elements of a value other than NaN, apart from rounding.
  Interval get(Value value) {
    if (auto known = intervals.find(value); known != intervals.end())
      return known->second;
    Interval interval = limit(compute(value), getElementTypeOrSelf(value));
    intervals[value] = interval;
    return interval;
  }

private:
  Interval compute(Value value) {
    if (std::optional<double> most = getSoftmaxBound(value))
      return {-*most, *most};
    DenseFPElementsAttr elements;
    if (matchPattern(value, m_Constant(&elements)))
      return getInterval(elements);
    auto op = value.getDefiningOp<FusibleOpInterface>();
    if (!op)
      return {};
    SmallVector<Interval> operands;
    for (Value operand : op->getOperands())
      operands.push_back(get(operand));
    return op.inferInterval(cast<OpResult>(value).getResultNumber(), operands);
  }

  /// What is left of an interval in a type.
  static Interval limit(Interval interval, Type element) {
    if (auto type = dyn_cast<FloatType>(element)) {
      // What is beyond the largest number is infinite.
      double most =
          APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
      bool fits = interval.lowest >= -most && interval.highest <= most;
      return fits ? interval : Interval();
    }
    // Integers saturate, or do not overflow.
    auto type = cast<IntegerType>(element);
    bool isSigned = !type.isUnsigned();
    int width = isSigned ? type.getWidth() - 1 : type.getWidth();
    return {std::max(interval.lowest, isSigned ? -std::ldexp(1.0, width) : 0.0),
            std::min(interval.highest, std::ldexp(1.0, width) - 1)};
  }

  static Interval getInterval(DenseFPElementsAttr elements) {
    Interval interval;
    if (!elements.isSplat() && elements.getNumElements() > kMostElements)
      return interval;
    std::swap(interval.lowest, interval.highest);
    auto add = [&](const APFloat &element) {
      double number = element.convertToDouble();
      interval.lowest = std::fmin(interval.lowest, number);
      interval.highest = std::fmax(interval.highest, number);
    };
    if (elements.isSplat())
      add(elements.getSplatValue<APFloat>());
    else
      llvm::for_each(elements.getValues<APFloat>(), add);
    return interval.lowest <= interval.highest ? interval : Interval();
  }

  llvm::DenseMap<Value, Interval> intervals;
};

struct BoundCasts : impl::GraphBoundCastsBase<BoundCasts> {
  void runOnOperation() override {
    Bounds bounds;
    getOperation().walk([&](FusibleOpInterface op) {
      // Ops are visited after those that compute their operands, so that no
      // chain of them is followed further than to the op before.
      for (Value operand : op->getOperands())
        bounds.get(operand);
      if (!op->getInherentAttr(kBoundedAttr) ||
          !getElementTypeOrSelf(op->getResult(0)).isInteger(8) ||
          !isa<FloatType>(getElementTypeOrSelf(op->getOperand(0))))
        return;
      Interval interval = bounds.get(op->getOperand(0));
      if (interval.lowest >= -kMost && interval.highest <= kMost)
        op->setAttr(kBoundedAttr, BoolAttr::get(&getContext(), true));
    });
  }

  static constexpr StringLiteral kBoundedAttr = "bounded";
};

} // namespace

} // namespace gc::graph
