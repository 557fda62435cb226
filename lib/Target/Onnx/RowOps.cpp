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
  Sizes shape = node.getShape(*src);
  ArrayRef<SizeExpr> sizes = shape;
  FailureOr<Value> value =
      node.reshapeTo(*src, Sizes{getProduct(sizes.take_front(*counted)),
                                 getProduct(sizes.drop_front(*counted))});
  if (failed(value) || failed(value = node.build(name, *value, getAttr(1))))
    return failure();
  return node.setResult(node.reshapeTo(*value, shape));
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
      node.getIntAttr("noop_with_empty_axes", 0)) {
    if (StringRef(name) == "graph.reduce_l1" ||
        StringRef(name) == "graph.reduce_l2")
      return node.fail("noop_with_empty_axes without axes is not supported");
    return node.setResult(*src);
  }
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
  if (axes.empty())
    return node.setResult(*src);
  return node.setResult(node.build(
      name, *src,
      {node.attr("axes", axes),
       node.attr("keep_dims", node.getBuilder().getBoolAttr(keepDims))}));
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
  ops[#NAME] = {importReduce<k##NAME, SINCE>, 1}

void gc::onnxio::addRowOps(OpTable &ops) {
  static constexpr char kSoftmax[] = "graph.softmax";
  static constexpr char kLogSoftmax[] = "graph.log_softmax";
  ops["BatchNormalization"] = importBatchNorm;
  ops["GlobalAveragePool"] = {+[](NodeBuilder &node) {
                                return importGlobalPool(node,
                                                        "graph.reduce_mean");
                              },
                              1};
  ops["GlobalMaxPool"] = {+[](NodeBuilder &node) {
                            return importGlobalPool(node, "graph.reduce_max");
                          },
                          1};
  ops["LogSoftmax"] = importSoftmax<kLogSoftmax>;
  ops["Softmax"] = importSoftmax<kSoftmax>;
  REDUCE(ReduceL1, "reduce_l1", 18);
  REDUCE(ReduceL2, "reduce_l2", 18);
  REDUCE(ReduceMax, "reduce_max", 18);
  REDUCE(ReduceMean, "reduce_mean", 18);
  REDUCE(ReduceMin, "reduce_min", 18);
  REDUCE(ReduceProd, "reduce_prod", 18);
  REDUCE(ReduceSum, "reduce_sum", 13);
  takeShapes(ops,
             {"BatchNormalization", "GlobalAveragePool", "GlobalMaxPool",
              "LogSoftmax", "ReduceL1", "ReduceL2", "ReduceMax", "ReduceMean",
              "ReduceMin", "ReduceProd", "ReduceSum", "Softmax"});
}
