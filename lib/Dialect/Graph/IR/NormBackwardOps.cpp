// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients of softmax and norms, and batch norm for training: type inference
// and verification.

#include "Checks.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gc::graph;

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

static LogicalResult inferSoftmaxGradient(std::optional<Location> loc,
                                          TypeRange operands, int64_t axis,
                                          SmallVectorImpl<Type> &types) {
  auto dst = cast<RankedTensorType>(operands[1]);
  types.push_back(dropLayout(dst));
  return success(succeeded(checkAxis(loc, "axis", axis, dst.getRank())) &&
                 succeeded(checkShapes(loc, "C2", operands[0], dst)) &&
                 succeeded(checkElements(loc, "C3", operands)));
}

LogicalResult SoftmaxBackwardOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  return inferSoftmaxGradient(loc, operands.getTypes(), adaptor.getAxis(),
                              types);
}

LogicalResult LogSoftmaxBackwardOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  return inferSoftmaxGradient(loc, operands.getTypes(), adaptor.getAxis(),
                              types);
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

LogicalResult LayerNormBackwardOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  int64_t begin = adaptor.getBeginNormAxis(), rank = src.getRank();
  ValueRange affine = adaptor.getAffine(), stats = operands.slice(2, 2);
  if (failed(checkAxis(loc, "begin_norm_axis", begin, rank)) ||
      failed(checkPositive(loc, "C2", "epsilon", adaptor.getEpsilon())) ||
      failed(checkAffine(loc, affine.size(), adaptor.getUseAffine(), "C3")))
    return failure();
  begin += begin < 0 ? rank : 0;
  Type diffDst = operands[1].getType(), element = src.getElementType();
  if (failed(checkShapes(loc, "C4", src, diffDst)) ||
      failed(checkElements(loc, "C5", {src, diffDst})) ||
      failed(checkParameters(loc, stats, element,
                             src.getShape().take_front(begin), "C4", "C5")) ||
      failed(checkParameters(loc, affine, element,
                             src.getShape().drop_front(begin), "C4", "C5")) ||
      failed(checkElements(loc, "C5", operands.drop_front(2).getTypes())))
    return failure();
  types.push_back(dropLayout(src));
  for (Value parameter : affine)
    types.push_back(dropLayout(parameter.getType()));
  return success();
}

LogicalResult BatchNormForwardTrainingOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  auto channels = getChannels(loc, src, adaptor.getDataFormat());
  if (failed(channels) ||
      failed(checkPositive(loc, "C3", "epsilon", adaptor.getEpsilon())) ||
      failed(checkPositive(loc, "C3", "momentum", adaptor.getMomentum())))
    return failure();
  size_t count = adaptor.getAffine().size();
  if (count != 0 && count != 2)
    return emitOptionalError(loc, "(C4) there are ", count,
                             " of gamma and beta");
  if (failed(checkParameters(loc, operands.drop_front(), src.getElementType(),
                             *channels, "C5", "C6")))
    return failure();
  types.push_back(dropLayout(src));
  types.append(4, dropLayout(operands[1].getType()));
  return success();
}

LogicalResult BatchNormTrainingBackwardOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  Type diffDst = operands[1].getType();
  auto channels = getChannels(loc, src, adaptor.getDataFormat());
  if (failed(channels) ||
      failed(checkPositive(loc, "C3", "epsilon", adaptor.getEpsilon())) ||
      failed(checkShapes(loc, "C4", src, diffDst)) ||
      failed(checkElements(loc, "C5", {src, diffDst})) ||
      failed(checkParameters(loc, operands.drop_front(2), src.getElementType(),
                             *channels, "C4", "C5")))
    return failure();
  types.push_back(dropLayout(src));
  types.append(2, dropLayout(operands[2].getType()));
  return success();
}
