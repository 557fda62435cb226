// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions, softmax and norms.

#include "Dialect/Graph/IR/GraphOps.h"
#include "ExportOps.h"

using namespace mlir;
using namespace gc;
using namespace gc::onnxio;

/// `ofOne`: the operator that a reduction along no dimension is; none if it is
/// the operand. `takesAxes`: axes are an input.
static ExportEntry reduction(StringRef type, StringRef ofOne = {},
                             bool takesAxes = false) {
  return {[=](NodeWriter &node) -> LogicalResult {
    Operation *op = node.getOp();
    auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axes");
    auto keepDims = op->getAttrOfType<BoolAttr>("keep_dims");
    if (auto parts = op->getAttrOfType<IntegerAttr>("part_size");
        parts && parts.getInt() != 0)
      return node.fail("it is part of a compiled graph");
    Named x = node.getOperand(0);
    if (!axes || axes.empty())
      return node.setResult(ofOne.empty() ? x : node.add(ofOne, {x}));
    SmallVector<int64_t> resolved =
        graph::resolveAxes(axes.asArrayRef(), node.getOperandType(0).getRank());
    SmallVector<NodeAttr> attrs{
        {"keepdims", int64_t(keepDims && keepDims.getValue())}};
    SmallVector<Named> inputs{x};
    if (takesAxes)
      inputs.push_back(node.makeInts(resolved));
    else
      attrs.push_back({"axes", resolved});
    return node.setResult(node.add(type, inputs, attrs));
  }};
}

/// Softmax in f32 if either type is.
static Named getLogits(NodeWriter &node) {
  Named x = node.getOperand(0);
  bool isSame = x.element == node.getResultType().getElementType();
  return isSame ? x : node.cast(x, node.getF32());
}

static LogicalResult exportSoftmax(NodeWriter &node) {
  int64_t axis = cast<graph::SoftmaxOp>(node.getOp()).getDimension();
  return node.setResult(
      node.add("Softmax", {getLogits(node)}, {{"axis", axis}}));
}

static bool isPlainSoftmax(Operation *op) {
  auto softmax = cast<graph::SoftmaxOp>(op);
  return softmax.getSoftmaxMode() == graph::SoftmaxMode::none &&
         !softmax.getStats();
}

static LogicalResult exportLogSoftmax(NodeWriter &node) {
  int64_t axis = cast<graph::LogSoftmaxOp>(node.getOp()).getDimension();
  return node.setResult(
      node.add("LogSoftmax", {getLogits(node)}, {{"axis", axis}}));
}

/// Statistics of the dialect are not those of ONNX, which has the reciprocal of
/// the deviation.
static bool isPlainLayerNorm(Operation *op) {
  auto norm = cast<graph::LayerNormOp>(op);
  return llvm::all_of(norm.getStats(),
                      [](Value value) { return value.use_empty(); });
}

static LogicalResult exportLayerNorm(NodeWriter &node) {
  auto op = cast<graph::LayerNormOp>(node.getOp());
  RankedTensorType type = node.getOperandType(0);
  int64_t axis = op.getBeginNormAxis();
  if (axis < 0)
    axis += type.getRank();
  Named x = node.getOperand(0);
  SmallVector<Named> inputs{x};
  if (op.getUseAffine()) {
    for (unsigned i = 1; i < op->getNumOperands(); ++i)
      inputs.push_back(node.getOperand(i));
    // All of one type.
    if (inputs[1].element != x.element)
      for (Named &input : inputs)
        input = node.cast(input, node.getF32());
  } else {
    ArrayRef<int64_t> sizes = type.getShape().drop_front(axis);
    inputs.push_back(node.add(
        "Expand", {node.makeScalar(1, x.element), node.makeInts(sizes)}));
  }
  return node.setResult(node.add(
      "LayerNormalization", inputs,
      {{"axis", axis}, {"epsilon", op.getEpsilon().convertToFloat()}}));
}

static bool hasChannelsSecond(Operation *op) {
  return cast<graph::BatchNormInferenceOp>(op).getDataFormat() == "NCX";
}

static LogicalResult exportBatchNorm(NodeWriter &node) {
  auto op = cast<graph::BatchNormInferenceOp>(node.getOp());
  SmallVector<Named> inputs;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    inputs.push_back(node.getOperand(i));
  return node.setResult(
      node.add("BatchNormalization", inputs,
               {{"epsilon", op.getEpsilon().convertToFloat()}}));
}

void gc::onnxio::addRowExports(ExportTable &ops) {
  ops["graph.batch_norm_inference"] = {exportBatchNorm, hasChannelsSecond};
  ops["graph.layer_norm"] = {exportLayerNorm, isPlainLayerNorm};
  ops["graph.log_softmax"] = {exportLogSoftmax};
  ops["graph.reduce_l1"] = reduction("ReduceL1", "Abs");
  ops["graph.reduce_l2"] = reduction("ReduceL2", "Abs");
  ops["graph.reduce_max"] = reduction("ReduceMax");
  ops["graph.reduce_mean"] = reduction("ReduceMean");
  ops["graph.reduce_min"] = reduction("ReduceMin");
  ops["graph.reduce_prod"] = reduction("ReduceProd");
  ops["graph.reduce_sum"] = reduction("ReduceSum", {}, /*takesAxes=*/true);
  ops["graph.softmax"] = {exportSoftmax, isPlainSoftmax};
}
