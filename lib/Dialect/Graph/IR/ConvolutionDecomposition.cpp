// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A convolution as a product of matrices: of the pixels of an image where the
// kernel has a single element, else of its windows. Channels become the last
// dimension, and weights a matrix [k... * input channels, output channels].

#include "Decomposition.h"
#include "Dialect/Graph/IR/InferredTypes.h"
#include "Windows.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace gc::graph;

/// What `move` makes of the value; of one that is converted from another type,
/// the conversion of what it makes of the source, so that the product sees the
/// conversion. `moveDim` finds the new position of a dimension that has scales,
/// or nothing if it does not stay one.
static Value moveBefore(Decomposition &b, Value value,
                        function_ref<Value(Value)> move,
                        function_ref<std::optional<int64_t>(int64_t)> moveDim) {
  Operation *op = value.getDefiningOp();
  bool isConversion =
      op && op->hasTrait<KeepsShape>() &&
      (op->use_empty() || op->hasOneUse()) && !getLayout(value.getType()) &&
      getElementTypeOrSelf(op->getOperand(0)) != getElementTypeOrSelf(value);
  if (!isConversion)
    return move(value);
  std::optional<int64_t> dim, moved;
  if (auto quantization = dyn_cast<QuantizationOpInterface>(op)) {
    dim = quantization.getScaleDim();
    moved = dim ? moveDim(*dim) : std::nullopt;
    if (quantization.hasScalesPerGroup() || (dim && !moved))
      return move(value);
  }
  Value source = moveBefore(b, op->getOperand(0), move, moveDim);
  Operation *clone = b.rewriter.clone(*op);
  clone->setOperand(0, source);
  clone->getResult(0).setType(
      cast<RankedTensorType>(value.getType())
          .clone(cast<RankedTensorType>(source.getType()).getShape()));
  if (moved)
    cast<QuantizationOpInterface>(clone).setScaleDim(*moved);
  return clone->getResult(0);
}

static Value transpose(Decomposition &b, Value value, ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return value;
  auto move = [&](Value source) {
    return b.make<StaticTransposeOp>(source, order);
  };
  auto moveDim = [&](int64_t dim) -> std::optional<int64_t> {
    return llvm::find(order, dim) - order.begin();
  };
  return moveBefore(b, value, move, moveDim);
}

/// A reshape that leaves the last dimension alone.
static Value reshape(Decomposition &b, Value value, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> old = cast<RankedTensorType>(value.getType()).getShape();
  if (old == shape)
    return value;
  int64_t last = old.size() - 1, moved = shape.size() - 1;
  bool keepsLast = old.back() == shape.back();
  auto move = [&](Value source) { return b.reshape(source, shape); };
  auto moveDim = [&](int64_t dim) -> std::optional<int64_t> {
    return keepsLast && dim == last ? std::optional(moved) : std::nullopt;
  };
  return moveBefore(b, value, move, moveDim);
}

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
  Value weights = op.getWeights();
  int64_t spatial = sizes.kernel.size();
  if (op.getWeightsFormat() == "OIX") {
    SmallVector<int64_t> order;
    for (int64_t dim = 0; dim < spatial; ++dim)
      order.push_back(dim + 2);
    order.append({1, 0});
    weights = transpose(b, weights, order);
  }
  int64_t depth = sizes.inputChannels * getTaps(sizes);
  if (sizes.groups == 1)
    return reshape(b, weights, {depth, sizes.outputChannels});
  weights = reshape(b, weights, {depth, sizes.groups, sizes.outputChannels});
  weights = transpose(b, weights, {1, 0, 2});
  SmallVector<int64_t> shape(rank, 1);
  shape[0] = sizes.groups;
  shape[rank - 2] = depth;
  shape[rank - 1] = sizes.outputChannels;
  return reshape(b, weights, shape);
}

bool ConvolutionOp::decomposesToContractions() { return true; }

FailureOr<SmallVector<Value>> ConvolutionOp::decompose(RewriterBase &rewriter) {
  auto src = getSrc().getType();
  if (!src.hasStaticShape() || !getWeights().getType().hasStaticShape())
    return failure();
  Decomposition b(rewriter, *this);
  ConvolutionSizes sizes = getConvolutionSizes(*this);
  int64_t rank = src.getRank();
  bool isLast = getDataFormat() == "NXC";
  Value image = getSrc();
  if (!isLast)
    image = transpose(b, image, getChannelsLast(rank));
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
  Type element = src.getElementType();
  int64_t depth = sizes.inputChannels * getTaps(sizes);
  SmallVector<Value> integerBias;
  if (window && !fillsGroups(sizes.inputChannels, element)) {
    // Sums of integers are exact in f32 up to 2^24.
    constexpr int64_t kLongestSum = (1 << 24) / (128 * 128);
    if (isa<IntegerType>(element) && depth > kLongestSum)
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
  Type wanted = getType().getElementType();
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
  if (!isLast)
    result = b.make<StaticTransposeOp>(result, getChannelsSecond(rank));
  return SmallVector<Value>{result};
}
