// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Softmax and norms: type inference and verification.

#include "Checks.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gc::graph;

LogicalResult gc::graph::checkAxis(std::optional<Location> loc, StringRef name,
                                   int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return success();
  return emitOptionalError(loc, "(C1) ", name, " ", axis, " is not one of ",
                           rank, " dimensions");
}

LogicalResult gc::graph::checkPositive(std::optional<Location> loc,
                                       StringRef constraint, StringRef name,
                                       const APFloat &value) {
  if (value.isFinite() && !value.isNegative() && !value.isZero())
    return success();
  return emitOptionalError(loc, "(", constraint, ") ", name,
                           " is not positive");
}

static LogicalResult checkEpsilon(std::optional<Location> loc,
                                  StringRef constraint,
                                  const APFloat &epsilon) {
  return checkPositive(loc, constraint, "epsilon", epsilon);
}

FailureOr<int64_t> gc::graph::getChannels(std::optional<Location> loc,
                                          RankedTensorType src,
                                          StringRef format) {
  if (format != "NXC" && format != "NCX")
    return emitOptionalError(
        loc, "(C1) data_format must be \"NXC\" or \"NCX\", not \"", format,
        "\"");
  if (src.getRank() < 2)
    return emitOptionalError(loc, "(C2) src of rank ", src.getRank(),
                             " has no channels");
  return src.getDimSize(format == "NXC" ? src.getRank() - 1 : 1);
}

LogicalResult gc::graph::checkParameters(std::optional<Location> loc,
                                         ValueRange parameters, Type element,
                                         ArrayRef<int64_t> shape,
                                         StringRef shapeConstraint,
                                         StringRef typeConstraint) {
  for (Value parameter : parameters) {
    auto type = cast<RankedTensorType>(parameter.getType());
    if (failed(verifyCompatibleShape(type.getShape(), shape)))
      return emitOptionalError(loc, "(", shapeConstraint,
                               ") parameters of shape [", type.getShape(),
                               "] are not of the shape [", shape, "]");
    Type actual = type.getElementType();
    if (actual != getElementTypeOrSelf(parameters[0].getType()) ||
        !(actual.isF32() || (actual.isBF16() && element.isBF16())))
      return emitOptionalError(loc, "(", typeConstraint, ") element type ",
                               actual, " of a parameter does not fit ",
                               element);
  }
  return success();
}

LogicalResult gc::graph::checkAffine(std::optional<Location> loc, size_t count,
                                     bool useAffine, StringRef constraint) {
  if (count == (useAffine ? 2 : 0))
    return success();
  return emitOptionalError(loc, "(", constraint, ") use_affine is ",
                           useAffine ? "true" : "false", " but there are ",
                           count, " of gamma and beta");
}

//===----------------------------------------------------------------------===//
// softmax, log_softmax
//===----------------------------------------------------------------------===//

LogicalResult
SoftmaxOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                            ValueRange operands, DictionaryAttr attributes,
                            OpaqueProperties properties, RegionRange regions,
                            SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  if (failed(checkAxis(loc, "axis", adaptor.getAxis(), src.getRank())))
    return failure();
  if (adaptor.getMode() != "none" && adaptor.getMode() != "inf_as_zero")
    return emitOptionalError(loc, "(C2) unknown mode \"", adaptor.getMode(),
                             "\"");
  types.push_back(dropLayout(src));
  SmallVector<int64_t> rows(src.getShape());
  int64_t axis = adaptor.getAxis();
  rows[axis < 0 ? axis + src.getRank() : axis] = 1;
  types.push_back(RankedTensorType::get(rows, Float32Type::get(context)));
  return success();
}

LogicalResult
LogSoftmaxOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                               ValueRange operands, DictionaryAttr attributes,
                               OpaqueProperties properties, RegionRange regions,
                               SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  types.push_back(dropLayout(src));
  return checkAxis(loc, "axis", adaptor.getAxis(), src.getRank());
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

LogicalResult
LayerNormOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  int64_t begin = adaptor.getBeginNormAxis(), rank = src.getRank();
  if (failed(checkAxis(loc, "begin_norm_axis", begin, rank)) ||
      failed(checkEpsilon(loc, "C2", adaptor.getEpsilon())) ||
      failed(
          checkAffine(loc, operands.size() - 1, adaptor.getUseAffine(), "C3")))
    return failure();
  begin += begin < 0 ? rank : 0;
  if (failed(checkParameters(loc, operands.drop_front(), src.getElementType(),
                             src.getShape().drop_front(begin), "C4", "C5")))
    return failure();
  types.push_back(dropLayout(src));
  // Statistics have the element type of gamma and beta, f32 without them.
  Type element = operands.size() > 1 ? getElementTypeOrSelf(operands[1])
                                     : Float32Type::get(context);
  if (adaptor.getKeepStats())
    types.append(
        2, RankedTensorType::get(src.getShape().take_front(begin), element));
  return success();
}

LogicalResult
GroupNormOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  auto channels = getChannels(loc, src, adaptor.getDataFormat());
  if (failed(channels))
    return failure();
  int64_t groups = adaptor.getGroups();
  if (groups < 1 ||
      (!ShapedType::isDynamic(*channels) && *channels % groups != 0))
    return emitOptionalError(loc, "(C3) ", groups, " groups do not divide ",
                             *channels, " channels");
  if (failed(checkEpsilon(loc, "C4", adaptor.getEpsilon())) ||
      failed(checkAffine(loc, operands.size() - 1, adaptor.getUseAffine(),
                         "C5")) ||
      failed(checkParameters(loc, operands.drop_front(), src.getElementType(),
                             *channels, "C6", "C7")))
    return failure();
  types.push_back(dropLayout(src));
  Type element = operands.size() > 1 ? getElementTypeOrSelf(operands[1])
                                     : Float32Type::get(context);
  if (adaptor.getKeepStats())
    types.append(2,
                 RankedTensorType::get({src.getDimSize(0), groups}, element));
  return success();
}

LogicalResult BatchNormInferenceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  auto channels = getChannels(loc, src, adaptor.getDataFormat());
  if (failed(channels) ||
      failed(checkEpsilon(loc, "C3", adaptor.getEpsilon())) ||
      failed(checkParameters(loc, operands.drop_front(), src.getElementType(),
                             *channels, "C4", "C5")))
    return failure();
  types.push_back(dropLayout(src));
  return success();
}

LogicalResult
RmsNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                            ValueRange operands, DictionaryAttr attributes,
                            OpaqueProperties properties, RegionRange regions,
                            SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  int64_t begin = adaptor.getBeginNormAxis(), rank = src.getRank();
  if (failed(checkAxis(loc, "begin_norm_axis", begin, rank)) ||
      failed(checkEpsilon(loc, "C2", adaptor.getEpsilon())))
    return failure();
  begin += begin < 0 ? rank : 0;
  if (Value gamma = adaptor.getGamma()) {
    auto type = cast<RankedTensorType>(gamma.getType());
    if (failed(verifyCompatibleShape(type.getShape(),
                                     src.getShape().drop_front(begin))))
      return emitOptionalError(loc, "(C3) gamma of shape [", type.getShape(),
                               "] is not of the shape [",
                               src.getShape().drop_front(begin), "]");
    if (!type.getElementType().isF32() &&
        type.getElementType() != src.getElementType())
      return emitOptionalError(loc, "(C4) element type ", type.getElementType(),
                               " of gamma does not fit ", src.getElementType());
  }
  types.push_back(dropLayout(src));
  return success();
}
