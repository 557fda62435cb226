// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise functions that are composed of others.

#include "Compose.h"
#include "Ops.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace gc::onnxio;

using Function = Value (*)(NodeBuilder &, Value);

/// An operator with one operand and no attributes.
template <Function function>
static LogicalResult importFunction(NodeBuilder &node) {
  return node.setResult(function(node, getValue(node, 0)));
}

static Value negate(NodeBuilder &node, Value x) {
  return multiply(node, x, makeScalar(node, -1, x));
}

static Value ceil(NodeBuilder &node, Value x) {
  return negate(node, floor(node, negate(node, x)));
}

static Value sign(NodeBuilder &node, Value x) {
  Value zero = makeScalar(node, 0, x);
  Value positive = makeScalar(node, 1, x), negative = makeScalar(node, -1, x);
  Value rest = select(node, greaterEqual(node, x, zero), zero, negative);
  return select(node, greaterEqual(node, zero, x), rest, positive);
}

static Value softsign(NodeBuilder &node, Value x) {
  Value one = makeScalar(node, 1, x);
  return divide(node, x, add(node, node.make("graph.abs", x), one));
}

static LogicalResult importSelu(NodeBuilder &node) {
  Value x = getValue(node, 0);
  float alpha = node.getFloatAttr("alpha", 1.67326319217681884765625f);
  float gamma = node.getFloatAttr("gamma", 1.05070102214813232421875f);
  Value y = node.make("graph.elu", x, f32Attr(node, "alpha", alpha));
  return node.setResult(multiply(node, y, makeScalar(node, gamma, x)));
}

static LogicalResult importCelu(NodeBuilder &node) {
  Value x = getValue(node, 0);
  float alpha = node.getFloatAttr("alpha", 1.0f);
  if (alpha <= 0)
    return node.fail("alpha is not positive");
  Value scale = makeScalar(node, alpha, x);
  Value y =
      node.make("graph.elu", divide(node, x, scale), f32Attr(node, "alpha", 1));
  return node.setResult(multiply(node, y, scale));
}

static LogicalResult importThresholdedRelu(NodeBuilder &node) {
  Value x = getValue(node, 0);
  Value alpha = makeScalar(node, node.getFloatAttr("alpha", 1.0f), x);
  Value zero = makeScalar(node, 0, x);
  return node.setResult(select(node, greaterEqual(node, alpha, x), zero, x));
}

static LogicalResult importShrink(NodeBuilder &node) {
  Value x = getValue(node, 0);
  float bias = node.getFloatAttr("bias", 0.0f);
  float bound = node.getFloatAttr("lambd", 0.5f);
  if (!x || bound < 0)
    return node.fail("lambd is negative");
  Value offset = makeScalar(node, bias, x), zero = makeScalar(node, 0, x);
  Value atLeast = greaterEqual(node, x, makeScalar(node, -bound, x));
  Value atMost = greaterEqual(node, makeScalar(node, bound, x), x);
  Value above = select(node, atMost, zero, subtract(node, x, offset));
  return node.setResult(select(node, atLeast, above, add(node, x, offset)));
}

static LogicalResult importPRelu(NodeBuilder &node) {
  Value x = getValue(node, 0), slope = getValue(node, 1);
  Value scaled = multiply(node, x, slope);
  Value result =
      select(node, greaterEqual(node, x, makeScalar(node, 0, x)), x, scaled);
  if (result && result.getType() != x.getType())
    return node.fail("the slope does not broadcast to the input");
  return node.setResult(result);
}

/// x^y = e^(y ln |x|), with the sign of an odd power; NaN where x is negative
/// and y no integer.
static Value power(NodeBuilder &node, Value x, Value y) {
  Value zero = makeScalar(node, 0, x), one = makeScalar(node, 1, x);
  Value size = node.make(
      "graph.exp",
      multiply(node, y, node.make("graph.log", node.make("graph.abs", x))));
  Value half = multiply(node, y, makeScalar(node, 0.5, y));
  Value isEven = equal(node, floor(node, half), half);
  Value isInteger = equal(node, floor(node, y), y);
  Value negative =
      select(node, isInteger, select(node, isEven, size, negate(node, size)),
             makeScalar(node, std::numeric_limits<double>::quiet_NaN(), x));
  Value result = select(node, greaterEqual(node, x, zero), size, negative);
  return select(node, equal(node, y, zero), one, result);
}

/// The exponent may be of another type than the base.
static LogicalResult importPow(NodeBuilder &node) {
  auto base = node.getKnown(0), exponent = node.getKnown(1);
  if (base && exponent) {
    Known power = *exponent;
    if (base->isFloat() != exponent->isFloat()) {
      Type f64 = Float64Type::get(node.getContext());
      power = *convert(power, f64);
      base = *convert(*base, f64);
    }
    base->type = base->type.clone(power.type.getElementType());
    Evaluator evaluator{[](int64_t a, int64_t b) {
                          return static_cast<int64_t>(
                              std::pow(double(a), double(b)));
                        },
                        [](double a, double b) { return std::pow(a, b); }};
    if (auto result = evaluate(evaluator, {*base, power}))
      if (auto typed = convert(*result, node.getType(0)->getElementType()))
        return node.setKnown(*typed);
  }
  Value x = getValue(node, 0);
  if (!x)
    return failure();
  if (!isa<FloatType>(getElement(x)))
    return node.fail("powers of integers are supported if they are known at "
                     "import");
  if (exponent && !exponent->values.empty() &&
      countElements(exponent->getShape()) == 1 &&
      exponent->type.getRank() <= getTensorType(x).getRank()) {
    double beta = exponent->isFloat() ? exponent->values[0].f
                                      : double(exponent->values[0].i);
    return node.setResult(
        node.make("graph.pow", x, f32Attr(node, "beta", beta)));
  }
  Value y = getValue(node, 1);
  return node.setResult(power(node, x, castTo(node, y, getElement(x))));
}

/// Of integers at import only: their quotients are truncated.
static LogicalResult importDiv(NodeBuilder &node) {
  Value a = getValue(node, 0), b = getValue(node, 1);
  return node.setResult(divide(node, a, b));
}

static LogicalResult refuseUnknown(NodeBuilder &node) {
  return node.fail("is supported for operands that are known at import only");
}

static int64_t divideTruncating(int64_t a, int64_t b) {
  // As the processor's, without its traps.
  return b == -1 && a == INT64_MIN ? a : a / b;
}

static int64_t wrapAdd(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) + uint64_t(b));
}

/// The remainder has the sign of the divisor, that of the dividend with fmod.
static LogicalResult importMod(NodeBuilder &node) {
  bool isFmod = node.getIntAttr("fmod", 0) != 0;
  auto a = node.getKnown(0), b = node.getKnown(1);
  Evaluator evaluator{[](int64_t a, int64_t b) -> int64_t {
                        if (b == -1)
                          return 0;
                        int64_t rest = a % b;
                        return rest != 0 && (rest < 0) != (b < 0) ? rest + b
                                                                  : rest;
                      },
                      nullptr, false, 2, /*divides=*/true};
  if (isFmod)
    evaluator = {
        [](int64_t a, int64_t b) -> int64_t { return b == -1 ? 0 : a % b; },
        [](double a, double b) { return std::fmod(a, b); }, false, 2,
        /*divides=*/true};
  if (b && !b->isFloat() &&
      llvm::any_of(b->values, [](Number by) { return by.i == 0; }))
    return node.fail("divides by 0");
  if (a && b)
    if (auto result = evaluate(evaluator, {*a, *b}))
      return node.setKnown(*result);
  return refuseUnknown(node);
}

#define REALS(EXPRESSION)                                                      \
  {nullptr, [](double x, double) -> double { return EXPRESSION; }, false, 1}

void gc::onnxio::addMathOps(OpTable &ops) {
  ops["Ceil"] = {importFunction<ceil>, REALS(std::ceil(x)), 6};
  ops["Floor"] = {importFunction<floor>, REALS(std::floor(x)), 6};
  ops["Sign"] = {
      importFunction<sign>,
      {[](int64_t x, int64_t) -> int64_t { return (x > 0) - (x < 0); },
       [](double x, double) -> double { return (x > 0) - (x < 0); }, false, 1}};
  ops["Softsign"] = {importFunction<softsign>, 1};
  ops["Celu"] = importCelu;
  ops["Div"] = {importDiv,
                {divideTruncating,
                 [](double a, double b) -> double { return a / b; }, false, 2,
                 /*divides=*/true}};
  ops["Mod"] = importMod;
  ops["PRelu"] = importPRelu;
  ops["Pow"] = importPow;
  ops["Selu"] = {importSelu, 6};
  ops["Shrink"] = importShrink;
  ops["ThresholdedRelu"] = importThresholdedRelu;
  // Arithmetic on shapes.
  ops["Add"].evaluator = {wrapAdd, [](double a, double b) { return a + b; }};
  ops["Sub"].evaluator = {
      [](int64_t a, int64_t b) { return int64_t(uint64_t(a) - uint64_t(b)); },
      [](double a, double b) { return a - b; }};
  ops["Mul"].evaluator = {
      [](int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); },
      [](double a, double b) { return a * b; }};
  using graph::SizeExpr;
  using OptionalSize = std::optional<SizeExpr>;
  ops["Add"].evaluator.sizes = [](const SizeExpr &a,
                                  const SizeExpr &b) -> OptionalSize {
    return a + b;
  };
  ops["Sub"].evaluator.sizes = [](const SizeExpr &a,
                                  const SizeExpr &b) -> OptionalSize {
    return a - b;
  };
  ops["Mul"].evaluator.sizes = [](const SizeExpr &a,
                                  const SizeExpr &b) -> OptionalSize {
    return a * b;
  };
  ops["Div"].evaluator.sizes = [](const SizeExpr &a, const SizeExpr &b) {
    return a.divide(b);
  };
  takeSizes(ops, {"Add", "Div", "Mul", "Sub"});
  takeShapes(ops, {"Abs", "Ceil", "Celu", "Floor", "Max", "Min", "Neg", "PRelu",
                   "Pow", "Selu", "Shrink", "Sign", "Softsign", "Sum",
                   "ThresholdedRelu"});
  ops["Max"].evaluator = {[](int64_t a, int64_t b) { return std::max(a, b); },
                          nullptr, false, /*operands=*/0};
  ops["Min"].evaluator = {[](int64_t a, int64_t b) { return std::min(a, b); },
                          nullptr, false, /*operands=*/0};
  ops["Sum"].evaluator = {wrapAdd, nullptr, false, /*operands=*/0};
  ops["Neg"].evaluator = {
      [](int64_t a, int64_t) { return int64_t(-uint64_t(a)); },
      [](double a, double) { return -a; }, false, 1};
  ops["Abs"].evaluator = {
      [](int64_t a, int64_t) { return a < 0 ? int64_t(-uint64_t(a)) : a; },
      [](double a, double) { return std::fabs(a); }, false, 1};
  ops["Sqrt"].evaluator = REALS(std::sqrt(x));
  ops["Exp"].evaluator = REALS(std::exp(x));
  ops["Log"].evaluator = REALS(std::log(x));
  ops["Reciprocal"].evaluator = REALS(1 / x);
  ops["Round"].evaluator = REALS(std::nearbyint(x));
}
