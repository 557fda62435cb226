// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions that the vector unit does not have, by those that it has.

#include "Dialect/Poly/Transforms/VectorUnit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace gc::poly;

namespace {

/// Arithmetic in f32, with the fewest letters.
struct Calculator {
  ImplicitLocOpBuilder &b;

  Value number(double value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(float(value)));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value add(Value x, double y) { return add(x, number(y)); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value mul(Value x, double y) { return mul(x, number(y)); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value rec(Value x) { return div(number(1), x); }
  Value max(Value x, double y) {
    return arith::MaximumFOp::create(b, x, number(y));
  }
  Value min(Value x, double y) {
    return arith::MinimumFOp::create(b, x, number(y));
  }
  Value exp(Value x) { return math::ExpOp::create(b, x); }
};

/// 1 - 2 / (exp(2 x) + 1), which is right for infinities too. Its error near
/// zero is absolute, an ulp of 1.
Value expandTanh(Calculator c, Value x) {
  return c.add(c.mul(c.rec(c.add(c.exp(c.mul(x, 2)), 1)), -2), 1);
}

/// A quotient of polynomials on [-4, 4], beyond which erf is 1 or -1 in f32:
/// odd of degree 13 over even of degree 8, the minimax approximation of Eigen.
/// Its error is relative, a few ulps, so it is right near zero, too.
Value expandErf(Calculator c, Value x) {
  Value bounded = c.min(c.max(x, -4), 4);
  Value square = c.mul(bounded, bounded);
  auto evaluate = [&](std::initializer_list<double> terms) {
    Value sum;
    for (double term : terms)
      sum = sum ? c.add(c.mul(sum, square), term) : c.number(term);
    return sum;
  };
  Value above = evaluate({-2.72614225801306e-10, 2.77068142495902e-08,
                          -2.10102402082508e-06, -5.69250639462346e-05,
                          -7.34990630326855e-04, -2.95459980854025e-03,
                          -1.60960333262415e-02});
  Value below = evaluate({-1.45660718464996e-05, -2.13374055278905e-04,
                          -1.68282697438203e-03, -7.37332916720468e-03,
                          -1.42647390514189e-02});
  return c.div(c.mul(bounded, above), below);
}

/// To the nearest integer, to even on a tie. Adding 1.5 * 2^23 leaves no places
/// below 1 of numbers up to 2^22. What is beyond that is even, and rounded by
/// itself; what is beyond 2^23 are integers.
Value expandRoundEven(Calculator c, Value x) {
  constexpr double kMost = 1 << 22, kAll = 3 << 22;
  Value sum, rest = x;
  for (int part = 0; part < 2; ++part) {
    Value bounded = c.min(c.max(rest, -kMost), kMost);
    Value rounded = c.add(c.add(bounded, kAll), -kAll);
    rest = c.add(rest, c.mul(bounded, -1));
    sum = sum ? c.add(sum, rounded) : rounded;
  }
  return c.add(sum, rest);
}

Value expand(Calculator c, Operation *op, ValueRange operands) {
  if (isa<math::TanhOp>(op))
    return expandTanh(c, operands[0]);
  if (isa<math::ErfOp>(op))
    return expandErf(c, operands[0]);
  if (isa<math::RoundEvenOp>(op))
    return expandRoundEven(c, operands[0]);
  if (isa<math::Exp2Op>(op))
    return c.exp(c.mul(operands[0], 0.6931471805599453));
  if (isa<math::Log2Op>(op))
    return c.mul(math::LogOp::create(c.b, operands[0]), 1.4426950408889634);
  if (isa<math::FmaOp>(op))
    return c.add(c.mul(operands[0], operands[1]), operands[2]);
  return Value();
}

} // namespace

void gc::poly::expandFunctions(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (!isa<math::TanhOp, math::ErfOp, math::Exp2Op, math::Log2Op, math::FmaOp,
             math::RoundEvenOp>(op))
      continue;
    ImplicitLocOpBuilder b(op.getLoc(), &op);
    Type element = op.getResult(0).getType();
    SmallVector<Value> operands(op.getOperands());
    if (element.isF16())
      for (Value &operand : operands)
        operand = arith::ExtFOp::create(b, b.getF32Type(), operand);
    else if (!element.isF32())
      continue;
    Value result = expand(Calculator{b}, &op, operands);
    if (element.isF16())
      result = arith::TruncFOp::create(b, element, result);
    op.getResult(0).replaceAllUsesWith(result);
    op.erase();
  }
}
