// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions that the vector unit does not have, by those that it has.

#include "VectorBody.h"
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
  Value rec(Value x) { return arith::DivFOp::create(b, number(1), x); }
  Value exp(Value x) { return math::ExpOp::create(b, x); }
  Value isNegative(Value x) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, number(0));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
};

/// 1 - 2 / (exp(2 x) + 1), which is right for infinities too. Its error near
/// zero is absolute, an ulp of 1.
Value expandTanh(Calculator c, Value x) {
  return c.add(c.mul(c.rec(c.add(c.exp(c.mul(x, 2)), 1)), -2), 1);
}

/// Abramowitz and Stegun, 7.1.26: five terms, an error of at most 1.5e-7.
Value expandErf(Calculator c, Value x) {
  Value absolute = math::AbsFOp::create(c.b, x);
  Value t = c.rec(c.add(c.mul(absolute, 0.3275911), 1));
  Value sum = c.mul(t, 1.061405429);
  for (double term : {-1.453152027, 1.421413741, -0.284496736, 0.254829592})
    sum = c.mul(t, c.add(sum, term));
  Value square = c.mul(x, x);
  Value tail = c.mul(sum, c.exp(c.mul(square, -1)));
  Value positive = c.add(c.mul(tail, -1), 1);
  return c.select(c.isNegative(x), c.mul(positive, -1), positive);
}

Value expand(Calculator c, Operation *op, ValueRange operands) {
  if (isa<math::TanhOp>(op))
    return expandTanh(c, operands[0]);
  if (isa<math::ErfOp>(op))
    return expandErf(c, operands[0]);
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
    if (!isa<math::TanhOp, math::ErfOp, math::Exp2Op, math::Log2Op,
             math::FmaOp>(op))
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
