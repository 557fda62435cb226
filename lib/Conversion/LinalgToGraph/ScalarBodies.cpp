// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScalarBodies.h"
#include "Conversion/ToGraph/Comparisons.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace gc;

/// Conditions of conditions are followed so far; what is built doubles with
/// every exclusive or.
constexpr unsigned kMaxConditionDepth = 8;

/// The graph op that computes the same of the same operands, or nothing.
static StringRef getSameOp(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Case("arith.addf", "graph.add")
      .Case("arith.divf", "graph.divide")
      .Case("arith.maximumf", "graph.maximum")
      .Case("arith.minimumf", "graph.minimum")
      .Case("arith.subf", "graph.subtract")
      .Case("math.absf", "graph.abs")
      .Case("math.erf", "graph.erf")
      .Case("math.exp", "graph.exp")
      .Case("math.log", "graph.log")
      .Case("math.roundeven", "graph.round")
      .Case("math.sqrt", "graph.sqrt")
      .Case("math.tanh", "graph.tanh")
      .Default("");
}

/// The number that all elements of a graph value are, if it is a constant.
static std::optional<APFloat> getNumber(Value value) {
  ElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return std::nullopt;
  auto dense = dyn_cast<DenseFPElementsAttr>(elements);
  if (!dense || !dense.isSplat())
    return std::nullopt;
  return dense.getSplatValue<APFloat>();
}

/// Whether all elements are integers, infinite or NaN.
static bool isIntegral(Value value) {
  if (std::optional<APFloat> number = getNumber(value))
    return number->isInteger();
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<graph::MaximumOp, graph::MinimumOp>(op))
    return isIntegral(op->getOperand(0)) && isIntegral(op->getOperand(1));
  return isa_and_nonnull<graph::RoundOp>(op);
}

bool gc::isReadAsUnsigned(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [](Operation *op) {
           return isa<arith::UIToFPOp, arith::ExtUIOp>(op);
         });
}

bool gc::isCondition(Operation *op) {
  return isa<arith::CmpFOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1);
}

static FailureOr<Value> convertSelect(Value condition, Value whenTrue,
                                      Value whenFalse, unsigned depth,
                                      GraphBuilder &b, GetOperand getOperand) {
  Operation *op = condition.getDefiningOp();
  if (depth > kMaxConditionDepth)
    return b.fail("its condition is too deep");
  if (auto compare = dyn_cast_or_null<arith::CmpFOp>(op)) {
    FailureOr<Value> lhs = getOperand(compare.getLhs());
    FailureOr<Value> rhs = getOperand(compare.getRhs());
    if (failed(lhs) || failed(rhs))
      return failure();
    return buildSelect(b, compare.getPredicate(), *lhs, *rhs, whenTrue,
                       whenFalse);
  }
  if (op && isCondition(op)) {
    auto select = [&](Value by, Value x, Value y) {
      return convertSelect(by, x, y, depth + 1, b, getOperand);
    };
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    bool isAnd = isa<arith::AndIOp>(op), isOr = isa<arith::OrIOp>(op);
    FailureOr<Value> ifLhs = isOr ? whenTrue
                                  : select(rhs, isAnd ? whenTrue : whenFalse,
                                           isAnd ? whenFalse : whenTrue);
    FailureOr<Value> ifNot =
        isAnd ? whenFalse : select(rhs, whenTrue, whenFalse);
    if (failed(ifLhs) || failed(ifNot))
      return failure();
    return select(lhs, *ifLhs, *ifNot);
  }
  FailureOr<Value> value = getOperand(condition);
  if (failed(value))
    return failure();
  return b.build("graph.select", {*value, whenTrue, whenFalse}, {},
                 getElement(whenTrue));
}

FailureOr<Value> gc::convertScalarOp(Operation *op, GraphBuilder &b,
                                     GetOperand getOperand) {
  Type element = op->getNumResults() == 1
                     ? getElementTypeOrSelf(op->getResult(0).getType())
                     : Type();
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (!isa<FloatType>(element))
      return b.fail("only floating-point numbers can be selected");
    FailureOr<Value> whenTrue = getOperand(select.getTrueValue());
    FailureOr<Value> whenFalse = getOperand(select.getFalseValue());
    if (failed(whenTrue) || failed(whenFalse))
      return failure();
    return convertSelect(select.getCondition(), *whenTrue, *whenFalse, 0, b,
                         getOperand);
  }
  SmallVector<Value> x;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> value = getOperand(operand);
    if (failed(value))
      return failure();
    x.push_back(*value);
  }
  if (StringRef same = getSameOp(op); !same.empty())
    return b.build(same, x);
  if (isa<arith::MulFOp>(op))
    return b.multiply(x[0], x[1]);
  if (isa<arith::NegFOp>(op))
    return b.build("graph.multiply", {x[0], b.scalar(-1, element)});
  if (isa<math::RsqrtOp>(op)) {
    FailureOr<Value> root = b.build("graph.sqrt", x);
    if (failed(root))
      return failure();
    return b.build("graph.reciprocal", *root);
  }
  if (isa<math::FmaOp>(op)) {
    FailureOr<Value> product = b.build("graph.multiply", {x[0], x[1]});
    if (failed(product))
      return failure();
    return b.build("graph.add", {*product, x[2]});
  }
  if (isa<math::PowFOp>(op)) {
    std::optional<APFloat> exponent = getNumber(x[1]);
    if (!exponent)
      return b.fail("the exponent is not a constant");
    return b.build("graph.pow", x[0],
                   b.attr("beta", b.getBuilder().getF32FloatAttr(
                                      float(exponent->convertToDouble()))));
  }
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp,
          arith::ExtSIOp, arith::ExtUIOp>(op)) {
    if (element.isSignlessInteger())
      element =
          IntegerType::get(op->getContext(), element.getIntOrFloatBitWidth(),
                           IntegerType::Signed);
    if (getElement(x[0]).isInteger(1))
      return b.fail("booleans cannot be converted");
    // Integers have the sign that their first reader sees.
    if (auto integer = dyn_cast<IntegerType>(getElement(x[0]));
        integer &&
        integer.isUnsigned() != isa<arith::UIToFPOp, arith::ExtUIOp>(op))
      return b.fail("it reads signed integers as unsigned, or the reverse");
    return b.cast(x[0], element);
  }
  if (isa<arith::FPToSIOp>(op)) {
    // The dialect rounds where this truncates.
    if (!isIntegral(x[0]))
      return b.fail("truncation to integers is not supported");
    return b.cast(x[0], IntegerType::get(op->getContext(),
                                         element.getIntOrFloatBitWidth(),
                                         IntegerType::Signed));
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    using arith::CmpFPredicate;
    if (compare.getPredicate() == CmpFPredicate::OLE)
      std::swap(x[0], x[1]);
    else if (compare.getPredicate() != CmpFPredicate::OGE)
      return b.fail("this comparison is supported in selections only");
    return b.build("graph.greater_equal", x, {}, element);
  }
  return b.fail("'" + op->getName().getStringRef() +
                "' has no meaning in the Graph dialect");
}

/// A constant, or one converted to another floating-point type.
static std::optional<APFloat> getConstantScalar(Value scalar) {
  FloatAttr number;
  if (matchPattern(scalar, m_Constant(&number)))
    return number.getValue();
  Operation *op = scalar.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(op) ||
      !matchPattern(op->getOperand(0), m_Constant(&number)))
    return std::nullopt;
  APFloat value = number.getValue();
  bool losesInfo;
  value.convert(cast<FloatType>(scalar.getType()).getFloatSemantics(),
                APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

/// A value that no op of the body has to be converted for first, or null.
FailureOr<Value> ScalarBody::convertLeaf(Value scalar) {
  if (Value known = values.lookup(scalar))
    return known;
  if (std::optional<APFloat> number = getConstantScalar(scalar)) {
    auto type = RankedTensorType::get({}, scalar.getType());
    if (!getGraphType(type))
      return builder.fail("its constants are not of a supported type");
    return values[scalar] =
               builder.constant(DenseElementsAttr::get(type, *number));
  }
  auto argument = dyn_cast<BlockArgument>(scalar);
  if (!argument)
    return Value();
  FailureOr<Value> value = getArgument(argument);
  if (failed(value))
    return failure();
  return values[scalar] = *value;
}

FailureOr<Value> ScalarBody::convert(Value scalar) {
  FailureOr<Value> leaf = convertLeaf(scalar);
  if (failed(leaf) || *leaf)
    return leaf;
  // Bodies may be long: no recursion.
  Block *block = scalar.getParentBlock();
  llvm::SmallSetVector<Operation *, 8> needed;
  needed.insert(scalar.getDefiningOp());
  for (size_t i = 0; i < needed.size(); ++i)
    for (Value operand : needed[i]->getOperands()) {
      FailureOr<Value> value = convertLeaf(operand);
      if (failed(value))
        return failure();
      if (!*value)
        needed.insert(operand.getDefiningOp());
    }
  SmallVector<Operation *> ordered = needed.takeVector();
  for (Operation *op : ordered)
    if (op->getBlock() != block)
      return builder.fail("it reads a scalar that is not a constant");
  llvm::sort(ordered,
             [](Operation *l, Operation *r) { return l->isBeforeInBlock(r); });
  for (Operation *op : ordered) {
    // What selects by it has it built.
    if (isCondition(op) && op->getResult(0) != scalar)
      continue;
    FailureOr<Value> value =
        convertScalarOp(op, builder, [&](Value operand) -> FailureOr<Value> {
          if (Value known = values.lookup(operand))
            return known;
          return builder.fail("conditions are supported in selections only");
        });
    if (failed(value))
      return failure();
    values[op->getResult(0)] = *value;
  }
  return values.lookup(scalar);
}
