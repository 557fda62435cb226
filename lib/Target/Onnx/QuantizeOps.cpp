// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Quantization, and products of integers.

#include "Compose.h"
#include "Ops.h"
#include "Tensors.h"
#include "Window.h"

#include <cmath>

using namespace mlir;
using namespace gc::onnxio;

static Type getInteger(NodeBuilder &node, unsigned width, bool isSigned) {
  return IntegerType::get(node.getContext(), width,
                          isSigned ? IntegerType::Signed
                                   : IntegerType::Unsigned);
}

/// A scale or zero point: one for all, or one for each index of an axis.
static Value alongAxis(NodeBuilder &node, Value x, int64_t axis, int64_t rank) {
  if (!x)
    return nullptr;
  RankedTensorType type = getTensorType(x);
  if (type.getRank() > 1) {
    (void)node.fail("scales of blocks are not supported");
    return nullptr;
  }
  if (type.getNumElements() == 1)
    return reshape(node, x, {});
  SmallVector<int64_t> shape(rank, 1);
  shape[axis] = type.getNumElements();
  return reshape(node, x, shape);
}

/// saturate(round(x) + zp). oneDNN rounds the sum, which gives other results
/// where the zero point is odd.
static Value roundAndShift(NodeBuilder &node, Value x, Value zp, Type element) {
  Value rounded = round(node, x);
  if (zp)
    rounded = add(node, rounded, typeCast(node, zp, node.getF32()));
  return rounded ? typeCast(node, rounded, element) : nullptr;
}

/// Whether operand `i` is left out or known to be zero.
static bool isZero(NodeBuilder &node, unsigned i) {
  if (!node.hasOperand(i))
    return true;
  auto known = node.readKnown(i);
  return known && llvm::all_of(known->values,
                               [](Number number) { return number.i == 0; });
}

static LogicalResult refuseBlocks(NodeBuilder &node) {
  if (node.getIntAttr("block_size", 0) != 0)
    return node.fail("scales of blocks are not supported");
  return success();
}

static LogicalResult importQuantizeLinear(NodeBuilder &node) {
  if (failed(node.checkShape(1)) || failed(node.checkShape(2)))
    return failure();
  Value x = getValue(node, 0), scale = getValue(node, 1);
  int64_t counted = node.getIntAttr("axis", 1);
  int64_t dtype = node.getIntAttr("output_dtype", 0);
  node.ignoreAttr("saturate");
  node.ignoreAttr("precision");
  if (!x || !scale || failed(refuseBlocks(node)))
    return failure();
  Type element = getInteger(node, 8, /*isSigned=*/false);
  if (node.hasOperand(2)) {
    FailureOr<RankedTensorType> type = node.getType(2);
    if (failed(type))
      return failure();
    element = type->getElementType();
  } else if (dtype) {
    element = dtype > 0 && dtype < 64 ? getElementType(dtype, node.getContext())
                                      : nullptr;
  }
  if (!element || !element.isInteger(8))
    return node.fail("results other than int8 and uint8 are not supported");
  int64_t rank = getTensorType(x).getRank(), axis = 0;
  if (getTensorType(scale).getNumElements() != 1) {
    FailureOr<int64_t> checked = node.getAxis(counted, rank);
    if (failed(checked))
      return failure();
    axis = *checked;
  }
  if (!isZero(node, 2)) {
    FailureOr<RankedTensorType> zpType = node.getType(2);
    if (failed(zpType))
      return failure();
    if (zpType->getNumElements() != getTensorType(scale).getNumElements())
      return node.fail("zero points do not fit the scales");
  }
  x = castTo(node, x, node.getF32());
  scale = alongAxis(node, castTo(node, scale, node.getF32()), axis, rank);
  Value zp = isZero(node, 2) ? nullptr
                             : alongAxis(node, getValue(node, 2), axis, rank);
  Value scaled = divide(node, x, scale);
  if (scaled && getTensorType(scaled).getShape() != getTensorType(x).getShape())
    return node.fail("scales do not fit the input");
  return node.setResult(roundAndShift(node, scaled, zp, element));
}

/// With scales and zero points that are known, in the form that products of
/// integers are recognised by.
static LogicalResult importDequantizeLinear(NodeBuilder &node) {
  if (failed(node.checkShape(1)) || failed(node.checkShape(2)))
    return failure();
  Value x = getValue(node, 0);
  int64_t counted = node.getIntAttr("axis", 1);
  int64_t wanted = node.getIntAttr("output_dtype", 0);
  FailureOr<RankedTensorType> scaleType = node.getType(1);
  if (!x || failed(scaleType) || failed(refuseBlocks(node)))
    return failure();
  if (wanted != 0 &&
      getElementType(wanted, node.getContext()) != scaleType->getElementType())
    return node.fail("output_dtype other than the type of the scales is not "
                     "supported");
  int64_t rank = getTensorType(x).getRank(), axis = 0;
  bool isOne = scaleType->getNumElements() == 1;
  if (!isOne) {
    FailureOr<int64_t> checked = node.getAxis(counted, rank);
    if (failed(checked))
      return failure();
    axis = *checked;
    if (scaleType->getNumElements() != getTensorType(x).getDimSize(axis))
      return node.fail("scales do not fit the input");
  }
  auto scales = node.readKnown(1), zps = node.readKnown(2);
  bool hasZps = !isZero(node, 2);
  bool areNumbers = scales && llvm::all_of(scales->values, [](Number scale) {
                      return scale.f > 0 && std::isfinite(scale.f);
                    });
  Builder &builder = node.getBuilder();
  if (getElement(x).isInteger(8) && scaleType->getElementType().isF32() &&
      areNumbers &&
      (!hasZps || (zps && zps->values.size() == scales->values.size()))) {
    SmallVector<float> factors;
    for (Number scale : scales->values)
      factors.push_back(float(scale.f));
    SmallVector<int64_t> shifts;
    if (hasZps)
      for (Number zp : zps->values)
        shifts.push_back(zp.i);
    return node.setResult(node.make(
        "graph.dequantize", x,
        {node.attr("qtype",
                   builder.getStringAttr(isOne ? "per_tensor" : "per_channel")),
         intAttr(node, "axis", axis),
         node.attr("scales", builder.getDenseF32ArrayAttr(factors)),
         node.attr("zps", shifts)},
        node.getF32()));
  }
  Value scale = alongAxis(node, getValue(node, 1), axis, rank);
  Value wide = castTo(node, x, node.getF32());
  if (hasZps)
    wide = subtract(node, wide,
                    castTo(node, alongAxis(node, getValue(node, 2), axis, rank),
                           node.getF32()));
  if (!scale || !wide)
    return failure();
  Value result = multiply(node, wide, castTo(node, scale, node.getF32()));
  return node.setResult(result ? castTo(node, result, getElement(scale))
                               : nullptr);
}

/// The range of u8 for the numbers there are, and zero.
static LogicalResult importDynamicQuantizeLinear(NodeBuilder &node) {
  Value x = getValue(node, 0);
  if (!x)
    return failure();
  auto axes =
      llvm::to_vector(llvm::seq<int64_t>(0, getTensorType(x).getRank()));
  Value zero = makeScalar(node, 0, x);
  auto extreme = [&](StringRef op) {
    return axes.empty() ? x : reduce(node, op, x, axes, /*keepDims=*/false);
  };
  Value most = maximum(node, extreme("graph.reduce_max"), zero);
  Value least = minimum(node, extreme("graph.reduce_min"), zero);
  Value scale =
      divide(node, subtract(node, most, least), makeScalar(node, 255, x));
  scale = select(node, greaterEqual(node, zero, scale), makeScalar(node, 1, x),
                 scale);
  Type u8 = getInteger(node, 8, /*isSigned=*/false);
  Value shift = divide(node, subtract(node, zero, least), scale);
  Value zp = roundAndShift(node, shift, nullptr, u8);
  Value y = roundAndShift(node, divide(node, x, scale), zp, u8);
  if (failed(node.setResult(y)) || failed(node.setResult(scale)))
    return failure();
  return node.setResult(zp);
}

namespace {
/// An operand of a product of integers; `zp` is null for 0.
struct Factor {
  Value x, zp;
};
} // namespace

static Factor getFactor(NodeBuilder &node, unsigned i, unsigned zp) {
  return {getValue(node, i), isZero(node, zp) ? nullptr : getValue(node, zp)};
}

/// A tensor of ones.
static Value makeOnes(NodeBuilder &node, ArrayRef<int64_t> shape,
                      Type element) {
  auto type = RankedTensorType::get(shape, element);
  FailureOr<Value> ones = node.makeConstant(
      DenseElementsAttr::get(type, IntegerAttr::get(element, 1)));
  return failed(ones) ? nullptr : *ones;
}

/// The product of (a - a.zp) and (b - b.zp), in s32. Zero points are scalars,
/// or one for each row of a or column of b.
static Value multiplyIntegers(NodeBuilder &node, Factor a, Factor b) {
  if (!a.x || !b.x)
    return nullptr;
  Type s32 = getInteger(node, 32, /*isSigned=*/true);
  RankedTensorType aType = getTensorType(a.x), bType = getTensorType(b.x);
  if (aType.getRank() < 2 || bType.getRank() < 2) {
    (void)node.fail("operands are not matrices");
    return nullptr;
  }
  Value product = node.make("graph.matmul", {a.x, b.x}, {}, s32);
  int64_t k = aType.getShape().back();
  auto getZp = [&](Value zp, bool isRow) -> Value {
    if (!zp || getTensorType(zp).getNumElements() == 1)
      return zp ? typeCast(node, reshape(node, zp, {}), s32) : zp;
    if (getTensorType(zp).getRank() == 1 && isRow)
      zp = reshape(node, zp, {getTensorType(zp).getNumElements(), 1});
    return typeCast(node, zp, s32);
  };
  Value aZp = getZp(a.zp, true), bZp = getZp(b.zp, false);
  if (aZp) {
    Value ones = makeOnes(node, {1, k}, bType.getElementType());
    Value sums = node.make("graph.matmul", {ones, b.x}, {}, s32);
    product = subtract(node, product, multiply(node, sums, aZp));
  }
  if (bZp) {
    Value ones = makeOnes(node, {k, 1}, aType.getElementType());
    Value sums = node.make("graph.matmul", {a.x, ones}, {}, s32);
    product = subtract(node, product, multiply(node, sums, bZp));
  }
  if (aZp && bZp) {
    Value both = multiply(node, aZp, bZp);
    product = add(node, product,
                  multiply(node, both, makeScalar(node, double(k), both)));
  }
  return product;
}

static LogicalResult importMatMulInteger(NodeBuilder &node) {
  return node.setResult(
      multiplyIntegers(node, getFactor(node, 0, 2), getFactor(node, 1, 3)));
}

/// The s32 `x` times the scales of operands, in the form of the result.
/// Scales of the operands belong to indices of `aAxis` and `bAxis`, those of
/// the result are one number.
static Value requantize(NodeBuilder &node, Value x, unsigned aScale,
                        unsigned bScale, unsigned scale, int64_t aAxis,
                        int64_t bAxis) {
  FailureOr<RankedTensorType> scaleType = node.getType(scale),
                              zpType = node.getType(scale + 1);
  if (!x || failed(scaleType) || failed(zpType))
    return nullptr;
  if (scaleType->getNumElements() != 1 || zpType->getNumElements() != 1) {
    (void)node.fail("several scales of the result are not supported");
    return nullptr;
  }
  int64_t rank = getTensorType(x).getRank();
  auto getScale = [&](unsigned i, int64_t axis = 0) {
    return alongAxis(node, getValue(node, i), axis, rank);
  };
  Value factor = divide(
      node, multiply(node, getScale(aScale, aAxis), getScale(bScale, bAxis)),
      getScale(scale));
  Value scaled = multiply(node, typeCast(node, x, node.getF32()), factor);
  Value zp = isZero(node, scale + 1) ? nullptr : getScale(scale + 1);
  return roundAndShift(node, scaled, zp, zpType->getElementType());
}

static LogicalResult importQLinearMatMul(NodeBuilder &node) {
  Value product =
      multiplyIntegers(node, getFactor(node, 0, 2), getFactor(node, 3, 5));
  int64_t rank = product ? getTensorType(product).getRank() : 2;
  return node.setResult(requantize(node, product, 1, 4, 6, rank - 2, rank - 1));
}

/// u8 as s8, 128 less.
static Factor toSigned(NodeBuilder &node, Factor f) {
  auto move = [&](Value x) -> Value {
    if (!x)
      return nullptr;
    Value wide = typeCast(node, x, getInteger(node, 32, true));
    wide = subtract(node, wide, makeScalar(node, 128, wide));
    return typeCast(node, wide, getInteger(node, 8, true));
  };
  if (!f.x || !getElement(f.x).isUnsignedInteger())
    return f;
  Value zp = f.zp
                 ? f.zp
                 : makeTensor(node, {RankedTensorType::get({}, getElement(f.x)),
                                     {Number::of(0)}});
  return {move(f.x), move(zp)};
}

/// The convolution of (x - x.zp) and (w - w.zp), in s32.
static Value convolveIntegers(NodeBuilder &node, Factor x, Factor w,
                              std::optional<int64_t> xZp) {
  if (!x.x || !w.x)
    return nullptr;
  bool isUnsigned = getElement(x.x).isUnsignedInteger();
  auto window = getConvWindow(node, x.x, w.x);
  int64_t groups = node.getIntAttr("group", 1);
  if (failed(window))
    return nullptr;
  x = toSigned(node, x);
  w = toSigned(node, w);
  Type s32 = getInteger(node, 32, /*isSigned=*/true);
  // Outside of the image, elements are zero points.
  RankedTensorType type = getTensorType(x.x);
  Slide by(type.getShape());
  bool pads = false;
  for (size_t i = 0; i < window->begin.size(); ++i) {
    by.dims[i + 2] = {type.getDimSize(i + 2) + window->begin[i] +
                          window->end[i],
                      1, -window->begin[i]};
    pads |= window->begin[i] != 0 || window->end[i] != 0;
  }
  if (pads) {
    if (!xZp) {
      (void)node.fail("a padded image has a zero point that is not one number "
                      "known at import");
      return nullptr;
    }
    by.fill.i = *xZp - (isUnsigned ? 128 : 0);
    x.x = slide(node, x.x, by);
    window->begin.assign(window->begin.size(), 0);
    window->end = window->begin;
  }
  auto convolve = [&](Value image, Value weights) {
    return node.make("graph.convolution", {image, weights},
                     getConvAttrs(node, *window, groups), s32);
  };
  Value result = convolve(x.x, w.x);
  RankedTensorType weights = getTensorType(w.x);
  int64_t channels = weights.getDimSize(0);
  int64_t count = countElements(weights.getShape().drop_front());
  SmallVector<int64_t> perChannel(weights.getRank(), 1);
  perChannel[1] = channels;
  auto getZp = [&](Value zp) -> Value {
    if (!zp)
      return nullptr;
    bool isOne = getTensorType(zp).getNumElements() == 1;
    zp = isOne ? reshape(node, zp, {}) : reshape(node, zp, perChannel);
    return zp ? typeCast(node, zp, s32) : nullptr;
  };
  Value xPoint = getZp(x.zp), wPoint = getZp(w.zp);
  Type s8 = weights.getElementType();
  if (xPoint) {
    Value sums = node.make(
        "graph.matmul",
        {reshape(node, w.x, {channels, count}), makeOnes(node, {count, 1}, s8)},
        {}, s32);
    sums = reshape(node, sums, perChannel);
    result = subtract(node, result, multiply(node, sums, xPoint));
  }
  if (wPoint) {
    Value sums = convolve(x.x, makeOnes(node, weights.getShape(), s8));
    result = subtract(node, result, multiply(node, sums, wPoint));
  }
  if (xPoint && wPoint) {
    Value both = multiply(node, xPoint, wPoint);
    result = add(node, result,
                 multiply(node, both, makeScalar(node, double(count), both)));
  }
  return result;
}

/// The zero point of an image, if it is one known number; 0 if left out.
static std::optional<int64_t> getPoint(NodeBuilder &node, unsigned i) {
  if (!node.hasOperand(i))
    return 0;
  auto known = node.getKnown(i);
  if (!known || known->values.size() != 1)
    return std::nullopt;
  return known->values[0].i;
}

static LogicalResult importConvInteger(NodeBuilder &node) {
  return node.setResult(convolveIntegers(
      node, getFactor(node, 0, 2), getFactor(node, 1, 3), getPoint(node, 2)));
}

static LogicalResult importQLinearConv(NodeBuilder &node) {
  Value result = convolveIntegers(node, getFactor(node, 0, 2),
                                  getFactor(node, 3, 5), getPoint(node, 2));
  if (result && node.hasOperand(8)) {
    SmallVector<int64_t> shape(getTensorType(result).getRank(), 1);
    Value bias = getValue(node, 8);
    if (!bias)
      return failure();
    shape[1] = getTensorType(bias).getNumElements();
    result = add(node, result, reshape(node, bias, shape));
  }
  return node.setResult(requantize(node, result, 1, 4, 6, 1, 1));
}

void gc::onnxio::addQuantizeOps(OpTable &ops) {
  ops["ConvInteger"] = importConvInteger;
  ops["DequantizeLinear"] = importDequantizeLinear;
  ops["DynamicQuantizeLinear"] = importDynamicQuantizeLinear;
  ops["MatMulInteger"] = importMatMulInteger;
  ops["QLinearConv"] = importQLinearConv;
  ops["QLinearMatMul"] = importQLinearMatMul;
  ops["QuantizeLinear"] = importQuantizeLinear;
  takeShapes(ops, {"DequantizeLinear", "QuantizeLinear"});
}
