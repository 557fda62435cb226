// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps of a random graph that compute gradients of softmax and norms.

#include "GraphState.h"

#include <cmath>

using namespace mlir;
using namespace gc::graph;

namespace gc::fuzz {

namespace {

bool isRow(const Item &item) {
  return item.isF32() && item.getType().getRank() >= 1 &&
         item.getShape().back() >= 2 && item.range.magnitude <= 20 &&
         item.range.magnitude >= 1e-3 && item.range.getBound() <= 100;
}

/// Another value of the shape and type, or an argument.
Item pickDiff(GraphState &state, const Item &x) {
  const Item *other = state.pickItem([&](const Item &item) {
    return item.value != x.value && item.getShape() == x.getShape() &&
           isRow(item);
  });
  if (other && state.random.percent(60))
    return *other;
  return state.addArgument(x.getShape(), x.getType().getElementType(),
                           ArgumentKind::plain, false);
}

Item addParameter(GraphState &state, ArrayRef<int64_t> shape, bool positive) {
  return state.addArgument(shape, state.builder.getF32Type(),
                           positive ? ArgumentKind::positive
                                    : ArgumentKind::plain,
                           state.random.percent(50));
}

/// Adds all results of an op, with one range.
template <typename Op>
void addAll(GraphState &state, ValueRange operands,
            ArrayRef<NamedAttribute> attributes, const Range &range) {
  Operation *op = Op::create(state.builder, state.builder.getUnknownLoc(),
                             operands, attributes);
  for (Value result : op->getResults())
    state.addItem(result, range);
}

Range getRange(double bound, double magnitude) {
  return Range::get(-bound, bound, std::min(bound, magnitude));
}

} // namespace

bool addSoftmaxGradient(GraphState &state) {
  Random &random = state.random;
  const Item *picked = state.pickItem(isRow);
  if (!picked)
    return false;
  Item dst = *picked, diff = pickDiff(state, dst);
  int64_t rank = dst.getType().getRank();
  int64_t dim = random.percent(75) ? rank - 1 : random.below(rank);
  double count = dst.getShape()[dim];
  NamedAttribute axis = state.attribute(
      "axis",
      state.builder.getI64IntegerAttr(random.percent(30) ? dim - rank : dim));
  Value operands[] = {diff.value, dst.value};
  Range sum = contract(diff.range, Range::get(1, 1), count);
  if (random.percent(50)) {
    // Results of log_softmax are not positive.
    if (dst.range.high > 4)
      return false;
    Range share =
        multiply(apply(dst.range, [](double x) { return std::exp(x); }), sum);
    Range range = subtract(diff.range, share);
    if (range.magnitude > GraphState::kMaxMagnitude)
      return false;
    state.addItem(state.create<LogSoftmaxBackwardOp>(operands, axis), range);
    return true;
  }
  Range inner = contract(diff.range, dst.range, count);
  Range range = multiply(dst.range, subtract(diff.range, inner));
  if (range.magnitude > GraphState::kMaxMagnitude)
    return false;
  state.addItem(state.create<SoftmaxBackwardOp>(operands, axis), range);
  return true;
}

bool addNormGradient(GraphState &state) {
  Random &random = state.random;
  Builder &builder = state.builder;
  const Item *picked = state.pickItem([](const Item &item) {
    return isRow(item) && item.getType().getRank() >= 2;
  });
  if (!picked)
    return false;
  Item src = *picked, diff = pickDiff(state, src);
  ArrayRef<int64_t> shape = src.getShape();
  int64_t rank = shape.size();
  double count = getNumElements(shape);
  // Values over the least deviation, 1/sqrt(0.125), and gamma, at most 2.
  Range y =
      getRange(3 * (src.range.getBound() + 2), 3 * (src.range.magnitude + 1));
  Range sum = contract(multiply(diff.range, y), Range::get(1, 1), count);
  double bound = 6 * (2 * diff.range.getBound() +
                      y.getBound() * y.getBound() * diff.range.getBound());
  Range range = getRange(std::max(bound, sum.getBound()),
                         std::max(6 * diff.range.magnitude, sum.magnitude));
  if (range.magnitude > GraphState::kMaxMagnitude)
    return false;
  NamedAttribute epsilon = state.f32("epsilon", random.pick({1e-5, 1e-2}));
  if (random.percent(40)) {
    int64_t begin = random.percent(85) ? rank - 1 : random.below(rank);
    bool affine = random.percent(60);
    SmallVector<Value> operands = {
        src.value, diff.value,
        addParameter(state, shape.take_front(begin), false).value,
        addParameter(state, shape.take_front(begin), true).value};
    if (affine) {
      ArrayRef<int64_t> row = shape.drop_front(begin);
      operands.push_back(addParameter(state, row, true).value);
      operands.push_back(addParameter(state, row, false).value);
    }
    NamedAttribute attributes[] = {
        epsilon, state.attribute("use_affine", builder.getBoolAttr(affine)),
        state.attribute("begin_norm_axis", builder.getI64IntegerAttr(begin))};
    addAll<LayerNormBackwardOp>(state, operands, attributes, range);
    return true;
  }
  bool second = random.percent(30);
  int64_t channels = second ? shape[1] : shape.back();
  NamedAttribute format = state.attribute(
      "data_format", builder.getStringAttr(second ? "NCX" : "NXC"));
  Value mean = addParameter(state, channels, false).value;
  Value variance = addParameter(state, channels, true).value;
  if (random.percent(50)) {
    SmallVector<Value> operands = {src.value, diff.value, mean, variance};
    if (random.percent(60))
      operands.push_back(addParameter(state, channels, true).value);
    addAll<BatchNormTrainingBackwardOp>(state, operands, {epsilon, format},
                                        range);
    return true;
  }
  // One element per channel is its own mean.
  if (count == channels)
    return false;
  SmallVector<Value> operands = {src.value, mean, variance};
  if (random.percent(60)) {
    operands.push_back(addParameter(state, channels, true).value);
    operands.push_back(addParameter(state, channels, false).value);
  }
  NamedAttribute attributes[] = {
      epsilon, format, state.f32("momentum", random.pick({0.1, 0.5, 0.9}))};
  Operation *op = BatchNormForwardTrainingOp::create(
      state.builder, state.builder.getUnknownLoc(), operands, attributes);
  double most = 2 * std::sqrt(count) + 2;
  state.addItem(op->getResult(0), getRange(most, 3));
  double square = 4 * src.range.getBound() * src.range.getBound() + 2;
  for (unsigned i : {1, 3})
    state.addItem(op->getResult(i), getRange(src.range.getBound() + 2, 1));
  for (unsigned i : {2, 4})
    state.addItem(op->getResult(i), Range::get(0, square));
  return true;
}

} // namespace gc::fuzz
