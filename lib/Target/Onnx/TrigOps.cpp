// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Trigonometric and hyperbolic functions, as polynomials and what the dialect
// has, in f32.

#include "Compose.h"
#include "Ops.h"

#include <cmath>

using namespace mlir;
using namespace gc::onnxio;

namespace {
/// Writes formulas.
struct Formula {
  NodeBuilder &node;

  Value number(double value) {
    return node.createScalar(value, node.getBuilder().getF32Type());
  }
  Value add(Value a, Value b) { return gc::onnxio::add(node, a, b); }
  Value sub(Value a, Value b) { return subtract(node, a, b); }
  Value mul(Value a, Value b) { return multiply(node, a, b); }
  Value mul(Value a, double b) { return mul(a, number(b)); }
  Value div(Value a, Value b) { return divide(node, a, b); }
  Value abs(Value x) { return node.make("graph.abs", x); }
  Value exp(Value x) { return node.make("graph.exp", x); }
  Value log(Value x) { return node.make("graph.log", x); }
  Value sqrt(Value x) { return node.make("graph.sqrt", x); }
  /// x >= bound ? a : b
  Value choose(Value x, double bound, Value a, Value b) {
    return select(node, greaterEqual(node, x, number(bound)), a, b);
  }
  /// A polynomial of z, the highest coefficient first.
  Value polynomial(Value z, ArrayRef<double> coefficients) {
    Value sum = number(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = add(mul(sum, z), number(coefficient));
    return sum;
  }
  Value withSign(Value size, Value x) {
    return choose(x, 0, size, mul(size, -1));
  }

  /// sin(x + quarter * pi / 2), of x up to some thousands.
  Value sine(Value x, double quarter);
  Value arcTangent(Value x);
};
} // namespace

Value Formula::sine(Value x, double quarter) {
  // x = k pi / 2 + r; pi / 2 is the sum of numbers with few bits, of which k
  // multiples are exact.
  Value k = gc::onnxio::round(node, mul(x, 0.63661977236758134));
  Value r = sub(x, mul(k, 1.5703125));
  r = sub(r, mul(k, 4.837512969970703125e-4));
  r = sub(r, mul(k, 7.549789948768648e-8));
  Value z = mul(r, r);
  Value sin =
      polynomial(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
  sin = add(r, mul(mul(r, z), sin));
  Value cos = polynomial(
      z, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
  cos = add(sub(number(1), mul(z, 0.5)), mul(mul(z, z), cos));
  auto modulo = [&](Value number, double by) {
    return sub(number, mul(gc::onnxio::floor(node, mul(number, 1 / by)), by));
  };
  Value q = modulo(add(k, number(quarter)), 4);
  Value size = choose(modulo(q, 2), 1, cos, sin);
  return choose(q, 2, mul(size, -1), size);
}

Value Formula::arcTangent(Value x) {
  constexpr double kQuarter = 0.78539816339744831;
  Value a = abs(x), one = number(1);
  // Angles beyond pi / 8 are those of 1 / a, or are moved by pi / 4.
  Value middle = div(sub(a, one), add(a, one));
  Value t = choose(a, 2.414213562373095, div(number(-1), a),
                   choose(a, 0.4142135623730950, middle, a));
  Value start =
      choose(a, 2.414213562373095, number(2 * kQuarter),
             choose(a, 0.4142135623730950, number(kQuarter), number(0)));
  Value z = mul(t, t);
  Value rest = polynomial(z, {8.05374449538e-2, -1.38776856032e-1,
                              1.99777106478e-1, -3.33329491539e-1});
  rest = add(t, mul(mul(z, t), rest));
  return withSign(add(start, rest), x);
}

using Function = Value (*)(Formula &, Value);

/// Computes in f32, whatever the type.
template <Function build>
static LogicalResult importFormula(NodeBuilder &node) {
  Value x = getValue(node, 0);
  if (!x)
    return failure();
  Type element = getElement(x);
  if (!isa<FloatType>(element))
    return node.fail("operands of this element type are not supported");
  Formula formula{node};
  Value y = build(formula, typeCast(node, x, node.getBuilder().getF32Type()));
  return node.setResult(y ? typeCast(node, y, element) : nullptr);
}

static Value sinOf(Formula &f, Value x) { return f.sine(x, 0); }
static Value cosOf(Formula &f, Value x) { return f.sine(x, 1); }
static Value tanOf(Formula &f, Value x) {
  return f.div(f.sine(x, 0), f.sine(x, 1));
}
static Value atanOf(Formula &f, Value x) { return f.arcTangent(x); }
static Value asinOf(Formula &f, Value x) {
  Value one = f.number(1);
  Value cosine = f.sqrt(f.mul(f.sub(one, x), f.add(one, x)));
  return f.mul(f.arcTangent(f.div(x, f.add(one, cosine))), 2);
}
static Value acosOf(Formula &f, Value x) {
  Value one = f.number(1);
  Value tangent = f.sqrt(f.div(f.sub(one, x), f.add(one, x)));
  return f.mul(f.arcTangent(tangent), 2);
}

/// Near 0 the exponentials, or the logarithm of nearly 1, lose digits: there
/// x times a polynomial of its square is used.
static Value nearZero(Formula &f, Value x, double bound,
                      ArrayRef<double> coefficients, Value otherwise) {
  Value series = f.mul(x, f.polynomial(f.mul(x, x), coefficients));
  return f.choose(f.abs(x), bound, otherwise, series);
}

static Value sinhOf(Formula &f, Value x) {
  Value difference = f.sub(f.exp(x), f.exp(f.mul(x, -1)));
  return nearZero(f, x, 1, {1 / 362880., 1 / 5040., 1 / 120., 1 / 6., 1},
                  f.mul(difference, 0.5));
}
static Value coshOf(Formula &f, Value x) {
  return f.mul(f.add(f.exp(x), f.exp(f.mul(x, -1))), 0.5);
}
static Value asinhOf(Formula &f, Value x) {
  Value a = f.abs(x);
  Value root = f.sqrt(f.add(f.mul(a, a), f.number(1)));
  Value size = f.choose(a, 1e9, f.add(f.log(a), f.number(0.69314718055994531)),
                        f.log(f.add(a, root)));
  return nearZero(f, x, 0.25, {105 / 3456., -15 / 336., 3 / 40., -1 / 6., 1},
                  f.withSign(size, x));
}
static Value acoshOf(Formula &f, Value x) {
  Value one = f.number(1), above = f.sub(x, one);
  Value root = f.sqrt(f.mul(above, f.add(x, one)));
  Value large = f.choose(x, 1e9, f.add(f.log(x), f.number(0.69314718055994531)),
                         f.log(f.add(x, root)));
  Value series = f.mul(f.sqrt(f.mul(above, 2)),
                       f.polynomial(above, {-5 / 896., 3 / 160., -1 / 12., 1}));
  return f.choose(above, 0.05, large, series);
}
static Value atanhOf(Formula &f, Value x) {
  Value one = f.number(1);
  Value quotient = f.div(f.add(one, x), f.sub(one, x));
  return nearZero(f, x, 0.25, {1 / 9., 1 / 7., 1 / 5., 1 / 3., 1},
                  f.mul(f.log(quotient), 0.5));
}

#define FORMULA(NAME, FUNCTION)                                                \
  ops[NAME] = {                                                                \
      importFormula<FUNCTION##Of>,                                             \
      {nullptr, [](double x, double) -> double { return std::FUNCTION(x); }}}

void gc::onnxio::addTrigOps(OpTable &ops) {
  FORMULA("Acos", acos);
  FORMULA("Acosh", acosh);
  FORMULA("Asin", asin);
  FORMULA("Asinh", asinh);
  FORMULA("Atan", atan);
  FORMULA("Atanh", atanh);
  FORMULA("Cos", cos);
  FORMULA("Cosh", cosh);
  FORMULA("Sin", sin);
  FORMULA("Sinh", sinh);
  FORMULA("Tan", tan);
  takeShapes(ops, {"Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cos",
                   "Cosh", "Sin", "Sinh", "Tan"});
}
