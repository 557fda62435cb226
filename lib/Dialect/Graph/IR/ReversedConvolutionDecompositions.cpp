// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Transposed convolution and the gradients of convolutions, as convolutions and
// products of matrices.
//
// What a convolution of stride s takes from an element u of an image, counted
// from the first pad, goes to elements y of its output with u = y * s + k. With
// u = q * s + r and k = r + t * s that is y = q - t: for each of the s phases r
// of u, the transposed convolution is a convolution of stride 1 with every s-th
// element of the kernel. All phases read the same elements y, so that one
// convolution with s times as many output channels computes them together.

#include "Movement.h"

using namespace mlir;
using namespace gc::graph;

using Values = SmallVector<Value>;

static SmallVector<int64_t> concat(ArrayRef<ArrayRef<int64_t>> parts) {
  SmallVector<int64_t> all;
  for (ArrayRef<int64_t> part : parts)
    llvm::append_range(all, part);
  return all;
}

static SmallVector<int64_t> range(int64_t begin, int64_t end) {
  return llvm::to_vector(llvm::seq<int64_t>(begin, end));
}

static int64_t multiplyAll(ArrayRef<int64_t> sizes) {
  return ShapedType::getNumElements(sizes);
}

/// The result [k..., i, o] of a gradient in the order of the op's weights.
static Value fromKernelFirst(Decomposition &b, Value weights,
                             const ConvolutionSizes &sizes) {
  int64_t spatial = sizes.kernel.size();
  SmallVector<int64_t> order(spatial + 2);
  for (int64_t i = 0; i < spatial; ++i)
    order[sizes.firstKernelDim + i] = i;
  order[sizes.weightsInputDim] = spatial;
  order[sizes.weightsOutputDim] = spatial + 1;
  if (llvm::is_sorted(order))
    return weights;
  return b.make<StaticTransposeOp>(weights, order);
}

//===----------------------------------------------------------------------===//
// The image from the output
//===----------------------------------------------------------------------===//

namespace {
/// One dimension of the convolution that computes the image.
struct Phases {
  /// Elements of the kernel, of a phase, phases.
  int64_t kernel, taps, phases, dilation;
  /// The first and the number of the q that the image needs.
  int64_t first, count;
  /// Pads of the output, negative where elements of it are not read.
  int64_t padBegin, padEnd;

  Phases(const ConvolutionSizes &sizes, unsigned dim)
      : kernel(sizes.kernel[dim]), phases(sizes.strides[dim]),
        dilation(sizes.dilations[dim]) {
    // The gaps of a dilated kernel become elements of it.
    if (phases > 1) {
      kernel = (kernel - 1) * dilation + 1;
      dilation = 1;
    }
    taps = llvm::divideCeil(kernel, phases);
    int64_t begin = sizes.padsBegin[dim];
    first = begin / phases;
    count = (sizes.input[dim] - 1 + begin) / phases - first + 1;
    int64_t reach = (taps - 1) * dilation;
    padBegin = reach - first;
    padEnd = count - 1 + reach - padBegin - (sizes.output[dim] - 1);
  }
};
} // namespace

/// The weights [t..., o, phases..., i] of the convolution that computes the
/// image, from weights [k..., i, o], all channels of groups together.
static Value makePhases(Decomposition &b, Value weights,
                        const ConvolutionSizes &sizes,
                        ArrayRef<Phases> phases) {
  int64_t spatial = phases.size();
  SmallVector<int64_t> kernel, taps, parts;
  SmallVector<Sliding> gaps, dims;
  for (auto [dim, phase] : llvm::enumerate(phases)) {
    kernel.push_back(phase.kernel);
    taps.push_back(phase.taps);
    parts.push_back(phase.phases);
    gaps.push_back(
        {1, phase.kernel, 1, 1, 0,
         phase.kernel == sizes.kernel[dim] ? 1 : sizes.dilations[dim]});
    dims.push_back({phase.phases, phase.taps, -phase.phases, 1,
                    (phase.taps - 1) * phase.phases, 1});
  }
  int64_t inputs = sizes.inputChannels, outputs = sizes.outputChannels;
  int64_t all = sizes.groups * outputs;
  dims.push_back(Sliding::all(all));
  gaps.push_back(Sliding::all(all));
  // The last dimension is the one that may have scales.
  SmallVector<int64_t> order = range(0, spatial);
  order.append({spatial + 1, spatial});
  weights = transposeBefore(b, weights, order);
  weights =
      reshapeBefore(b, weights, concat({{1}, sizes.kernel, {all, inputs}}));
  if (kernel != sizes.kernel)
    weights = reshapeBefore(b, makeWindowsBefore(b, weights, gaps),
                            concat({{1}, kernel, {all, inputs}}));
  if (multiplyAll(kernel) > 1 || multiplyAll(parts) > 1)
    weights = makeWindowsBefore(b, weights, dims);
  weights = reshapeBefore(
      b, weights, concat({taps, {sizes.groups, outputs}, parts, {inputs}}));
  order = range(0, 2 * spatial + 3);
  std::swap(order[spatial], order[spatial + 1]);
  weights = transposeBefore(b, weights, order);
  return reshapeBefore(
      b, weights,
      concat({taps, {outputs, sizes.groups * multiplyAll(parts) * inputs}}));
}

/// The image [n, x..., i] that a convolution takes, from its output [n, y...,
/// o] and weights [k..., i, o].
static Value buildImage(Decomposition &b, Value output, Value weights,
                        Value bias, const ConvolutionSizes &sizes,
                        Type element) {
  int64_t spatial = sizes.kernel.size();
  SmallVector<Phases> phases;
  SmallVector<int64_t> padsBegin, padsEnd, dilations, counts, parts;
  SmallVector<Sliding> cropped, own;
  bool crops = false;
  for (int64_t dim = 0; dim < spatial; ++dim) {
    const Phases &phase = phases.emplace_back(sizes, dim);
    padsBegin.push_back(phase.padBegin);
    padsEnd.push_back(phase.padEnd);
    dilations.push_back(phase.dilation);
    counts.push_back(phase.count);
    parts.push_back(phase.phases);
    crops |= phase.padBegin < 0 || phase.padEnd < 0;
    cropped.push_back(Sliding::slice(
        -phase.padBegin, sizes.output[dim] + phase.padBegin + phase.padEnd));
    own.push_back(Sliding::slice(
        sizes.padsBegin[dim] - phase.first * phase.phases, sizes.input[dim]));
  }
  if (crops) {
    output = makeSlice(b, output, cropped);
    padsBegin.assign(spatial, 0);
    padsEnd.assign(spatial, 0);
  }
  weights = makePhases(b, weights, sizes, phases);
  bool isWhole = multiplyAll(parts) == 1;
  SmallVector<int64_t> ones(spatial, 1);
  Value image = b.make<ConvolutionOp>(output, weights, isWhole ? bias : Value(),
                                      ones, padsBegin, padsEnd, dilations,
                                      "none", sizes.groups, "NXC", "XIO");
  auto type = cast<RankedTensorType>(image.getType());
  if (type.getElementType() != element)
    image.setType(type.clone(element));
  if (isWhole)
    return image;
  // From [n, q..., group, phases..., i] to [n, (q, phase)..., (group, i)].
  image = b.reshape(image, concat({{sizes.batch},
                                   counts,
                                   {sizes.groups},
                                   parts,
                                   {sizes.inputChannels}}));
  SmallVector<int64_t> order{0}, shape{sizes.batch};
  for (int64_t dim = 0; dim < spatial; ++dim) {
    order.append({1 + dim, 2 + spatial + dim});
    shape.push_back(counts[dim] * parts[dim]);
  }
  order.append({1 + spatial, 2 + 2 * spatial});
  shape.push_back(sizes.groups * sizes.inputChannels);
  image = b.make<StaticTransposeOp>(image, order);
  image = makeSlice(b, b.reshape(image, shape), own);
  return bias ? b.add(image, bias) : image;
}

bool ConvTransposeOp::decomposesToContractions() { return true; }

FailureOr<Values> ConvTransposeOp::decompose(RewriterBase &rewriter) {
  if (!hasStaticShapes(*this))
    return failure();
  Decomposition b(rewriter, *this);
  ConvolutionSizes sizes = getConvolutionSizes(*this);
  Value image = buildImage(
      b, toChannelsLast(b, getSrc(), getDataFormat()),
      toKernelFirst(b, getWeights(), sizes), getBias(), sizes,
      getBias() ? rewriter.getF32Type() : getType().getElementType());
  return finishImage(b, image, getDataFormat(), getType());
}

bool ConvolutionBackwardDataOp::decomposesToContractions() { return true; }

FailureOr<Values> ConvolutionBackwardDataOp::decompose(RewriterBase &rewriter) {
  if (!hasStaticShapes(*this))
    return failure();
  Decomposition b(rewriter, *this);
  ConvolutionSizes sizes = getConvolutionSizes(*this);
  Value image = buildImage(b, toChannelsLast(b, getDiffDst(), getDataFormat()),
                           toKernelFirst(b, getWeights(), sizes), Value(),
                           sizes, getType().getElementType());
  return finishImage(b, image, getDataFormat(), getType());
}

//===----------------------------------------------------------------------===//
// The output from the image
//===----------------------------------------------------------------------===//

bool ConvTransposeBackwardDataOp::decomposesToContractions() { return true; }

FailureOr<Values>
ConvTransposeBackwardDataOp::decompose(RewriterBase &rewriter) {
  if (!hasStaticShapes(*this))
    return failure();
  Decomposition b(rewriter, *this);
  ConvolutionSizes sizes = getConvolutionSizes(*this);
  Value output = b.make<ConvolutionOp>(
      toChannelsLast(b, getDiffDst(), getDataFormat()),
      toKernelFirst(b, getWeights(), sizes), Value(), sizes.strides,
      sizes.padsBegin, sizes.padsEnd, sizes.dilations, "none", sizes.groups,
      "NXC", "XIO");
  output.setType(cast<RankedTensorType>(output.getType())
                     .clone(getType().getElementType()));
  return finishImage(b, output, getDataFormat(), getType());
}

//===----------------------------------------------------------------------===//
// The weights from image and output
//===----------------------------------------------------------------------===//

/// [k..., i, o] from the image [n, x..., i] and the output [n, y..., o]: a
/// product of the windows, transposed, by the output.
static Value buildWeights(Decomposition &b, Value image, Value output,
                          const ConvolutionSizes &sizes) {
  int64_t spatial = sizes.kernel.size(), groups = sizes.groups;
  int64_t taps = multiplyAll(sizes.kernel);
  int64_t rows = sizes.batch * multiplyAll(sizes.output);
  int64_t inputs = sizes.inputChannels, outputs = sizes.outputChannels;
  SmallVector<Sliding> dims;
  bool isWhole = true;
  for (int64_t dim = 0; dim < spatial; ++dim) {
    dims.push_back({sizes.kernel[dim], sizes.output[dim], sizes.strides[dim],
                    sizes.dilations[dim], -sizes.padsBegin[dim], 1});
    isWhole &= dims.back().keepsAll(sizes.input[dim]);
  }
  if (!isWhole)
    image = makeWindows(b, image, dims);
  if (inputs == 1 && outputs == 1) {
    // Each channel for itself.
    SmallVector<int64_t> ones(spatial, 1);
    image = b.reshape(
        image, concat({{sizes.batch}, sizes.output, sizes.kernel, {groups}}));
    output = b.reshape(output,
                       concat({{sizes.batch}, sizes.output, ones, {groups}}));
    Value sum = b.reduce<ReduceSumOp>(
        b.multiply(b.toF32(image), b.toF32(output)), range(0, spatial + 1));
    return b.reshape(sum, concat({sizes.kernel, {1, groups}}));
  }
  Value product;
  if (groups == 1) {
    image = b.reshape(image, {rows, taps * inputs});
    output = b.reshape(output, {rows, outputs});
  } else {
    image = b.reshape(image, {rows, taps, groups, inputs});
    image = b.make<StaticTransposeOp>(image, ArrayRef<int64_t>{2, 0, 1, 3});
    image = b.reshape(image, {groups, rows, taps * inputs});
    output = b.reshape(output, {rows, groups, outputs});
    output = b.make<StaticTransposeOp>(output, ArrayRef<int64_t>{1, 0, 2});
  }
  product = b.make<MatmulOp>(image, output, ValueRange(), /*transpose_a=*/true,
                             /*transpose_b=*/false, TemplateAttrInterface(),
                             /*src_zp=*/0, /*weights_zp=*/0,
                             /*weights_group=*/0, WindowAttr());
  product.setType(
      cast<RankedTensorType>(product.getType()).clone(b.rewriter.getF32Type()));
  if (groups > 1) {
    product = b.reshape(product, {groups, taps, inputs, outputs});
    product = b.make<StaticTransposeOp>(product, ArrayRef<int64_t>{1, 2, 0, 3});
  }
  return b.reshape(product, concat({sizes.kernel, {inputs, groups * outputs}}));
}

bool ConvolutionBackwardWeightsOp::decomposesToContractions() { return true; }

FailureOr<Values>
ConvolutionBackwardWeightsOp::decompose(RewriterBase &rewriter) {
  if (!hasStaticShapes(*this))
    return failure();
  Decomposition b(rewriter, *this);
  ConvolutionSizes sizes = getConvolutionSizes(*this);
  Value weights =
      buildWeights(b, toChannelsLast(b, getSrc(), getDataFormat()),
                   toChannelsLast(b, getDiffDst(), getDataFormat()), sizes);
  return finish(b, fromKernelFirst(b, weights, sizes), getType());
}

bool ConvTransposeBackwardWeightsOp::decomposesToContractions() { return true; }

FailureOr<Values>
ConvTransposeBackwardWeightsOp::decompose(RewriterBase &rewriter) {
  if (!hasStaticShapes(*this))
    return failure();
  Decomposition b(rewriter, *this);
  ConvolutionSizes sizes = getConvolutionSizes(*this);
  Value weights =
      buildWeights(b, toChannelsLast(b, getDiffDst(), getDataFormat()),
                   toChannelsLast(b, getSrc(), getDataFormat()), sizes);
  return finish(b, fromKernelFirst(b, weights, sizes), getType());
}
