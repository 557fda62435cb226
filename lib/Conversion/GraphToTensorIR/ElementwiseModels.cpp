// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise and data movement ops on vectors.

#include "Buffer.h"
#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "EmissionModels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace gc::graph;

namespace gc {

namespace {

/// Arithmetic on vectors of f32 or integers.
struct Math {
  OpBuilder &builder;
  Location loc;

  template <typename Op, typename... Args>
  Op make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }
  Value constant(double value, Value like) {
    auto type = cast<VectorType>(like.getType());
    return make<arith::ConstantOp>(DenseElementsAttr::get(
        type, builder.getFloatAttr(type.getElementType(), value)));
  }
  Value add(Value a, Value b) { return make<arith::AddFOp>(a, b); }
  Value mul(Value a, Value b) { return make<arith::MulFOp>(a, b); }
  Value div(Value a, Value b) { return make<arith::DivFOp>(a, b); }
  Value max(Value a, Value b) { return make<arith::MaximumFOp>(a, b); }
  Value min(Value a, Value b) { return make<arith::MinimumFOp>(a, b); }
  Value exp(Value a) { return make<math::ExpOp>(a); }
  Value select(arith::CmpFPredicate predicate, Value a, Value b, Value yes,
               Value no) {
    Value condition = make<arith::CmpFOp>(predicate, a, b);
    return make<arith::SelectOp>(condition, yes, no);
  }
};

bool isFloat(Value vector) {
  return isa<FloatType>(cast<VectorType>(vector.getType()).getElementType());
}

/// Attaches a function (op, math, operands) -> vector for floating-point types,
/// of so many instructions.
template <typename Op, typename Function, int64_t cost = 1>
struct FloatModel
    : EmissionOpInterface::ExternalModel<FloatModel<Op, Function, cost>, Op> {
  int64_t getVectorCost(Operation *) const { return cost; }
  Value emitVector(Operation *op, OpBuilder &builder, Location loc,
                   ValueRange operands) const {
    if (!llvm::all_of(operands, isFloat))
      return {};
    Math math{builder, loc};
    return Function()(cast<Op>(op), math, operands);
  }
};

/// An op that is one op on floats and another one on integers.
template <typename Op, typename FloatOp, typename IntegerOp>
struct ArithModel
    : EmissionOpInterface::ExternalModel<ArithModel<Op, FloatOp, IntegerOp>,
                                         Op> {
  Value emitVector(Operation *, OpBuilder &builder, Location loc,
                   ValueRange operands) const {
    if (isFloat(operands[0]))
      return FloatOp::create(builder, loc, operands[0], operands[1]);
    return IntegerOp::create(builder, loc, operands[0], operands[1]);
  }
};

/// An op that is one op of the math dialect.
template <typename Op, typename MathOp, int64_t cost = 1>
struct MathModel
    : EmissionOpInterface::ExternalModel<MathModel<Op, MathOp, cost>, Op> {
  int64_t getVectorCost(Operation *) const { return cost; }
  Value emitVector(Operation *, OpBuilder &builder, Location loc,
                   ValueRange operands) const {
    if (!isFloat(operands[0]))
      return {};
    return MathOp::create(builder, loc, operands[0]);
  }
};

/// An op that only moves or converts elements.
template <typename Op>
struct CopyModel : EmissionOpInterface::ExternalModel<CopyModel<Op>, Op> {
  Value emitVector(Operation *, OpBuilder &, Location,
                   ValueRange operands) const {
    return operands[0];
  }
};

/// Conversions between floating-point types are roundings, which every value
/// gets; integers saturate.
struct CastModel : EmissionOpInterface::ExternalModel<CastModel, TypeCastOp> {
  int64_t getVectorCost(Operation *) const { return 3; }
  Value emitVector(Operation *op, OpBuilder &builder, Location loc,
                   ValueRange operands) const {
    auto cast = llvm::cast<TypeCastOp>(op);
    auto from = dyn_cast<IntegerType>(cast.getSrc().getType().getElementType());
    auto to = dyn_cast<IntegerType>(cast.getType().getElementType());
    Math math{builder, loc};
    if (from && to)
      return saturateInteger(math, operands[0], from, to);
    auto type = llvm::cast<VectorType>(operands[0].getType());
    if (from) {
      auto wide = type.clone(builder.getF32Type());
      if (from.isUnsigned())
        return math.make<arith::UIToFPOp>(wide, operands[0]);
      return math.make<arith::SIToFPOp>(wide, operands[0]);
    }
    return to ? saturate(math, operands[0], to) : operands[0];
  }

  /// The nearest integer of the type. No type is wider than 32 bits, and none
  /// of 32 bits is unsigned.
  static Value saturateInteger(Math &m, Value x, IntegerType from,
                               IntegerType to) {
    auto type = cast<VectorType>(x.getType());
    auto wide = cast<VectorType>(type.clone(m.builder.getI32Type()));
    auto stored = cast<VectorType>(type.clone(getStorageType(to)));
    auto constant = [&](const APInt &value, bool isSigned) {
      APInt extended = isSigned ? value.sext(32) : value.zext(32);
      return m.make<arith::ConstantOp>(
          DenseElementsAttr::get(wide, ArrayRef<APInt>(extended)));
    };
    if (type != wide)
      x = from.isUnsigned() ? Value(m.make<arith::ExtUIOp>(wide, x))
                            : Value(m.make<arith::ExtSIOp>(wide, x));
    unsigned width = to.getWidth();
    if (width == 32)
      return x;
    bool isSigned = !to.isUnsigned();
    APInt low = isSigned ? APInt::getSignedMinValue(width) : APInt(width, 0);
    APInt high =
        isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
    x = m.make<arith::MaxSIOp>(x, constant(low, isSigned));
    x = m.make<arith::MinSIOp>(x, constant(high, isSigned));
    return m.make<arith::TruncIOp>(stored, x);
  }

  /// The nearest integer of the type, ties to even; 0 for NaN.
  static Value saturate(Math &m, Value x, IntegerType to) {
    unsigned width = to.getWidth();
    bool isSigned = !to.isUnsigned();
    APInt low = isSigned ? APInt::getSignedMinValue(width) : APInt(width, 0);
    APInt high =
        isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
    auto type = cast<VectorType>(x.getType());
    auto stored = cast<VectorType>(type.clone(getStorageType(to)));
    Value zero = m.constant(0, x);
    Value most = m.constant(high.roundToDouble(isSigned), x);
    Value number = m.select(arith::CmpFPredicate::ORD, x, x, x, zero);
    number = m.make<math::RoundEvenOp>(number);
    number = m.max(number, m.constant(low.roundToDouble(isSigned), x));
    if (width < 25) {
      Value wide = m.make<arith::FPToSIOp>(type.clone(m.builder.getI32Type()),
                                           m.min(number, most));
      return m.make<arith::TruncIOp>(stored, wide);
    }
    // f32 does not hold the largest integer; the number next to it is beyond.
    Value isLarge =
        m.make<arith::CmpFOp>(arith::CmpFPredicate::OGE, number, most);
    Value inRange = m.make<arith::SelectOp>(isLarge, zero, number);
    Value result = isSigned ? Value(m.make<arith::FPToSIOp>(stored, inRange))
                            : Value(m.make<arith::FPToUIOp>(stored, inRange));
    Value largest = m.make<arith::ConstantOp>(DenseElementsAttr::get(
        stored,
        Attribute(m.builder.getIntegerAttr(stored.getElementType(), high))));
    return m.make<arith::SelectOp>(isLarge, largest, result);
  }
};

#define GC_FLOAT_FUNCTION(NAME, OP)                                            \
  struct NAME {                                                                \
    Value operator()(OP op, Math &m, ValueRange x) const;                      \
  };                                                                           \
  Value NAME::operator()([[maybe_unused]] OP op, Math &m, ValueRange x) const

GC_FLOAT_FUNCTION(Clamp, ClampOp) {
  Value low = m.constant(op.getMin().convertToDouble(), x[0]);
  Value high = m.constant(op.getMax().convertToDouble(), x[0]);
  return m.min(m.max(x[0], low), high);
}

GC_FLOAT_FUNCTION(Exp, ExpOp) {
  auto exp = m.make<math::ExpOp>(x[0]);
  if (op.getAtMostOne())
    exp->setAttr(tir::TensorIRDialect::kAtMostOneAttr, m.builder.getUnitAttr());
  return exp;
}

/// Whether a value is rounded to integers a few ops further on, so that its
/// last bit may decide about a whole unit.
bool isRoundedSoon(Value value, unsigned depth = 3) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (user->getNumResults() != 1)
      return false;
    Value result = user->getResult(0);
    return isa<RoundOp>(user) ||
           isa<IntegerType>(getElementTypeOrSelf(result.getType())) ||
           (depth && isRoundedSoon(result, depth - 1));
  });
}

GC_FLOAT_FUNCTION(Divide, DivideOp) {
  // What all elements of a row are divided by is inverted once.
  Value divisor = x[1];
  DenseFPElementsAttr constant;
  if (matchPattern(divisor, m_Constant(&constant)) && constant.isSplat()) {
    double number = constant.getSplatValue<APFloat>().convertToDouble();
    double magnitude = std::fabs(number);
    if (magnitude < 0x1p-126 || magnitude > 0x1p126 || isRoundedSoon(op))
      return m.div(x[0], divisor);
    return m.mul(x[0], m.constant(1 / number, x[0]));
  }
  if (!divisor.getDefiningOp<vector::BroadcastOp>())
    return m.div(x[0], divisor);
  // The inverse of a denormal number is infinite. It and what it divides grow
  // by a power of 2; a quotient that is finite does not overflow on the way.
  Value magnitude = m.make<math::AbsFOp>(divisor);
  Value one = m.constant(1, divisor);
  Value scale =
      m.select(arith::CmpFPredicate::OLT, magnitude,
               m.constant(0x1p-126, divisor), m.constant(0x1p64, divisor), one);
  Value inverse = m.div(one, m.mul(divisor, scale));
  return m.mul(m.mul(x[0], scale), inverse);
}

GC_FLOAT_FUNCTION(Elu, EluOp) {
  Value zero = m.constant(0, x[0]);
  Value growth = m.make<math::ExpM1Op>(m.min(x[0], zero));
  Value scaled =
      m.mul(growth, m.constant(op.getAlpha().convertToDouble(), x[0]));
  return m.select(arith::CmpFPredicate::OLT, x[0], zero, scaled, x[0]);
}

GC_FLOAT_FUNCTION(LeakyRelu, LeakyReluOp) {
  Value scaled = m.mul(x[0], m.constant(op.getAlpha().convertToDouble(), x[0]));
  return m.select(arith::CmpFPredicate::OGE, x[0], m.constant(0, x[0]), x[0],
                  scaled);
}

GC_FLOAT_FUNCTION(Pow, PowOp) {
  double beta = op.getBeta().convertToDouble();
  if (beta == 2)
    return m.mul(x[0], x[0]);
  if (beta == 1)
    return x[0];
  if (beta == 0.5) {
    // The square root of -infinity is NaN, its power infinity.
    double infinity = std::numeric_limits<double>::infinity();
    return m.select(arith::CmpFPredicate::OEQ, x[0],
                    m.constant(-infinity, x[0]), m.constant(infinity, x[0]),
                    m.make<math::SqrtOp>(x[0]));
  }
  if (beta == -1)
    return m.div(m.constant(1, x[0]), x[0]);
  return m.make<math::PowFOp>(x[0], m.constant(beta, x[0]));
}

GC_FLOAT_FUNCTION(Reciprocal, ReciprocalOp) {
  return m.div(m.constant(1, x[0]), x[0]);
}

GC_FLOAT_FUNCTION(Relu, ReluOp) { return m.max(x[0], m.constant(0, x[0])); }

GC_FLOAT_FUNCTION(Sigmoid, SigmoidOp) {
  // e^x / (1 + e^x) for negative x: 1 / (1 + e^-x) would be 0 where e^-x is
  // infinite but the result is not 0 yet.
  Value one = m.constant(1, x[0]);
  Value decay = m.exp(m.make<arith::NegFOp>(m.make<math::AbsFOp>(x[0])));
  Value dividend = m.select(arith::CmpFPredicate::OLT, x[0],
                            m.constant(0, x[0]), decay, one);
  return m.div(dividend, m.add(one, decay));
}

GC_FLOAT_FUNCTION(SoftPlus, SoftPlusOp) {
  // log(1 + e^t) / beta with t = beta x is max(t, 0) / beta plus
  // log(1 + e^-|t|) / beta. The first is x or 0, so that nothing overflows
  // where t does.
  double beta = op.getBeta().convertToDouble();
  Value t = beta == 1 ? x[0] : m.mul(x[0], m.constant(beta, x[0]));
  Value decay = m.exp(m.make<arith::NegFOp>(m.make<math::AbsFOp>(t)));
  Value rest = m.make<math::Log1pOp>(decay);
  if (beta != 1)
    rest = m.mul(rest, m.constant(1 / beta, x[0]));
  Value zero = m.constant(0, x[0]);
  return m.add(beta < 0 ? m.min(x[0], zero) : m.max(x[0], zero), rest);
}

} // namespace

void attachElementwiseModels(MLIRContext *context) {
  attachReductionModels(context);
  attachSelectionModels(context);
  AbsOp::attachInterface<MathModel<AbsOp, math::AbsFOp>>(*context);
  AddOp::attachInterface<ArithModel<AddOp, arith::AddFOp, arith::AddIOp>>(
      *context);
  ClampOp::attachInterface<FloatModel<ClampOp, Clamp, 2>>(*context);
  DivideOp::attachInterface<FloatModel<DivideOp, Divide, 5>>(*context);
  EluOp::attachInterface<FloatModel<EluOp, Elu, 22>>(*context);
  ErfOp::attachInterface<MathModel<ErfOp, math::ErfOp, 35>>(*context);
  ExpOp::attachInterface<FloatModel<ExpOp, Exp, 16>>(*context);
  LeakyReluOp::attachInterface<FloatModel<LeakyReluOp, LeakyRelu, 3>>(*context);
  LogOp::attachInterface<MathModel<LogOp, math::LogOp, 25>>(*context);
  MaximumOp::attachInterface<
      ArithModel<MaximumOp, arith::MaximumFOp, arith::MaxSIOp>>(*context);
  MinimumOp::attachInterface<
      ArithModel<MinimumOp, arith::MinimumFOp, arith::MinSIOp>>(*context);
  MultiplyOp::attachInterface<
      ArithModel<MultiplyOp, arith::MulFOp, arith::MulIOp>>(*context);
  PowOp::attachInterface<FloatModel<PowOp, Pow, 20>>(*context);
  ReciprocalOp::attachInterface<FloatModel<ReciprocalOp, Reciprocal, 5>>(
      *context);
  ReluOp::attachInterface<FloatModel<ReluOp, Relu>>(*context);
  ReorderOp::attachInterface<CopyModel<ReorderOp>>(*context);
  RoundOp::attachInterface<MathModel<RoundOp, math::RoundEvenOp>>(*context);
  SigmoidOp::attachInterface<FloatModel<SigmoidOp, Sigmoid, 26>>(*context);
  SoftPlusOp::attachInterface<FloatModel<SoftPlusOp, SoftPlus, 50>>(*context);
  SqrtOp::attachInterface<MathModel<SqrtOp, math::SqrtOp, 6>>(*context);
  StaticTransposeOp::attachInterface<CopyModel<StaticTransposeOp>>(*context);
  SubtractOp::attachInterface<
      ArithModel<SubtractOp, arith::SubFOp, arith::SubIOp>>(*context);
  TanhOp::attachInterface<MathModel<TanhOp, math::TanhOp, 28>>(*context);
  TypeCastOp::attachInterface<CastModel>(*context);
}

} // namespace gc
