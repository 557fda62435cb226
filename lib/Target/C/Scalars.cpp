// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arithmetic on numbers.

#include "FunctionEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gc;
using namespace gc::cexport;

/// A float as C reads it, exactly.
static std::string spell(const APFloat &number) {
  if (number.isNaN())
    return "NAN";
  if (number.isInfinity())
    return number.isNegative() ? "(-INFINITY)" : "INFINITY";
  bool isSingle = &number.getSemantics() == &APFloat::IEEEsingle();
  char text[40];
  snprintf(text, sizeof text, isSingle ? "%.9g" : "%.17g",
           isSingle ? double(number.convertToFloat())
                    : number.convertToDouble());
  std::string result = text;
  if (result.find_first_of(".e") == std::string::npos)
    result += ".0";
  if (isSingle)
    result += "f";
  return number.isNegative() ? "(" + result + ")" : result;
}

static std::string spell(const APInt &number, unsigned width) {
  if (width == 1)
    return number.isZero() ? "false" : "true";
  int64_t value = number.getSExtValue();
  if (width == 32 && value == INT32_MIN)
    return "INT32_MIN";
  if (width == 64 && value == INT64_MIN)
    return "INT64_MIN";
  return std::to_string(value);
}

FailureOr<Value> FunctionEmitter::emitConstant(arith::ConstantOp op) {
  Attribute value = op.getValue();
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (!dense.isSplat())
      return refuse(op, "a constant of several elements");
    value = dense.getSplatValue<Attribute>();
  }
  Type type = getScalarType(op.getType());
  if (!type)
    return refuse(op, "its type");
  if (auto number = dyn_cast<FloatAttr>(value)) {
    if (isa<FloatType>(type))
      return literal(type, spell(number.getValue()));
    return literal(type,
                   Twine(number.getValue().bitcastToAPInt().getZExtValue()));
  }
  if (auto number = dyn_cast<IntegerAttr>(value))
    return literal(type,
                   spell(number.getValue(), type.getIntOrFloatBitWidth()));
  return refuse(op, "a constant that is not a number");
}

FailureOr<Value> FunctionEmitter::emitAffine(Operation *op,
                                             AffineExpr expression,
                                             ValueRange operands,
                                             unsigned dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return index(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return get(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return get(operands[dims + symbol.getPosition()]);
  auto pair = cast<AffineBinaryOpExpr>(expression);
  auto a = emitAffine(op, pair.getLHS(), operands, dims);
  auto c = emitAffine(op, pair.getRHS(), operands, dims);
  if (failed(a) || failed(c))
    return failure();
  switch (pair.getKind()) {
  case AffineExprKind::Add:
    return add(*a, *c);
  case AffineExprKind::Mul:
    return multiply(*a, *c);
  case AffineExprKind::FloorDiv:
    return call(b.getI64Type(), "gc_floor_div", {*a, *c});
  case AffineExprKind::Mod:
    return call(b.getI64Type(), "gc_mod", {*a, *c});
  case AffineExprKind::CeilDiv:
    return Value(binary<emitc::SubOp>(
        b.getI64Type(), index(0),
        call(b.getI64Type(), "gc_floor_div",
             {binary<emitc::SubOp>(b.getI64Type(), index(0), *a), *c})));
  default:
    return refuse(op, "an index expression of an unknown kind");
  }
}

FailureOr<Value> FunctionEmitter::emitExtreme(Operation *op, AffineMap map,
                                              Predicate predicate) {
  Value extreme;
  for (AffineExpr expression : map.getResults()) {
    auto value =
        emitAffine(op, expression, op->getOperands(), map.getNumDims());
    if (failed(value))
      return failure();
    extreme = extreme
                  ? Value(emitc::ConditionalOp::create(
                        b, b.getI64Type(), compare(predicate, *value, extreme),
                        *value, extreme))
                  : *value;
  }
  return extreme;
}

FailureOr<Value> FunctionEmitter::emitFloat(Operation *op) {
  Type type = getScalarType(op->getResult(0).getType());
  if (!type || !isa<FloatType>(type))
    return refuse(op, "arithmetic on floating-point numbers of less than 32 "
                      "bits");
  SmallVector<Value> x;
  for (Value operand : op->getOperands())
    x.push_back(get(operand));
  bool isSingle = type.isF32();
  // Of the C library, by the type's suffix.
  auto library = [&](StringRef name) {
    return call(type, isSingle ? (name + "f").str() : name.str(), x);
  };
  auto single = [&](StringRef name) -> FailureOr<Value> {
    if (!isSingle)
      return refuse(op, "on f64");
    return call(type, name, x);
  };
  return TypeSwitch<Operation *, FailureOr<Value>>(op)
      .Case(
          [&](arith::AddFOp) { return binary<emitc::AddOp>(type, x[0], x[1]); })
      .Case(
          [&](arith::SubFOp) { return binary<emitc::SubOp>(type, x[0], x[1]); })
      .Case(
          [&](arith::MulFOp) { return binary<emitc::MulOp>(type, x[0], x[1]); })
      .Case(
          [&](arith::DivFOp) { return binary<emitc::DivOp>(type, x[0], x[1]); })
      .Case([&](arith::NegFOp) {
        return Value(emitc::UnaryMinusOp::create(b, type, x[0]));
      })
      .Case([&](arith::MaximumFOp) { return single("gc_maximum"); })
      .Case([&](arith::MinimumFOp) { return single("gc_minimum"); })
      .Case([&](arith::MaxNumFOp) { return library("fmax"); })
      .Case([&](arith::MinNumFOp) { return library("fmin"); })
      .Case([&](math::ExpOp) { return library("exp"); })
      .Case([&](math::Exp2Op) { return library("exp2"); })
      .Case([&](math::ExpM1Op) { return library("expm1"); })
      .Case([&](math::LogOp) { return library("log"); })
      .Case([&](math::Log1pOp) { return library("log1p"); })
      .Case([&](math::Log2Op) { return library("log2"); })
      .Case([&](math::TanhOp) { return library("tanh"); })
      .Case([&](math::ErfOp) { return library("erf"); })
      .Case([&](math::PowFOp) { return library("pow"); })
      .Case([&](math::SqrtOp) { return library("sqrt"); })
      .Case([&](math::AbsFOp) { return library("fabs"); })
      .Case([&](math::FmaOp) { return library("fma"); })
      .Case([&](math::SinOp) { return library("sin"); })
      .Case([&](math::CosOp) { return library("cos"); })
      .Case([&](math::FloorOp) { return library("floor"); })
      .Case([&](math::CeilOp) { return library("ceil"); })
      .Case([&](math::RoundOp) { return library("round"); })
      .Case([&](math::TruncOp) { return library("trunc"); })
      .Case([&](math::CopySignOp) { return library("copysign"); })
      // To nearest even, unless the program has changed the mode.
      .Case([&](math::RoundEvenOp) { return library("nearbyint"); })
      .Default(
          [&](Operation *) { return refuse(op, "it has no equivalent in C"); });
}

FailureOr<Value> FunctionEmitter::emitInteger(Operation *op) {
  Type type = getScalarType(op->getResult(0).getType());
  if (!type)
    return refuse(op, "its type");
  Value x = get(op->getOperand(0)), y = get(op->getOperand(1));
  bool isIndex = op->getResult(0).getType().isIndex();
  bool isBool = type.isInteger(1);
  Type bits =
      IntegerType::get(b.getContext(), type.getIntOrFloatBitWidth(),
                       isBool ? IntegerType::Signless : IntegerType::Unsigned);
  // Numbers of the graph wrap around; indices do not get that large.
  auto wrap = [&](auto make) {
    return isIndex
               ? make(type, x, y)
               : convert(type, make(bits, convert(bits, x), convert(bits, y)));
  };
  auto choose = [&](Predicate predicate, bool isUnsigned) {
    return Value(emitc::ConditionalOp::create(
        b, type,
        isUnsigned ? compare(predicate, castUnsigned(x), castUnsigned(y))
                   : compare(predicate, x, y),
        x, y));
  };
  auto asUnsigned = [&](auto make) {
    return convert(type, make(bits, convert(bits, x), convert(bits, y)));
  };
  return TypeSwitch<Operation *, FailureOr<Value>>(op)
      .Case([&](arith::AddIOp) -> FailureOr<Value> {
        if (isBool)
          return binary<emitc::BitwiseXorOp>(type, x, y);
        return wrap([&](Type t, Value a, Value c) {
          return binary<emitc::AddOp>(t, a, c);
        });
      })
      .Case([&](arith::SubIOp) -> FailureOr<Value> {
        if (isBool)
          return binary<emitc::BitwiseXorOp>(type, x, y);
        return wrap([&](Type t, Value a, Value c) {
          return binary<emitc::SubOp>(t, a, c);
        });
      })
      .Case([&](arith::MulIOp) -> FailureOr<Value> {
        if (isBool)
          return binary<emitc::BitwiseAndOp>(type, x, y);
        return wrap([&](Type t, Value a, Value c) {
          return binary<emitc::MulOp>(t, a, c);
        });
      })
      .Case([&](arith::AndIOp) {
        return binary<emitc::BitwiseAndOp>(type, x, y);
      })
      .Case(
          [&](arith::OrIOp) { return binary<emitc::BitwiseOrOp>(type, x, y); })
      .Case([&](arith::XOrIOp) {
        return binary<emitc::BitwiseXorOp>(type, x, y);
      })
      .Case([&](arith::ShLIOp) {
        return asUnsigned([&](Type t, Value a, Value c) {
          return binary<emitc::BitwiseLeftShiftOp>(t, a, c);
        });
      })
      .Case([&](arith::ShRUIOp) {
        return asUnsigned([&](Type t, Value a, Value c) {
          return binary<emitc::BitwiseRightShiftOp>(t, a, c);
        });
      })
      .Case([&](arith::ShRSIOp) {
        return binary<emitc::BitwiseRightShiftOp>(type, x, y);
      })
      .Case([&](arith::DivSIOp) { return binary<emitc::DivOp>(type, x, y); })
      .Case([&](arith::RemSIOp) { return binary<emitc::RemOp>(type, x, y); })
      .Case([&](arith::DivUIOp) {
        return asUnsigned([&](Type t, Value a, Value c) {
          return binary<emitc::DivOp>(t, a, c);
        });
      })
      .Case([&](arith::RemUIOp) {
        return asUnsigned([&](Type t, Value a, Value c) {
          return binary<emitc::RemOp>(t, a, c);
        });
      })
      .Case([&](arith::FloorDivSIOp) -> FailureOr<Value> {
        if (!isIndex)
          return refuse(op, "on numbers that are not indices");
        return call(type, "gc_floor_div", {x, y});
      })
      .Case([&](arith::MaxSIOp) { return choose(Predicate::gt, false); })
      .Case([&](arith::MinSIOp) { return choose(Predicate::lt, false); })
      .Case([&](arith::MaxUIOp) { return choose(Predicate::gt, !isBool); })
      .Case([&](arith::MinUIOp) { return choose(Predicate::lt, !isBool); })
      .Default(
          [&](Operation *) { return refuse(op, "it has no equivalent in C"); });
}

FailureOr<Value> FunctionEmitter::emitCompare(Operation *op) {
  Value x = get(op->getOperand(0)), y = get(op->getOperand(1));
  Type boolean = b.getI1Type();
  if (auto compared = dyn_cast<arith::CmpIOp>(op)) {
    bool isBool = x.getType().isInteger(1);
    auto asUnsigned = [&](Predicate predicate) {
      return isBool ? compare(predicate, x, y)
                    : compare(predicate, castUnsigned(x), castUnsigned(y));
    };
    switch (compared.getPredicate()) {
    case arith::CmpIPredicate::eq:
      return compare(Predicate::eq, x, y);
    case arith::CmpIPredicate::ne:
      return compare(Predicate::ne, x, y);
    case arith::CmpIPredicate::slt:
      return compare(Predicate::lt, x, y);
    case arith::CmpIPredicate::sle:
      return compare(Predicate::le, x, y);
    case arith::CmpIPredicate::sgt:
      return compare(Predicate::gt, x, y);
    case arith::CmpIPredicate::sge:
      return compare(Predicate::ge, x, y);
    case arith::CmpIPredicate::ult:
      return asUnsigned(Predicate::lt);
    case arith::CmpIPredicate::ule:
      return asUnsigned(Predicate::le);
    case arith::CmpIPredicate::ugt:
      return asUnsigned(Predicate::gt);
    case arith::CmpIPredicate::uge:
      return asUnsigned(Predicate::ge);
    }
  }
  if (!isa<FloatType>(x.getType()))
    return refuse(op, "a comparison of floating-point numbers of less than 32 "
                      "bits");
  auto negate = [&](Value value) {
    return Value(emitc::LogicalNotOp::create(b, boolean, value));
  };
  auto unordered = [&] { return call(boolean, "isunordered", {x, y}); };
  // C's comparisons are false where an operand is NaN, but != is true.
  switch (cast<arith::CmpFOp>(op).getPredicate()) {
  case arith::CmpFPredicate::AlwaysFalse:
    return literal(boolean, "false");
  case arith::CmpFPredicate::AlwaysTrue:
    return literal(boolean, "true");
  case arith::CmpFPredicate::OEQ:
    return compare(Predicate::eq, x, y);
  case arith::CmpFPredicate::OGT:
    return compare(Predicate::gt, x, y);
  case arith::CmpFPredicate::OGE:
    return compare(Predicate::ge, x, y);
  case arith::CmpFPredicate::OLT:
    return compare(Predicate::lt, x, y);
  case arith::CmpFPredicate::OLE:
    return compare(Predicate::le, x, y);
  case arith::CmpFPredicate::ONE:
    return call(boolean, "islessgreater", {x, y});
  case arith::CmpFPredicate::ORD:
    return negate(unordered());
  case arith::CmpFPredicate::UEQ:
    return negate(call(boolean, "islessgreater", {x, y}));
  case arith::CmpFPredicate::UGT:
    return negate(compare(Predicate::le, x, y));
  case arith::CmpFPredicate::UGE:
    return negate(compare(Predicate::lt, x, y));
  case arith::CmpFPredicate::ULT:
    return negate(compare(Predicate::ge, x, y));
  case arith::CmpFPredicate::ULE:
    return negate(compare(Predicate::gt, x, y));
  case arith::CmpFPredicate::UNE:
    return compare(Predicate::ne, x, y);
  case arith::CmpFPredicate::UNO:
    return unordered();
  }
  return refuse(op, "its predicate");
}

/// How Portable.h spells a small floating-point type; empty: it has none.
static StringRef getSmallName(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isBF16())
    return "bf16";
  if (element.isF16())
    return "f16";
  if (isa<Float8E5M2Type>(element))
    return "f8_e5m2";
  if (isa<Float8E4M3FNType>(element))
    return "f8_e4m3";
  return "";
}

FailureOr<Value> FunctionEmitter::emitConversion(Operation *op) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type result = getElementTypeOrSelf(op->getResult(0).getType());
  Type type = getScalarType(result);
  Value x = get(op->getOperand(0));
  if (!type || !x)
    return refuse(op, "its type");
  bool isBool = x.getType().isInteger(1);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    if (isa<FloatType>(type) && isa<FloatType>(x.getType()))
      return convert(type, x);
    bool isExtension = isa<arith::ExtFOp>(op);
    StringRef small = getSmallName(isExtension ? from : result);
    Type wide = isExtension ? result : from;
    if (small.empty() || !wide.isF32())
      return refuse(op, "this pair of types");
    return call(type,
                isExtension ? ("gc_" + small + "_to_f32").str()
                            : ("gc_f32_to_" + small).str(),
                x);
  }
  if (isa<arith::BitcastOp>(op)) {
    if (from.isF32() && type.isInteger(32))
      return convert(type, call(IntegerType::get(b.getContext(), 32,
                                                 IntegerType::Unsigned),
                                "gc_bits", x));
    if (from.isInteger(32) && type.isF32())
      return call(type, "gc_float", castUnsigned(x));
    if (isa<IntegerType>(type) && isa<IntegerType>(x.getType()))
      return convert(type, x);
    return refuse(op, "this pair of types");
  }
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
    return convert(type, isBool ? x : castUnsigned(x));
  if (isa<arith::UIToFPOp>(op)) {
    if (!isa<FloatType>(type))
      return refuse(op, "this pair of types");
    return convert(type, isBool ? x : castUnsigned(x));
  }
  if (isa<arith::ExtSIOp, arith::SIToFPOp>(op)) {
    if (isBool || !(isa<FloatType>(type) || isa<arith::ExtSIOp>(op)))
      return refuse(op, "this pair of types");
    return convert(type, x);
  }
  if (isa<arith::TruncIOp>(op) && type.isInteger(1))
    return compare(
        Predicate::ne,
        binary<emitc::BitwiseAndOp>(x.getType(), x, literal(x.getType(), "1")),
        literal(x.getType(), "0"));
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
    if (!isa<FloatType>(x.getType()) || type.isInteger(1))
      return refuse(op, "this pair of types");
    if (isa<arith::FPToUIOp>(op))
      x = convert(IntegerType::get(b.getContext(), type.getIntOrFloatBitWidth(),
                                   IntegerType::Unsigned),
                  x);
    return convert(type, x);
  }
  return convert(type, x);
}

FailureOr<Value> FunctionEmitter::emitScalar(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (auto vector = dyn_cast<VectorType>(type))
      if (!getScalarType(vector))
        return refuse(op, "vectors of several elements");
  for (Type type : op->getResultTypes())
    if (!getScalarType(type))
      return refuse(op, isa<VectorType>(type) ? "vectors of several elements"
                                              : "its type");
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return emitConstant(constant);
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    AffineMap map = apply.getAffineMap();
    return emitAffine(op, map.getResult(0), apply.getMapOperands(),
                      map.getNumDims());
  }
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return emitExtreme(op, min.getAffineMap(), Predicate::lt);
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return emitExtreme(op, max.getAffineMap(), Predicate::gt);
  // A vector of one element is that element.
  if (isa<vector::BroadcastOp, vector::ShapeCastOp>(op) ||
      (isa<vector::ExtractOp, vector::FromElementsOp>(op) &&
       op->getNumOperands() == 1))
    return get(op->getOperand(0));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return Value(emitc::ConditionalOp::create(
        b, getScalarType(select.getType()), get(select.getCondition()),
        get(select.getTrueValue()), get(select.getFalseValue())));
  if (isa<arith::CmpIOp, arith::CmpFOp>(op))
    return emitCompare(op);
  if (isa<CastOpInterface>(op))
    return emitConversion(op);
  bool isFloat =
      isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  if (isFloat && op->getNumOperands() > 0)
    return emitFloat(op);
  if (op->getNumOperands() == 2)
    return emitInteger(op);
  return refuse(op, "it has no equivalent in C");
}
