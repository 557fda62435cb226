// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolution: type inference and verification, sizes.

#include "Dialect/Graph/IR/GraphOps.h"
#include "SpatialDims.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

LogicalResult ConvolutionOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  auto weights = cast<RankedTensorType>(operands[1].getType());
  int64_t rank = src.getRank(), spatial = rank - 2;
  if (rank != weights.getRank() || spatial < 1 || spatial > 3)
    return emitOptionalError(loc, "(C1) src has ", rank,
                             " dimensions and weights have ", weights.getRank(),
                             "; both must have three, four or five");
  StringRef format = adaptor.getDataFormat(),
            weightsFormat = adaptor.getWeightsFormat(),
            autoPad = adaptor.getAutoPad();
  if (failed(checkName(loc, "data_format", format, {"NXC", "NCX"})) ||
      failed(checkName(loc, "weights_format", weightsFormat, {"XIO", "OIX"})) ||
      failed(checkName(loc, "auto_pad", autoPad,
                       {"none", "same_upper", "same_lower", "valid"})) ||
      failed(checkList(loc, "strides", adaptor.getStrides(), spatial, 1)) ||
      failed(
          checkList(loc, "pads_begin", adaptor.getPadsBegin(), spatial, 0)) ||
      failed(checkList(loc, "pads_end", adaptor.getPadsEnd(), spatial, 0)) ||
      failed(checkList(loc, "dilations", adaptor.getDilations(), spatial, 1)))
    return failure();

  auto isDynamic = [](int64_t size) { return ShapedType::isDynamic(size); };
  ImageDims dims(format, rank);
  int64_t groups = adaptor.getGroups();
  int64_t channels = src.getDimSize(dims.channel);
  bool kernelFirst = weightsFormat == "XIO";
  int64_t inputs = weights.getDimSize(kernelFirst ? rank - 2 : 1);
  int64_t outputs = weights.getDimSize(kernelFirst ? rank - 1 : 0);
  if (groups < 1 || (!isDynamic(channels) && channels % groups != 0) ||
      (!isDynamic(outputs) && outputs % groups != 0))
    return emitOptionalError(loc, "(C4) ", groups, " groups do not divide ",
                             channels, " input and ", outputs,
                             " output channels");
  if (!isDynamic(channels) && !isDynamic(inputs) && channels / groups != inputs)
    return emitOptionalError(loc, "(C4) weights have ", inputs,
                             " input channels, a group of src has ",
                             channels / groups);

  SmallVector<int64_t> shape(src.getShape());
  shape[dims.channel] = outputs;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t &size = shape[dims.firstSpatial + i];
    SpatialDim line{size,
                    weights.getDimSize(i + (kernelFirst ? 0 : 2)),
                    adaptor.getStrides()[i],
                    adaptor.getDilations()[i],
                    adaptor.getPadsBegin()[i],
                    adaptor.getPadsEnd()[i]};
    FailureOr<int64_t> output = checkOutput(loc, "C5", i, line, autoPad);
    if (failed(output))
      return failure();
    size = *output;
  }
  types.push_back(
      RankedTensorType::get(shape, getSumType(src.getElementType())));
  return success();
}

LogicalResult ConvolutionOp::verify() {
  Type element = getSrc().getType().getElementType();
  Type weights = getWeights().getType().getElementType();
  if (element != weights)
    return emitOpError("(C7) element types ")
           << element << " and " << weights << " differ";
  Type bias;
  if (getBias()) {
    auto type = getBias().getType();
    int64_t rank = getSrc().getType().getRank();
    int64_t channels =
        getType().getDimSize(ImageDims(getDataFormat(), rank).channel);
    if (failed(verifyCompatibleShape(type.getShape(), {channels})))
      return emitOpError("(C6) bias of shape [")
             << type.getShape() << "] does not fit " << channels
             << " output channels";
    bias = type.getElementType();
  }
  return verifyContractionElements(*this, "C7", element,
                                   getType().getElementType(), bias);
}

ConvolutionSizes gc::graph::getConvolutionSizes(ConvolutionOp op) {
  auto src = op.getSrc().getType(), weights = op.getWeights().getType();
  int64_t rank = src.getRank();
  ImageDims dims(op.getDataFormat(), rank);
  bool kernelFirst = op.getWeightsFormat() == "XIO";
  ConvolutionSizes sizes;
  sizes.channelDim = dims.channel;
  sizes.firstSpatialDim = dims.firstSpatial;
  sizes.weightsInputDim = kernelFirst ? rank - 2 : 1;
  sizes.weightsOutputDim = kernelFirst ? rank - 1 : 0;
  sizes.firstKernelDim = kernelFirst ? 0 : 2;
  sizes.batch = src.getDimSize(0);
  sizes.groups = op.getGroups();
  sizes.inputChannels = weights.getDimSize(sizes.weightsInputDim);
  sizes.outputChannels =
      weights.getDimSize(sizes.weightsOutputDim) / sizes.groups;
  sizes.strides = llvm::to_vector(op.getStrides());
  sizes.dilations = llvm::to_vector(op.getDilations());
  for (int64_t i = 0; i < rank - 2; ++i) {
    SpatialDim line{src.getDimSize(dims.firstSpatial + i),
                    weights.getDimSize(sizes.firstKernelDim + i),
                    op.getStrides()[i],
                    op.getDilations()[i],
                    op.getPadsBegin()[i],
                    op.getPadsEnd()[i]};
    line.resolvePads(op.getAutoPad());
    sizes.output.push_back(line.getOutput());
    sizes.input.push_back(line.input);
    sizes.kernel.push_back(line.kernel);
    sizes.padsBegin.push_back(line.padBegin);
    sizes.padsEnd.push_back(line.padEnd);
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// As a tunable op
//===----------------------------------------------------------------------===//

int64_t ConvolutionOp::getFlops() {
  ConvolutionSizes sizes = getConvolutionSizes(*this);
  int64_t flops = 2 * sizes.inputChannels;
  for (int64_t size : getType().getShape())
    flops *= size;
  for (int64_t size : sizes.kernel)
    flops *= size;
  return flops;
}
