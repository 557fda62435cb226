// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Transposed convolution and the gradients of convolutions: type inference and
// verification, sizes. All of them are described by one convolution, of an
// image to an output: the op computes one of the image, the output and the
// weights from the two others.

#include "Dialect/Graph/IR/GraphOps.h"
#include "SpatialDims.h"

using namespace mlir;
using namespace gc::graph;

namespace {
/// Where weights have what, in the order of a format.
struct WeightsDims {
  int64_t input, output, firstKernel;

  /// In names of transposed convolutions O is the image's side, I the output's.
  WeightsDims(StringRef format, int64_t rank, bool isTransposed) {
    bool kernelFirst = format.starts_with("X");
    firstKernel = kernelFirst ? 0 : 2;
    StringRef sides = kernelFirst ? format.drop_front() : format.take_front(2);
    int64_t first = kernelFirst ? rank - 2 : 0;
    bool outputFirst = sides == (isTransposed ? "IO" : "OI");
    output = outputFirst ? first : first + 1;
    input = outputFirst ? first + 1 : first;
  }
};

/// What the ops have in common.
struct Attrs {
  ArrayRef<int64_t> strides, padsBegin, padsEnd, dilations, outputPadding;
  int64_t groups;
  StringRef autoPad, dataFormat, weightsFormat;
  bool isTransposed;

  template <typename Op>
  Attrs(Op op, bool isTransposed)
      : strides(op.getStrides()), padsBegin(op.getPadsBegin()),
        padsEnd(op.getPadsEnd()), dilations(op.getDilations()),
        outputPadding(findOutputPadding(op, 0)), groups(op.getGroups()),
        autoPad(op.getAutoPad()), dataFormat(op.getDataFormat()),
        weightsFormat(op.getWeightsFormat()), isTransposed(isTransposed) {}

  SpatialDim getDim(int64_t index, int64_t image, int64_t kernel) const {
    return {image,
            kernel,
            strides[index],
            dilations[index],
            padsBegin[index],
            padsEnd[index]};
  }

private:
  template <typename Op>
  static auto findOutputPadding(Op op, int) -> decltype(op.getOutputPadding()) {
    return op.getOutputPadding();
  }
  template <typename Op>
  static ArrayRef<int64_t> findOutputPadding(Op, long) {
    return {};
  }
};

/// The shapes of the three tensors, empty if the op computes it.
struct Shapes {
  SmallVector<int64_t> image, output, weights;
};
} // namespace

/// (C2) and (C3)
static LogicalResult checkAttrs(OptionalLoc loc, const Attrs &attrs,
                                int64_t spatial) {
  SmallVector<StringRef> formats{"XIO", "OIX"};
  if (attrs.isTransposed)
    formats.append({"IOX", "XOI"});
  if (failed(checkName(loc, "data_format", attrs.dataFormat, {"NXC", "NCX"})) ||
      failed(checkName(loc, "weights_format", attrs.weightsFormat, formats)) ||
      failed(checkName(loc, "auto_pad", attrs.autoPad,
                       {"none", "same_upper", "same_lower", "valid"})) ||
      failed(checkList(loc, "strides", attrs.strides, spatial, 1)) ||
      failed(checkList(loc, "pads_begin", attrs.padsBegin, spatial, 0)) ||
      failed(checkList(loc, "pads_end", attrs.padsEnd, spatial, 0)) ||
      failed(checkList(loc, "dilations", attrs.dilations, spatial, 1)))
    return failure();
  if (attrs.outputPadding.empty())
    return success();
  if (static_cast<int64_t>(attrs.outputPadding.size()) < spatial)
    return checkList(loc, "output_padding", attrs.outputPadding, spatial, 0);
  auto own = attrs.outputPadding.take_front(spatial);
  if (failed(checkList(loc, "output_padding", own, spatial, 0)))
    return failure();
  if (llvm::any_of(attrs.outputPadding.drop_front(spatial),
                   [](int64_t value) { return value != 0; }))
    return emitOptionalError(loc, "(C3) output_padding has ",
                             attrs.outputPadding.size(), " elements for ",
                             spatial, " spatial dimensions");
  return success();
}

/// Elements of the image along a dimension, from those of the output.
static FailureOr<int64_t> getImageSize(OptionalLoc loc, const Attrs &attrs,
                                       int64_t index, int64_t output,
                                       int64_t kernel) {
  if (ShapedType::isDynamic(output) || ShapedType::isDynamic(kernel))
    return ShapedType::kDynamic;
  if (output > kMostElements || kernel > kMostElements)
    return emitOptionalError(loc, "(C5) spatial dimension ", index,
                             " is too large");
  SpatialDim dim = attrs.getDim(index, 0, kernel);
  if (attrs.autoPad.starts_with("same"))
    return output * dim.stride;
  dim.resolvePads(attrs.autoPad);
  int64_t more = attrs.outputPadding.empty() ? 0 : attrs.outputPadding[index];
  int64_t size = (output - 1) * dim.stride + dim.getReach() - dim.padBegin -
                 dim.padEnd + more;
  if (size < 1)
    return emitOptionalError(loc, "(C5) spatial dimension ", index, " has ",
                             size, " elements");
  return size;
}

/// Checks all constraints on shapes and fills in the shape that the op
/// computes.
static LogicalResult inferShapes(OptionalLoc loc, const Attrs &attrs,
                                 Shapes &shapes) {
  int64_t rank = std::max(shapes.image.size(), shapes.output.size());
  auto hasRank = [&](ArrayRef<int64_t> shape) {
    return shape.empty() || static_cast<int64_t>(shape.size()) == rank;
  };
  if (rank < 3 || rank > 5 || !hasRank(shapes.image) ||
      !hasRank(shapes.output) || !hasRank(shapes.weights))
    return emitOptionalError(
        loc, "(C1) a tensor has ", rank, " dimensions and weights have ",
        shapes.weights.size(), "; all must have three, four or five");
  int64_t spatial = rank - 2;
  if (failed(checkAttrs(loc, attrs, spatial)))
    return failure();
  ImageDims dims(attrs.dataFormat, rank);
  WeightsDims weights(attrs.weightsFormat, rank, attrs.isTransposed);
  int64_t inputs = shapes.weights[weights.input];
  int64_t outputs = shapes.weights[weights.output];
  auto isDynamic = [](int64_t size) { return ShapedType::isDynamic(size); };
  auto fits = [&](int64_t a, int64_t b) {
    return isDynamic(a) || isDynamic(b) || a == b;
  };
  bool isTooLarge = inputs > kMostElements || attrs.groups > kMostElements;
  if (attrs.groups < 1 || isTooLarge ||
      (!isDynamic(outputs) && outputs % attrs.groups != 0))
    return emitOptionalError(loc, "(C4) ", attrs.groups,
                             " groups do not divide ", outputs, " channels");
  int64_t channels = isDynamic(inputs) ? inputs : inputs * attrs.groups;
  if (!shapes.output.empty() && !fits(shapes.output[dims.channel], outputs))
    return emitOptionalError(loc, "(C4) weights are for ", outputs,
                             " channels, of which there are ",
                             shapes.output[dims.channel]);
  if (!shapes.image.empty() && !fits(shapes.image[dims.channel], channels))
    return emitOptionalError(
        loc, "(", attrs.isTransposed ? "C4" : "C5", ") weights are for ",
        channels, " channels, of which there are ", shapes.image[dims.channel]);
  bool needsImage = shapes.image.empty(), needsOutput = shapes.output.empty();
  if (needsImage)
    shapes.image = shapes.output;
  if (needsOutput)
    shapes.output = shapes.image;
  if (!fits(shapes.image[0], shapes.output[0]))
    return emitOptionalError(loc, "(C5) batches of ", shapes.image[0], " and ",
                             shapes.output[0]);
  if (needsImage)
    shapes.image[dims.channel] = channels;
  if (needsOutput)
    shapes.output[dims.channel] = outputs;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t &image = shapes.image[dims.firstSpatial + i];
    int64_t &output = shapes.output[dims.firstSpatial + i];
    int64_t kernel = shapes.weights[weights.firstKernel + i];
    if (needsImage) {
      FailureOr<int64_t> size = getImageSize(loc, attrs, i, output, kernel);
      if (failed(size))
        return failure();
      image = *size;
    }
    FailureOr<int64_t> size = checkOutput(
        loc, "C5", i, attrs.getDim(i, image, kernel), attrs.autoPad);
    if (failed(size))
      return failure();
    if (needsOutput)
      output = *size;
    else if (!fits(output, *size))
      return emitOptionalError(loc, "(C5) a convolution of ", image,
                               " elements along spatial dimension ", i,
                               " gives ", *size, ", not ", output);
  }
  return success();
}

static ConvolutionSizes getSizes(const Attrs &attrs, ArrayRef<int64_t> image,
                                 ArrayRef<int64_t> output,
                                 ArrayRef<int64_t> weights) {
  int64_t rank = image.size();
  ImageDims dims(attrs.dataFormat, rank);
  WeightsDims of(attrs.weightsFormat, rank, attrs.isTransposed);
  ConvolutionSizes sizes;
  sizes.channelDim = dims.channel;
  sizes.firstSpatialDim = dims.firstSpatial;
  sizes.weightsInputDim = of.input;
  sizes.weightsOutputDim = of.output;
  sizes.firstKernelDim = of.firstKernel;
  sizes.batch = image[0];
  sizes.groups = attrs.groups;
  sizes.inputChannels = weights[of.input];
  sizes.outputChannels = weights[of.output] / attrs.groups;
  for (int64_t i = 0; i < rank - 2; ++i) {
    SpatialDim dim = attrs.getDim(i, image[dims.firstSpatial + i],
                                  weights[of.firstKernel + i]);
    dim.resolvePads(attrs.autoPad);
    sizes.input.push_back(dim.input);
    sizes.kernel.push_back(dim.kernel);
    sizes.output.push_back(output[dims.firstSpatial + i]);
    sizes.strides.push_back(dim.stride);
    sizes.dilations.push_back(dim.dilation);
    sizes.padsBegin.push_back(dim.padBegin);
    sizes.padsEnd.push_back(dim.padEnd);
  }
  return sizes;
}

static SmallVector<int64_t> getShape(Value value) {
  return llvm::to_vector(cast<RankedTensorType>(value.getType()).getShape());
}

static void addType(ArrayRef<int64_t> shape, Value like,
                    SmallVectorImpl<Type> &types) {
  types.push_back(
      RankedTensorType::get(shape, getElementTypeOrSelf(like.getType())));
}

LogicalResult ConvTransposeOp::infer(OptionalLoc loc, ValueRange operands,
                                     Adaptor op, SmallVectorImpl<Type> &types) {
  Shapes shapes{{}, getShape(operands[0]), getShape(operands[1])};
  if (failed(inferShapes(loc, Attrs(op, true), shapes)))
    return failure();
  addType(shapes.image, operands[0], types);
  return success();
}

LogicalResult ConvTransposeBackwardDataOp::infer(OptionalLoc loc,
                                                 ValueRange operands,
                                                 Adaptor op,
                                                 SmallVectorImpl<Type> &types) {
  Shapes shapes{getShape(operands[0]), {}, getShape(operands[1])};
  if (failed(inferShapes(loc, Attrs(op, true), shapes)))
    return failure();
  addType(shapes.output, operands[0], types);
  return success();
}

/// (C1)
static LogicalResult checkSizes(OptionalLoc loc, StringRef name,
                                ArrayRef<int64_t> shape) {
  for (int64_t size : shape)
    if (size < 1 || size > kMostElements)
      return emitOptionalError(loc, "(C1) ", name, " has a size of ", size);
  return success();
}

LogicalResult
ConvTransposeBackwardWeightsOp::infer(OptionalLoc loc, ValueRange operands,
                                      Adaptor op,
                                      SmallVectorImpl<Type> &types) {
  Shapes shapes{getShape(operands[1]), getShape(operands[0]),
                llvm::to_vector(op.getWeightsShape())};
  if (failed(checkSizes(loc, "weights_shape", shapes.weights)) ||
      failed(inferShapes(loc, Attrs(op, true), shapes)))
    return failure();
  addType(shapes.weights, operands[0], types);
  return success();
}

LogicalResult ConvolutionBackwardDataOp::infer(OptionalLoc loc,
                                               ValueRange operands, Adaptor op,
                                               SmallVectorImpl<Type> &types) {
  Shapes shapes{llvm::to_vector(op.getDstShape()), getShape(operands[0]),
                getShape(operands[1])};
  if (failed(checkSizes(loc, "dst_shape", shapes.image)) ||
      failed(inferShapes(loc, Attrs(op, false), shapes)))
    return failure();
  addType(shapes.image, operands[0], types);
  return success();
}

LogicalResult
ConvolutionBackwardWeightsOp::infer(OptionalLoc loc, ValueRange operands,
                                    Adaptor op, SmallVectorImpl<Type> &types) {
  Shapes shapes{getShape(operands[0]), getShape(operands[1]),
                llvm::to_vector(op.getWeightsShape())};
  if (failed(checkSizes(loc, "weights_shape", shapes.weights)) ||
      failed(inferShapes(loc, Attrs(op, false), shapes)))
    return failure();
  addType(shapes.weights, operands[0], types);
  return success();
}

/// (C7)
static LogicalResult verifyElements(Operation *op, Type bias = {}) {
  Type element = getElementTypeOrSelf(op->getOperand(0));
  Type other = getElementTypeOrSelf(op->getOperand(1));
  if (element != other)
    return op->emitOpError("(C7) element types ")
           << element << " and " << other << " differ";
  return verifyContractionElements(
      op, "C7", element, getElementTypeOrSelf(op->getResult(0)), bias);
}

LogicalResult ConvTransposeOp::verify() {
  if (!getBias())
    return verifyElements(*this);
  auto bias = getBias().getType();
  int64_t channels = getType().getDimSize(
      ImageDims(getDataFormat(), getType().getRank()).channel);
  if (failed(verifyCompatibleShape(bias.getShape(), {channels})))
    return emitOpError("(C6) bias of shape [")
           << bias.getShape() << "] does not fit " << channels
           << " output channels";
  return verifyElements(*this, bias.getElementType());
}
LogicalResult ConvTransposeBackwardDataOp::verify() {
  return verifyElements(*this);
}
LogicalResult ConvTransposeBackwardWeightsOp::verify() {
  return verifyElements(*this);
}
LogicalResult ConvolutionBackwardDataOp::verify() {
  return verifyElements(*this);
}
LogicalResult ConvolutionBackwardWeightsOp::verify() {
  return verifyElements(*this);
}

ConvolutionSizes gc::graph::getConvolutionSizes(ConvTransposeOp op) {
  return getSizes(Attrs(op, true), op.getType().getShape(),
                  op.getSrc().getType().getShape(),
                  op.getWeights().getType().getShape());
}
ConvolutionSizes
gc::graph::getConvolutionSizes(ConvTransposeBackwardDataOp op) {
  return getSizes(Attrs(op, true), op.getDiffDst().getType().getShape(),
                  op.getType().getShape(),
                  op.getWeights().getType().getShape());
}
ConvolutionSizes
gc::graph::getConvolutionSizes(ConvTransposeBackwardWeightsOp op) {
  return getSizes(Attrs(op, true), op.getDiffDst().getType().getShape(),
                  op.getSrc().getType().getShape(), op.getType().getShape());
}
ConvolutionSizes gc::graph::getConvolutionSizes(ConvolutionBackwardDataOp op) {
  return getSizes(Attrs(op, false), op.getType().getShape(),
                  op.getDiffDst().getType().getShape(),
                  op.getWeights().getType().getShape());
}
ConvolutionSizes
gc::graph::getConvolutionSizes(ConvolutionBackwardWeightsOp op) {
  return getSizes(Attrs(op, false), op.getSrc().getType().getShape(),
                  op.getDiffDst().getType().getShape(),
                  op.getType().getShape());
}
