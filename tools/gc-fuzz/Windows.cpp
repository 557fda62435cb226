// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Windows.h"

using namespace mlir;
using namespace gc::graph;

namespace gc::fuzz {

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

int64_t Axis::getOutput() const {
  int64_t room = size + padBegin + padEnd - getReach();
  return room < 0 ? 0 : room / stride + 1;
}

bool Axis::isEachInside() const {
  for (int64_t position = 0; position < getOutput(); ++position) {
    bool isInside = false;
    for (int64_t tap = 0; tap < kernel; ++tap) {
      int64_t at = position * stride + tap * dilation - padBegin;
      isInside |= at >= 0 && at < size;
    }
    if (!isInside)
      return false;
  }
  return true;
}

int64_t Axis::getOverlap() const {
  return std::min<int64_t>(kernel, llvm::divideCeil(getReach(), stride));
}

void Axis::resolve(StringRef autoPad) {
  if (autoPad == "none")
    return;
  padBegin = padEnd = 0;
  if (autoPad == "valid")
    return;
  int64_t windows = llvm::divideCeil(size, stride);
  int64_t pads =
      std::max<int64_t>((windows - 1) * stride + getReach() - size, 0);
  padBegin = autoPad == "same_upper" ? pads / 2 : pads - pads / 2;
  padEnd = pads - padBegin;
}

static Axis pickAxis(Random &random, int64_t size, bool hasDilation) {
  Axis axis;
  axis.size = size;
  axis.kernel = random.pick<int64_t>({1, 1, 2, 3, 3, 3, 5, 7});
  axis.stride = random.pick<int64_t>({1, 1, 1, 2, 2, 3});
  axis.dilation = hasDilation ? random.pick<int64_t>({1, 1, 1, 1, 2, 3}) : 1;
  axis.padBegin = random.pick<int64_t>({0, 0, 1, 1, 2, 4});
  axis.padEnd =
      random.percent(70) ? axis.padBegin : random.pick<int64_t>({0, 1, 2, 3});
  return axis;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

SmallVector<int64_t> ImageShape::get(bool channelsLast) const {
  SmallVector<int64_t> shape{batch};
  llvm::append_range(shape, spatial);
  shape.insert(channelsLast ? shape.end() : shape.begin() + 1, channels);
  return shape;
}

ImageShape WindowChoice::getOutput(const ImageShape &image) const {
  ImageShape output = image;
  for (auto [size, axis] : llvm::zip_equal(output.spatial, axes))
    size = axis.getOutput();
  return output;
}

int64_t WindowChoice::getTaps() const {
  return getNumElements(get(&Axis::kernel));
}

int64_t WindowChoice::getOverlap() const {
  int64_t overlap = 1;
  for (const Axis &axis : axes)
    overlap *= axis.getOverlap();
  return overlap;
}

bool WindowChoice::isEachInside() const {
  return llvm::all_of(axes,
                      [](const Axis &axis) { return axis.isEachInside(); });
}

SmallVector<int64_t> WindowChoice::get(int64_t Axis::*member) const {
  return llvm::map_to_vector(axes,
                             [&](const Axis &axis) { return axis.*member; });
}

SmallVector<NamedAttribute>
WindowChoice::getAttributes(GraphState &state) const {
  return {makeList(state, "strides", get(&Axis::stride)),
          makeList(state, "pads_begin", get(&Axis::padBegin)),
          makeList(state, "pads_end", get(&Axis::padEnd)),
          state.attribute("auto_pad", state.builder.getStringAttr(autoPad))};
}

NamedAttribute WindowChoice::getDilations(GraphState &state) const {
  return makeList(state, "dilations", get(&Axis::dilation));
}

std::optional<WindowChoice> pickWindows(Random &random, const ImageShape &image,
                                        bool hasDilations) {
  WindowChoice choice;
  choice.autoPad =
      random.percent(75)
          ? "none"
          : random.pick<StringRef>({"same_upper", "same_lower", "valid"});
  for (int64_t size : image.spatial) {
    choice.axes.push_back(pickAxis(random, size, hasDilations));
    choice.axes.back().resolve(choice.autoPad);
    if (choice.axes.back().getOutput() < 1)
      return std::nullopt;
  }
  return choice;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<Image> pickImage(GraphState &state, Type element,
                               ArrayRef<int64_t> channels) {
  Random &random = state.random;
  const Item *found = state.pickItem([&](const Item &item) {
    return item.getType().getElementType() == element &&
           item.range.magnitude <= 100 && item.getType().getRank() >= 3;
  });
  bool isLast = random.percent(60);
  if (found && random.percent(60)) {
    ArrayRef<int64_t> sizes = found->getShape();
    ImageShape shape;
    shape.batch = sizes.front();
    shape.channels = isLast ? sizes.back() : sizes[1];
    llvm::append_range(shape.spatial, isLast ? sizes.drop_front().drop_back()
                                             : sizes.drop_front(2));
    return Image{*found, shape, isLast};
  }
  ImageShape shape;
  shape.batch = random.pick<int64_t>({1, 1, 2, 3});
  int64_t spatial = random.pick<int64_t>({1, 2, 2, 2, 2, 3});
  for (int64_t i = 0; i < spatial; ++i)
    shape.spatial.push_back(random.pick<int64_t>(
        spatial == 3 ? ArrayRef<int64_t>{1, 2, 4, 5}
                     : ArrayRef<int64_t>{1, 3, 5, 7, 8, 14, 17}));
  shape.channels = random.pick(channels);
  SmallVector<int64_t> sizes = shape.get(isLast);
  if (getNumElements(sizes) > GraphState::kMaxElements)
    return std::nullopt;
  return Image{state.addArgument(sizes, element, ArgumentKind::plain, false),
               shape, isLast};
}

Item pickTensor(GraphState &state, ArrayRef<int64_t> shape, Type element) {
  const Item *found = state.pickItem([&](const Item &item) {
    return item.getShape() == shape &&
           item.getType().getElementType() == element &&
           item.range.magnitude <= 100 && item.range.magnitude >= 1e-4;
  });
  if (found && state.random.percent(60))
    return *found;
  return state.addArgument(shape, element, ArgumentKind::plain,
                           state.random.percent(10));
}

NamedAttribute makeList(GraphState &state, StringRef name,
                        ArrayRef<int64_t> values) {
  return state.attribute(name, state.builder.getDenseI64ArrayAttr(values));
}

NamedAttribute makeFormat(GraphState &state, bool channelsLast) {
  return state.attribute(
      "data_format", state.builder.getStringAttr(channelsLast ? "NXC" : "NCX"));
}

void addSparse(GraphState &state, Value value, const Range &range) {
  auto type = cast<RankedTensorType>(value.getType());
  if (state.random.percent(15)) {
    state.addItem(value, range);
    return;
  }
  Item other = pickTensor(state, type.getShape(), type.getElementType());
  Value sum = state.create<AddOp>(
      {value, other.value},
      state.attribute("auto_broadcast", state.builder.getStringAttr("numpy")));
  Range hull = add(range, other.range);
  state.addItem(sum, type.getElementType().isF32() ? hull : getRounded(hull));
}

} // namespace gc::fuzz
