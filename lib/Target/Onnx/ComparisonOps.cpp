// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Comparisons, booleans, casts.

#include "Compose.h"
#include "Ops.h"
#include "Tensors.h"

#include <limits>

using namespace mlir;
using namespace gc::onnxio;

using Comparison = Value (*)(NodeBuilder &, Value, Value);

template <Comparison compare, bool swaps = false, bool negates = false>
static LogicalResult importComparison(NodeBuilder &node) {
  if (node.getNumOperands() != 2)
    return node.fail("has " + Twine(node.getNumOperands()) +
                     " operands instead of 2");
  Value a = getValue(node, 0), b = getValue(node, 1);
  if (swaps)
    std::swap(a, b);
  Value result = compare(node, a, b);
  return node.setResult(negates ? logicalNot(node, result) : result);
}

/// a < b is neither a >= b nor, of NaN, unordered.
static Value less(NodeBuilder &node, Value a, Value b) {
  return logicalAnd(node, greaterEqual(node, b, a),
                    logicalNot(node, greaterEqual(node, a, b)));
}

/// Booleans are compared as numbers.
static Value logicalXor(NodeBuilder &node, Value a, Value b) {
  return logicalNot(node, equal(node, a, b));
}

static LogicalResult importNot(NodeBuilder &node) {
  return node.setResult(logicalNot(node, getValue(node, 0)));
}

static LogicalResult importIsNaN(NodeBuilder &node) {
  Value x = getValue(node, 0);
  return node.setResult(logicalNot(node, greaterEqual(node, x, x)));
}

static LogicalResult importIsInf(NodeBuilder &node) {
  Value x = getValue(node, 0);
  if (x && !isa<FloatType>(getElement(x)))
    return node.fail("is supported for floating-point numbers only");
  bool positive = node.getIntAttr("detect_positive", 1) != 0;
  bool negative = node.getIntAttr("detect_negative", 1) != 0;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Value above = greaterEqual(node, x, makeScalar(node, kInfinity, x));
  Value below = greaterEqual(node, makeScalar(node, -kInfinity, x), x);
  if (positive && negative)
    return node.setResult(logicalOr(node, above, below));
  if (positive || negative)
    return node.setResult(positive ? above : below);
  return node.setResult(logicalAnd(node, above, below));
}

static LogicalResult importWhere(NodeBuilder &node) {
  if (node.getNumOperands() != 3)
    return node.fail("has " + Twine(node.getNumOperands()) +
                     " operands instead of 3");
  auto condition = node.getKnown(0), a = node.getKnown(1), b = node.getKnown(2);
  if (condition && a && b &&
      a->type.getElementType() == b->type.getElementType()) {
    auto shape = broadcastShapes(a->getShape(), b->getShape());
    if (shape)
      shape = broadcastShapes(*shape, condition->getShape());
    if (!shape)
      return node.fail("the shapes do not broadcast");
    if (countElements(*shape) <= kMaxFolded) {
      auto expanded = [&](const Known &known) {
        return rearrange(known, *shape, [](auto index, auto source) {
          llvm::copy(index.take_back(source.size()), source.begin());
          return true;
        });
      };
      Known chosen = expanded(*a), other = expanded(*b);
      for (auto [to, from, when] : llvm::zip_equal(chosen.values, other.values,
                                                   expanded(*condition).values))
        if (!when.i)
          to = from;
      return node.setKnown(chosen);
    }
  }
  Value c = getValue(node, 0), x = getValue(node, 1), y = getValue(node, 2);
  return node.setResult(select(node, c, x, y));
}

static LogicalResult setNumbers(NodeBuilder &node, Type element) {
  if (auto known = node.getKnown(0)) {
    if (auto converted = convert(*known, element))
      return node.setKnown(*converted);
    return node.fail("a number is out of range");
  }
  if (element.isF64())
    return node.fail("element type double is not supported");
  return node.setResult(castTo(node, getValue(node, 0), element));
}

static LogicalResult setCast(NodeBuilder &node, Type element) {
  // Sizes are integers of any width.
  auto integer = dyn_cast<IntegerType>(element);
  if (integer && integer.getWidth() >= 32) {
    if (!node.isSizes(0))
      return setNumbers(node, element);
    return node.setConstant(node.getConstant(0));
  }
  if (failed(node.checkElements(0)))
    return failure();
  return setNumbers(node, element);
}
static LogicalResult importCast(NodeBuilder &node) {
  int64_t to = node.getIntAttr("to", 0);
  node.ignoreAttr("saturate");
  Type element =
      to >= 0 && to < 64 ? getElementType(to, node.getContext()) : nullptr;
  if (!element)
    return node.fail("element type " + getTypeName(to) + " is not supported");
  return setCast(node, element);
}

static LogicalResult importCastLike(NodeBuilder &node) {
  node.ignoreAttr("saturate");
  FailureOr<RankedTensorType> type = node.getType(1);
  return failed(type) ? failure() : setCast(node, type->getElementType());
}

#define COMPARISON(NAME, OP, ...)                                              \
  ops[NAME] = {importComparison<__VA_ARGS__>,                                  \
               {[](int64_t a, int64_t b) -> int64_t { return a OP b; },        \
                [](double a, double b) -> double { return a OP b; }, true}}
#define LOGICAL(NAME, OP, FUNCTION)                                            \
  ops[NAME] = {                                                                \
      importComparison<FUNCTION>,                                              \
      {[](int64_t a, int64_t b) -> int64_t { return (a != 0) OP(b != 0); },    \
       nullptr, true}}

void gc::onnxio::addComparisonOps(OpTable &ops) {
  COMPARISON("Equal", ==, equal);
  COMPARISON("Greater", >, less, true);
  COMPARISON("GreaterOrEqual", >=, greaterEqual);
  COMPARISON("Less", <, less);
  COMPARISON("LessOrEqual", <=, greaterEqual, true);
  LOGICAL("And", &, logicalAnd);
  LOGICAL("Or", |, logicalOr);
  LOGICAL("Xor", ^, logicalXor);
  // A name is at least 1. Numbers near the limit may have been cut off there.
  ops["Equal"].evaluator.sizes =
      [](const graph::SizeExpr &a,
         const graph::SizeExpr &b) -> std::optional<graph::SizeExpr> {
    constexpr int64_t kLarge = int64_t(1) << 60;
    auto getLeast = [](const graph::SizeExpr &size) {
      return *size.substitute(
                      [](StringRef) { return std::optional<int64_t>(1); })
                  .getConstant();
    };
    for (int64_t least : {getLeast(a), getLeast(b)})
      if (least <= -kLarge || least >= kLarge)
        return std::nullopt;
    if (a == b)
      return graph::SizeExpr(1);
    for (auto [size, other] : {std::pair(&a, &b), std::pair(&b, &a)})
      if (auto number = other->getConstant();
          number && size->getSolvedName() && *number < getLeast(*size))
        return graph::SizeExpr(0);
    return std::nullopt;
  };
  ops["Cast"] = {importCast, 6};
  ops["CastLike"] = importCastLike;
  ops["IsInf"] = importIsInf;
  ops["IsNaN"] = importIsNaN;
  ops["Not"] = {
      importNot,
      {[](int64_t a, int64_t) -> int64_t { return a == 0; }, nullptr, true, 1},
      1};
  ops["Where"] = importWhere;
  takeSizes(ops, {"Cast", "Equal", "Where"});
  takeShapes(ops, {"And", "CastLike", "Greater", "GreaterOrEqual", "IsInf",
                   "IsNaN", "Less", "LessOrEqual", "Not", "Or", "Xor"});
}
