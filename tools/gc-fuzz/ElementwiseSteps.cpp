// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps of a random graph that compute element by element.

#include "GraphState.h"

#include <cmath>
#include <functional>

using namespace mlir;
using namespace gc::graph;

namespace gc::fuzz {

namespace {

/// A function of one value: when it makes sense, and its result.
struct Unary {
  bool (*isAllowed)(const Range &);
  std::function<Range(const Range &)> getRange;
  std::function<Value(GraphState &, Value)> build;
};

bool any(const Range &) { return true; }
/// Where functions that level off still differ from their limits.
bool isModerate(const Range &range) {
  return range.magnitude >= 0.01 && range.magnitude <= 5;
}
bool isExponent(const Range &range) { return range.magnitude <= 6; }
bool isPositive(const Range &range) { return range.isAtLeast(0.05); }
bool isDivisor(const Range &range) { return range.isAtLeast(0.2); }
bool isWide(const Range &range) { return range.magnitude >= 4; }
bool hasBothSigns(const Range &range) {
  return range.low < 0 && range.high > 0;
}

template <typename Op>
std::function<Value(GraphState &, Value)>
make(std::vector<std::pair<StringRef, double>> floats = {}) {
  return [floats](GraphState &state, Value x) {
    SmallVector<NamedAttribute> attributes;
    for (auto [name, value] : floats)
      attributes.push_back(state.f32(name, value));
    return state.create<Op>(x, attributes);
  };
}

template <typename Function>
std::function<Range(const Range &)>
mapBy(Function f, std::initializer_list<double> points = {}) {
  std::vector<double> turns(points);
  return [f, turns](const Range &range) { return apply(range, f, turns); };
}

double softPlus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}
double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double clampTo(double x, double low, double high) {
  return std::min(std::max(x, low), high);
}

Value makeGelu(GraphState &state, Value x) {
  StringRef mode = state.random.pick<StringRef>({"gelu_erf", "gelu_tanh"});
  return state.create<GeluOp>(
      x, state.attribute("mode", state.builder.getStringAttr(mode)));
}

/// One op of the dialect, with attributes drawn anew.
Unary pickUnary(Random &random) {
  double slope = random.pick({0.01, 0.1, 0.5, 1.0, 1.5, -0.5});
  double alpha = random.pick({0.0, 0.5, 1.0, 2.0});
  double beta = random.pick({1.0, 2.0, 0.5, -1.0});
  double low = random.pick<double>({-1.0, -0.5, 0.0, -INFINITY});
  double high = random.pick<double>({0.25, 1.0, 6.0, INFINITY});
  double exponent = random.pick({0.0, 0.5, 1.0, 1.5, -1.0, -0.5});
  double integer = random.pick({2.0, 3.0});
  double factor = random.pick({0.2, 1.0 / 6, 0.5});
  const Unary rules[] = {
      {any, mapBy([](double x) { return std::fabs(x); }, {0}), make<AbsOp>()},
      {hasBothSigns, mapBy([=](double x) { return clampTo(x, low, high); }),
       make<ClampOp>({{"min", low}, {"max", high}})},
      {isExponent,
       mapBy([=](double x) { return x < 0 ? alpha * std::expm1(x) : x; }),
       make<EluOp>({{"alpha", alpha}})},
      {isModerate, mapBy([](double x) { return std::erf(x); }), make<ErfOp>()},
      {isExponent, mapBy([](double x) { return std::exp(x); }), make<ExpOp>()},
      {any, mapBy(gelu, {-0.7518}), makeGelu},
      {isModerate,
       mapBy([=](double x) { return clampTo(factor * x + 0.5, 0, 1); }),
       make<HardSigmoidOp>({{"alpha", factor}, {"beta", 0.5}})},
      {any,
       mapBy([](double x) { return x * clampTo(x + 3, 0, 6) / 6; }, {-1.5}),
       make<HardSwishOp>()},
      {any, mapBy([=](double x) { return x < 0 ? slope * x : x; }, {0}),
       make<LeakyReluOp>({{"alpha", slope}})},
      {isPositive, mapBy([](double x) { return std::log(x); }), make<LogOp>()},
      {any,
       mapBy([](double x) { return x * std::tanh(softPlus(x)); }, {-1.192}),
       make<MishOp>()},
      {isPositive, mapBy([=](double x) { return std::pow(x, exponent); }),
       make<PowOp>({{"beta", exponent}})},
      {any, mapBy([=](double x) { return std::pow(x, integer); }, {0}),
       make<PowOp>({{"beta", integer}})},
      {isDivisor, mapBy([](double x) { return 1 / x; }), make<ReciprocalOp>()},
      {hasBothSigns, mapBy([](double x) { return std::max(x, 0.0); }),
       make<ReluOp>()},
      {isWide, mapBy([](double x) { return std::nearbyint(x); }),
       make<RoundOp>()},
      {isModerate, mapBy([](double x) { return 1 / (1 + std::exp(-x)); }),
       make<SigmoidOp>()},
      {any, mapBy([=](double x) { return softPlus(beta * x) / beta; }),
       make<SoftPlusOp>({{"beta", beta}})},
      {isPositive, mapBy([](double x) { return std::sqrt(x); }),
       make<SqrtOp>()},
      {any, mapBy([](double x) { return x * x; }, {0}), make<SquareOp>()},
      {isModerate, mapBy([](double x) { return std::tanh(x); }),
       make<TanhOp>()},
  };
  return random.pick(ArrayRef(rules));
}

bool isReasonable(const Range &range) {
  return range.magnitude <= GraphState::kMaxMagnitude &&
         range.magnitude >= 1e-4;
}

} // namespace

bool addUnary(GraphState &state) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    Unary rule = pickUnary(state.random);
    const Item *x = state.pickItem([&](const Item &item) {
      return item.isFloat() && rule.isAllowed(item.range) &&
             isReasonable(rule.getRange(item.range)) &&
             (rule.isAllowed != isDivisor || state.mayDivide(item));
    });
    if (!x)
      continue;
    Range range = rule.getRange(x->range);
    state.addItem(rule.build(state, x->value), range);
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

namespace {

using BinaryRange = Range (*)(const Range &, const Range &);

struct Binary {
  BinaryRange getRange;
  Value (*build)(GraphState &, Value, Value);
};

template <typename Op>
Value makeBinary(GraphState &state, Value a, Value b) {
  return state.create<Op>(
      {a, b},
      state.attribute("auto_broadcast", state.builder.getStringAttr("numpy")));
}

} // namespace

bool addScaling(GraphState &state) {
  const Item *x = state.pickItem([](const Item &item) {
    return item.isFloat() && item.range.magnitude > 8;
  });
  if (!x)
    return false;
  Item copy = *x;
  double factor = std::exp2(-std::ceil(std::log2(copy.range.magnitude)));
  SmallVector<int64_t> shape;
  if (state.random.percent(50))
    shape.assign(copy.getShape().begin(), copy.getShape().end());
  Item scale = state.addConstant(shape, copy.getType().getElementType(), factor,
                                 factor, true);
  state.addItem(makeBinary<MultiplyOp>(state, copy.value, scale.value),
                multiply(copy.range, scale.range));
  return true;
}

bool addPositive(GraphState &state) {
  const Item *x = state.pickItem([](const Item &item) {
    return item.isFloat() && item.range.magnitude < 30 &&
           !item.range.isAtLeast(0.05);
  });
  if (!x)
    return false;
  Item copy = *x;
  Value value = copy.value;
  Range range;
  if (state.random.percent(50)) {
    value = state.create<AbsOp>(value);
    range = apply(copy.range, [](double x) { return std::fabs(x); }, {0.0});
  } else {
    value = state.create<SquareOp>(value);
    range = apply(copy.range, [](double x) { return x * x; }, {0.0});
  }
  Item offset =
      state.addConstant({}, copy.getType().getElementType(), 0.5, 2.0, true);
  state.addItem(makeBinary<AddOp>(state, value, offset.value),
                add(range, offset.range));
  return true;
}

namespace {

const Binary kAdd = {add, makeBinary<AddOp>};
const Binary kSubtract = {subtract, makeBinary<SubtractOp>};
const Binary kMultiply = {multiply, makeBinary<MultiplyOp>};
const Binary kMaximum = {maximum, makeBinary<MaximumOp>};
const Binary kMinimum = {minimum, makeBinary<MinimumOp>};
const Binary kDivide = {divide, makeBinary<DivideOp>};
const Binary kSquaredDifference = {
    [](const Range &a, const Range &b) {
      return apply(subtract(a, b), [](double x) { return x * x; }, {0.0});
    },
    makeBinary<SquaredDifferenceOp>};

/// Whether the op accepts both element types and the result is not too large.
bool fits(const Item &a, const Item &b) {
  Type left = a.getType().getElementType(),
       right = b.getType().getElementType();
  if (left != right &&
      !(a.isFloat() && b.isFloat() && (left.isF32() || right.isF32())))
    return false;
  auto shape = broadcastShapes(a.getShape(), b.getShape());
  return shape && getNumElements(*shape) <= GraphState::kMaxElements;
}

/// A new operand in addition to `x`: one that is broadcast, or one that `x` is
/// broadcast to.
Item addOperand(GraphState &state, const Item &x, bool divisor) {
  Random &random = state.random;
  Type element = x.getType().getElementType();
  double low = divisor ? 1 : -1;
  if (random.percent(30)) {
    SmallVector<int64_t> shape;
    if (random.percent(50))
      shape = state.pickBroadcastSource(x.getShape());
    bool splat = random.percent(60) || getNumElements(shape) > 512;
    return state.addConstant(shape, element, low, 2, splat);
  }
  SmallVector<int64_t> shape = state.pickBroadcastSource(x.getShape());
  int64_t count = getNumElements(x.getShape());
  if (random.percent(15)) {
    shape.assign(x.getShape().begin(), x.getShape().end());
    for (int64_t &size : shape)
      if (size == 1) {
        size = state.pickSize(8192 / count);
        count *= size;
      }
    if (shape.size() < 5 && random.percent(50))
      shape.insert(shape.begin(), state.pickSize(8192 / count));
  }
  return state.addArgument(
      shape, element, divisor ? ArgumentKind::divisor : ArgumentKind::plain,
      random.percent(20));
}

} // namespace

bool addBinary(GraphState &state) {
  Random &random = state.random;
  const Item *x =
      state.pickItem([](const Item &item) { return item.isFloat(); });
  if (!x)
    return false;
  Item a = *x;
  const Binary &rule = *random.pick<const Binary *>(
      {&kAdd, &kAdd, &kSubtract, &kMultiply, &kMultiply, &kMaximum, &kMinimum,
       &kDivide, &kSquaredDifference});
  bool divides = &rule == &kDivide;
  std::optional<Item> b;
  if (random.percent(50)) {
    const Item *other = state.pickItem([&](const Item &item) {
      return fits(a, item) && (!divides || state.mayDivide(item)) &&
             (item.value != a.value || random.percent(10)) &&
             isReasonable(rule.getRange(a.range, item.range));
    });
    if (other)
      b = *other;
  }
  if (!b)
    b = addOperand(state, a, divides);
  // x - x and x / x are the same number everywhere.
  if (a.value == b->value && (divides || rule.getRange == subtract ||
                              rule.getRange == kSquaredDifference.getRange))
    return false;
  if (!divides && random.percent(30))
    std::swap(a, *b);
  Range range = rule.getRange(a.range, b->range);
  if (range.magnitude > GraphState::kMaxMagnitude)
    return false;
  state.addItem(rule.build(state, a.value, b->value), range);
  return true;
}

bool addInteger(GraphState &state) {
  Random &random = state.random;
  auto isInteger = [](const Item &item) {
    return item.getType().getElementType().isSignedInteger(32) &&
           item.range.getBound() < 1e6;
  };
  const Item *x = state.pickItem(isInteger);
  Type element =
      IntegerType::get(state.builder.getContext(), 32, IntegerType::Signed);
  Item a = x ? *x
             : state.addArgument(state.pickShape(random.between(0, 4)), element,
                                 ArgumentKind::plain, false);
  const Item *other = state.pickItem([&](const Item &item) {
    return isInteger(item) && fits(a, item) && item.value != a.value;
  });
  Item b = other && random.percent(50) ? *other : addOperand(state, a, false);
  const Binary &rule = *random.pick<const Binary *>(
      {&kAdd, &kSubtract, &kMultiply, &kMaximum, &kMinimum});
  Range range = rule.getRange(a.range, b.range);
  if (range.getBound() > 2e9)
    return false;
  state.addItem(rule.build(state, a.value, b.value), range);
  return true;
}

bool addBias(GraphState &state) {
  Random &random = state.random;
  bool second = random.percent(30);
  const Item *x = state.pickItem([&](const Item &item) {
    return item.isFloat() && item.getType().getRank() >= (second ? 2 : 1);
  });
  if (!x)
    return false;
  Item src = *x;
  int64_t channels = second ? src.getShape()[1] : src.getShape().back();
  Item bias = state.addArgument({channels}, src.getType().getElementType(),
                                ArgumentKind::plain, random.percent(60));
  Value value = state.create<BiasAddOp>(
      {src.value, bias.value},
      state.attribute("data_format",
                      state.builder.getStringAttr(second ? "NCX" : "NXC")));
  state.addItem(value, add(src.range, bias.range));
  return true;
}

} // namespace gc::fuzz
