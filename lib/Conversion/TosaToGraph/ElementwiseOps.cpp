// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/ToGraph/Comparisons.h"
#include "TosaOps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gc;
using arith::CmpFPredicate;

/// The graph op that computes the same of the same operands, for floating-point
/// numbers, or nothing.
static StringRef getSameOp(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Case("tosa.abs", "graph.abs")
      .Case("tosa.add", "graph.add")
      .Case("tosa.erf", "graph.erf")
      .Case("tosa.exp", "graph.exp")
      .Case("tosa.log", "graph.log")
      .Case("tosa.maximum", "graph.maximum")
      .Case("tosa.minimum", "graph.minimum")
      .Case("tosa.reciprocal", "graph.reciprocal")
      .Case("tosa.sigmoid", "graph.sigmoid")
      .Case("tosa.sub", "graph.subtract")
      .Case("tosa.tanh", "graph.tanh")
      .Default("");
}

static StringRef getReduction(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Case("tosa.reduce_max", "graph.reduce_max")
      .Case("tosa.reduce_min", "graph.reduce_min")
      .Case("tosa.reduce_product", "graph.reduce_prod")
      .Case("tosa.reduce_sum", "graph.reduce_sum")
      .Default("");
}

/// An operand, as one number where it is one.
static FailureOr<Value> getOperand(Value operand, GraphBuilder &b) {
  if (std::optional<APFloat> number = getKnownNumber(operand))
    if (getGraphType(operand.getType()))
      return b.constant(DenseElementsAttr::get(
          RankedTensorType::get({}, getElementTypeOrSelf(operand.getType())),
          *number));
  return b.get(operand);
}

static FailureOr<Value> convertSelect(tosa::SelectOp op, GraphBuilder &b) {
  FailureOr<Value> whenTrue = getOperand(op.getInput2(), b);
  FailureOr<Value> whenFalse = getOperand(op.getInput3(), b);
  if (failed(whenTrue) || failed(whenFalse))
    return failure();
  Operation *condition = op.getInput1().getDefiningOp();
  std::optional<CmpFPredicate> predicate;
  if (condition)
    predicate =
        llvm::TypeSwitch<Operation *, std::optional<CmpFPredicate>>(condition)
            .Case([](tosa::EqualOp) { return CmpFPredicate::OEQ; })
            .Case([](tosa::GreaterOp) { return CmpFPredicate::OGT; })
            .Case([](tosa::GreaterEqualOp) { return CmpFPredicate::OGE; })
            .Default([](Operation *) { return std::nullopt; });
  if (predicate && isa<FloatType>(getElementTypeOrSelf(
                       condition->getOperand(0).getType()))) {
    FailureOr<Value> lhs = getOperand(condition->getOperand(0), b);
    FailureOr<Value> rhs = getOperand(condition->getOperand(1), b);
    if (failed(lhs) || failed(rhs))
      return failure();
    return buildSelect(b, *predicate, *lhs, *rhs, *whenTrue, *whenFalse);
  }
  FailureOr<Value> mask = b.get(op.getInput1());
  if (failed(mask))
    return failure();
  return b.build("graph.select", {*mask, *whenTrue, *whenFalse}, {},
                 getElement(*whenTrue));
}

/// Numbers to numbers. Integers that are narrower wrap here and saturate in the
/// dialect.
static FailureOr<Value> convertCast(tosa::CastOp op, GraphBuilder &b) {
  FailureOr<Value> src = b.get(op.getInput());
  if (failed(src))
    return failure();
  Type from = getElement(*src);
  Type to = getGraphType(op.getType()).getElementType();
  if (from.isInteger(1) || to.isInteger(1))
    return b.fail("booleans cannot be converted");
  if (isa<IntegerType>(from) && isa<IntegerType>(to) &&
      from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return b.fail("casts to narrower integers are not supported");
  return b.cast(*src, to);
}

static FailureOr<Value> convertFloat(Operation *op, GraphBuilder &b) {
  auto nan = op->getAttrOfType<tosa::NanPropagationModeAttr>("nan_mode");
  if (nan && nan.getValue() != tosa::NanPropagationMode::PROPAGATE)
    return b.fail("it ignores NaN");
  if (!isa<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType())))
    return b.fail("integer arithmetic wraps, in the dialect it saturates");
  FailureOr<Value> x = getOperand(op->getOperand(0), b);
  if (failed(x))
    return failure();
  Type element = getElement(*x);
  if (StringRef reduction = getReduction(op); !reduction.empty()) {
    if (failed(x = b.get(op->getOperand(0))))
      return failure();
    int64_t axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
    return b.build(reduction, *x,
                   {b.attr("axes", ArrayRef(axis)), b.attr("keep_dims", true)});
  }
  if (isa<tosa::NegateOp>(op))
    return b.build("graph.multiply", {*x, b.scalar(-1, element)});
  if (isa<tosa::RsqrtOp>(op)) {
    FailureOr<Value> root = b.build("graph.sqrt", *x);
    if (failed(root))
      return failure();
    return b.build("graph.reciprocal", *root);
  }
  if (auto clamp = dyn_cast<tosa::ClampOp>(op)) {
    auto get = [&](Attribute bound) {
      return b.scalar(cast<FloatAttr>(bound).getValueAsDouble(), element);
    };
    FailureOr<Value> low =
        b.build("graph.maximum", {*x, get(clamp.getMinValAttr())});
    if (failed(low))
      return failure();
    return b.build("graph.minimum", {*low, get(clamp.getMaxValAttr())});
  }
  if (isa<tosa::PowOp>(op)) {
    std::optional<APFloat> exponent = getKnownNumber(op->getOperand(1));
    if (!exponent)
      return b.fail("the exponent is not a constant");
    return b.build("graph.pow", *x,
                   b.attr("beta", b.getBuilder().getF32FloatAttr(
                                      float(exponent->convertToDouble()))));
  }
  bool isBinary = op->getNumOperands() >= 2;
  FailureOr<Value> y = isBinary ? getOperand(op->getOperand(1), b) : x;
  if (failed(y))
    return failure();
  if (isa<tosa::MulOp>(op))
    return b.multiply(*x, *y);
  if (isa<tosa::GreaterEqualOp>(op))
    return b.build("graph.greater_equal", {*x, *y}, {},
                   b.getBuilder().getI1Type());
  return isBinary ? b.build(getSameOp(op), {*x, *y})
                  : b.build(getSameOp(op), *x);
}

MaybeValue gc::convertTosaElementwise(Operation *op, GraphBuilder &b) {
  if (auto cast = dyn_cast<tosa::CastOp>(op))
    return convertCast(cast, b);
  auto selection = dyn_cast<tosa::SelectOp>(op);
  if (!isa<tosa::ClampOp, tosa::GreaterEqualOp, tosa::MulOp, tosa::NegateOp,
           tosa::PowOp, tosa::RsqrtOp, tosa::SelectOp>(op) &&
      getSameOp(op).empty() && getReduction(op).empty())
    return std::nullopt;
  FailureOr<Value> value =
      selection ? convertSelect(selection, b) : convertFloat(op, b);
  if (failed(value))
    return failure();
  // Operands of one number have lost their dimensions.
  return b.broadcast(
      *value, cast<RankedTensorType>(op->getResult(0).getType()).getShape());
}
