// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise ops and comparisons.

#include "Dialect/Graph/IR/GraphOps.h"
#include "ExportOps.h"

using namespace mlir;
using namespace gc;
using namespace gc::onnxio;

/// An operator of one input. `widens`: it has no bf16.
static ExportEntry unary(StringRef type, bool widens = false) {
  return {[type, widens](NodeWriter &node) {
    Named x = widens ? node.getWidened(0) : node.getOperand(0);
    return node.setResult(node.add(type, {x}));
  }};
}

static float getFloat(Operation *op, StringRef attr) {
  return op->getAttrOfType<FloatAttr>(attr).getValue().convertToFloat();
}

/// One with attributes, by their names in ONNX and here, which has no bf16.
static ExportEntry unary(StringRef type,
                         SmallVector<std::pair<StringRef, StringRef>> attrs) {
  return {[type, attrs](NodeWriter &node) {
    SmallVector<NodeAttr> values;
    for (auto [name, ours] : attrs)
      values.push_back({name, getFloat(node.getOp(), ours)});
    return node.setResult(node.add(type, {node.getWidened(0)}, values));
  }};
}

/// Of operands of different types one is f32, and so is the computation.
static std::pair<Named, Named> getPair(NodeWriter &node) {
  Named a = node.getOperand(0), b = node.getOperand(1);
  if (a.element == b.element)
    return {a, b};
  return {node.cast(a, node.getF32()), node.cast(b, node.getF32())};
}

static ExportEntry binary(StringRef type) {
  return {[type](NodeWriter &node) {
    auto [a, b] = getPair(node);
    return node.setResult(node.add(type, {a, b}));
  }};
}

/// Arithmetic that saturates in s32, where operators of ONNX wrap.
static ExportEntry saturating(StringRef type) {
  return {[type](NodeWriter &node) {
    auto [a, b] = getPair(node);
    auto noOverflow = node.getOp()->getAttrOfType<BoolAttr>("no_overflow");
    if (!a.element.isInteger(32) || (noOverflow && noOverflow.getValue()))
      return node.setResult(node.add(type, {a, b}));
    Type s64 =
        IntegerType::get(node.getOp()->getContext(), 64, IntegerType::Signed);
    Named wide = node.add(type, {node.cast(a, s64), node.cast(b, s64)});
    Named clipped = node.add("Clip", {wide, node.makeScalar(INT32_MIN, s64),
                                      node.makeScalar(INT32_MAX, s64)});
    return node.setResult(clipped);
  }};
}

static LogicalResult exportClamp(NodeWriter &node) {
  Named x = node.getOperand(0);
  auto bound = [&](StringRef name) {
    return node.makeScalar(getFloat(node.getOp(), name), x.element);
  };
  return node.setResult(node.add("Clip", {x, bound("min"), bound("max")}));
}

static LogicalResult exportPow(NodeWriter &node) {
  // The exponent is not rounded to the type of the base.
  Named beta = node.makeScalar(getFloat(node.getOp(), "beta"), node.getF32());
  return node.setResult(node.add("Pow", {node.getOperand(0), beta}));
}

static LogicalResult exportSoftPlus(NodeWriter &node) {
  float beta = getFloat(node.getOp(), "beta");
  Named x = node.getWidened(0);
  if (beta == 1)
    return node.setResult(node.add("Softplus", {x}));
  x = node.cast(x, node.getF32());
  Named factor = node.makeScalar(beta, node.getF32());
  Named plus = node.add("Softplus", {node.add("Mul", {x, factor})});
  return node.setResult(node.add("Div", {plus, factor}));
}

static LogicalResult exportGreaterEqual(NodeWriter &node) {
  return node.setResult(node.add("GreaterOrEqual",
                                 {node.getOperand(0), node.getOperand(1)},
                                 node.getResultType().getElementType()));
}

static LogicalResult exportSelect(NodeWriter &node) {
  return node.setResult(node.add(
      "Where", {node.getOperand(0), node.getOperand(1), node.getOperand(2)},
      node.getResultType().getElementType()));
}

static LogicalResult exportTypeCast(NodeWriter &node) {
  Named x = node.getOperand(0);
  Type element = node.getResultType().getElementType();
  auto to = dyn_cast<IntegerType>(element);
  auto from = dyn_cast<IntegerType>(x.element);
  if (!to)
    return node.setResult(x);
  if (to.getWidth() < 8)
    return node.fail("operator set 17 has no integers of 4 bits");
  if (!from)
    return node.setResult(node.roundTo(x, to));
  // Integers saturate.
  Type s32 =
      IntegerType::get(node.getOp()->getContext(), 32, IntegerType::Signed);
  if (to != s32) {
    bool isUnsigned = to.isUnsigned();
    x = node.add("Clip", {node.cast(x, s32),
                          node.makeScalar(isUnsigned ? 0 : -128, s32),
                          node.makeScalar(isUnsigned ? 255 : 127, s32)});
  }
  return node.setResult(x);
}

void gc::onnxio::addElementwiseExports(ExportTable &ops) {
  ops["graph.abs"] = unary("Abs");
  ops["graph.add"] = saturating("Add");
  ops["graph.clamp"] = {exportClamp};
  ops["graph.divide"] = binary("Div");
  ops["graph.elu"] = unary("Elu", {{"alpha", "alpha"}});
  ops["graph.erf"] = unary("Erf");
  ops["graph.exp"] = unary("Exp");
  ops["graph.greater_equal"] = {exportGreaterEqual};
  ops["graph.hard_sigmoid"] =
      unary("HardSigmoid", {{"alpha", "alpha"}, {"beta", "beta"}});
  ops["graph.hard_swish"] = unary("HardSwish", /*widens=*/true);
  ops["graph.leaky_relu"] = unary("LeakyRelu", {{"alpha", "alpha"}});
  ops["graph.log"] = unary("Log");
  ops["graph.maximum"] = binary("Max");
  ops["graph.minimum"] = binary("Min");
  ops["graph.multiply"] = saturating("Mul");
  ops["graph.pow"] = {exportPow};
  ops["graph.reciprocal"] = unary("Reciprocal");
  ops["graph.relu"] = unary("Relu");
  ops["graph.round"] = unary("Round", /*widens=*/true);
  ops["graph.select"] = {exportSelect};
  ops["graph.sigmoid"] = unary("Sigmoid");
  ops["graph.soft_plus"] = {exportSoftPlus};
  ops["graph.sqrt"] = unary("Sqrt");
  ops["graph.subtract"] = saturating("Sub");
  ops["graph.tanh"] = unary("Tanh");
  ops["graph.type_cast"] = {exportTypeCast};
}
