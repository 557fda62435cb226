// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A convolution as a product of matrices: of the pixels of an image where the
// kernel has a single element, else of its windows. Channels become the last
// dimension, and weights a matrix [k... * input channels, output channels].

#include "Decomposition.h"
#include "Dialect/Graph/IR/InferredTypes.h"

using namespace mlir;
using namespace gc::graph;

/// The op with its first operand replaced by what `move` makes of it, if it
/// keeps the shape of that operand and so can follow the movement; integers are
/// moved rather than the numbers that they stand for. `moveAxis` finds the new
/// position of a dimension that has scales, or nothing.
static Value
moveBefore(Decomposition &b, Value value, function_ref<Value(Value)> move,
           function_ref<std::optional<int64_t>(int64_t)> moveAxis) {
  Operation *op = value.getDefiningOp();
  bool isCast =
      op && op->hasTrait<KeepsShape>() &&
      (op->use_empty() || op->hasOneUse()) && !getLayout(value.getType()) &&
      getElementTypeOrSelf(op->getOperand(0)) != getElementTypeOrSelf(value);
  if (!isCast)
    return move(value);
  SmallVector<NamedAttribute> attributes(op->getAttrs());
  auto qtype = op->getAttrOfType<StringAttr>("qtype");
  auto axis = op->getAttrOfType<IntegerAttr>("axis");
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (qtype && qtype == "per_channel" && axis) {
    int64_t dim = axis.getInt() < 0 ? axis.getInt() + rank : axis.getInt();
    std::optional<int64_t> moved = moveAxis(dim);
    if (!moved)
      return move(value);
    for (NamedAttribute &attribute : attributes)
      if (attribute.getName() == "axis")
        attribute.setValue(b.rewriter.getI64IntegerAttr(*moved));
  } else if (qtype && qtype != "per_tensor") {
    return move(value);
  }
  Value source = moveBefore(b, op->getOperand(0), move, moveAxis);
  SmallVector<Value> operands(op->getOperands());
  operands[0] = source;
  auto type =
      RankedTensorType::get(cast<RankedTensorType>(source.getType()).getShape(),
                            getElementTypeOrSelf(value));
  OperationState state(b.loc, op->getName(), operands, {type}, attributes);
  return b.rewriter.create(state)->getResult(0);
}

static Value transpose(Decomposition &b, Value value, ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return value;
  auto move = [&](Value source) {
    return b.make<StaticTransposeOp>(source, order);
  };
  auto moveAxis = [&](int64_t dim) -> std::optional<int64_t> {
    return llvm::find(order, dim) - order.begin();
  };
  return moveBefore(b, value, move, moveAxis);
}

/// A reshape that leaves the last dimension alone.
static Value reshape(Decomposition &b, Value value, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> old = cast<RankedTensorType>(value.getType()).getShape();
  if (old == shape)
    return value;
  int64_t last = old.size() - 1, moved = shape.size() - 1;
  bool keepsLast = old.back() == shape.back();
  auto move = [&](Value source) { return b.reshape(source, shape); };
  auto moveAxis = [&](int64_t dim) -> std::optional<int64_t> {
    return keepsLast && dim == last ? std::optional(moved) : std::nullopt;
  };
  return moveBefore(b, value, move, moveAxis);
}

/// From [n, channel, x...] to [n, x..., channel].
static SmallVector<int64_t> getChannelsLast(int64_t rank) {
  SmallVector<int64_t> order{0};
  for (int64_t dim = 2; dim < rank; ++dim)
    order.push_back(dim);
  order.push_back(1);
  return order;
}

static SmallVector<int64_t> getChannelsSecond(int64_t rank) {
  SmallVector<int64_t> order{0, rank - 1};
  for (int64_t dim = 1; dim < rank - 1; ++dim)
    order.push_back(dim);
  return order;
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
  int64_t depth = sizes.inputChannels;
  for (int64_t size : sizes.kernel)
    depth *= size;
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
  // Kernels multiply neighbouring channels that fill 32 bits together.
  Type element = src.getElementType();
  bool isNarrow = isa<FloatType>(element) && !element.isF32();
  if (window && isNarrow && sizes.inputChannels % 2 != 0) {
    image = b.toF32(image);
    weights = b.toF32(weights);
    for (Value &value : bias)
      value = b.toF32(value);
  }
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
