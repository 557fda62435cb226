// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Comparison, selection and indices.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/Templates.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gc::graph;

/// The shape to which all shapes broadcast; reports (C1) at `loc`.
static FailureOr<SmallVector<int64_t>> inferShape(std::optional<Location> loc,
                                                  TypeRange types,
                                                  StringRef autoBroadcast) {
  if (autoBroadcast != "numpy" && autoBroadcast != "none")
    return emitOptionalError(loc,
                             "(C1) auto_broadcast must be \"numpy\" or \"none\""
                             ", not \"",
                             autoBroadcast, "\"");
  SmallVector<int64_t> result;
  for (auto [i, type] : llvm::enumerate(types)) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    auto wider =
        i == 0 ? SmallVector<int64_t>(shape) : broadcastShapes(result, shape);
    if (!wider || (i > 0 && autoBroadcast == "none" &&
                   failed(verifyCompatibleShape(result, shape))))
      return emitOptionalError(loc, "(C1) shapes [", result, "] and [", shape,
                               "] do not broadcast");
    result = *wider;
  }
  return result;
}

/// Reports (C2) unless the last two operands have equal element types.
static LogicalResult checkElements(std::optional<Location> loc, Type lhs,
                                   Type rhs) {
  if (getElementTypeOrSelf(lhs) == getElementTypeOrSelf(rhs))
    return success();
  return emitOptionalError(loc, "(C2) element types ",
                           getElementTypeOrSelf(lhs), " and ",
                           getElementTypeOrSelf(rhs), " differ");
}

LogicalResult
SelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto shape = inferShape(loc, operands.getTypes(), adaptor.getAutoBroadcast());
  if (failed(shape) ||
      failed(checkElements(loc, operands[1].getType(), operands[2].getType())))
    return failure();
  types.push_back(RankedTensorType::get(
      *shape, getElementTypeOrSelf(operands[1].getType())));
  return success();
}

LogicalResult GreaterEqualOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto shape = inferShape(loc, operands.getTypes(), adaptor.getAutoBroadcast());
  if (failed(shape) ||
      failed(checkElements(loc, operands[0].getType(), operands[1].getType())))
    return failure();
  types.push_back(RankedTensorType::get(*shape, IntegerType::get(context, 1)));
  return success();
}

LogicalResult
GenIndexOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                             ValueRange operands, DictionaryAttr attributes,
                             OpaqueProperties properties, RegionRange regions,
                             SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  int64_t axis = adaptor.getAxis(), rank = src.getRank();
  if (axis < -rank || axis >= rank)
    return emitOptionalError(loc, "(C1) axis ", axis, " is not one of ", rank,
                             " dimensions");
  types.push_back(RankedTensorType::get(
      src.getShape(), IntegerType::get(context, 32, IntegerType::Signed)));
  return success();
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         ValueRange operands, DictionaryAttr,
                                         OpaqueProperties, RegionRange,
                                         SmallVectorImpl<Type> &types) {
  auto src = cast<RankedTensorType>(operands[0].getType());
  auto index = cast<RankedTensorType>(operands[1].getType());
  if (src.getRank() != 2)
    return emitOptionalError(loc, "(C1) src has ", src.getRank(),
                             " dimensions instead of two");
  int64_t rows = src.getDimSize(0);
  if (!ShapedType::isDynamic(rows) && (rows < 1 || rows >= int64_t(1) << 31))
    return emitOptionalError(loc, "(C1) src has ", rows, " rows");
  if (index.getRank() < 1)
    return emitOptionalError(loc, "(C2) index has no dimension");
  SmallVector<int64_t> shape(index.getShape());
  shape.push_back(src.getDimSize(1));
  types.push_back(RankedTensorType::get(shape, src.getElementType()));
  return success();
}

LogicalResult GatherOp::verify() { return verifyChosenTemplate(*this); }

bool GatherOp::readsWhole(unsigned) { return false; }

int64_t GatherOp::getFlops() { return 0; }
