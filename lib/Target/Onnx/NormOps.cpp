// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Norms, and reductions that are composed of others.

#include "Compose.h"
#include "Ops.h"

#include <limits>

using namespace mlir;
using namespace gc::onnxio;

static SmallVector<int64_t> getAxesFrom(int64_t begin, Value x) {
  return llvm::to_vector(llvm::seq<int64_t>(begin, getTensorType(x).getRank()));
}

static Value square(NodeBuilder &node, Value x) { return multiply(node, x, x); }

static Value inverseRoot(NodeBuilder &node, Value x, double epsilon) {
  Value sum = add(node, x, makeScalar(node, epsilon, x));
  return node.make("graph.reciprocal", node.make("graph.sqrt", sum));
}

static LogicalResult importLayerNorm(NodeBuilder &node) {
  Value x = getValue(node, 0), scale = getValue(node, 1);
  int64_t axis = node.getIntAttr("axis", -1);
  float epsilon = node.getFloatAttr("epsilon", 1e-5f);
  if (node.getIntAttr("stash_type", 1) != 1)
    return node.fail("this stash_type is not supported");
  if (!x)
    return failure();
  RankedTensorType type = getTensorType(x);
  FailureOr<int64_t> begin = node.getAxis(axis, type.getRank());
  if (failed(begin))
    return failure();
  // Scale and bias broadcast, which those of the op do not.
  Value y = node.make("graph.layer_norm", x,
                      {boolAttr(node, "keep_stats", false),
                       boolAttr(node, "use_affine", false),
                       intAttr(node, "begin_norm_axis", *begin),
                       f32Attr(node, "epsilon", epsilon)});
  y = multiply(node, y, scale);
  if (node.hasOperand(2))
    y = add(node, y, getValue(node, 2));
  if (y && y.getType() != type)
    return node.fail("scale or bias do not broadcast to the input");
  if (failed(node.setResult(y)))
    return failure();
  if (node.getNumResults() < 2)
    return success();
  auto axes = getAxesFrom(*begin, x);
  Value mean = reduce(node, "graph.reduce_mean", x, axes);
  if (failed(node.setResult(mean)) || node.getNumResults() < 3)
    return success(!node.hasFailed());
  Value variance = reduce(node, "graph.reduce_mean",
                          square(node, subtract(node, x, mean)), axes);
  return node.setResult(inverseRoot(node, variance, epsilon));
}

/// The scale broadcasts; the norm is that of the dimensions from an axis on.
static LogicalResult importRmsNorm(NodeBuilder &node) {
  Value x = getValue(node, 0), scale = getValue(node, 1);
  int64_t axis = node.getIntAttr("axis", -1);
  float epsilon = node.getFloatAttr("epsilon", 1e-5f);
  if (node.getIntAttr("stash_type", 1) != 1)
    return node.fail("this stash_type is not supported");
  if (!x)
    return failure();
  FailureOr<int64_t> begin = node.getAxis(axis, getTensorType(x).getRank());
  if (failed(begin))
    return failure();
  Value y = node.make("graph.rms_norm", x,
                      {intAttr(node, "begin_norm_axis", *begin),
                       f32Attr(node, "epsilon", epsilon)});
  y = multiply(node, y, scale);
  if (y && y.getType() != x.getType())
    return node.fail("the scale does not broadcast to the input");
  return node.setResult(y);
}

/// Scale and bias are operands 1 and 2.
static LogicalResult setGroupNorm(NodeBuilder &node, Value x, int64_t groups,
                                  double epsilon) {
  Value scale = getValue(node, 1), bias = getValue(node, 2);
  if (!x || !scale || !bias)
    return failure();
  RankedTensorType type = getTensorType(x);
  if (type.getRank() < 3 || groups < 1 || type.getDimSize(1) % groups != 0)
    return node.fail("groups do not divide the channels, or there are no "
                     "spatial dimensions");
  // Before version 21, GroupNormalization has them per group.
  int64_t channels = type.getDimSize(1);
  auto perChannel = [&](Value value) -> Value {
    if (getTensorType(value).getShape() != ArrayRef<int64_t>(groups) ||
        groups == channels)
      return value;
    value = reshape(node, value, {groups, 1});
    return reshape(node, expand(node, value, {groups, channels / groups}),
                   channels);
  };
  return node.setResult(node.make(
      "graph.group_norm", {x, perChannel(scale), perChannel(bias)},
      {intAttr(node, "groups", groups), boolAttr(node, "keep_stats", false),
       boolAttr(node, "use_affine", true), f32Attr(node, "epsilon", epsilon),
       node.attr("data_format", node.getBuilder().getStringAttr("NCX"))}));
}

static LogicalResult importGroupNorm(NodeBuilder &node) {
  if (node.getIntAttr("stash_type", 1) != 1)
    return node.fail("this stash_type is not supported");
  int64_t groups = node.getIntAttr("num_groups", 0);
  return setGroupNorm(node, getValue(node, 0), groups,
                      node.getFloatAttr("epsilon", 1e-5f));
}

static LogicalResult importInstanceNorm(NodeBuilder &node) {
  Value x = getValue(node, 0);
  float epsilon = node.getFloatAttr("epsilon", 1e-5f);
  if (!x || getTensorType(x).getRank() < 3)
    return node.fail("the input has no spatial dimensions");
  return setGroupNorm(node, x, getTensorType(x).getDimSize(1), epsilon);
}

static LogicalResult importMeanVarianceNorm(NodeBuilder &node) {
  SmallVector<int64_t> axes{0, 2, 3};
  if (node.hasAttr("axes"))
    axes = node.getIntsAttr("axes");
  Value x = getValue(node, 0);
  Value centered =
      subtract(node, x, reduce(node, "graph.reduce_mean", x, axes));
  Value variance =
      reduce(node, "graph.reduce_mean", square(node, centered), axes);
  Value deviation = node.make("graph.sqrt", variance);
  return node.setResult(
      divide(node, centered, add(node, deviation, makeScalar(node, 1e-9, x))));
}

static LogicalResult importLpNorm(NodeBuilder &node) {
  Value x = getValue(node, 0);
  int64_t counted = node.getIntAttr("axis", -1), p = node.getIntAttr("p", 2);
  if (!x)
    return failure();
  if (p != 1 && p != 2)
    return node.fail("p is neither 1 nor 2");
  FailureOr<int64_t> axis = node.getAxis(counted, getTensorType(x).getRank());
  if (failed(axis))
    return failure();
  Value norm =
      reduce(node, p == 1 ? "graph.reduce_l1" : "graph.reduce_l2", x, *axis);
  // Rows of zeros stay as they are.
  Value zero = makeScalar(node, 0, x), one = makeScalar(node, 1, x);
  norm = select(node, greaterEqual(node, zero, norm), one, norm);
  return node.setResult(divide(node, x, norm));
}

/// Divides by a power of the sum of squares over neighbouring channels.
static LogicalResult importLrn(NodeBuilder &node) {
  Value x = getValue(node, 0);
  float alpha = node.getFloatAttr("alpha", 1e-4f);
  float beta = node.getFloatAttr("beta", 0.75f);
  float bias = node.getFloatAttr("bias", 1.0f);
  int64_t size = node.getIntAttr("size", 0);
  if (!x)
    return failure();
  if (getTensorType(x).getRank() < 2 || size < 1 || size > (1 << 20))
    return node.fail("the size is out of range, or there are no channels");
  Value sum = reduceWindows(node, "graph.reduce_sum", square(node, x), 1, size,
                            -((size - 1) / 2));
  Value base =
      add(node, multiply(node, sum, makeScalar(node, alpha / float(size), x)),
          makeScalar(node, bias, x));
  return node.setResult(divide(
      node, x, node.make("graph.pow", base, f32Attr(node, "beta", beta))));
}

/// Sums from the first, or the last, element on.
static LogicalResult importCumSum(NodeBuilder &node) {
  bool exclusive = node.getIntAttr("exclusive", 0) != 0;
  bool reverse = node.getIntAttr("reverse", 0) != 0;
  Value x = getValue(node, 0);
  FailureOr<double> counted = node.getNumber(1);
  if (!x || failed(counted))
    return failure();
  RankedTensorType type = getTensorType(x);
  FailureOr<int64_t> axis = node.getAxis(int64_t(*counted), type.getRank());
  if (failed(axis))
    return failure();
  if (!isa<FloatType>(type.getElementType()))
    return node.fail("sums of integers are not supported");
  int64_t size = type.getDimSize(*axis);
  if (size < 1 || size > (1 << 20))
    return node.fail("dimension " + Twine(*axis) + " has size " + Twine(size));
  int64_t offset = reverse ? int64_t(exclusive) : 1 - size - exclusive;
  return node.setResult(
      reduceWindows(node, "graph.reduce_sum", x, *axis, size, offset));
}

/// Axes of a reduction: none are all of them.
static FailureOr<SmallVector<int64_t>> getReducedAxes(NodeBuilder &node,
                                                      Value x) {
  FailureOr<SmallVector<int64_t>> axes = node.getAxes(18);
  if (failed(axes) || !x)
    return failure();
  if (axes->empty() && node.getIntAttr("noop_with_empty_axes", 0))
    return node.fail("noop_with_empty_axes without axes is not supported");
  node.ignoreAttr("noop_with_empty_axes");
  for (int64_t &axis : *axes) {
    FailureOr<int64_t> counted = node.getAxis(axis, getTensorType(x).getRank());
    if (failed(counted))
      return failure();
    axis = *counted;
  }
  return axes->empty() ? getAxesFrom(0, x) : *axes;
}

static LogicalResult importReduceSumSquare(NodeBuilder &node) {
  Value x = getValue(node, 0);
  bool keepDims = node.getIntAttr("keepdims", 1) != 0;
  auto axes = getReducedAxes(node, x);
  if (failed(axes))
    return failure();
  return node.setResult(
      reduce(node, "graph.reduce_sum", square(node, x), *axes, keepDims));
}

static LogicalResult importReduceLogSum(NodeBuilder &node) {
  Value x = getValue(node, 0);
  bool keepDims = node.getIntAttr("keepdims", 1) != 0;
  auto axes = getReducedAxes(node, x);
  if (failed(axes))
    return failure();
  return node.setResult(node.make(
      "graph.log", reduce(node, "graph.reduce_sum", x, *axes, keepDims)));
}

/// The largest element is taken out of the powers, unless it is infinite.
static LogicalResult importReduceLogSumExp(NodeBuilder &node) {
  Value x = getValue(node, 0);
  bool keepDims = node.getIntAttr("keepdims", 1) != 0;
  auto axes = getReducedAxes(node, x);
  if (failed(axes))
    return failure();
  Value largest = reduce(node, "graph.reduce_max", x, *axes);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Value infinity = makeScalar(node, kInfinity, x);
  Value isInfinite = greaterEqual(
      node, largest ? node.make("graph.abs", largest) : nullptr, infinity);
  largest = select(node, isInfinite, makeScalar(node, 0, x), largest);
  Value powers = node.make("graph.exp", subtract(node, x, largest));
  Value sum = reduce(node, "graph.reduce_sum", powers, *axes);
  Value result = add(node, node.make("graph.log", sum), largest);
  if (!result || keepDims)
    return node.setResult(result);
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(getTensorType(result).getShape()))
    if (!llvm::is_contained(*axes, int64_t(i)))
      shape.push_back(size);
  return node.setResult(reshape(node, result, shape));
}

void gc::onnxio::addNormOps(OpTable &ops) {
  ops["CumSum"] = importCumSum;
  ops["GroupNormalization"] = importGroupNorm;
  ops["InstanceNormalization"] = {importInstanceNorm, 6};
  ops["LRN"] = {importLrn, 1};
  ops["LayerNormalization"] = importLayerNorm;
  ops["LpNormalization"] = {importLpNorm, 1};
  ops["MeanVarianceNormalization"] = importMeanVarianceNorm;
  ops["RMSNormalization"] = importRmsNorm;
  ops["ReduceLogSum"] = {importReduceLogSum, 1};
  ops["ReduceLogSumExp"] = {importReduceLogSumExp, 1};
  ops["ReduceSumSquare"] = {importReduceSumSquare, 1};
  takeShapes(ops, {"LayerNormalization", "LpNormalization",
                   "MeanVarianceNormalization", "RMSNormalization",
                   "ReduceLogSum", "ReduceSumSquare"});
}
