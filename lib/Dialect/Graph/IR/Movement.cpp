// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Movement.h"

using namespace mlir;
using namespace gc::graph;

static bool isShared(Operation *op) {
  return !op->use_empty() && !op->hasOneUse();
}

/// The op that converts a value from another type, for the mover alone. From a
/// narrower type others may read the value as well: that conversion is cheap,
/// and what moves is smaller.
static Operation *getConversion(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !op->hasTrait<KeepsShape>() || getLayout(value.getType()))
    return nullptr;
  Type from = getElementTypeOrSelf(op->getOperand(0)),
       to = getElementTypeOrSelf(value);
  bool isFree = !isShared(op) ||
                from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
  return from != to && isFree ? op : nullptr;
}

/// The same conversion of another tensor, with scales for the indices of `dim`.
static Value convert(Decomposition &b, Operation *op, Value source,
                     std::optional<int64_t> dim) {
  Operation *clone = b.rewriter.clone(*op);
  clone->setOperand(0, source);
  clone->getResult(0).setType(
      cast<RankedTensorType>(op->getResult(0).getType())
          .clone(cast<RankedTensorType>(source.getType()).getShape()));
  if (dim)
    cast<QuantizationOpInterface>(clone).setScaleDim(*dim);
  return clone->getResult(0);
}

Value gc::graph::moveBefore(
    Decomposition &b, Value value, function_ref<Value(Value)> move,
    function_ref<std::optional<int64_t>(int64_t)> moveDim) {
  Operation *op = getConversion(value);
  if (!op)
    return move(value);
  std::optional<int64_t> dim, moved;
  if (auto quantization = dyn_cast<QuantizationOpInterface>(op)) {
    dim = quantization.getScaleDim();
    moved = dim && moveDim ? moveDim(*dim) : std::nullopt;
    if (quantization.hasScalesPerGroup() || (dim && !moved))
      return move(value);
  }
  // What others read stays as it is before the conversion.
  Value source = isShared(op) ? move(op->getOperand(0))
                              : moveBefore(b, op->getOperand(0), move, moveDim);
  return convert(b, op, source, moved);
}

Value gc::graph::transposeBefore(Decomposition &b, Value value,
                                 ArrayRef<int64_t> order) {
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

Value gc::graph::reshapeBefore(Decomposition &b, Value value,
                               ArrayRef<int64_t> shape) {
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

/// Whether an element of the type can be the integer.
static bool holds(Type element, int64_t value) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return value == 0;
  return integer.isUnsigned() ? llvm::isUIntN(integer.getWidth(), value)
                              : llvm::isIntN(integer.getWidth(), value);
}

Value gc::graph::makeWindowsBefore(Decomposition &b, Value image,
                                   ArrayRef<Sliding> dims) {
  auto getLast = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank() - 1;
  };
  Operation *op = getConversion(image);
  auto quantization = dyn_cast_or_null<QuantizationOpInterface>(op);
  if (!quantization)
    return makeWindows(b, image, dims);
  Quantization parameters = quantization.getQuantization();
  if (!parameters.dequantizes || parameters.scaleOperand)
    return makeWindows(b, image, dims);
  std::optional<int64_t> zero = parameters.getZeroPoint(),
                         dim = quantization.getScaleDim();
  Type element = getElementTypeOrSelf(op->getOperand(0));
  if (!zero || !holds(element, *zero) || (dim && *dim != getLast(image)))
    return makeWindows(b, image, dims);
  Value windows = makeWindows(b, op->getOperand(0), dims, /*clamps=*/false,
                              static_cast<double>(*zero));
  if (dim)
    dim = getLast(windows);
  return convert(b, op, windows, dim);
}

Value gc::graph::toChannelsLast(Decomposition &b, Value image,
                                StringRef format) {
  int64_t rank = cast<RankedTensorType>(image.getType()).getRank();
  return format == "NXC" ? image
                         : transposeBefore(b, image, getChannelsLast(rank));
}

SmallVector<Value> gc::graph::finishImage(Decomposition &b, Value image,
                                          StringRef format, Type wanted) {
  image = b.cast(image, getElementTypeOrSelf(wanted));
  int64_t rank = cast<RankedTensorType>(image.getType()).getRank();
  if (format == "NCX")
    image = b.make<StaticTransposeOp>(image, getChannelsSecond(rank));
  return {image};
}

Value gc::graph::toKernelFirst(Decomposition &b, Value weights,
                               const ConvolutionSizes &sizes) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(
      sizes.firstKernelDim, sizes.firstKernelDim + sizes.kernel.size()));
  order.append({sizes.weightsInputDim, sizes.weightsOutputDim});
  return transposeBefore(b, weights, order);
}
