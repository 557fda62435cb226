// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphTypes.h"
#include "Dialect/Graph/IR/GraphAttrs.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace gc::graph {

Type dropLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding())
    return type;
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

LayoutAttr getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  return dyn_cast_or_null<LayoutAttr>(tensor.getEncoding());
}

RankedTensorType withLayout(Type type, LayoutAttr layout) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(),
                               layout);
}

bool haveSameRows(Type a, Type b) {
  ArrayRef<int64_t> left = cast<ShapedType>(a).getShape(),
                    right = cast<ShapedType>(b).getShape();
  return left.size() == right.size() && !left.empty() &&
         left.drop_back() == right.drop_back();
}

bool areCompatibleTypes(TypeRange lhs, TypeRange rhs) {
  if (lhs.size() != rhs.size())
    return false;
  for (auto [l, r] : llvm::zip_equal(lhs, rhs))
    if (getElementTypeOrSelf(l) != getElementTypeOrSelf(r) ||
        failed(verifyCompatibleShape(l, r)))
      return false;
  return true;
}

bool areCastableTypes(TypeRange lhs, TypeRange rhs) {
  if (lhs.size() != rhs.size())
    return false;
  auto fits = [](Type l, Type r) {
    return l == r || (l.isF32() && (r.isBF16() || r.isF16())) ||
           (r.isF32() && (l.isBF16() || l.isF16()));
  };
  for (auto [l, r] : llvm::zip_equal(lhs, rhs))
    if (!fits(getElementTypeOrSelf(l), getElementTypeOrSelf(r)) ||
        failed(verifyCompatibleShape(l, r)))
      return false;
  return true;
}

Type getStorageType(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return element;
  return IntegerType::get(element.getContext(),
                          std::max(8u, integer.getWidth()));
}

bool sharesBytes(RankedTensorType type) {
  LayoutAttr layout = getLayout(type);
  if (!type.getElementType().isInteger(4) || !layout || !layout.isBlocked())
    return false;
  ArrayRef<int64_t> dims = layout.getInnerDims();
  return dims.size() > 1 && llvm::is_contained(dims.drop_back(), dims.back()) &&
         layout.getInnerBlocks().back() % 2 == 0;
}

Type getComputeType(Type element) {
  if (isa<FloatType>(element))
    return Float32Type::get(element.getContext());
  return element.isInteger(1) ? element : getStorageType(element);
}

TypedAttr getComputeScalar(SplatElementsAttr splat) {
  Type element = splat.getElementType(), wanted = getComputeType(element);
  Attribute scalar = splat.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(scalar))
    return FloatAttr::get(wanted, number.getValueAsDouble());
  APInt bits = cast<IntegerAttr>(scalar).getValue();
  unsigned width = wanted.getIntOrFloatBitWidth();
  return IntegerAttr::get(wanted, element.isSignedInteger()
                                      ? bits.sextOrTrunc(width)
                                      : bits.zextOrTrunc(width));
}

SmallVector<int64_t, 2> getBlockSizes(int64_t size, int64_t block) {
  SmallVector<int64_t, 2> sizes;
  if (size >= block)
    sizes.push_back(block);
  if (size % block)
    sizes.push_back(size % block);
  return sizes;
}

SmallVector<int64_t> getPlainStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

bool isReadableInPlace(RankedTensorType type, bool transposed) {
  int64_t row = type.getRank() - (transposed ? 1 : 2);
  int64_t column = type.getRank() - (transposed ? 2 : 1);
  int64_t rows = type.getDimSize(row), columns = type.getDimSize(column);
  LayoutAttr layout = getLayout(type);
  if (layout && !layout.isStrided())
    return columns == 1;
  SmallVector<int64_t> strides = layout
                                     ? SmallVector<int64_t>(layout.getStrides())
                                     : getPlainStrides(type.getShape());
  return (columns == 1 || strides[column] == 1) &&
         (rows == 1 || strides[row] >= columns);
}

std::optional<SmallVector<int64_t>> broadcastShapes(ArrayRef<int64_t> lhs,
                                                    ArrayRef<int64_t> rhs) {
  size_t rank = std::max(lhs.size(), rhs.size());
  SmallVector<int64_t> result(rank);
  for (size_t i = 0; i < rank; ++i) {
    int64_t l = i < lhs.size() ? lhs[lhs.size() - 1 - i] : 1;
    int64_t r = i < rhs.size() ? rhs[rhs.size() - 1 - i] : 1;
    int64_t &size = result[rank - 1 - i];
    if (l == r || r == 1)
      size = l;
    else if (l == 1)
      size = r;
    else if (ShapedType::isDynamic(l))
      size = r;
    else if (ShapedType::isDynamic(r))
      size = l;
    else
      return std::nullopt;
  }
  return result;
}

LogicalResult inferBroadcastType(std::optional<Location> loc, Type lhs,
                                 Type rhs, StringRef autoBroadcast,
                                 SmallVectorImpl<Type> &types) {
  auto l = cast<RankedTensorType>(lhs), r = cast<RankedTensorType>(rhs);
  if (autoBroadcast != "numpy" && autoBroadcast != "none")
    return emitOptionalError(loc,
                             "(C1) auto_broadcast must be \"numpy\" or \"none\""
                             ", not \"",
                             autoBroadcast, "\"");
  auto shape = broadcastShapes(l.getShape(), r.getShape());
  if (!shape || (autoBroadcast == "none" &&
                 failed(verifyCompatibleShape(l.getShape(), r.getShape()))))
    return emitOptionalError(loc, "(C1) shapes [", l.getShape(), "] and [",
                             r.getShape(), "] do not broadcast");
  Type element = l.getElementType();
  Type other = r.getElementType();
  if (element != other) {
    if (!element.isF32())
      std::swap(element, other);
    if (!element.isF32() || !(other.isBF16() || other.isF16()))
      return emitOptionalError(loc, "(C2) element types ", l.getElementType(),
                               " and ", r.getElementType(), " do not combine");
  }
  types.push_back(RankedTensorType::get(*shape, element));
  return success();
}

LogicalResult verifyBroadcastElements(Operation *op) {
  Type lhs = getElementTypeOrSelf(op->getOperand(0));
  Type rhs = getElementTypeOrSelf(op->getOperand(1));
  Type result = getElementTypeOrSelf(op->getResult(0));
  if (result == lhs || result == rhs)
    return success();
  return op->emitOpError("(C2) result of element type ")
         << result << " of operands of element types " << lhs << " and " << rhs;
}

Type getSumType(Type element) {
  if (isa<IntegerType>(element))
    return IntegerType::get(element.getContext(), 32, IntegerType::Signed);
  return element;
}

LogicalResult verifyContractionElements(Operation *op, StringRef label,
                                        Type element, Type result, Type bias) {
  Type sum = getSumType(element);
  bool isFloat = isa<FloatType>(element);
  auto fits = [&](Type type) {
    return type == sum || (isFloat && type.isF32());
  };
  if (!fits(result))
    return op->emitOpError("(")
           << label << ") result of element type " << result
           << " of operands of element type " << element;
  if (bias && !fits(bias))
    return op->emitOpError("(") << label << ") element type " << bias
                                << " of bias does not fit " << sum;
  return success();
}

AffineMap getBroadcastMap(ShapedType type, ArrayRef<int64_t> space) {
  MLIRContext *context = type.getContext();
  SmallVector<AffineExpr> results;
  size_t offset = space.size() - type.getRank();
  for (int64_t i = 0; i < type.getRank(); ++i) {
    bool broadcast = type.getDimSize(i) == 1 && space[offset + i] != 1;
    results.push_back(broadcast ? getAffineConstantExpr(0, context)
                                : getAffineDimExpr(offset + i, context));
  }
  return AffineMap::get(space.size(), 0, results, context);
}

} // namespace gc::graph
