// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of matrices, and constants.

#include "Ops.h"
#include "Tensors.h"

using namespace mlir;
using namespace gc::onnxio;

static LogicalResult importMatMul(NodeBuilder &node) {
  FailureOr<Value> a = node.getOperand(0), b = node.getOperand(1);
  if (failed(a) || failed(b))
    return failure();
  return node.setResult(node.build("graph.matmul", {*a, *b}));
}

/// alpha * A' * B' + beta * C
static LogicalResult importGemm(NodeBuilder &node) {
  FailureOr<Value> a = node.getOperand(0), b = node.getOperand(1);
  float alpha = node.getFloatAttr("alpha", 1.0f);
  float beta = node.getFloatAttr("beta", 1.0f);
  bool transposeA = node.getIntAttr("transA", 0) != 0;
  bool transposeB = node.getIntAttr("transB", 0) != 0;
  if (failed(a) || failed(b))
    return failure();
  for (Value operand : {*a, *b})
    if (cast<RankedTensorType>(operand.getType()).getRank() != 2)
      return node.fail("operands are not matrices");
  OpBuilder &builder = node.getBuilder();
  FailureOr<Value> dst =
      node.build("graph.matmul", {*a, *b},
                 {node.attr("transpose_a", builder.getBoolAttr(transposeA)),
                  node.attr("transpose_b", builder.getBoolAttr(transposeB))});
  if (failed(dst))
    return failure();
  auto type = cast<RankedTensorType>(dst->getType());
  auto scale = [&](Value value, float factor) -> FailureOr<Value> {
    if (factor == 1.0f)
      return value;
    return node.build(
        "graph.multiply",
        {value, node.createScalar(factor, type.getElementType())});
  };
  if (failed(dst = scale(*dst, alpha)))
    return failure();
  if (node.hasOperand(2) && beta != 0) {
    FailureOr<Value> c = node.getOperand(2);
    if (failed(c) || failed(c = scale(*c, beta)) ||
        failed(dst = node.build("graph.add", {*dst, *c})))
      return failure();
    if (dst->getType() != type)
      return node.fail("C does not broadcast to the product");
  }
  return node.setResult(dst);
}

static LogicalResult importConstant(NodeBuilder &node) {
  using ::onnx::AttributeProto;
  if (auto *attr = node.findAttr("value", AttributeProto::TENSOR)) {
    auto tensor =
        takeTensor(*attr->mutable_t(), node.getFolder(), node.getContext());
    if (!tensor)
      return node.fail("value " + llvm::toString(tensor.takeError()));
    return node.setConstant(*tensor);
  }
  Builder &builder = node.getBuilder();
  auto s64 = IntegerType::get(node.getContext(), 64, IntegerType::Signed);
  auto setInts = [&](ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
    return node.setConstant(
        DenseElementsAttr::get(RankedTensorType::get(shape, s64), values));
  };
  auto setFloats = [&](ArrayRef<int64_t> shape, ArrayRef<float> values) {
    return node.setConstant(DenseElementsAttr::get(
        RankedTensorType::get(shape, builder.getF32Type()), values));
  };
  if (auto *attr = node.findAttr("value_int", AttributeProto::INT))
    return setInts({}, attr->i());
  if (auto *attr = node.findAttr("value_float", AttributeProto::FLOAT))
    return setFloats({}, attr->f());
  if (auto *attr = node.findAttr("value_ints", AttributeProto::INTS))
    return setInts(attr->ints_size(),
                   ArrayRef<int64_t>(attr->ints().data(), attr->ints_size()));
  if (auto *attr = node.findAttr("value_floats", AttributeProto::FLOATS))
    return setFloats(attr->floats_size(), ArrayRef<float>(attr->floats().data(),
                                                          attr->floats_size()));
  return node.fail("has no value of a supported kind");
}

void gc::onnxio::addMatrixOps(OpTable &ops) {
  ops["Constant"] = importConstant;
  ops["Gemm"] = importGemm;
  ops["MatMul"] = importMatMul;
  takeShapes(ops, {"Gemm", "MatMul"});
}
