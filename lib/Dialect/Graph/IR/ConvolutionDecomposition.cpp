// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A convolution as a product of matrices: of the pixels of an image where the
// kernel has a single element, else of its windows. Channels become the last
// dimension, and weights a matrix [k... * input channels, output channels].

#include "Decomposition.h"
#include "Dialect/Graph/IR/InferredTypes.h"
#include "Movement.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace gc::graph;

/// Fewer channels than a vector has elements leave most of it empty.
constexpr int64_t kFewChannels = 8;

static int64_t getTaps(const ConvolutionSizes &sizes) {
  int64_t taps = 1;
  for (int64_t size : sizes.kernel)
    taps *= size;
  return taps;
}

static void reportSlow(ConvolutionOp op, StringRef name, StringRef text,
                       const std::string &reason) {
  mlir::remark::missed(
      op.getLoc(),
      mlir::remark::RemarkOpts::name(name).category("graph-decompose"))
      << text << mlir::remark::reason("{0}", reason);
}

/// Weights as a matrix [k... * i, o], or as many as there are groups, of
/// `rank` dimensions.
static Value getMatrices(Decomposition &b, ConvolutionOp op,
                         const ConvolutionSizes &sizes, int64_t rank) {
  Value weights = toKernelFirst(b, op.getWeights(), sizes);
  int64_t depth = sizes.inputChannels * getTaps(sizes);
  if (sizes.groups == 1)
    return reshapeBefore(b, weights, {depth, sizes.outputChannels});
  weights =
      reshapeBefore(b, weights, {depth, sizes.groups, sizes.outputChannels});
  weights = transposeBefore(b, weights, {1, 0, 2});
  SmallVector<int64_t> shape(rank, 1);
  shape[0] = sizes.groups;
  shape[rank - 2] = depth;
  shape[rank - 1] = sizes.outputChannels;
  return reshapeBefore(b, weights, shape);
}

/// Scales of dequantized windows become factors of the weights, of which there
/// are fewer. Those of channels are along the last dimension of both.
static void moveScales(Decomposition &b, Value &windows, Value &weights) {
  auto quantization = windows.getDefiningOp<QuantizationOpInterface>();
  if (!quantization || !getElementTypeOrSelf(windows).isF32())
    return;
  Operation *op = quantization;
  Quantization parameters = quantization.getQuantization();
  std::optional<int64_t> zero = parameters.getZeroPoint();
  if (!parameters.dequantizes || parameters.scaleOperand || !zero ||
      quantization.hasScalesPerGroup())
    return;
  ArrayRef<float> scales = parameters.scales;
  if (scales.size() == 1) {
    weights = b.multiply(weights, scales.front());
  } else {
    auto type =
        RankedTensorType::get(int64_t(scales.size()), b.rewriter.getF32Type());
    weights = b.multiply(
        weights,
        b.make<ConstantOp>(type, DenseElementsAttr::get(type, scales)));
  }
  windows = b.toF32(op->getOperand(0));
  if (*zero != 0)
    windows = b.add(windows, -static_cast<double>(*zero));
  if (op->use_empty())
    b.rewriter.eraseOp(op);
}

/// A convolution of each channel for itself: its windows [n, y..., k..., c]
/// times the weights [k..., 1, c], summed.
static Value buildDepthwise(Decomposition &b, ConvolutionOp op, Value image,
                            const ConvolutionSizes &sizes) {
  int64_t spatial = sizes.kernel.size();
  SmallVector<Sliding> dims;
  SmallVector<int64_t> shape(sizes.kernel), axes;
  for (int64_t dim = 0; dim < spatial; ++dim) {
    dims.push_back({sizes.kernel[dim], sizes.output[dim], sizes.strides[dim],
                    sizes.dilations[dim], -sizes.padsBegin[dim], 1});
    axes.push_back(1 + spatial + dim);
  }
  Value weights = toKernelFirst(b, op.getWeights(), sizes);
  shape.push_back(sizes.groups);
  weights = b.toF32(b.reshape(weights, shape));
  Value windows = b.toF32(makeWindowsBefore(b, image, dims));
  moveScales(b, windows, weights);
  return b.make<ReduceSumOp>(b.multiply(windows, weights), axes,
                             /*keep_dims=*/false);
}

bool ConvolutionOp::decomposesToContractions() { return true; }

FailureOr<SmallVector<Value>> ConvolutionOp::decompose(RewriterBase &rewriter) {
  auto src = getSrc().getType();
  if (!src.hasStaticShape() || !getWeights().getType().hasStaticShape())
    return failure();
  Decomposition b(rewriter, *this);
  ConvolutionSizes sizes = getConvolutionSizes(*this);
  int64_t rank = src.getRank();
  Value image = toChannelsLast(b, getSrc(), getDataFormat());
  Type element = src.getElementType(), wanted = getType().getElementType();
  int64_t depth = sizes.inputChannels * getTaps(sizes);
  // Sums of integers are exact in f32 up to 2^24.
  constexpr int64_t kLongestSum = (1 << 24) / (128 * 128);
  bool fitsF32 = isa<FloatType>(element) || depth <= kLongestSum;
  if (sizes.inputChannels == 1 && sizes.outputChannels == 1 && fitsF32) {
    Value result = buildDepthwise(b, *this, image, sizes);
    if (isa<IntegerType>(element))
      result = b.cast(result, wanted);
    if (Value bias = getBias())
      result = b.add(result, b.cast(bias, getElementTypeOrSelf(result)));
    return finishImage(b, result, getDataFormat(), getType());
  }
  auto isAll = [](ArrayRef<int64_t> values, int64_t wanted) {
    return llvm::all_of(values, [&](int64_t value) { return value == wanted; });
  };
  bool isPointwise = sizes.groups == 1 && isAll(sizes.kernel, 1) &&
                     isAll(sizes.strides, 1) && isAll(sizes.padsBegin, 0) &&
                     isAll(sizes.padsEnd, 0);
  WindowAttr window;
  if (!isPointwise)
    window = WindowAttr::get(getContext(), sizes.kernel, sizes.strides,
                             sizes.dilations, sizes.padsBegin, sizes.padsEnd,
                             sizes.groups, {});
  SmallVector<Value> bias;
  if (Value given = getBias()) {
    if (sizes.groups > 1) {
      SmallVector<int64_t> shape(rank + 1, 1);
      shape.front() = sizes.groups;
      shape.back() = sizes.outputChannels;
      given = b.reshape(given, shape);
    }
    bias.push_back(given);
  }
  bool isGrouped = sizes.groups > 1;
  Value weights = getMatrices(b, *this, sizes, rank + isGrouped);
  SmallVector<Value> integerBias;
  if (window && !fillsGroups(sizes.inputChannels, element)) {
    if (!fitsF32)
      return emitOpError("has ")
                 << sizes.inputChannels << " input channels in a group; for "
                 << element << " the CPU needs a multiple of 4",
             failure();
    reportSlow(
        *this, "Widened", "'graph.convolution' is computed in f32",
        "kernels of its type multiply pairs or quads of channels, and a group "
        "has " +
            std::to_string(sizes.inputChannels));
    image = b.toF32(image);
    weights = b.toF32(weights);
    // A bias of 32 bits may not fit f32.
    if (isa<IntegerType>(element))
      std::swap(bias, integerBias);
    for (Value &value : bias)
      value = b.toF32(value);
  }
  if (sizes.groups > 1 &&
      std::min(sizes.inputChannels, sizes.outputChannels) < kFewChannels)
    reportSlow(
        *this, "NarrowGroups", "'graph.convolution' is slow",
        "kernels multiply the channels of one group at a time, and a group "
        "has " +
            std::to_string(sizes.inputChannels) + " input and " +
            std::to_string(sizes.outputChannels) + " output channels");
  Value result = b.make<MatmulOp>(
      image, weights, bias, /*transpose_a=*/false, /*transpose_b=*/false,
      TemplateAttrInterface(), /*src_zp=*/0, /*weights_zp=*/0,
      /*weights_group=*/0, window);
  // Sums of narrow numbers may be left in f32, but sums in f32 are rounded.
  auto product = cast<RankedTensorType>(result.getType());
  if (getElementTypeOrSelf(image) == element)
    result.setType(product.clone(wanted));
  else
    result = b.cast(result, wanted);
  for (Value value : integerBias)
    result = b.add(result, value);
  if (isGrouped) {
    // From [g, n, y..., o / g] to [n, y..., o].
    SmallVector<int64_t> order;
    for (int64_t dim = 1; dim < rank; ++dim)
      order.push_back(dim);
    order.append({0, rank});
    result = b.make<StaticTransposeOp>(result, order);
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(result.getType()).getShape());
    shape.pop_back();
    shape.back() = sizes.groups * sizes.outputChannels;
    result = b.reshape(result, shape);
  }
  return finishImage(b, result, getDataFormat(), getType());
}
