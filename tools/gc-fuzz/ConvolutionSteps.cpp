// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps of a random graph that slide a kernel over an image.

#include "GraphState.h"

using namespace mlir;
using namespace gc::graph;

namespace gc::fuzz {

namespace {

/// A kernel along one spatial dimension.
struct Axis {
  int64_t size, kernel, stride, dilation, padBegin, padEnd;

  int64_t getOutput() const {
    int64_t room = size + padBegin + padEnd - (kernel - 1) * dilation - 1;
    return room < 0 ? 0 : room / stride + 1;
  }
};

/// Kernels that fit, also where all of one is in the pads.
std::optional<Axis> pickAxis(Random &random, int64_t size) {
  Axis axis;
  axis.size = size;
  axis.kernel = random.pick<int64_t>({1, 1, 2, 3, 3, 3, 5, 7});
  axis.stride = random.pick<int64_t>({1, 1, 1, 2, 2, 3});
  axis.dilation = random.pick<int64_t>({1, 1, 1, 1, 2, 3});
  axis.padBegin = random.pick<int64_t>({0, 0, 1, 1, 2, 4});
  axis.padEnd =
      random.percent(70) ? axis.padBegin : random.pick<int64_t>({0, 1, 2, 3});
  if (axis.getOutput() < 1)
    return std::nullopt;
  return axis;
}

bool addConvolutionOf(GraphState &state, Type element) {
  Random &random = state.random;
  Builder &builder = state.builder;
  const Item *found = state.pickItem([&](const Item &item) {
    return item.getType().getElementType() == element &&
           item.range.magnitude <= 100 && item.getType().getRank() >= 3;
  });
  bool isLast = random.percent(60);
  std::optional<Item> src;
  if (found && random.percent(60)) {
    src = *found;
  } else {
    SmallVector<int64_t> shape{random.pick<int64_t>({1, 1, 2, 3})};
    int64_t spatial = random.pick<int64_t>({1, 2, 2, 2, 2, 3});
    for (int64_t i = 0; i < spatial; ++i)
      shape.push_back(random.pick<int64_t>(
          spatial == 3 ? ArrayRef<int64_t>{1, 2, 4, 5}
                       : ArrayRef<int64_t>{1, 3, 5, 7, 8, 14, 17}));
    int64_t channels =
        random.pick<int64_t>({1, 2, 3, 4, 8, 12, 16, 24, 32, 33, 64, 300});
    shape.insert(isLast ? shape.end() : shape.begin() + 1, channels);
    if (getNumElements(shape) > GraphState::kMaxElements)
      return false;
    src = state.addArgument(shape, element, ArgumentKind::plain, false);
  }
  ArrayRef<int64_t> image = src->getShape();
  int64_t rank = image.size(), first = isLast ? 1 : 2;
  int64_t channels = isLast ? image.back() : image[1];
  int64_t groups = 1;
  if (random.percent(20))
    for (int64_t wanted : {channels, int64_t(4), int64_t(3), int64_t(2)})
      if (channels % wanted == 0 && wanted <= 64 && random.percent(50))
        groups = wanted;
  int64_t perGroup =
      random.pick<int64_t>({1, 3, 8, 16, 17, 31, 32, 64, 70, 130});
  if (groups > 4)
    perGroup = random.pick<int64_t>({1, 1, 2});
  int64_t outputs = perGroup * groups;

  SmallVector<int64_t> kernel, strides, dilations, padsBegin, padsEnd;
  int64_t positions = image[0], taps = 1;
  for (int64_t dim = first; dim < first + rank - 2; ++dim) {
    std::optional<Axis> axis = pickAxis(random, image[dim]);
    if (!axis)
      return false;
    kernel.push_back(axis->kernel);
    strides.push_back(axis->stride);
    dilations.push_back(axis->dilation);
    padsBegin.push_back(axis->padBegin);
    padsEnd.push_back(axis->padEnd);
    positions *= axis->getOutput();
    taps *= axis->kernel;
  }
  int64_t depth = taps * (channels / groups);
  if (positions * outputs > GraphState::kMaxElements ||
      positions * outputs * depth > GraphState::kMaxProducts ||
      depth * outputs > GraphState::kMaxElements)
    return false;

  bool kernelFirst = random.percent(50);
  SmallVector<int64_t> shape;
  if (kernelFirst)
    llvm::append_range(shape, kernel);
  shape.append({channels / groups, outputs});
  if (!kernelFirst) {
    std::swap(shape[0], shape[1]);
    llvm::append_range(shape, kernel);
  }
  Item weights = state.addWeights(shape, element, depth);
  Range range = contract(src->range, weights.range, depth);
  if (range.magnitude > GraphState::kMaxMagnitude)
    return false;
  SmallVector<Value> operands{src->value, weights.value};
  if (random.percent(40)) {
    Item bias = state.addArgument({outputs}, element, ArgumentKind::plain,
                                  random.percent(75));
    operands.push_back(bias.value);
    range = add(range, bias.range);
  }
  auto list = [&](StringRef name, ArrayRef<int64_t> values) {
    return state.attribute(name, builder.getDenseI64ArrayAttr(values));
  };
  NamedAttribute attributes[] = {
      list("strides", strides),
      list("pads_begin", padsBegin),
      list("pads_end", padsEnd),
      list("dilations", dilations),
      state.attribute("auto_pad", builder.getStringAttr("none")),
      state.attribute("groups", builder.getI64IntegerAttr(groups)),
      state.attribute("data_format",
                      builder.getStringAttr(isLast ? "NXC" : "NCX")),
      state.attribute("weights_format",
                      builder.getStringAttr(kernelFirst ? "XIO" : "OIX"))};
  Value value = state.create<ConvolutionOp>(operands, attributes);
  state.addItem(value, element.isF32() ? range : getRounded(range));
  return true;
}

} // namespace

bool addConvolution(GraphState &state) {
  return addConvolutionOf(state, state.builder.getF32Type());
}

bool addNarrowConvolution(GraphState &state) {
  return addConvolutionOf(state, pickNarrowType(state));
}

} // namespace gc::fuzz
