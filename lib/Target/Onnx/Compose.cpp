// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compose.h"
#include "Dialect/Graph/IR/GraphOps.h"

#include <limits>

using namespace mlir;
using namespace gc::onnxio;

namespace gc::onnxio {

Value getValue(NodeBuilder &node, unsigned i) {
  FailureOr<Value> value = node.getOperand(i);
  return failed(value) ? nullptr : *value;
}

RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Type getElement(Value value) { return getTensorType(value).getElementType(); }

Value add(NodeBuilder &node, Value a, Value b) {
  return node.make("graph.add", {a, b});
}
Value subtract(NodeBuilder &node, Value a, Value b) {
  return node.make("graph.subtract", {a, b});
}
Value multiply(NodeBuilder &node, Value a, Value b) {
  return node.make("graph.multiply", {a, b});
}
Value divide(NodeBuilder &node, Value a, Value b) {
  return node.make("graph.divide", {a, b});
}
Value maximum(NodeBuilder &node, Value a, Value b) {
  return node.make("graph.maximum", {a, b});
}
Value minimum(NodeBuilder &node, Value a, Value b) {
  return node.make("graph.minimum", {a, b});
}

Value makeScalar(NodeBuilder &node, double value, Value like) {
  return like ? node.createScalar(value, getElement(like)) : nullptr;
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

static Type getBool(NodeBuilder &node) {
  return IntegerType::get(node.getContext(), 1);
}

/// A type that arithmetic has, with all the numbers of another: floating-point
/// numbers and s32 themselves, f32 for booleans and integers of 8 bits.
static Value widen(NodeBuilder &node, Value x) {
  if (!x || isa<FloatType>(getElement(x)) || getElement(x).isInteger(32))
    return x;
  if (!getElement(x).isInteger(1))
    return typeCast(node, x, node.getF32());
  Value one = node.createScalar(1, node.getF32());
  Value zero = node.createScalar(0, node.getF32());
  return node.make("graph.select", {x, one, zero}, {}, node.getF32());
}

Value typeCast(NodeBuilder &node, Value x, Type element) {
  if (!x || getElement(x) == element)
    return x;
  return node.make("graph.type_cast", x, {}, element);
}

Value castTo(NodeBuilder &node, Value x, Type element) {
  if (element.isInteger(64))
    element = node.getS32();
  if (!x || getElement(x) == element)
    return x;
  Type from = getElement(x);
  auto toInteger = dyn_cast<IntegerType>(element);
  if (element.isInteger(1)) {
    Value wide = widen(node, x);
    return logicalNot(node, equal(node, wide, makeScalar(node, 0, wide)));
  }
  if (from.isInteger(1))
    return typeCast(node, widen(node, x), element);
  if (auto fromInteger = dyn_cast<IntegerType>(from);
      fromInteger && toInteger &&
      (fromInteger.getWidth() >= toInteger.getWidth())) {
    (void)node.fail("a cast to integers of as few bits is not supported");
    return nullptr;
  }
  if (isa<FloatType>(from) && toInteger)
    x = truncate(node, x);
  return typeCast(node, x, element);
}

//===----------------------------------------------------------------------===//
// Comparisons and booleans
//===----------------------------------------------------------------------===//

Value greaterEqual(NodeBuilder &node, Value a, Value b) {
  return node.make("graph.greater_equal", {widen(node, a), widen(node, b)}, {},
                   getBool(node));
}

/// A number that is 0 or 1, as a boolean.
static Value isTrue(NodeBuilder &node, Value x) {
  return greaterEqual(node, x, makeScalar(node, 1, x));
}

Value equal(NodeBuilder &node, Value a, Value b) {
  return logicalAnd(node, greaterEqual(node, a, b), greaterEqual(node, b, a));
}

Value logicalNot(NodeBuilder &node, Value a) {
  if (!a)
    return nullptr;
  Value zero = node.createScalar(0, node.getF32());
  Value one = node.createScalar(1, node.getF32());
  return isTrue(node,
                node.make("graph.select", {a, zero, one}, {}, node.getF32()));
}

Value logicalAnd(NodeBuilder &node, Value a, Value b) {
  return isTrue(node, minimum(node, widen(node, a), widen(node, b)));
}

Value logicalOr(NodeBuilder &node, Value a, Value b) {
  return isTrue(node, maximum(node, widen(node, a), widen(node, b)));
}

Value select(NodeBuilder &node, Value condition, Value a, Value b) {
  if (!condition || !a || !b)
    return nullptr;
  Type element = getElement(a);
  if (element != getElement(b)) {
    (void)node.fail("operands have different element types");
    return nullptr;
  }
  if (element.isInteger(32)) {
    // f32 does not hold all of these.
    Value first = typeCast(node, widen(node, condition), element);
    Value second = subtract(node, makeScalar(node, 1, first), first);
    return add(node, multiply(node, first, a), multiply(node, second, b));
  }
  Value wide = widen(node, a);
  if (!wide)
    return nullptr;
  Value result = node.make("graph.select", {condition, wide, widen(node, b)},
                           {}, getElement(wide));
  return element.isInteger(1) ? isTrue(node, result)
                              : typeCast(node, result, element);
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

Value round(NodeBuilder &node, Value x) { return node.make("graph.round", x); }

/// The nearest integer is the one below, or the one next to it.
Value floor(NodeBuilder &node, Value x) {
  Value nearest = round(node, x);
  Value below = subtract(node, nearest, makeScalar(node, 1, nearest));
  return select(node, greaterEqual(node, x, nearest), nearest, below);
}

Value truncate(NodeBuilder &node, Value x) {
  Value zero = makeScalar(node, 0, x);
  Value positive = floor(node, maximum(node, x, zero));
  Value negated =
      multiply(node, minimum(node, x, zero), makeScalar(node, -1, x));
  return subtract(node, positive, floor(node, negated));
}

//===----------------------------------------------------------------------===//
// Attributes, shapes, constants
//===----------------------------------------------------------------------===//

NamedAttribute f32Attr(NodeBuilder &node, StringRef name, double value) {
  return node.attr(name, node.getBuilder().getF32FloatAttr(value));
}
NamedAttribute intAttr(NodeBuilder &node, StringRef name, int64_t value) {
  return node.attr(name, node.getBuilder().getI64IntegerAttr(value));
}
NamedAttribute boolAttr(NodeBuilder &node, StringRef name, bool value) {
  return node.attr(name, node.getBuilder().getBoolAttr(value));
}

LogicalResult checkFixed(NodeBuilder &node, unsigned operand, int64_t dim) {
  FailureOr<Sizes> shape = node.getShape(operand);
  if (failed(shape))
    return failure();
  if (!(*shape)[dim].isConstant())
    return node.fail("dimension " + Twine(dim) + " of operand " +
                     Twine(operand) + " has size '" + (*shape)[dim].str() +
                     "', which varies; that is not supported");
  return success();
}

Value reshape(NodeBuilder &node, Value x, ArrayRef<int64_t> shape) {
  if (!x)
    return nullptr;
  FailureOr<Value> value = node.reshape(x, shape);
  return failed(value) ? nullptr : *value;
}

Value reshapeTo(NodeBuilder &node, Value x, ArrayRef<SizeExpr> shape) {
  if (!x)
    return nullptr;
  FailureOr<Value> value = node.reshapeTo(x, shape);
  return failed(value) ? nullptr : *value;
}

Value transpose(NodeBuilder &node, Value x, ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return x;
  return node.make("graph.static_transpose", x, node.attr("order", order));
}

Value reduce(NodeBuilder &node, StringRef op, Value x, ArrayRef<int64_t> axes,
             bool keepDims) {
  return node.make(
      op, x, {node.attr("axes", axes), boolAttr(node, "keep_dims", keepDims)});
}

Value concat(NodeBuilder &node, ValueRange values, int64_t axis) {
  if (values.size() == 1)
    return values.front();
  return node.make("graph.concat", values, intAttr(node, "axis", axis));
}

Value makeMask(NodeBuilder &node, ArrayRef<int64_t> shape,
               function_ref<bool(ArrayRef<int64_t>)> has) {
  auto type =
      RankedTensorType::get(shape, IntegerType::get(node.getContext(), 1));
  if (failed(node.reserve(shape, type.getElementType(), sizeof(bool))))
    return nullptr;
  SmallVector<bool> elements;
  elements.reserve(type.getNumElements());
  forEachIndex(
      shape, [&](ArrayRef<int64_t> index) { elements.push_back(has(index)); });
  FailureOr<Value> value =
      node.makeConstant(DenseElementsAttr::get(type, ArrayRef<bool>(elements)));
  return failed(value) ? nullptr : *value;
}

Value makeTensor(NodeBuilder &node, const Known &known) {
  DenseElementsAttr elements = getElements(known);
  FailureOr<Value> value = node.makeConstant(elements);
  return failed(value) ? nullptr : *value;
}

} // namespace gc::onnxio
