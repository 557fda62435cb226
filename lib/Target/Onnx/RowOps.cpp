// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Softmax, norms and reductions.

#include "Ops.h"

using namespace mlir;
using namespace gc::onnxio;

/// Along one axis since version 13; before, all from `axis` on are one row.
template <const char *name>
static LogicalResult importSoftmax(NodeBuilder &node) {
  FailureOr<Value> src = node.getOperand(0);
  bool flattens = node.getOpset() < 13;
  int64_t axis = node.getIntAttr("axis", flattens ? 1 : -1);
  if (failed(src))
    return failure();
  auto type = cast<RankedTensorType>(src->getType());
  FailureOr<int64_t> counted = node.getAxis(axis, type.getRank());
  if (failed(counted))
    return failure();
  auto getAttr = [&](int64_t axis) {
    return node.attr("axis", node.getBuilder().getI64IntegerAttr(axis));
  };
  if (!flattens || *counted == type.getRank() - 1)
    return node.setResult(node.build(name, *src, getAttr(*counted)));
  int64_t rows = 1, columns = 1;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    (int64_t(i) < *counted ? rows : columns) *= size;
  FailureOr<Value> value = node.reshape(*src, {rows, columns});
  if (failed(value) || failed(value = node.build(name, *value, getAttr(1))))
    return failure();
  return node.setResult(node.reshape(*value, type.getShape()));
}

/// Axes are an attribute before version `since`, an operand from it on.
template <const char *name, int since>
static LogicalResult importReduce(NodeBuilder &node) {
  FailureOr<Value> src = node.getOperand(0);
  bool keepDims = node.getIntAttr("keepdims", 1) != 0;
  FailureOr<SmallVector<int64_t>> given = node.getAxes(since);
  if (failed(src) || failed(given))
    return failure();
  SmallVector<int64_t> axes = *given;
  if (axes.empty() && node.getOpset() >= since &&
      node.getIntAttr("noop_with_empty_axes", 0))
    return node.fail("noop_with_empty_axes without axes is not supported");
  node.ignoreAttr("noop_with_empty_axes");
  int64_t rank = cast<RankedTensorType>(src->getType()).getRank();
  for (int64_t &axis : axes) {
    FailureOr<int64_t> counted = node.getAxis(axis, rank);
    if (failed(counted))
      return failure();
    axis = *counted;
  }
  if (axes.empty())
    llvm::append_range(axes, llvm::seq<int64_t>(0, rank));
  return node.setResult(node.build(
      name, *src,
      {node.attr("axes", axes),
       node.attr("keep_dims", node.getBuilder().getBoolAttr(keepDims))}));
}

static LogicalResult importLayerNorm(NodeBuilder &node) {
  auto operands = node.getOperands();
  int64_t axis = node.getIntAttr("axis", -1);
  float epsilon = node.getFloatAttr("epsilon", 1e-5f);
  if (node.getIntAttr("stash_type", 1) != 1)
    return node.fail("this stash_type is not supported");
  if (failed(operands))
    return failure();
  if (operands->size() < 2 || operands->size() > 3)
    return node.fail("has " + Twine(operands->size()) +
                     " operands instead of 2 or 3");
  auto type = cast<RankedTensorType>((*operands)[0].getType());
  FailureOr<int64_t> begin = node.getAxis(axis, type.getRank());
  if (failed(begin))
    return failure();
  Builder &builder = node.getBuilder();
  FailureOr<Value> dst = node.build(
      "graph.layer_norm", operands->front(),
      {node.attr("keep_stats", builder.getBoolAttr(false)),
       node.attr("use_affine", builder.getBoolAttr(false)),
       node.attr("begin_norm_axis", builder.getI64IntegerAttr(*begin)),
       node.attr("epsilon", builder.getF32FloatAttr(epsilon))});
  // Scale and bias broadcast, which those of the op do not.
  for (auto [i, op] : {std::pair<size_t, StringRef>(1, "graph.multiply"),
                       std::pair<size_t, StringRef>(2, "graph.add")})
    if (i < operands->size() && succeeded(dst))
      dst = node.build(op, {*dst, (*operands)[i]});
  if (succeeded(dst) && dst->getType() != type)
    return node.fail("scale or bias do not broadcast to the input");
  return node.setResult(dst);
}

static LogicalResult importBatchNorm(NodeBuilder &node) {
  auto operands = node.getOperands();
  float epsilon = node.getFloatAttr("epsilon", 1e-5f);
  node.ignoreAttr("momentum");
  if (node.getIntAttr("training_mode", 0) != 0)
    return node.fail("training is not supported");
  if (node.getIntAttr("spatial", 1) != 1)
    return node.fail("statistics per position are not supported");
  if (failed(operands))
    return failure();
  if (operands->size() != 5)
    return node.fail("has " + Twine(operands->size()) +
                     " operands instead of 5");
  Builder &builder = node.getBuilder();
  return node.setResult(
      node.build("graph.batch_norm_inference", *operands,
                 {node.attr("epsilon", builder.getF32FloatAttr(epsilon)),
                  node.attr("data_format", builder.getStringAttr("NCX"))}));
}

/// The mean of each channel.
static LogicalResult importGlobalPool(NodeBuilder &node, StringRef op) {
  FailureOr<Value> src = node.getOperand(0);
  if (failed(src))
    return failure();
  int64_t rank = cast<RankedTensorType>(src->getType()).getRank();
  if (rank < 3)
    return node.fail("operand 0 has no spatial dimensions");
  auto axes = llvm::to_vector(llvm::seq<int64_t>(2, rank));
  return node.setResult(node.build(
      op, *src,
      {node.attr("axes", axes),
       node.attr("keep_dims", node.getBuilder().getBoolAttr(true))}));
}

#define REDUCE(NAME, OP, SINCE)                                                \
  static constexpr char k##NAME[] = "graph." OP;                               \
  ops[#NAME] = importReduce<k##NAME, SINCE>

void gc::onnxio::addRowOps(OpTable &ops) {
  static constexpr char kSoftmax[] = "graph.softmax";
  static constexpr char kLogSoftmax[] = "graph.log_softmax";
  ops["BatchNormalization"] = importBatchNorm;
  ops["GlobalAveragePool"] = [](NodeBuilder &node) {
    return importGlobalPool(node, "graph.reduce_mean");
  };
  ops["GlobalMaxPool"] = [](NodeBuilder &node) {
    return importGlobalPool(node, "graph.reduce_max");
  };
  ops["LayerNormalization"] = importLayerNorm;
  ops["LogSoftmax"] = importSoftmax<kLogSoftmax>;
  ops["Softmax"] = importSoftmax<kSoftmax>;
  REDUCE(ReduceL1, "reduce_l1", 18);
  REDUCE(ReduceL2, "reduce_l2", 18);
  REDUCE(ReduceMax, "reduce_max", 18);
  REDUCE(ReduceMean, "reduce_mean", 18);
  REDUCE(ReduceMin, "reduce_min", 18);
  REDUCE(ReduceProd, "reduce_prod", 18);
  REDUCE(ReduceSum, "reduce_sum", 13);
}
