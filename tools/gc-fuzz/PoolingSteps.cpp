// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps of a random graph that pool and interpolate, and their gradients.

#include "Windows.h"

using namespace mlir;
using namespace gc::graph;

namespace gc::fuzz {

namespace {

constexpr int64_t kChannels[] = {1, 3, 4, 8, 15, 16, 17, 32, 33, 64, 129};

Type pickElement(GraphState &state) {
  return state.random.percent(70) ? state.builder.getF32Type()
                                  : pickNarrowType(state);
}

Range finish(const Item &item, const Range &range) {
  return item.isF32() ? range : getRounded(range);
}

NamedAttribute makeName(GraphState &state, StringRef name, StringRef value) {
  return state.attribute(name, state.builder.getStringAttr(value));
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// An image and the windows to pool.
struct Pool {
  Image src;
  WindowChoice windows;
  bool isMax, excludesPad;

  /// All but the rounding.
  SmallVector<NamedAttribute> getAttributes(GraphState &state) const {
    SmallVector<NamedAttribute> attributes = windows.getAttributes(state);
    attributes.append({makeList(state, "kernel", windows.get(&Axis::kernel)),
                       makeFormat(state, src.channelsLast)});
    if (isMax)
      attributes.push_back(windows.getDilations(state));
    else
      attributes.push_back(state.attribute(
          "exclude_pad", state.builder.getBoolAttr(excludesPad)));
    return attributes;
  }
};

std::optional<Pool> pickPool(GraphState &state) {
  Random &random = state.random;
  auto src = pickImage(state, pickElement(state), kChannels);
  if (!src)
    return std::nullopt;
  bool isMax = random.percent(50);
  auto windows = pickWindows(random, src->shape, /*hasDilations=*/isMax);
  // A maximum of nothing is -infinity.
  if (!windows || (isMax && !windows->isEachInside()))
    return std::nullopt;
  int64_t outputs = getNumElements(windows->getOutput(src->shape).get(true));
  if (outputs > GraphState::kMaxElements ||
      outputs * windows->getTaps() > GraphState::kMaxProducts)
    return std::nullopt;
  return Pool{*src, *windows, isMax, random.percent(50)};
}

} // namespace

bool addPooling(GraphState &state) {
  std::optional<Pool> pool = pickPool(state);
  if (!pool)
    return false;
  SmallVector<NamedAttribute> attributes = pool->getAttributes(state);
  // One more window at the end has an element of the image if one more stride
  // does not leave it.
  bool mayRoundUp =
      !pool->isMax || llvm::all_of(pool->windows.axes, [](Axis axis) {
        axis.padEnd += axis.stride - 1;
        return axis.isEachInside();
      });
  bool roundsUp = mayRoundUp && state.random.percent(30);
  attributes.push_back(
      makeName(state, "rounding_type", roundsUp ? "ceil" : "floor"));
  const Item &src = pool->src.item;
  Value value = pool->isMax ? state.create<MaxPoolOp>(src.value, attributes)
                            : state.create<AvgPoolOp>(src.value, attributes);
  Range range = src.range;
  range.low = std::min(range.low, 0.0);
  range.high = std::max(range.high, 0.0);
  state.addItem(value, pool->isMax ? src.range : finish(src, range));
  return true;
}

bool addPoolingGradient(GraphState &state) {
  std::optional<Pool> pool = pickPool(state);
  if (!pool)
    return false;
  const Image &src = pool->src;
  Type element = src.item.getType().getElementType();
  Item diff = pickTensor(
      state, pool->windows.getOutput(src.shape).get(src.channelsLast), element);
  SmallVector<NamedAttribute> attributes = pool->getAttributes(state);
  Range range = contract(diff.range, Range::get(0, 1),
                         double(pool->windows.getOverlap()));
  if (range.magnitude > GraphState::kMaxMagnitude)
    return false;
  Value value;
  if (pool->isMax) {
    value = state.create<MaxPoolBackwardOp>({src.item.value, diff.value},
                                            attributes);
  } else {
    attributes.push_back(
        makeList(state, "src_shape", src.shape.get(src.channelsLast)));
    value = state.create<AvgPoolBackwardOp>(diff.value, attributes);
  }
  addSparse(state, value, finish(diff, range));
  return true;
}

//===----------------------------------------------------------------------===//
// Interpolation
//===----------------------------------------------------------------------===//

namespace {

/// Other sizes of an image.
struct Resizing {
  SmallVector<int64_t> sizes;
  SmallVector<NamedAttribute> attributes;
};

std::optional<Resizing> pickResizing(GraphState &state, const Image &src) {
  Random &random = state.random;
  Resizing resizing;
  SmallVector<float> scales;
  for (int64_t size : src.shape.spatial) {
    // Exact in f32, so that the product is, too.
    scales.push_back(random.pick<float>({0.25, 0.5, 1, 1, 1.5, 2, 2, 3}));
    resizing.sizes.push_back(static_cast<int64_t>(scales.back() * size));
  }
  bool hasScales = random.percent(40);
  if (!hasScales)
    for (int64_t &size : resizing.sizes)
      if (random.percent(50))
        size = random.pick<int64_t>({1, 2, 3, 5, 8, 11, 16});
  ImageShape dst = src.shape;
  dst.spatial = resizing.sizes;
  if (*llvm::min_element(resizing.sizes) < 1 ||
      getNumElements(dst.get(true)) > GraphState::kMaxElements)
    return std::nullopt;
  Attribute factors = state.builder.getDenseF32ArrayAttr(scales);
  size_t spatial = scales.size();
  StringRef linear = spatial == 2   ? "bilinear"
                     : spatial == 3 ? "trilinear"
                                    : "linear";
  resizing.attributes = {
      hasScales ? state.attribute("scales", factors)
                : makeList(state, "sizes", resizing.sizes),
      // What is not given.
      hasScales
          ? makeList(state, "sizes", {})
          : state.attribute("scales", state.builder.getDenseF32ArrayAttr({})),
      makeName(state, "mode",
               random.pick<StringRef>({"nearest", "linear", linear})),
      makeName(state, "coordinate_transformation_mode",
               random.pick<StringRef>({"half_pixel", "align_corners"})),
      makeFormat(state, src.channelsLast)};
  return resizing;
}

} // namespace

bool addInterpolation(GraphState &state) {
  auto src = pickImage(state, pickElement(state), kChannels);
  auto resizing = src ? pickResizing(state, *src) : std::nullopt;
  if (!resizing)
    return false;
  if (state.random.percent(60)) {
    Value value =
        state.create<InterpolateOp>(src->item.value, resizing->attributes);
    state.addItem(value, finish(src->item, src->item.range));
    return true;
  }
  ImageShape dst = src->shape;
  dst.spatial = resizing->sizes;
  Item diff = pickTensor(state, dst.get(src->channelsLast),
                         src->item.getType().getElementType());
  double count = 1;
  for (auto [from, to] : llvm::zip_equal(src->shape.spatial, dst.spatial))
    count *= 2.0 * llvm::divideCeil(to, from) + 1;
  Range range = contract(diff.range, Range::get(0, 1), count);
  if (range.magnitude > GraphState::kMaxMagnitude)
    return false;
  Value value = state.create<InterpolateBackwardOp>(
      {src->item.value, diff.value}, resizing->attributes);
  addSparse(state, value, finish(diff, range));
  return true;
}

} // namespace gc::fuzz
