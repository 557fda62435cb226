// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that compute every element by itself.

#include "Compose.h"
#include "Ops.h"

using namespace mlir;
using namespace gc::onnxio;

/// An op with one operand that the dialect has as it is.
template <const char *name>
static LogicalResult importUnary(NodeBuilder &node) {
  FailureOr<Value> src = node.getOperand(0);
  return failed(src) ? failure() : node.setResult(node.build(name, *src));
}

static bool isExtreme(StringRef name) {
  return name == "graph.maximum" || name == "graph.minimum";
}

/// An op with two operands, or with any number of them taken from the left.
template <const char *name>
static LogicalResult importFold(NodeBuilder &node) {
  auto operands = node.getOperands();
  if (failed(operands))
    return failure();
  Value result = operands->front();
  Type element = getElement(result);
  bool isByte = isExtreme(name) && element.isInteger(8);
  for (Value operand : llvm::drop_begin(*operands)) {
    // Bytes are computed with in f32, which has all of them.
    if (isByte) {
      Type f32 = node.getBuilder().getF32Type();
      result = typeCast(node, result, f32);
      operand = typeCast(node, operand, f32);
    }
    result = node.make(name, {result, operand});
  }
  return node.setResult(result ? typeCast(node, result, element) : result);
}

template <const char *name>
static LogicalResult importBinary(NodeBuilder &node) {
  if (node.getNumOperands() != 2)
    return node.fail("has " + Twine(node.getNumOperands()) +
                     " operands instead of 2");
  return importFold<name>(node);
}

static LogicalResult importElu(NodeBuilder &node) {
  FailureOr<Value> src = node.getOperand(0);
  float alpha = node.getFloatAttr("alpha", 1.0f);
  if (failed(src))
    return failure();
  return node.setResult(
      node.build("graph.elu", *src, f32Attr(node, "alpha", alpha)));
}

static LogicalResult importLeakyRelu(NodeBuilder &node) {
  FailureOr<Value> src = node.getOperand(0);
  float alpha = node.getFloatAttr("alpha", 0.01f);
  if (failed(src))
    return failure();
  return node.setResult(
      node.build("graph.leaky_relu", *src, f32Attr(node, "alpha", alpha)));
}

static LogicalResult importHardSigmoid(NodeBuilder &node) {
  FailureOr<Value> src = node.getOperand(0);
  float alpha = node.getFloatAttr("alpha", 0.2f);
  float beta = node.getFloatAttr("beta", 0.5f);
  if (failed(src))
    return failure();
  return node.setResult(
      node.build("graph.hard_sigmoid", *src,
                 {f32Attr(node, "alpha", alpha), f32Attr(node, "beta", beta)}));
}

static LogicalResult importGelu(NodeBuilder &node) {
  FailureOr<Value> src = node.getOperand(0);
  std::string mode = node.getStringAttr("approximate", "none");
  if (failed(src))
    return failure();
  if (mode != "none" && mode != "tanh")
    return node.fail("approximate '" + mode + "' is unknown");
  return node.setResult(node.build(
      "graph.gelu", *src,
      node.attr("mode", node.getBuilder().getStringAttr(
                            mode == "tanh" ? "gelu_tanh" : "gelu_erf"))));
}

static LogicalResult importNeg(NodeBuilder &node) {
  FailureOr<Value> src = node.getOperand(0);
  if (failed(src))
    return failure();
  Type element = cast<ShapedType>(src->getType()).getElementType();
  return node.setResult(
      node.build("graph.multiply", {*src, node.createScalar(-1, element)}));
}

/// Bounds are operands since version 11, and may be left out.
static LogicalResult importClip(NodeBuilder &node) {
  FailureOr<Value> src = node.getOperand(0);
  if (failed(src))
    return failure();
  Type type = getElement(*src), element = type;
  if (type.isInteger(8))
    src = typeCast(node, *src, element = node.getBuilder().getF32Type());
  else if (!isa<FloatType>(element) && !element.isInteger(32))
    return node.fail("operands of this element type are not supported");
  for (bool isMin : {true, false}) {
    Value bound;
    if (node.getOpset() < 11) {
      StringRef name = isMin ? "min" : "max";
      if (node.hasAttr(name))
        bound = node.createScalar(node.getFloatAttr(name, 0), element);
    } else if (unsigned i = isMin ? 1 : 2; node.hasOperand(i)) {
      FailureOr<Value> operand = node.getOperand(i);
      if (failed(operand))
        return failure();
      bound = typeCast(node, *operand, element);
    }
    if (!bound)
      continue;
    src = node.make(isMin ? "graph.maximum" : "graph.minimum", {*src, bound});
  }
  return node.setResult(*src ? typeCast(node, *src, type) : *src);
}

static LogicalResult importMean(NodeBuilder &node) {
  auto operands = node.getOperands();
  if (failed(operands))
    return failure();
  FailureOr<Value> sum = operands->front();
  for (Value operand : llvm::drop_begin(*operands))
    if (failed(sum = node.build("graph.add", {*sum, operand})))
      return failure();
  Type element = cast<ShapedType>(sum->getType()).getElementType();
  return node.setResult(node.build(
      "graph.divide", {*sum, node.createScalar(operands->size(), element)}));
}

static LogicalResult importIdentity(NodeBuilder &node) {
  if (ElementsAttr constant = node.getConstant(0))
    return node.setConstant(constant);
  return node.setResult(node.getOperand(0));
}

/// The identity, except for training.
static LogicalResult importDropout(NodeBuilder &node) {
  node.ignoreAttr("ratio");
  node.ignoreAttr("seed");
  if (node.hasOperand(2)) {
    FailureOr<double> training = node.getNumber(2);
    if (failed(training))
      return failure();
    // Where nothing is dropped, training is the identity as well.
    double ratio = 0.5;
    if (node.hasOperand(1)) {
      FailureOr<double> given = node.getNumber(1);
      if (failed(given))
        return failure();
      ratio = *given;
    }
    if (*training != 0 && ratio != 0)
      return node.fail("training is not supported");
  }
  FailureOr<RankedTensorType> type = node.getType(0);
  if (failed(type) || failed(importIdentity(node)))
    return failure();
  if (node.getNumResults() < 2)
    return success();
  if (failed(node.checkShape(0)))
    return failure();
  // The mask keeps everything.
  auto mask = RankedTensorType::get(type->getShape(),
                                    IntegerType::get(node.getContext(), 1));
  return node.setConstant(DenseElementsAttr::get(mask, true));
}

#define UNARY(NAME, OP)                                                        \
  static constexpr char k##NAME[] = "graph." OP;                               \
  ops[#NAME] = {importUnary<k##NAME>, 6}
#define BINARY(NAME, OP)                                                       \
  static constexpr char k##NAME[] = "graph." OP;                               \
  ops[#NAME] = importBinary<k##NAME>
#define VARIADIC(NAME, OP)                                                     \
  static constexpr char k##NAME[] = "graph." OP;                               \
  ops[#NAME] = importFold<k##NAME>

void gc::onnxio::addElementwiseOps(OpTable &ops) {
  UNARY(Abs, "abs");
  UNARY(Erf, "erf");
  UNARY(Exp, "exp");
  UNARY(HardSwish, "hard_swish");
  UNARY(Log, "log");
  UNARY(Mish, "mish");
  UNARY(Reciprocal, "reciprocal");
  UNARY(Relu, "relu");
  UNARY(Round, "round");
  UNARY(Sigmoid, "sigmoid");
  UNARY(Softplus, "soft_plus");
  ops["Softplus"].since = 1;
  UNARY(Sqrt, "sqrt");
  UNARY(Tanh, "tanh");
  BINARY(Add, "add");
  BINARY(Mul, "multiply");
  BINARY(Sub, "subtract");
  VARIADIC(Max, "maximum");
  VARIADIC(Min, "minimum");
  VARIADIC(Sum, "add");
  ops["Clip"] = {importClip, 6};
  ops["Dropout"] = importDropout;
  ops["Elu"] = {importElu, 6};
  ops["Gelu"] = importGelu;
  ops["HardSigmoid"] = {importHardSigmoid, 6};
  ops["Identity"] = importIdentity;
  ops["LeakyRelu"] = {importLeakyRelu, 6};
  ops["Mean"] = importMean;
  ops["Neg"] = {importNeg, 6};
  takeShapes(ops,
             {"Clip", "Dropout", "Elu", "Erf", "Exp", "Gelu", "HardSigmoid",
              "HardSwish", "LeakyRelu", "Log", "Mean", "Mish", "Reciprocal",
              "Relu", "Round", "Sigmoid", "Softplus", "Sqrt", "Tanh"});
  takeSizes(ops, {"Identity"});
}
