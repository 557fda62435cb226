// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pooling and interpolation.

#include "Dialect/Graph/IR/GraphOps.h"
#include "ExportOps.h"

using namespace mlir;
using namespace gc;
using namespace gc::onnxio;

namespace {
/// An op that slides over an image with channels second.
struct Sliding {
  Named image;
  SmallVector<int64_t> toLast;
};
} // namespace

/// Operators of windows have no bf16.
static Sliding open(NodeWriter &node, StringRef format) {
  ChannelOrder order(format, node.getOperandType(0).getRank());
  Named image = node.getWidened(0);
  if (!order.toSecond.empty())
    image = node.transpose(image, order.toSecond);
  return {image, order.toLast};
}

static LogicalResult close(NodeWriter &node, const Sliding &sliding,
                           Named result) {
  if (!sliding.toLast.empty())
    result = node.transpose(result, sliding.toLast);
  return node.setResult(result);
}

/// The dilations of a pool; those of a mean are 1.
static SmallVector<int64_t> getDilations(graph::MaxPoolOp op) {
  SmallVector<int64_t> dilations = toList(op.getDilations());
  dilations.resize(op.getKernel().size(), 1);
  return dilations;
}

static SmallVector<int64_t> getDilations(graph::AvgPoolOp op) {
  return SmallVector<int64_t>(op.getKernel().size(), 1);
}

/// Pads at both ends that give the result its size without rounding.
template <typename OpTy>
static SmallVector<int64_t> getAllPads(OpTy op) {
  auto from = cast<RankedTensorType>(op.getSrc().getType());
  auto to = cast<RankedTensorType>(op.getDst().getType());
  int64_t first = op.getDataFormat() == "NXC" ? 1 : 2;
  SmallVector<int64_t> begins, ends, dilations = getDilations(op);
  for (auto [i, kernel] : llvm::enumerate(op.getKernel())) {
    Pads pads =
        getPads(op.getAutoPad(), {op.getPadsBegin()[i], op.getPadsEnd()[i]},
                from.getDimSize(first + i), to.getDimSize(first + i),
                op.getStrides()[i], (kernel - 1) * dilations[i] + 1);
    begins.push_back(pads.begin);
    ends.push_back(pads.end);
  }
  begins.append(ends);
  return begins;
}

/// Whether every window may have an element: operators refuse other pads.
template <typename OpTy>
static bool hasSmallPads(Operation *op) {
  auto pool = cast<OpTy>(op);
  SmallVector<int64_t> pads = getAllPads(pool);
  size_t count = pool.getKernel().size();
  for (auto [i, pad] : llvm::enumerate(pads))
    if (pad >= pool.getKernel()[i % count])
      return false;
  return true;
}

template <typename OpTy>
static SmallVector<NodeAttr> getPoolAttrs(OpTy op) {
  return {{"kernel_shape", toList(op.getKernel())},
          {"pads", getAllPads(op)},
          {"strides", toList(op.getStrides())}};
}

static LogicalResult exportMaxPool(NodeWriter &node) {
  auto op = cast<graph::MaxPoolOp>(node.getOp());
  Sliding sliding = open(node, op.getDataFormat());
  SmallVector<NodeAttr> attrs = getPoolAttrs(op);
  attrs.push_back({"dilations", getDilations(op)});
  return close(node, sliding, node.add("MaxPool", {sliding.image}, attrs));
}

static LogicalResult exportAvgPool(NodeWriter &node) {
  auto op = cast<graph::AvgPoolOp>(node.getOp());
  Sliding sliding = open(node, op.getDataFormat());
  SmallVector<NodeAttr> attrs = getPoolAttrs(op);
  attrs.push_back({"count_include_pad", int64_t(!op.getExcludePad())});
  return close(node, sliding, node.add("AveragePool", {sliding.image}, attrs));
}

static LogicalResult exportInterpolate(NodeWriter &node) {
  auto op = cast<graph::InterpolateOp>(node.getOp());
  Sliding sliding = open(node, op.getDataFormat());
  RankedTensorType type = node.getResultType();
  SmallVector<int64_t> sizes = toList(type.getShape());
  if (!sliding.toLast.empty()) {
    sizes.insert(sizes.begin() + 1, sizes.back());
    sizes.pop_back();
  }
  bool isNearest = op.getMode() == "nearest";
  SmallVector<NodeAttr> attrs{
      {"coordinate_transformation_mode",
       op.getCoordinateTransformationMode().str()},
      {"mode", std::string(isNearest ? "nearest" : "linear")}};
  if (isNearest)
    attrs.push_back({"nearest_mode", std::string("round_prefer_ceil")});
  Named none{"", node.getF32()};
  return close(node, sliding,
               node.add("Resize",
                        {sliding.image, none, none, node.makeInts(sizes)},
                        attrs));
}

void gc::onnxio::addWindowExports(ExportTable &ops) {
  ops["graph.avg_pool"] = {exportAvgPool, hasSmallPads<graph::AvgPoolOp>};
  ops["graph.interpolate"] = {exportInterpolate};
  ops["graph.max_pool"] = {exportMaxPool, hasSmallPads<graph::MaxPoolOp>};
}
