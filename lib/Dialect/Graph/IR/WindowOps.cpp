// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Windows, pooling and interpolation: type inference and verification, sizes.

#include "Dialect/Graph/IR/GraphOps.h"
#include "SpatialDims.h"
#include "UnknownAttributes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::graph;

//===----------------------------------------------------------------------===//
// windows
//===----------------------------------------------------------------------===//

LogicalResult
WindowsOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                            ValueRange operands, DictionaryAttr attributes,
                            OpaqueProperties properties, RegionRange regions,
                            SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  if (src.getRank() < 3)
    return emitOptionalError(loc, "(C1) src has ", src.getRank(),
                             " dimensions; it must have at least three");
  int64_t sliding = src.getRank() - 2;
  auto check = [&](StringRef name, ArrayRef<int64_t> values,
                   bool isPositive) -> LogicalResult {
    if (static_cast<int64_t>(values.size()) != sliding)
      return emitOptionalError(loc, "(C2) ", name, " has ", values.size(),
                               " elements for ", sliding, " dimensions");
    for (int64_t value : values)
      if (isPositive && value < 1)
        return emitOptionalError(loc, "(C2) ", name, " of ", value,
                                 " is not positive");
    return success();
  };
  if (failed(check("kernel", adaptor.getKernel(), true)) ||
      failed(check("positions", adaptor.getPositions(), true)) ||
      failed(check("strides", adaptor.getStrides(), false)) ||
      failed(check("dilations", adaptor.getDilations(), false)) ||
      failed(check("offsets", adaptor.getOffsets(), false)) ||
      failed(check("spacing", adaptor.getSpacing(), true)))
    return failure();
  constexpr int64_t kLargest = int64_t(1) << 40;
  for (int64_t i = 0; i < sliding; ++i) {
    bool overflows = false;
    auto grow = [&](int64_t count, int64_t step) {
      int64_t product = 0;
      overflows |= llvm::MulOverflow(count, step, product) ||
                   product <= -kLargest || product >= kLargest;
    };
    grow(adaptor.getPositions()[i], adaptor.getStrides()[i]);
    grow(adaptor.getKernel()[i], adaptor.getDilations()[i]);
    grow(1, adaptor.getOffsets()[i]);
    if (int64_t size = src.getDimSize(i + 1); !ShapedType::isDynamic(size))
      grow(size, adaptor.getSpacing()[i]);
    if (overflows)
      return emitOptionalError(loc, "(C3) indices of dimension ", i + 1,
                               " are out of range");
  }
  SmallVector<int64_t> shape{src.getDimSize(0)};
  llvm::append_range(shape, adaptor.getPositions());
  llvm::append_range(shape, adaptor.getKernel());
  shape.push_back(src.getShape().back());
  types.push_back(RankedTensorType::get(shape, src.getElementType()));
  return success();
}

LogicalResult WindowsOp::verify() {
  if (getGaps() != "fill" && getGaps() != "clamp")
    return emitOpError("(C4) gaps is \"") << getGaps() << "\"";
  Type element = getType().getElementType();
  APFloat fill = getFill();
  if (auto type = dyn_cast<FloatType>(element)) {
    bool loses = false;
    APFloat rounded = fill;
    rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &loses);
    if (!loses)
      return success();
  } else if (auto type = dyn_cast<IntegerType>(element)) {
    bool isExact = false;
    APSInt rounded(type.getWidth(), !type.isSigned());
    fill.convertToInteger(rounded, APFloat::rmTowardZero, &isExact);
    if (isExact)
      return success();
  }
  return emitOpError("(C5) fill of ")
         << fill.convertToDouble() << " is not a number of type " << element;
}

FusibleKind WindowsOp::getFusibleKind() { return FusibleKind::windows; }

AffineMap WindowsOp::getOperandMap(unsigned) {
  MLIRContext *context = getContext();
  unsigned sliding = getKernel().size(), rank = 2 * sliding + 2;
  SmallVector<AffineExpr> indices{getAffineDimExpr(0, context)};
  for (unsigned i = 0; i < sliding; ++i)
    indices.push_back(getAffineDimExpr(1 + i, context) * getStrides()[i] +
                      getAffineDimExpr(1 + sliding + i, context) *
                          getDilations()[i] +
                      getOffsets()[i]);
  indices.push_back(getAffineDimExpr(rank - 1, context));
  return AffineMap::get(rank, 0, indices, context);
}

std::optional<Gaps> WindowsOp::getGaps(unsigned) {
  Gaps result;
  result.spacing.push_back(0);
  llvm::append_range(result.spacing, getSpacing());
  result.spacing.push_back(0);
  if (getGaps() == "clamp")
    return result;
  Type type = getComputeType(getType().getElementType());
  if (auto floats = dyn_cast<FloatType>(type))
    result.fill = FloatAttr::get(floats, getFill().convertToDouble());
  else
    result.fill = IntegerAttr::get(
        type, static_cast<int64_t>(getFill().convertToDouble()));
  return result;
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

namespace {
/// The attributes of pooling ops, where they have them.
struct PoolAttrs {
  ArrayRef<int64_t> strides, padsBegin, padsEnd, kernel, dilations;
  StringRef roundingType, autoPad, dataFormat;

  template <typename Op>
  explicit PoolAttrs(Op op)
      : strides(op.getStrides()), padsBegin(op.getPadsBegin()),
        padsEnd(op.getPadsEnd()), kernel(op.getKernel()),
        dilations(findDilations(op, 0)), roundingType(findRounding(op, 0)),
        autoPad(op.getAutoPad()), dataFormat(op.getDataFormat()) {}

  SpatialDim getDim(int64_t index, int64_t input) const {
    return {input,
            kernel[index],
            strides[index],
            dilations.empty() ? 1 : dilations[index],
            padsBegin[index],
            padsEnd[index]};
  }

private:
  template <typename Op>
  static auto findDilations(Op op, int) -> decltype(op.getDilations()) {
    return op.getDilations();
  }
  template <typename Op>
  static ArrayRef<int64_t> findDilations(Op, long) {
    return {};
  }
  template <typename Op>
  static auto findRounding(Op op, int) -> decltype(op.getRoundingType()) {
    return op.getRoundingType();
  }
  template <typename Op>
  static StringRef findRounding(Op, long) {
    return "floor";
  }
};
} // namespace

/// (C1) to (C3), and the shape with as many elements as there are windows.
static FailureOr<SmallVector<int64_t>>
inferPool(OptionalLoc loc, StringRef name, RankedTensorType src,
          const PoolAttrs &attrs, bool roundsUp) {
  FailureOr<int64_t> spatial = checkImage(loc, name, src);
  if (failed(spatial) ||
      failed(checkName(loc, "data_format", attrs.dataFormat, {"NXC", "NCX"})) ||
      failed(checkName(loc, "rounding_type", attrs.roundingType,
                       {"floor", "ceil"})) ||
      failed(checkName(loc, "auto_pad", attrs.autoPad,
                       {"none", "same_upper", "same_lower", "valid"})) ||
      failed(checkList(loc, "kernel", attrs.kernel, *spatial, 1)) ||
      failed(checkList(loc, "strides", attrs.strides, *spatial, 1)) ||
      failed(checkList(loc, "pads_begin", attrs.padsBegin, *spatial, 0)) ||
      failed(checkList(loc, "pads_end", attrs.padsEnd, *spatial, 0)) ||
      (!attrs.dilations.empty() &&
       failed(checkList(loc, "dilations", attrs.dilations, *spatial, 1))))
    return failure();
  ImageDims dims(attrs.dataFormat, src.getRank());
  SmallVector<int64_t> shape(src.getShape());
  for (int64_t i = 0; i < *spatial; ++i) {
    int64_t &size = shape[dims.firstSpatial + i];
    FailureOr<int64_t> output = checkOutput(loc, "C4", i, attrs.getDim(i, size),
                                            attrs.autoPad, roundsUp);
    if (failed(output))
      return failure();
    size = *output;
  }
  return shape;
}

static PoolSizes getSizes(const PoolAttrs &attrs, ArrayRef<int64_t> src,
                          ArrayRef<int64_t> dst) {
  ImageDims dims(attrs.dataFormat, src.size());
  PoolSizes sizes;
  sizes.channelDim = dims.channel;
  sizes.firstSpatialDim = dims.firstSpatial;
  for (size_t i = 0; i < attrs.kernel.size(); ++i) {
    SpatialDim dim = attrs.getDim(i, src[dims.firstSpatial + i]);
    dim.resolvePads(attrs.autoPad);
    sizes.input.push_back(dim.input);
    sizes.output.push_back(dst[dims.firstSpatial + i]);
    sizes.kernel.push_back(dim.kernel);
    sizes.strides.push_back(dim.stride);
    sizes.dilations.push_back(dim.dilation);
    sizes.padsBegin.push_back(dim.padBegin);
  }
  return sizes;
}

template <typename Op>
static LogicalResult inferForward(OptionalLoc loc, RankedTensorType src,
                                  typename Op::Adaptor adaptor,
                                  SmallVectorImpl<Type> &types) {
  auto shape = inferPool(loc, "src", src, PoolAttrs(adaptor),
                         adaptor.getRoundingType() == "ceil");
  if (failed(shape))
    return failure();
  types.push_back(RankedTensorType::get(*shape, src.getElementType()));
  return success();
}

LogicalResult
MaxPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                            ValueRange operands, DictionaryAttr attributes,
                            OpaqueProperties properties, RegionRange regions,
                            SmallVectorImpl<Type> &types) {
  return inferForward<MaxPoolOp>(
      loc, cast<RankedTensorType>(operands[0].getType()),
      Adaptor(operands, attributes, properties, regions), types);
}

LogicalResult
AvgPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                            ValueRange operands, DictionaryAttr attributes,
                            OpaqueProperties properties, RegionRange regions,
                            SmallVectorImpl<Type> &types) {
  return inferForward<AvgPoolOp>(
      loc, cast<RankedTensorType>(operands[0].getType()),
      Adaptor(operands, attributes, properties, regions), types);
}

/// diff_dst has as many elements as windows that end inside, or one more along
/// some dimension (C4).
static LogicalResult checkGradient(OptionalLoc loc, StringRef name,
                                   RankedTensorType src,
                                   RankedTensorType gradient,
                                   const PoolAttrs &attrs) {
  auto least = inferPool(loc, name, src, attrs, /*roundsUp=*/false);
  if (failed(least))
    return failure();
  auto most = inferPool(loc, name, src, attrs, /*roundsUp=*/true);
  bool fits = succeeded(most) &&
              gradient.getRank() == static_cast<int64_t>(least->size());
  for (int64_t i = 0; fits && i < gradient.getRank(); ++i) {
    int64_t size = gradient.getDimSize(i);
    fits = ShapedType::isDynamic(size) || ShapedType::isDynamic((*least)[i]) ||
           size == (*least)[i] || size == (*most)[i];
  }
  if (!fits)
    return emitOptionalError(loc, "(C4) diff_dst has shape [",
                             gradient.getShape(), "] instead of [", *least,
                             "]");
  return success();
}

LogicalResult MaxPoolBackwardOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  types.push_back(dropLayout(src));
  return checkGradient(loc, "src", src,
                       cast<RankedTensorType>(operands[1].getType()),
                       PoolAttrs(adaptor));
}

LogicalResult MaxPoolBackwardOp::verify() {
  return checkElements(getLoc(), "C5", (*this)->getOperandTypes());
}

LogicalResult AvgPoolBackwardOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto gradient = cast<RankedTensorType>(operands[0].getType());
  ArrayRef<int64_t> shape = adaptor.getSrcShape();
  bool fits = static_cast<int64_t>(shape.size()) == gradient.getRank();
  for (int64_t size : shape)
    fits &= size > 0 && size <= kMostElements;
  if (!fits)
    return emitOptionalError(loc, "(C1) src_shape [", shape,
                             "] is not a shape of ", gradient.getRank(),
                             " positive sizes");
  auto src = RankedTensorType::get(shape, gradient.getElementType());
  types.push_back(src);
  return checkGradient(loc, "src_shape", src, gradient, PoolAttrs(adaptor));
}

PoolSizes gc::graph::getPoolSizes(MaxPoolOp op) {
  return getSizes(PoolAttrs(op), op.getSrc().getType().getShape(),
                  op.getType().getShape());
}
PoolSizes gc::graph::getPoolSizes(AvgPoolOp op) {
  return getSizes(PoolAttrs(op), op.getSrc().getType().getShape(),
                  op.getType().getShape());
}
PoolSizes gc::graph::getPoolSizes(MaxPoolBackwardOp op) {
  return getSizes(PoolAttrs(op), op.getType().getShape(),
                  op.getDiffDst().getType().getShape());
}
PoolSizes gc::graph::getPoolSizes(AvgPoolBackwardOp op) {
  return getSizes(PoolAttrs(op), op.getType().getShape(),
                  op.getDiffDst().getType().getShape());
}

//===----------------------------------------------------------------------===//
// Interpolation
//===----------------------------------------------------------------------===//

/// (C1) to (C4), and the shape of the other size.
template <typename Adaptor>
static FailureOr<SmallVector<int64_t>>
inferInterpolation(OptionalLoc loc, RankedTensorType src, Adaptor adaptor) {
  FailureOr<int64_t> spatial = checkImage(loc, "src", src);
  if (failed(spatial))
    return failure();
  SmallVector<StringRef> modes{"nearest", "linear"};
  if (*spatial > 1)
    modes.push_back(*spatial == 2 ? "bilinear" : "trilinear");
  ArrayRef<int64_t> sizes = adaptor.getSizes();
  ArrayRef<float> scales = adaptor.getScales();
  if (failed(checkName(loc, "data_format", adaptor.getDataFormat(),
                       {"NXC", "NCX"})) ||
      failed(checkName(loc, "coordinate_transformation_mode",
                       adaptor.getCoordinateTransformationMode(),
                       {"half_pixel", "align_corners"})) ||
      failed(checkName(loc, "mode", adaptor.getMode(), modes)))
    return failure();
  if (sizes.empty() == scales.empty())
    return emitOptionalError(loc, "(C3) has ",
                             sizes.empty() ? "neither sizes nor scales"
                                           : "both sizes and scales");
  if (!sizes.empty() && failed(checkList(loc, "sizes", sizes, *spatial, 1)))
    return failure();
  if (!scales.empty() && static_cast<int64_t>(scales.size()) != *spatial)
    return emitOptionalError(loc, "(C3) scales has ", scales.size(),
                             " elements for ", *spatial, " spatial dimensions");
  ImageDims dims(adaptor.getDataFormat(), src.getRank());
  SmallVector<int64_t> shape(src.getShape());
  for (int64_t i = 0; i < *spatial; ++i) {
    int64_t &size = shape[dims.firstSpatial + i];
    if (!sizes.empty()) {
      size = sizes[i];
      continue;
    }
    if (!(scales[i] > 0) || scales[i] > kMostElements)
      return emitOptionalError(loc, "(C3) scales of ", scales[i],
                               " is out of range");
    if (ShapedType::isDynamic(size))
      continue;
    float scaled = std::floor(static_cast<float>(size) * scales[i]);
    if (scaled < 1 || scaled > static_cast<float>(kMostElements))
      return emitOptionalError(loc, "(C4) spatial dimension ", i, " of ", size,
                               " elements would have ", scaled);
    size = static_cast<int64_t>(scaled);
  }
  return shape;
}

LogicalResult InterpolateOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  auto shape = inferInterpolation(loc, src, adaptor);
  if (failed(shape))
    return failure();
  types.push_back(RankedTensorType::get(*shape, src.getElementType()));
  return success();
}

LogicalResult InterpolateBackwardOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  auto gradient = cast<RankedTensorType>(operands[1].getType());
  auto shape = inferInterpolation(loc, src, adaptor);
  if (failed(shape))
    return failure();
  if (failed(verifyCompatibleShape(gradient.getShape(), *shape)))
    return emitOptionalError(loc, "(C4) diff_dst has shape [",
                             gradient.getShape(), "] instead of [", *shape,
                             "]");
  types.push_back(dropLayout(src));
  return success();
}

LogicalResult InterpolateBackwardOp::verify() {
  return checkElements(getLoc(), "C5", (*this)->getOperandTypes());
}
