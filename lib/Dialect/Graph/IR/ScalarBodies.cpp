// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What elementwise functions compute per element.

#include "Dialect/Graph/IR/GraphOps.h"
#include "ScalarMath.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace gc::graph;

using Values = SmallVector<Value>;
using Predicate = arith::CmpFPredicate;

/// The body of a function of floating-point numbers, with a cost in
/// instructions.
#define GC_FLOAT_BODY(OP, COST)                                                \
  static Value build##OP(OP op, ScalarMath &m, ValueRange x);                  \
  int64_t OP::getBodyCost() { return COST; }                                   \
  Values OP::buildBody(OpBuilder &builder, Location loc, ValueRange x) {       \
    if (!llvm::all_of(x, ScalarMath::isFloat))                                 \
      return {};                                                               \
    ScalarMath m{builder, loc};                                                \
    return {build##OP(*this, m, x)};                                           \
  }                                                                            \
  Value build##OP([[maybe_unused]] OP op, ScalarMath &m, ValueRange x)

//===----------------------------------------------------------------------===//
// Unary functions
//===----------------------------------------------------------------------===//

GC_FLOAT_BODY(AbsOp, 1) { return m.abs(x[0]); }

GC_FLOAT_BODY(ClampOp, 2) {
  Value low = m.constant(op.getMin().convertToDouble(), x[0]);
  Value high = m.constant(op.getMax().convertToDouble(), x[0]);
  return m.min(m.max(x[0], low), high);
}

GC_FLOAT_BODY(EluOp, 22) {
  Value zero = m.constant(0, x[0]);
  Value growth = m.make<math::ExpM1Op>(m.min(x[0], zero));
  Value scaled =
      m.mul(growth, m.constant(op.getAlpha().convertToDouble(), x[0]));
  return m.select(Predicate::OLT, x[0], zero, scaled, x[0]);
}

GC_FLOAT_BODY(ErfOp, 20) { return m.make<math::ErfOp>(x[0]); }

GC_FLOAT_BODY(ExpOp, 16) { return m.exp(x[0]); }

GC_FLOAT_BODY(LeakyReluOp, 3) {
  Value scaled = m.mul(x[0], m.constant(op.getAlpha().convertToDouble(), x[0]));
  return m.select(Predicate::OGE, x[0], m.constant(0, x[0]), x[0], scaled);
}

GC_FLOAT_BODY(LogOp, 25) { return m.make<math::LogOp>(x[0]); }

/// x^power by squares: of powers up to 8 the result is within 4 ulp.
static Value buildPower(ScalarMath &m, Value x, unsigned power) {
  Value result;
  for (Value square = x; power > 0; power /= 2) {
    if (power % 2)
      result = result ? m.mul(result, square) : square;
    if (power > 1)
      square = m.mul(square, square);
  }
  return result;
}

GC_FLOAT_BODY(PowOp, 20) {
  double beta = op.getBeta().convertToDouble();
  constexpr double kMostProducts = 8;
  if (beta >= 1 && beta <= kMostProducts && beta == std::floor(beta))
    return buildPower(m, x[0], static_cast<unsigned>(beta));
  if (beta == 0.5) {
    // The square root of -infinity is NaN, its power infinity.
    double infinity = std::numeric_limits<double>::infinity();
    return m.select(Predicate::OEQ, x[0], m.constant(-infinity, x[0]),
                    m.constant(infinity, x[0]), m.make<math::SqrtOp>(x[0]));
  }
  if (beta == -1)
    return m.div(m.constant(1, x[0]), x[0]);
  return m.make<math::PowFOp>(x[0], m.constant(beta, x[0]));
}

GC_FLOAT_BODY(ReciprocalOp, 5) { return m.div(m.constant(1, x[0]), x[0]); }

GC_FLOAT_BODY(ReluOp, 1) { return m.max(x[0], m.constant(0, x[0])); }

GC_FLOAT_BODY(RoundOp, 1) { return m.make<math::RoundEvenOp>(x[0]); }

GC_FLOAT_BODY(SigmoidOp, 26) {
  // e^x / (1 + e^x) for negative x: 1 / (1 + e^-x) would be 0 where e^-x is
  // infinite but the result is not 0 yet.
  Value one = m.constant(1, x[0]);
  Value decay = m.exp(m.negate(m.abs(x[0])));
  Value dividend =
      m.select(Predicate::OLT, x[0], m.constant(0, x[0]), decay, one);
  return m.div(dividend, m.add(one, decay));
}

/// log(1 + x) of 0 <= x <= 1: 2 atanh(t) = 2 (t + t^3 / 3 + ...) with
/// t = x / (2 + x), which is at most 1/3.
static Value buildLogOfSum(ScalarMath &m, Value x) {
  Value t = m.div(x, m.add(x, m.constant(2, x)));
  Value square = m.mul(t, t);
  // What is left out is 1.4e-8 of the result.
  Value sum = m.constant(2.0 / 13, x);
  for (int power = 11; power >= 1; power -= 2)
    sum = m.add(m.mul(sum, square), m.constant(2.0 / power, x));
  return m.mul(t, sum);
}

GC_FLOAT_BODY(SoftPlusOp, 38) {
  // log(1 + e^t) / beta with t = beta x is max(t, 0) / beta plus
  // log(1 + e^-|t|) / beta. The first is x or 0, so that nothing overflows
  // where t does.
  double beta = op.getBeta().convertToDouble();
  Value t = beta == 1 ? x[0] : m.mul(x[0], m.constant(beta, x[0]));
  Value rest = buildLogOfSum(m, m.exp(m.negate(m.abs(t))));
  if (beta != 1)
    rest = m.mul(rest, m.constant(1 / beta, x[0]));
  Value zero = m.constant(0, x[0]);
  return m.add(beta < 0 ? m.min(x[0], zero) : m.max(x[0], zero), rest);
}

GC_FLOAT_BODY(SqrtOp, 6) { return m.make<math::SqrtOp>(x[0]); }

GC_FLOAT_BODY(TanhOp, 28) { return m.make<math::TanhOp>(x[0]); }

//===----------------------------------------------------------------------===//
// Binary functions
//===----------------------------------------------------------------------===//

/// `result`, or where `overflow` is negative the integer next to what it should
/// be: the smallest one where `sign` is negative, else the largest.
static Value saturate(ScalarMath &m, Value result, Value overflow, Value sign) {
  Type type = result.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value signBits =
      m.make<arith::ShRSIOp>(sign, m.integer(APInt(width, width - 1), type));
  Value limit = m.make<arith::XOrIOp>(
      signBits, m.integer(APInt::getSignedMaxValue(width), type));
  Value isOver = m.make<arith::CmpIOp>(arith::CmpIPredicate::slt, overflow,
                                       m.integer(APInt::getZero(width), type));
  return m.make<arith::SelectOp>(isOver, limit, result);
}

int64_t AddOp::getBodyCost() { return 1; }
Monotonicity AddOp::getMonotonicity(unsigned) {
  // Bounds of the operands may have a sum that no elements have.
  return getNoOverflow() ? Monotonicity::none : Monotonicity::increasing;
}
Values AddOp::buildBody(OpBuilder &builder, Location loc, ValueRange x) {
  ScalarMath m{builder, loc};
  if (ScalarMath::isFloat(x[0]))
    return {m.add(x[0], x[1])};
  // A sum that overflows has the sign of neither operand.
  Value sum = m.make<arith::AddIOp>(x[0], x[1]);
  if (getNoOverflow())
    return {sum};
  Value overflow = m.make<arith::AndIOp>(m.make<arith::XOrIOp>(x[0], sum),
                                         m.make<arith::XOrIOp>(x[1], sum));
  return {saturate(m, sum, overflow, x[0])};
}

int64_t SubtractOp::getBodyCost() { return 1; }
Monotonicity SubtractOp::getMonotonicity(unsigned operand) {
  if (getNoOverflow())
    return Monotonicity::none;
  return operand == 0 ? Monotonicity::increasing : Monotonicity::decreasing;
}
Values SubtractOp::buildBody(OpBuilder &builder, Location loc, ValueRange x) {
  ScalarMath m{builder, loc};
  if (ScalarMath::isFloat(x[0]))
    return {m.make<arith::SubFOp>(x[0], x[1])};
  Value difference = m.make<arith::SubIOp>(x[0], x[1]);
  if (getNoOverflow())
    return {difference};
  Value overflow =
      m.make<arith::AndIOp>(m.make<arith::XOrIOp>(x[0], x[1]),
                            m.make<arith::XOrIOp>(x[0], difference));
  return {saturate(m, difference, overflow, x[0])};
}

int64_t MultiplyOp::getBodyCost() { return 1; }
Monotonicity MultiplyOp::getMonotonicity(unsigned) {
  return Monotonicity::either;
}
Values MultiplyOp::buildBody(OpBuilder &builder, Location loc, ValueRange x) {
  ScalarMath m{builder, loc};
  if (ScalarMath::isFloat(x[0]))
    return {m.mul(x[0], x[1])};
  // Computed twice as wide, then converted to the nearest representable number.
  Type narrow = x[0].getType();
  unsigned width = getElementTypeOrSelf(narrow).getIntOrFloatBitWidth();
  Type wide =
      ScalarMath::withElement(narrow, builder.getIntegerType(2 * width));
  Value product = m.make<arith::MulIOp>(m.make<arith::ExtSIOp>(wide, x[0]),
                                        m.make<arith::ExtSIOp>(wide, x[1]));
  auto limit = [&](const APInt &value) {
    return m.integer(value.sext(2 * width), wide);
  };
  product =
      m.make<arith::MaxSIOp>(product, limit(APInt::getSignedMinValue(width)));
  product =
      m.make<arith::MinSIOp>(product, limit(APInt::getSignedMaxValue(width)));
  return {m.make<arith::TruncIOp>(narrow, product)};
}

GC_FLOAT_BODY(DivideOp, 5) { return m.div(x[0], x[1]); }

int64_t MaximumOp::getBodyCost() { return 1; }
Values MaximumOp::buildBody(OpBuilder &builder, Location loc, ValueRange x) {
  ScalarMath m{builder, loc};
  return {ScalarMath::isFloat(x[0]) ? m.max(x[0], x[1])
                                    : m.make<arith::MaxSIOp>(x[0], x[1])};
}

int64_t MinimumOp::getBodyCost() { return 1; }
Values MinimumOp::buildBody(OpBuilder &builder, Location loc, ValueRange x) {
  ScalarMath m{builder, loc};
  return {ScalarMath::isFloat(x[0]) ? m.min(x[0], x[1])
                                    : m.make<arith::MinSIOp>(x[0], x[1])};
}

//===----------------------------------------------------------------------===//
// Comparison, selection, indices
//===----------------------------------------------------------------------===//

Values GreaterEqualOp::buildBody(OpBuilder &builder, Location loc,
                                 ValueRange x) {
  ScalarMath m{builder, loc};
  if (ScalarMath::isFloat(x[0]))
    return {m.make<arith::CmpFOp>(Predicate::OGE, x[0], x[1])};
  return {m.make<arith::CmpIOp>(arith::CmpIPredicate::sge, x[0], x[1])};
}

Monotonicity GreaterEqualOp::getMonotonicity(unsigned operand) {
  return operand == 0 ? Monotonicity::increasing : Monotonicity::decreasing;
}

Values SelectOp::buildBody(OpBuilder &builder, Location loc, ValueRange x) {
  return {arith::SelectOp::create(builder, loc, x[0], x[1], x[2])};
}

Monotonicity SelectOp::getMonotonicity(unsigned operand) {
  return operand == 0 ? Monotonicity::either : Monotonicity::increasing;
}

std::optional<unsigned> GenIndexOp::getIndexDim() { return getDimension(); }
Values GenIndexOp::buildBody(OpBuilder &, Location, ValueRange x) {
  return {x[0]};
}
Monotonicity GenIndexOp::getMonotonicity(unsigned) {
  return Monotonicity::increasing;
}

//===----------------------------------------------------------------------===//
// Movement and conversion
//===----------------------------------------------------------------------===//

Values ReorderOp::buildBody(OpBuilder &, Location, ValueRange x) {
  return {x[0]};
}

Values StaticTransposeOp::buildBody(OpBuilder &, Location, ValueRange x) {
  return {x[0]};
}

Values WindowsOp::buildBody(OpBuilder &, Location, ValueRange x) {
  return {x[0]};
}

static APInt getLowest(IntegerType type) {
  return type.isUnsigned() ? APInt(type.getWidth(), 0)
                           : APInt::getSignedMinValue(type.getWidth());
}

static APInt getHighest(IntegerType type) {
  return type.isUnsigned() ? APInt::getMaxValue(type.getWidth())
                           : APInt::getSignedMaxValue(type.getWidth());
}

/// The nearest integer of the type. No type is wider than 32 bits, and none of
/// 32 bits is unsigned.
static Value castInteger(ScalarMath &m, Value x, IntegerType from,
                         IntegerType to) {
  Type wide = ScalarMath::withElement(x.getType(), m.builder.getI32Type());
  if (x.getType() != wide)
    x = from.isUnsigned() ? m.make<arith::ExtUIOp>(wide, x)
                          : m.make<arith::ExtSIOp>(wide, x);
  if (to.getWidth() == 32)
    return x;
  auto limit = [&](const APInt &value) {
    return m.integer(to.isUnsigned() ? value.zext(32) : value.sext(32), wide);
  };
  x = m.make<arith::MaxSIOp>(x, limit(getLowest(to)));
  x = m.make<arith::MinSIOp>(x, limit(getHighest(to)));
  return m.make<arith::TruncIOp>(
      ScalarMath::withElement(wide, getStorageType(to)), x);
}

/// The nearest integer of the type, ties to even; 0 for NaN.
static Value roundToInteger(ScalarMath &m, Value x, IntegerType to) {
  bool isSigned = !to.isUnsigned();
  Type stored = ScalarMath::withElement(x.getType(), getStorageType(to));
  Value zero = m.constant(0, x);
  Value least = m.constant(getLowest(to).roundToDouble(isSigned), x);
  Value most = m.constant(getHighest(to).roundToDouble(isSigned), x);
  if (to.getWidth() <= 16) {
    // Comparisons with NaN are false: unsigned, it becomes the least number.
    Value number = isSigned ? m.select(Predicate::ORD, x, x, x, zero) : x;
    number = m.select(Predicate::OGT, number, least, number, least);
    number = m.select(Predicate::OLT, number, most, number, most);
    // The sum has no fraction: its lowest bits are the integer.
    Value shifted = m.add(number, m.constant(1.5 * (1 << 23), x));
    Type wide = ScalarMath::withElement(stored, m.builder.getI32Type());
    return m.make<arith::TruncIOp>(stored,
                                   m.make<arith::BitcastOp>(wide, shifted));
  }
  Value number = m.select(Predicate::ORD, x, x, x, zero);
  number = m.make<math::RoundEvenOp>(number);
  number = m.max(number, least);
  // f32 does not hold the largest integer; the number next to it is beyond.
  Value isLarge = m.make<arith::CmpFOp>(Predicate::OGE, number, most);
  Value inRange = m.make<arith::SelectOp>(isLarge, zero, number);
  Value result = isSigned ? m.make<arith::FPToSIOp>(stored, inRange)
                          : m.make<arith::FPToUIOp>(stored, inRange);
  return m.make<arith::SelectOp>(isLarge, m.integer(getHighest(to), stored),
                                 result);
}

int64_t TypeCastOp::getBodyCost() {
  // Processors convert f16 in one instruction.
  return getSrc().getType().getElementType().isF16() ? 1 : 3;
}
Monotonicity TypeCastOp::getMonotonicity(unsigned) {
  return Monotonicity::increasing;
}
Values TypeCastOp::buildBody(OpBuilder &builder, Location loc, ValueRange x) {
  auto from = dyn_cast<IntegerType>(getSrc().getType().getElementType());
  auto to = dyn_cast<IntegerType>(getType().getElementType());
  ScalarMath m{builder, loc};
  if (from && to)
    return {castInteger(m, x[0], from, to)};
  if (from) {
    Type wide = ScalarMath::withElement(x[0].getType(), builder.getF32Type());
    return {from.isUnsigned() ? m.make<arith::UIToFPOp>(wide, x[0])
                              : m.make<arith::SIToFPOp>(wide, x[0])};
  }
  // Between floating-point types only the result is rounded.
  return {to ? roundToInteger(m, x[0], to) : x[0]};
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// `Op` on floats; which of two zeros is taken is not worth an instruction.
template <typename Op>
static Value combineFloats(OpBuilder &builder, Location loc, Value a, Value b) {
  return Op::create(builder, loc, a, b, ScalarMath{builder, loc}.anyZero());
}

static TypedAttr getFloat(Type type, double value) {
  return FloatAttr::get(type, value);
}

Value ReduceMaxOp::combine(OpBuilder &builder, Location loc, Value a, Value b) {
  if (!getAnyIfNan())
    return combineFloats<arith::MaximumFOp>(builder, loc, a, b);
  // Either of the two if one is NaN: a single instruction on x86.
  return ScalarMath{builder, loc}.select(Predicate::OGT, a, b, a, b);
}
TypedAttr ReduceMaxOp::getIdentity(Type type) {
  return getFloat(type, -std::numeric_limits<double>::infinity());
}

Value ReduceMinOp::combine(OpBuilder &builder, Location loc, Value a, Value b) {
  return combineFloats<arith::MinimumFOp>(builder, loc, a, b);
}
TypedAttr ReduceMinOp::getIdentity(Type type) {
  return getFloat(type, std::numeric_limits<double>::infinity());
}

Value ReduceProdOp::combine(OpBuilder &builder, Location loc, Value a,
                            Value b) {
  return combineFloats<arith::MulFOp>(builder, loc, a, b);
}
TypedAttr ReduceProdOp::getIdentity(Type type) { return getFloat(type, 1); }

Value ReduceSumOp::combine(OpBuilder &builder, Location loc, Value a, Value b) {
  return combineFloats<arith::AddFOp>(builder, loc, a, b);
}
TypedAttr ReduceSumOp::getIdentity(Type type) { return getFloat(type, 0); }
