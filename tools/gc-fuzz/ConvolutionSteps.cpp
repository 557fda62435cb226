// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps of a random graph that convolve: convolution, transposed convolution
// and the gradients of both.

#include "Windows.h"

using namespace mlir;
using namespace gc::graph;

namespace gc::fuzz {

namespace {

/// A convolution of an image to an output. The ops compute one of the image,
/// the output and the weights from the other two.
struct ConvolutionChoice {
  ImageShape image, output;
  WindowChoice windows;
  int64_t groups = 1;
  bool channelsLast = true;

  /// Weights in a format, whose O is the output's side, or for a transposed
  /// convolution the image's.
  SmallVector<int64_t> getWeights(StringRef format, bool isTransposed) const {
    int64_t outputs = output.channels, inputs = image.channels / groups;
    SmallVector<int64_t> shape;
    for (char part : format) {
      if (part == 'X')
        llvm::append_range(shape, windows.get(&Axis::kernel));
      else
        shape.push_back((part == 'O') == isTransposed ? inputs : outputs);
    }
    return shape;
  }
  int64_t getInputs() const { return image.channels / groups; }
  int64_t getOutputs() const { return output.channels / groups; }
  int64_t getPositions() const {
    return output.batch * getNumElements(output.spatial);
  }

  bool isFeasible() const {
    int64_t depth = windows.getTaps() * getInputs();
    int64_t outputs = getPositions() * output.channels;
    return outputs <= GraphState::kMaxElements &&
           outputs * depth <= GraphState::kMaxProducts &&
           depth * output.channels <= GraphState::kMaxElements;
  }
};

constexpr int64_t kChannels[] = {1, 2, 3, 4, 8, 12, 16, 24, 32, 33, 64, 300};

/// Groups that divide the channels; one most of the time.
int64_t pickGroups(Random &random, int64_t channels) {
  int64_t groups = 1;
  if (random.percent(20))
    for (int64_t wanted : {channels, int64_t(4), int64_t(3), int64_t(2)})
      if (channels % wanted == 0 && wanted <= 64 && random.percent(50))
        groups = wanted;
  return groups;
}

/// Another number of channels for these groups.
int64_t pickOther(Random &random, int64_t groups) {
  if (groups > 4)
    return groups * random.pick<int64_t>({1, 1, 2});
  return groups * random.pick<int64_t>({1, 3, 8, 16, 17, 31, 32, 64, 70, 130});
}

/// A convolution of this image.
std::optional<ConvolutionChoice> chooseFor(Random &random, const Image &src) {
  ConvolutionChoice choice;
  choice.image = src.shape;
  choice.channelsLast = src.channelsLast;
  choice.groups = pickGroups(random, src.shape.channels);
  auto windows = pickWindows(random, src.shape, /*hasDilations=*/true);
  if (!windows)
    return std::nullopt;
  choice.windows = *windows;
  choice.output = windows->getOutput(src.shape);
  choice.output.channels = pickOther(random, choice.groups);
  if (!choice.isFeasible())
    return std::nullopt;
  return choice;
}

/// A convolution to this output, and the elements that the image has at its end
/// beyond those that the output needs.
std::optional<std::pair<ConvolutionChoice, SmallVector<int64_t>>>
chooseTo(Random &random, const Image &dst) {
  ConvolutionChoice choice;
  choice.output = choice.image = dst.shape;
  choice.channelsLast = dst.channelsLast;
  choice.groups = pickGroups(random, dst.shape.channels);
  choice.image.channels = pickOther(random, choice.groups);
  auto windows = pickWindows(random, dst.shape, /*hasDilations=*/true);
  if (!windows)
    return std::nullopt;
  choice.windows = *windows;
  SmallVector<int64_t> more;
  for (auto [axis, size, positions] : llvm::zip_equal(
           choice.windows.axes, choice.image.spatial, choice.output.spatial)) {
    more.push_back(windows->autoPad == "none" && random.percent(40)
                       ? random.below(axis.stride)
                       : 0);
    size = windows->autoPad.starts_with("same")
               ? positions * axis.stride
               : (positions - 1) * axis.stride + axis.getReach() -
                     axis.padBegin - axis.padEnd + more.back();
    axis.size = size;
    axis.resolve(windows->autoPad);
    if (size < 1 || axis.getOutput() != positions)
      return std::nullopt;
  }
  if (!choice.isFeasible() ||
      getNumElements(choice.image.get(true)) > GraphState::kMaxElements)
    return std::nullopt;
  return std::pair(choice, more);
}

/// What all of these ops have.
SmallVector<NamedAttribute> getAttributes(GraphState &state,
                                          const ConvolutionChoice &choice,
                                          StringRef weightsFormat) {
  SmallVector<NamedAttribute> attributes = choice.windows.getAttributes(state);
  attributes.append(
      {choice.windows.getDilations(state),
       state.attribute("groups",
                       state.builder.getI64IntegerAttr(choice.groups)),
       makeFormat(state, choice.channelsLast),
       state.attribute("weights_format",
                       state.builder.getStringAttr(weightsFormat))});
  return attributes;
}

StringRef pickFormat(Random &random, bool isTransposed) {
  if (isTransposed)
    return random.pick<StringRef>({"XIO", "OIX", "IOX", "XOI"});
  return random.pick<StringRef>({"XIO", "OIX"});
}

/// Adds a result, which a type of few bits has rounded. Strides that leave out
/// elements make many of them 0.
void addResult(GraphState &state, Value value, Range range, bool isSparse) {
  if (!getElementTypeOrSelf(value).isF32())
    range = getRounded(range);
  if (isSparse)
    addSparse(state, value, range);
  else
    state.addItem(value, range);
}

void addBias(GraphState &state, int64_t channels, Type element,
             SmallVectorImpl<Value> &operands, Range &range) {
  if (!state.random.percent(40))
    return;
  Item bias = state.addArgument({channels}, element, ArgumentKind::plain,
                                state.random.percent(75));
  operands.push_back(bias.value);
  range = add(range, bias.range);
}

bool addConvolutionOf(GraphState &state, Type element) {
  auto src = pickImage(state, element, kChannels);
  auto choice = src ? chooseFor(state.random, *src) : std::nullopt;
  if (!choice)
    return false;
  StringRef format = pickFormat(state.random, false);
  int64_t depth = choice->windows.getTaps() * choice->getInputs();
  Item weights =
      state.addWeights(choice->getWeights(format, false), element, depth);
  Range range = contract(src->item.range, weights.range, depth);
  if (range.magnitude > GraphState::kMaxMagnitude)
    return false;
  SmallVector<Value> operands{src->item.value, weights.value};
  addBias(state, choice->output.channels, element, operands, range);
  Value value = state.create<ConvolutionOp>(
      operands, getAttributes(state, *choice, format));
  addResult(state, value, range, /*isSparse=*/false);
  return true;
}

/// conv_transpose or convolution_backward_data: from the output to the image.
bool addImageOf(GraphState &state, Type element) {
  Random &random = state.random;
  auto dst = pickImage(state, element, kChannels);
  auto chosen = dst ? chooseTo(random, *dst) : std::nullopt;
  if (!chosen)
    return false;
  auto &[choice, more] = *chosen;
  bool isTransposed = random.percent(50);
  StringRef format = pickFormat(random, isTransposed);
  int64_t depth = choice.windows.getOverlap() * choice.getOutputs();
  Item weights =
      state.addWeights(choice.getWeights(format, isTransposed), element, depth);
  Range range = contract(dst->item.range, weights.range, depth);
  if (range.magnitude > GraphState::kMaxMagnitude)
    return false;
  SmallVector<NamedAttribute> attributes = getAttributes(state, choice, format);
  SmallVector<Value> operands{dst->item.value, weights.value};
  bool hasMore = llvm::any_of(more, [](int64_t size) { return size > 0; });
  bool hasGaps = llvm::any_of(choice.windows.axes, [](const Axis &axis) {
    return axis.stride > 1 &&
           (axis.kernel < axis.stride || axis.dilation % axis.stride == 0);
  });
  if (!isTransposed) {
    SmallVector<int64_t> shape;
    if (hasMore || random.percent(60))
      shape = choice.image.get(choice.channelsLast);
    attributes.push_back(makeList(state, "dst_shape", shape));
    attributes.push_back(makeList(state, "output_padding", {}));
    Value value = state.create<ConvolutionBackwardDataOp>(operands, attributes);
    addResult(state, value, range, hasGaps);
    return true;
  }
  if (!hasMore && random.percent(70))
    more.clear();
  attributes.push_back(makeList(state, "output_padding", more));
  addBias(state, choice.image.channels, element, operands, range);
  addResult(state, state.create<ConvTransposeOp>(operands, attributes), range,
            hasGaps);
  return true;
}

bool addTransposedGradient(GraphState &state, Type element) {
  auto diff = pickImage(state, element, kChannels);
  auto choice = diff ? chooseFor(state.random, *diff) : std::nullopt;
  if (!choice)
    return false;
  StringRef format = pickFormat(state.random, true);
  int64_t depth = choice->windows.getTaps() * choice->getInputs();
  Item weights =
      state.addWeights(choice->getWeights(format, true), element, depth);
  Range range = contract(diff->item.range, weights.range, depth);
  if (range.magnitude > GraphState::kMaxMagnitude)
    return false;
  SmallVector<NamedAttribute> attributes =
      getAttributes(state, *choice, format);
  attributes.push_back(makeList(state, "output_padding", {}));
  Value value = state.create<ConvTransposeBackwardDataOp>(
      {diff->item.value, weights.value}, attributes);
  addResult(state, value, range, /*isSparse=*/false);
  return true;
}

/// The gradient of convolution or of conv_transpose.
bool addWeightsGradient(GraphState &state, Type element) {
  Random &random = state.random;
  auto image = pickImage(state, element, kChannels);
  auto choice = image ? chooseFor(random, *image) : std::nullopt;
  if (!choice)
    return false;
  bool isTransposed = random.percent(50);
  StringRef format = pickFormat(random, isTransposed);
  Item output =
      pickTensor(state, choice->output.get(choice->channelsLast), element);
  Range range =
      contract(image->item.range, output.range, choice->getPositions());
  if (range.magnitude > GraphState::kMaxMagnitude)
    return false;
  SmallVector<NamedAttribute> attributes =
      getAttributes(state, *choice, format);
  attributes.push_back(makeList(state, "weights_shape",
                                choice->getWeights(format, isTransposed)));
  if (isTransposed)
    attributes.push_back(makeList(state, "output_padding", {}));
  Value value = isTransposed
                    ? state.create<ConvTransposeBackwardWeightsOp>(
                          {output.value, image->item.value}, attributes)
                    : state.create<ConvolutionBackwardWeightsOp>(
                          {image->item.value, output.value}, attributes);
  addResult(state, value, range, /*isSparse=*/false);
  return true;
}

bool addReversed(GraphState &state, Type element) {
  int64_t choice = state.random.below(5);
  if (choice < 2)
    return addImageOf(state, element);
  return choice == 2 ? addTransposedGradient(state, element)
                     : addWeightsGradient(state, element);
}

} // namespace

bool addConvolution(GraphState &state) {
  return addConvolutionOf(state, state.builder.getF32Type());
}

bool addNarrowConvolution(GraphState &state) {
  return addConvolutionOf(state, pickNarrowType(state));
}

bool addReversedConvolution(GraphState &state) {
  return addReversed(state, state.builder.getF32Type());
}

bool addNarrowReversedConvolution(GraphState &state) {
  return addReversed(state, pickNarrowType(state));
}

} // namespace gc::fuzz
