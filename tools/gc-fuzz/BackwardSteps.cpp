// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps of a random graph that compute gradients of elementwise functions.

#include "GraphState.h"

#include <cmath>
#include <functional>

using namespace mlir;
using namespace gc::graph;

namespace gc::fuzz {

namespace {

/// The gradient of one function: when it makes sense for its first operand, the
/// range of its slope, and its result.
struct Gradient {
  bool (*isAllowed)(const Range &);
  std::function<Range(const Range &)> getSlope;
  std::function<Value(GraphState &, Value, Value)> build;
};

bool any(const Range &) { return true; }
bool isModerate(const Range &range) {
  return range.magnitude >= 0.01 && range.magnitude <= 5;
}
bool isPositive(const Range &range) { return range.isAtLeast(0.05); }
bool isDivisor(const Range &range) { return range.isAtLeast(0.2); }
bool hasBothSigns(const Range &range) {
  return range.low < 0 && range.high > 0;
}

std::function<Range(const Range &)> between(double low, double high) {
  return [=](const Range &) { return Range::get(low, high); };
}

template <typename Function>
std::function<Range(const Range &)>
mapBy(Function f, std::initializer_list<double> points = {}) {
  std::vector<double> turns(points);
  return [f, turns](const Range &range) { return apply(range, f, turns); };
}

using Floats = std::vector<std::pair<StringRef, double>>;

template <typename Op>
std::function<Value(GraphState &, Value, Value)>
make(const Floats &floats = {}, std::optional<bool> useDst = std::nullopt) {
  return [floats, useDst](GraphState &state, Value x, Value diff) {
    SmallVector<NamedAttribute> attributes;
    for (auto [name, value] : floats)
      attributes.push_back(state.f32(name, value));
    if (useDst)
      attributes.push_back(
          state.attribute("use_dst", state.builder.getBoolAttr(*useDst)));
    return state.create<Op>({x, diff}, attributes);
  };
}

Value makeGelu(GraphState &state, Value x, Value diff) {
  StringRef mode = state.random.pick<StringRef>({"gelu_erf", "gelu_tanh"});
  return state.create<GeluBackwardOp>(
      {x, diff}, state.attribute("mode", state.builder.getStringAttr(mode)));
}

/// One op of the dialect, with attributes drawn anew.
Gradient pickGradient(Random &random) {
  double alpha = random.pick({0.0, 0.5, 1.0, 2.0});
  double beta = random.pick({1.0, 2.0, 0.5, -1.0});
  double low = random.pick<double>({-1.0, -0.5, 0.0, -INFINITY});
  double high = random.pick<double>({0.25, 1.0, 6.0, INFINITY});
  double factor = random.pick({0.2, 1.0 / 6, 0.5});
  bool useDst = random.percent(50);
  const Gradient rules[] = {
      {hasBothSigns, between(-1, 1), make<AbsBackwardOp>()},
      {hasBothSigns, between(0, 1),
       make<ClampBackwardOp>({{"min", low}, {"max", high}}, useDst)},
      {isModerate,
       mapBy(
           [=](double x) {
             return x > 0 ? 1 : useDst ? x + alpha : alpha * std::exp(x);
           },
           {0}),
       make<EluBackwardOp>({{"alpha", alpha}}, useDst)},
      {any, between(-0.2, 1.2), makeGelu},
      {isModerate, between(0, factor),
       make<HardSigmoidBackwardOp>({{"alpha", factor}, {"beta", 0.5}})},
      {any, between(-0.5, 1.5), make<HardSwishBackwardOp>()},
      {any, between(-0.2, 1.1), make<MishBackwardOp>()},
      {hasBothSigns, between(0, 1), make<ReluBackwardOp>({}, useDst)},
      {isModerate,
       useDst ? mapBy([](double x) { return x * (1 - x); }, {0.5})
              : between(0, 0.25),
       make<SigmoidBackwardOp>({}, useDst)},
      {isModerate, between(0, 1), make<SoftPlusBackwardOp>({{"beta", beta}})},
      {isPositive, mapBy([](double x) { return 0.5 / std::sqrt(x); }),
       make<SqrtBackwardOp>({}, false)},
      {isDivisor, mapBy([](double x) { return 0.5 / x; }),
       make<SqrtBackwardOp>({}, true)},
      {isModerate,
       useDst ? mapBy([](double x) { return 1 - x * x; }, {0}) : between(0, 1),
       make<TanhBackwardOp>({}, useDst)},
  };
  return random.pick(ArrayRef(rules));
}

bool isReasonable(const Range &range) {
  return range.magnitude <= GraphState::kMaxMagnitude &&
         range.magnitude >= 1e-4;
}

/// A gradient for `x`: another value of its type, or an argument.
Item pickDiff(GraphState &state, const Item &x) {
  const Item *other = state.pickItem([&](const Item &item) {
    return item.value != x.value && item.getShape() == x.getShape() &&
           item.getType().getElementType() == x.getType().getElementType() &&
           isReasonable(item.range);
  });
  if (other && state.random.percent(60))
    return *other;
  return state.addArgument(x.getShape(), x.getType().getElementType(),
                           ArgumentKind::plain, state.random.percent(10));
}

} // namespace

bool addGradient(GraphState &state) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    Gradient rule = pickGradient(state.random);
    const Item *picked = state.pickItem([&](const Item &item) {
      return item.isFloat() && rule.isAllowed(item.range) &&
             (rule.isAllowed != isDivisor || state.mayDivide(item));
    });
    if (!picked)
      continue;
    Item x = *picked, diff = pickDiff(state, x);
    Range range = multiply(rule.getSlope(x.range), diff.range);
    if (!isReasonable(range))
      continue;
    state.addItem(rule.build(state, x.value, diff.value), range);
    return true;
  }
  return false;
}

bool addPrelu(GraphState &state) {
  Random &random = state.random;
  const Item *picked = state.pickItem([](const Item &item) {
    return item.isFloat() && item.getType().getRank() >= 1 &&
           hasBothSigns(item.range) && isReasonable(item.range);
  });
  if (!picked)
    return false;
  Item src = *picked;
  bool second = src.getType().getRank() >= 2 && random.percent(30);
  SmallVector<int64_t> shape = {second ? src.getShape()[1]
                                       : src.getShape().back()};
  if (random.percent(50))
    shape = state.pickBroadcastSource(src.getShape());
  // One dimension is that of the channels.
  if (shape.size() == 1 && shape[0] != 1)
    shape[0] = second ? src.getShape()[1] : src.getShape().back();
  Item slope = state.addArgument(shape, src.getType().getElementType(),
                                 ArgumentKind::plain, random.percent(50));
  NamedAttribute format = state.attribute(
      "data_format", state.builder.getStringAttr(second ? "NCX" : "NXC"));
  Range scaled = multiply(src.range, slope.range);
  if (random.percent(40)) {
    bool perChannel = second || random.percent(70);
    NamedAttribute attributes[] = {
        format, state.attribute("per_channel_broadcast",
                                state.builder.getBoolAttr(perChannel))};
    state.addItem(state.create<PreluOp>({src.value, slope.value}, attributes),
                  maximum(scaled, src.range));
    state.items.back().range.low = std::min(scaled.low, src.range.low);
    return true;
  }
  Item diff = pickDiff(state, src);
  double count = double(getNumElements(src.getShape())) /
                 double(getNumElements(slope.getShape()));
  Range sum = contract(src.range, diff.range, count);
  if (sum.magnitude > GraphState::kMaxMagnitude)
    return false;
  Operation *op = PreluBackwardOp::create(
      state.builder, state.builder.getUnknownLoc(),
      ValueRange{src.value, slope.value, diff.value}, format);
  Range passed = multiply(diff.range, slope.range);
  state.addItem(op->getResult(0),
                Range::get(std::min(passed.low, diff.range.low),
                           std::max(passed.high, diff.range.high),
                           std::max(passed.magnitude, diff.range.magnitude)));
  state.addItem(op->getResult(1), sum);
  return true;
}

bool addBiasGradient(GraphState &state) {
  bool second = state.random.percent(30);
  const Item *picked = state.pickItem([&](const Item &item) {
    return item.isFloat() && item.getType().getRank() >= (second ? 2 : 1) &&
           isReasonable(item.range);
  });
  if (!picked)
    return false;
  Item diff = *picked;
  int64_t channels = second ? diff.getShape()[1] : diff.getShape().back();
  double count = double(getNumElements(diff.getShape())) / double(channels);
  Range sum = contract(diff.range, Range::get(1, 1), count);
  if (sum.magnitude > GraphState::kMaxMagnitude)
    return false;
  NamedAttribute format = state.attribute(
      "data_format", state.builder.getStringAttr(second ? "NCX" : "NXC"));
  state.addItem(state.create<BiasAddBackwardOp>(diff.value, format), sum);
  return true;
}

} // namespace gc::fuzz
