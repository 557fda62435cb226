// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TosaOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gc;

using Dims = SmallVector<int64_t>;

FailureOr<int64_t> gc::getZeroPoint(Value value, GraphBuilder &b) {
  ElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) &&
      elements.getNumElements() == 1) {
    if (auto ints = dyn_cast<DenseIntElementsAttr>(elements))
      return (*ints.value_begin<APInt>()).getSExtValue();
    if (auto floats = dyn_cast<DenseFPElementsAttr>(elements);
        floats && (*floats.value_begin<APFloat>()).isZero())
      return 0;
  }
  return b.fail("a zero point is not a constant, or not 0");
}

static FailureOr<Value> convertMatmul(tosa::MatMulOp op, GraphBuilder &b) {
  FailureOr<int64_t> aZp = getZeroPoint(op.getAZp(), b);
  FailureOr<int64_t> bZp = getZeroPoint(op.getBZp(), b);
  if (failed(aZp) || failed(bZp))
    return failure();
  FailureOr<Value> lhs = b.get(op.getA()), rhs = b.get(op.getB());
  if (failed(lhs) || failed(rhs))
    return failure();
  SmallVector<NamedAttribute> attrs;
  if (*aZp != 0)
    attrs.push_back(b.attr("src_zp", b.getBuilder().getI64IntegerAttr(*aZp)));
  if (*bZp != 0)
    attrs.push_back(
        b.attr("weights_zp", b.getBuilder().getI64IntegerAttr(*bZp)));
  return b.build("graph.matmul", {*lhs, *rhs}, attrs,
                 getGraphType(op.getType()).getElementType());
}

/// pads_begin and pads_end of [begin, end] by dimension.
static void addPads(ArrayRef<int64_t> pad,
                    SmallVectorImpl<NamedAttribute> &attrs, GraphBuilder &b) {
  Dims begin, end;
  for (size_t i = 0; i + 1 < pad.size(); i += 2) {
    begin.push_back(pad[i]);
    end.push_back(pad[i + 1]);
  }
  attrs.push_back(b.attr("pads_begin", begin));
  attrs.push_back(b.attr("pads_end", end));
}

/// conv2d, conv3d, and depthwise_conv2d, whose filter has the channels before
/// the results of each.
template <typename Op>
static FailureOr<Value> convertConvolution(Op op, GraphBuilder &b) {
  constexpr bool isDepthwise = std::is_same_v<Op, tosa::DepthwiseConv2DOp>;
  FailureOr<int64_t> inputZp = getZeroPoint(op.getInputZp(), b);
  FailureOr<int64_t> weightZp = getZeroPoint(op.getWeightZp(), b);
  if (failed(inputZp) || failed(weightZp))
    return failure();
  if (*inputZp != 0 || *weightZp != 0)
    return b.fail("convolutions with zero points are not supported");
  FailureOr<Value> src = b.get(op.getInput()), weights = b.get(op.getWeight());
  if (failed(src) || failed(weights))
    return failure();
  Type element = getElementTypeOrSelf(op.getType());
  if (!isa<FloatType>(element))
    return b.fail("convolutions of integers are not supported");
  Dims shape(getShape(*weights));
  int64_t groups = 1;
  if (isDepthwise) {
    groups = shape[2];
    weights = b.reshape(*weights, {shape[0], shape[1], 1, shape[2] * shape[3]});
  } else {
    // Output channels last.
    Dims order = llvm::to_vector(llvm::seq<int64_t>(1, shape.size()));
    order.push_back(0);
    weights = b.transpose(*weights, order);
  }
  if (failed(weights))
    return failure();
  SmallVector<NamedAttribute> attrs = {
      b.attr("strides", op.getStride()), b.attr("dilations", op.getDilation()),
      b.attr("groups", b.getBuilder().getI64IntegerAttr(groups))};
  addPads(op.getPad(), attrs, b);
  FailureOr<Value> value =
      b.build("graph.convolution", {*src, *weights}, attrs, element);
  if (failed(value))
    return failure();
  if (std::optional<APFloat> bias = getKnownNumber(op.getBias());
      bias && bias->isZero())
    return value;
  FailureOr<Value> bias = b.get(op.getBias());
  if (failed(bias))
    return failure();
  return b.build("graph.add", {*value, *bias});
}

static FailureOr<Value> convertMaxPool(tosa::MaxPool2dOp op, GraphBuilder &b) {
  if (op.getNanMode() != tosa::NanPropagationMode::PROPAGATE)
    return b.fail("it ignores NaN");
  FailureOr<Value> src = b.get(op.getInput());
  if (failed(src))
    return failure();
  SmallVector<NamedAttribute> attrs = {b.attr("kernel", op.getKernel()),
                                       b.attr("strides", op.getStride())};
  addPads(op.getPad(), attrs, b);
  return b.build("graph.max_pool", *src, attrs);
}

static FailureOr<Value> convertAvgPool(tosa::AvgPool2dOp op, GraphBuilder &b) {
  FailureOr<int64_t> inputZp = getZeroPoint(op.getInputZp(), b);
  FailureOr<int64_t> outputZp = getZeroPoint(op.getOutputZp(), b);
  FailureOr<Value> src = b.get(op.getInput());
  if (failed(inputZp) || failed(outputZp) || failed(src))
    return failure();
  if (*inputZp != 0 || *outputZp != 0)
    return b.fail("zero points other than 0 are not supported");
  SmallVector<NamedAttribute> attrs = {b.attr("kernel", op.getKernel()),
                                       b.attr("strides", op.getStride()),
                                       b.attr("exclude_pad", true)};
  addPads(op.getPad(), attrs, b);
  return b.build("graph.avg_pool", *src, attrs);
}

MaybeValue gc::convertTosaWindows(Operation *op, GraphBuilder &b) {
  return llvm::TypeSwitch<Operation *, MaybeValue>(op)
      .Case([&](tosa::MatMulOp op) { return convertMatmul(op, b); })
      .Case<tosa::Conv2DOp, tosa::Conv3DOp, tosa::DepthwiseConv2DOp>(
          [&](auto op) { return convertConvolution(op, b); })
      .Case([&](tosa::MaxPool2dOp op) { return convertMaxPool(op, b); })
      .Case([&](tosa::AvgPool2dOp op) { return convertAvgPool(op, b); })
      .Default([](Operation *) { return std::nullopt; });
}
