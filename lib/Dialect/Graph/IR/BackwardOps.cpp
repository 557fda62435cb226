// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients of elementwise functions, and prelu: type inference and
// verification.

#include "Checks.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gc::graph;

LogicalResult gc::graph::checkElements(std::optional<Location> loc,
                                       StringRef constraint, TypeRange types) {
  Type first = getElementTypeOrSelf(types.front());
  for (Type type : types)
    if (getElementTypeOrSelf(type) != first)
      return emitOptionalError(loc, "(", constraint, ") element types ", first,
                               " and ", getElementTypeOrSelf(type), " differ");
  return success();
}

LogicalResult gc::graph::checkShapes(std::optional<Location> loc,
                                     StringRef constraint, Type src,
                                     Type diffDst) {
  ArrayRef<int64_t> lhs = cast<RankedTensorType>(src).getShape();
  ArrayRef<int64_t> rhs = cast<RankedTensorType>(diffDst).getShape();
  if (succeeded(verifyCompatibleShape(lhs, rhs)))
    return success();
  return emitOptionalError(loc, "(", constraint, ") shapes [", lhs, "] and [",
                           rhs, "] differ");
}

static LogicalResult checkFormat(std::optional<Location> loc,
                                 StringRef format) {
  if (format == "NXC" || format == "NCX")
    return success();
  return emitOptionalError(
      loc, "(C1) data_format must be \"NXC\" or \"NCX\", not \"", format, "\"");
}

LogicalResult gc::graph::inferGradientType(std::optional<Location> loc,
                                           TypeRange operands,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(dropLayout(operands[0]));
  return success(succeeded(checkShapes(loc, "C1", operands[0], operands[1])) &&
                 succeeded(checkElements(loc, "C2", operands)));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult ClampBackwardOp::verify() {
  if (getMin().isNaN() || getMax().isNaN())
    return emitOpError("(C3) a bound is NaN");
  if (getMin() > getMax())
    return emitOpError("(C3) min ")
           << getMin().convertToFloat() << " exceeds max "
           << getMax().convertToFloat();
  return success();
}

LogicalResult EluBackwardOp::verify() {
  if (getAlpha().isNegative() && !getAlpha().isZero())
    return emitOpError("(C3) alpha is negative");
  return success();
}

LogicalResult GeluBackwardOp::verify() {
  if (getMode() != "gelu_erf" && getMode() != "gelu_tanh")
    return emitOpError("(C3) unknown mode \"") << getMode() << "\"";
  return success();
}

LogicalResult SoftPlusBackwardOp::verify() {
  if (getBeta().isZero())
    return emitOpError("(C3) beta is zero");
  return success();
}

//===----------------------------------------------------------------------===//
// PReLU, bias
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>>
gc::graph::getSlopeShape(ArrayRef<int64_t> src, ArrayRef<int64_t> slope,
                         StringRef dataFormat, bool perChannel) {
  if (slope.size() > src.size())
    return std::nullopt;
  SmallVector<int64_t> shape(src.size(), 1);
  bool isSecond =
      slope.size() == 1 && perChannel && dataFormat == "NCX" && src.size() > 1;
  size_t first = isSecond ? 1 : src.size() - slope.size();
  llvm::copy(slope, shape.begin() + first);
  for (auto [size, whole] : llvm::zip_equal(shape, src))
    if (size != 1 && size != whole && !ShapedType::isDynamic(size) &&
        !ShapedType::isDynamic(whole))
      return std::nullopt;
  return shape;
}

static LogicalResult checkSlope(std::optional<Location> loc, Type src,
                                Type slope, StringRef format, bool perChannel) {
  ArrayRef<int64_t> whole = cast<RankedTensorType>(src).getShape();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(slope).getShape();
  if (failed(checkFormat(loc, format)))
    return failure();
  if (!getSlopeShape(whole, shape, format, perChannel))
    return emitOptionalError(loc, "(C2) slope of shape [", shape,
                             "] does not broadcast to [", whole, "]");
  return success();
}

LogicalResult
PreluOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                          ValueRange operands, DictionaryAttr attributes,
                          OpaqueProperties properties, RegionRange regions,
                          SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  Type src = operands[0].getType();
  types.push_back(dropLayout(src));
  return success(succeeded(checkSlope(loc, src, operands[1].getType(),
                                      adaptor.getDataFormat(),
                                      adaptor.getPerChannelBroadcast())) &&
                 succeeded(checkElements(loc, "C3", operands.getTypes())));
}

LogicalResult PreluBackwardOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  Type src = operands[0].getType(), slope = operands[1].getType();
  types.append({dropLayout(src), dropLayout(slope)});
  return success(succeeded(checkSlope(loc, src, slope, adaptor.getDataFormat(),
                                      /*perChannel=*/true)) &&
                 succeeded(checkElements(loc, "C3", operands.getTypes())) &&
                 succeeded(checkShapes(loc, "C4", src, operands[2].getType())));
}

LogicalResult BiasAddBackwardOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto diffDst = cast<RankedTensorType>(operands[0].getType());
  if (failed(checkFormat(loc, adaptor.getDataFormat())))
    return failure();
  bool last = adaptor.getDataFormat() == "NXC";
  int64_t rank = diffDst.getRank();
  if (rank < (last ? 1 : 2))
    return emitOptionalError(loc, "(C2) diff_dst of rank ", rank,
                             " has no channels");
  types.push_back(RankedTensorType::get(diffDst.getDimSize(last ? rank - 1 : 1),
                                        diffDst.getElementType()));
  return success();
}
