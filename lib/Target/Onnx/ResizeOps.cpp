// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Resize and Upsample. Sizes are known, and so are the elements and the weights
// that every element of the result takes along a dimension.

#include "Compose.h"
#include "Ops.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace gc::onnxio;

namespace {
struct Resize {
  std::string mode, coordinates, nearest;
  double cubicCoeff = -0.75, extrapolation = 0;
  bool excludesOutside = false;
};

/// One dimension.
struct Axis {
  int64_t from, to;
  double scale, roiBegin = 0, roiEnd = 1;
};
} // namespace

static std::optional<double> getPosition(const Resize &resize, const Axis &axis,
                                         int64_t index) {
  StringRef mode = resize.coordinates;
  double p = double(index), last = double(axis.from - 1);
  if (mode == "half_pixel" || (mode == "pytorch_half_pixel" && axis.to > 1))
    return (p + 0.5) / axis.scale - 0.5;
  if (mode == "pytorch_half_pixel")
    return 0.0;
  if (mode == "asymmetric")
    return p / axis.scale;
  if (mode == "align_corners")
    return axis.to > 1 ? p * last / double(axis.to - 1) : 0.0;
  if (mode == "tf_half_pixel_for_nn")
    return (p + 0.5) / axis.scale;
  if (mode == "half_pixel_symmetric") {
    double adjusted = double(axis.to) / (double(axis.from) * axis.scale);
    return double(axis.from) / 2 * (1 - adjusted) + (p + 0.5) / axis.scale -
           0.5;
  }
  if (mode == "tf_crop_and_resize") {
    if (axis.to <= 1)
      return 0.5 * (axis.roiBegin + axis.roiEnd) * last;
    return axis.roiBegin * last +
           p * (axis.roiEnd - axis.roiBegin) * last / double(axis.to - 1);
  }
  return std::nullopt;
}

static std::optional<double> roundPosition(StringRef mode, double x) {
  if (mode == "round_prefer_floor")
    return std::ceil(x - 0.5);
  if (mode == "round_prefer_ceil")
    return std::floor(x + 0.5);
  if (mode == "floor")
    return std::floor(x);
  if (mode == "ceil")
    return std::ceil(x);
  return std::nullopt;
}

/// The elements `places` along an axis, as a slide if they are at equal
/// distances, rounded down: place(p) = (p * stride + offset) / spacing.
static Value takePlaces(NodeBuilder &node, Value x, int64_t axis,
                        ArrayRef<int64_t> places) {
  if (!x)
    return nullptr;
  ArrayRef<int64_t> shape = getTensorType(x).getShape();
  int64_t from = shape[axis], to = places.size();
  const std::array<std::pair<int64_t, int64_t>, 4> distances{
      {{from, to},
       {2 * from, 2 * to},
       {from - 1, to - 1},
       {2 * (from - 1), 2 * (to - 1)}}};
  for (auto [stride, spacing] : distances) {
    if (spacing < 1)
      continue;
    // Places at the ends may come from beyond.
    int64_t least = INT64_MIN, most = INT64_MAX;
    for (auto [p, place] : llvm::enumerate(places)) {
      if (place > 0)
        least = std::max<int64_t>(least, place * spacing - int64_t(p) * stride);
      if (place < from - 1)
        most = std::min<int64_t>(most, (place + 1) * spacing - 1 -
                                           int64_t(p) * stride);
    }
    if (least > most)
      continue;
    Slide by(shape);
    by.dims[axis] = {to, stride, std::clamp<int64_t>(0, least, most), spacing};
    by.clamps = true;
    return slide(node, x, by);
  }
  Sizes result = node.getShape(x);
  ArrayRef<SizeExpr> sizes = result;
  Sizes flat{getProduct(sizes.take_front(axis)), from,
             getProduct(sizes.drop_front(axis + 1))};
  Value taken = gatherKnown(node, reshapeTo(node, x, flat), places);
  result[axis] = to;
  return reshapeTo(node, taken, result);
}

/// Weights of the elements next to a position that is `ratio` after the second
/// of four or the first of two.
static SmallVector<double> getWeights(const Resize &resize, double ratio) {
  if (resize.mode != "cubic")
    return {1 - ratio, ratio};
  double a = resize.cubicCoeff;
  auto outer = [&](double t) {
    return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
  };
  auto inner = [&](double t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
  return {outer(1 + ratio), inner(ratio), inner(1 - ratio), outer(2 - ratio)};
}

static Value resizeAxis(NodeBuilder &node, Value x, int64_t dim,
                        const Resize &resize, const Axis &axis) {
  if (!x)
    return nullptr;
  bool isNearest = resize.mode == "nearest";
  size_t taps = isNearest ? 1 : resize.mode == "cubic" ? 4 : 2;
  SmallVector<SmallVector<int64_t>> places(taps);
  SmallVector<SmallVector<double>> weights(taps);
  SmallVector<int64_t> inside;
  for (int64_t p = 0; p < axis.to; ++p) {
    double position = *getPosition(resize, axis, p);
    inside.push_back(resize.coordinates != "tf_crop_and_resize" ||
                     (position >= 0 && position <= double(axis.from - 1)));
    auto clamp = [&](double place) {
      return std::clamp<int64_t>(int64_t(place), 0, axis.from - 1);
    };
    if (isNearest) {
      places[0].push_back(clamp(*roundPosition(resize.nearest, position)));
      continue;
    }
    double first = std::floor(position) - (taps == 4 ? 1 : 0);
    SmallVector<double> row =
        getWeights(resize, position - std::floor(position));
    double sum = 0;
    for (size_t t = 0; t < taps; ++t) {
      double place = first + double(t);
      if (resize.excludesOutside &&
          (place < 0 || place > double(axis.from - 1)))
        row[t] = 0;
      sum += row[t];
      places[t].push_back(clamp(place));
    }
    for (size_t t = 0; t < taps; ++t)
      weights[t].push_back(resize.excludesOutside ? row[t] / sum : row[t]);
  }
  SmallVector<int64_t> along(getTensorType(x).getRank(), 1);
  along[dim] = axis.to;
  Value result;
  for (size_t t = 0; t < taps; ++t) {
    Value taken = takePlaces(node, x, dim, places[t]);
    if (!isNearest) {
      Known factors{RankedTensorType::get(along, getElement(x)), {}};
      for (double weight : weights[t])
        factors.values.push_back(Number::ofReal(weight));
      taken = multiply(node, taken, makeTensor(node, factors));
    }
    result = t == 0 ? taken : add(node, result, taken);
  }
  if (llvm::is_contained(inside, 0)) {
    Known mask{
        RankedTensorType::get(along, IntegerType::get(node.getContext(), 1)),
        {}};
    for (int64_t isInside : inside)
      mask.values.push_back(Number::of(isInside));
    result = select(node, makeTensor(node, mask), result,
                    makeScalar(node, resize.extrapolation, x));
  }
  return result;
}

/// Scales, or sizes, of the dimensions `axes`.
static LogicalResult setResized(NodeBuilder &node, const Resize &resize,
                                ArrayRef<int64_t> axes, const Known *scales,
                                const Known *sizes, const Known *roi) {
  Value x = getValue(node, 0);
  if (!x)
    return failure();
  RankedTensorType type = getTensorType(x);
  const Known *given = sizes ? sizes : scales;
  if (given->values.size() != axes.size() || given->isFloat() == bool(sizes) ||
      (roi && (!roi->isFloat() || roi->values.size() != 2 * axes.size())))
    return node.fail("sizes, scales or roi do not fit the dimensions");
  if (resize.mode != "nearest" && resize.mode != "linear" &&
      resize.mode != "cubic")
    return node.fail("mode '" + resize.mode + "' is unknown");
  if (!getPosition(resize, {1, 1, 1}, 0))
    return node.fail("coordinate_transformation_mode '" + resize.coordinates +
                     "' is unknown");
  if (!roundPosition(resize.nearest, 0))
    return node.fail("nearest_mode '" + resize.nearest + "' is unknown");
  if (resize.mode != "nearest" && !isa<FloatType>(type.getElementType()))
    return node.fail("integers are not interpolated");
  bool crops = resize.coordinates == "tf_crop_and_resize";
  if (crops && !roi)
    return node.fail("the roi is not known at import");
  Sizes targets;
  if (sizes) {
    FailureOr<Sizes> open = node.getSizes(3);
    if (failed(open))
      return failure();
    targets = *open;
  }
  for (auto [i, counted] : llvm::enumerate(axes)) {
    FailureOr<int64_t> dim = node.getAxis(counted, type.getRank());
    if (failed(dim))
      return failure();
    int64_t from = type.getDimSize(*dim);
    // What stays as it is may have any size.
    SizeExpr size = node.getShape(x)[*dim];
    bool keeps = sizes ? targets[i] == size : float(scales->values[i].f) == 1;
    if (!size.isConstant() && keeps && !crops)
      continue;
    if (failed(checkFixed(node, 0, *dim)))
      return failure();
    if (sizes && !targets[i].isConstant())
      return node.checkElements(3);
    double scale =
        sizes ? double(sizes->values[i].i) / double(from) : scales->values[i].f;
    double to = sizes ? double(sizes->values[i].i)
                      // In f32, as shapes are inferred elsewhere.
                      : std::floor(float(from) * float(scale));
    if (crops && !sizes)
      to = std::floor(double(from) * scale *
                      (roi->values[i + axes.size()].f - roi->values[i].f));
    if (!(scale > 0) || !(to >= 1 && to <= (1 << 24)) || from < 1)
      return node.fail("dimension " + Twine(*dim) + " gets no valid size");
    Axis axis{from, int64_t(to), scale};
    if (crops) {
      axis.roiBegin = roi->values[i].f;
      axis.roiEnd = roi->values[i + axes.size()].f;
    }
    if (axis.to == from && scale == 1 && !crops)
      continue;
    x = resizeAxis(node, x, *dim, resize, axis);
    if (!x)
      return failure();
  }
  return node.setResult(x);
}

static LogicalResult importResize(NodeBuilder &node) {
  FailureOr<RankedTensorType> type = node.getType(0);
  bool isOld = node.getOpset() < 11;
  Resize resize;
  resize.mode = node.getStringAttr("mode", "nearest");
  resize.coordinates = node.getStringAttr("coordinate_transformation_mode",
                                          isOld ? "asymmetric" : "half_pixel");
  resize.nearest = node.getStringAttr("nearest_mode",
                                      isOld ? "floor" : "round_prefer_floor");
  resize.cubicCoeff = node.getFloatAttr("cubic_coeff_a", -0.75f);
  resize.extrapolation = node.getFloatAttr("extrapolation_value", 0.0f);
  resize.excludesOutside = node.getIntAttr("exclude_outside", 0) != 0;
  if (node.getIntAttr("antialias", 0) != 0)
    return node.fail("antialias is not supported");
  if (node.getStringAttr("keep_aspect_ratio_policy", "stretch") != "stretch")
    return node.fail("this keep_aspect_ratio_policy is not supported");
  if (failed(type))
    return failure();
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, type->getRank()));
  if (node.hasAttr("axes"))
    axes = node.getIntsAttr("axes");
  auto roi = isOld ? std::nullopt : node.getKnown(1);
  auto scales = node.getKnown(isOld ? 1 : 2), sizes = node.getKnown(3);
  auto isGiven = [](const std::optional<Known> &known) {
    return known && !known->values.empty();
  };
  if (!isGiven(scales) && !isGiven(sizes))
    return node.fail("neither scales nor sizes are known at import");
  return setResized(node, resize, axes, scales ? &*scales : nullptr,
                    isGiven(sizes) ? &*sizes : nullptr,
                    isGiven(roi) ? &*roi : nullptr);
}

/// Scales are an attribute before version 9.
static LogicalResult importUpsample(NodeBuilder &node) {
  FailureOr<RankedTensorType> type = node.getType(0);
  Resize resize;
  resize.mode = node.getStringAttr("mode", "nearest");
  resize.coordinates = "asymmetric";
  resize.nearest = "floor";
  if (failed(type))
    return failure();
  std::optional<Known> scales;
  if (node.getOpset() >= 9) {
    scales = node.getKnown(1);
  } else if (auto *attr =
                 node.findAttr("scales", ::onnx::AttributeProto::FLOATS)) {
    scales =
        Known{RankedTensorType::get({attr->floats_size()}, node.getF32()), {}};
    for (float scale : attr->floats())
      scales->values.push_back(Number::ofReal(scale));
  }
  if (!scales)
    return node.fail("scales are not known at import");
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, type->getRank()));
  return setResized(node, resize, axes, &*scales, nullptr, nullptr);
}

void gc::onnxio::addResizeOps(OpTable &ops) {
  ops["Resize"] = {importResize, 10};
  ops["Upsample"] = importUpsample;
  takeShapes(ops, {"Upsample"});
  takeSizes(ops, {"Resize"});
}
