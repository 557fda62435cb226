// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reshape, transpose, reorder and cast.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/NamedDims.h"
#include "UnknownAttributes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gc::graph;

//===----------------------------------------------------------------------===//
// static_reshape
//===----------------------------------------------------------------------===//

/// (C4)
static LogicalResult checkNames(std::optional<Location> loc,
                                ArrayRef<int64_t> shape,
                                ArrayRef<Attribute> dims) {
  if (dims.empty())
    return success();
  if (dims.size() != shape.size())
    return emitOptionalError(loc, "(C4) 'dims' has ", dims.size(),
                             " strings for ", shape.size(), " sizes");
  for (auto [i, size] : llvm::enumerate(shape)) {
    StringRef text = cast<StringAttr>(dims[i]);
    if (text.empty())
      continue;
    auto expr = SizeExpr::parse(text);
    if (!expr || expr->isConstant())
      return emitOptionalError(loc, "(C4) '", text,
                               "' is not a name, or a sum of products of names "
                               "and numbers");
    if (size != -1)
      return emitOptionalError(loc, "(C4) size ", size, " has the name '", text,
                               "' and is not -1");
  }
  return success();
}

LogicalResult StaticReshapeOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  SmallVector<int64_t> shape(adaptor.getShape());
  // Builders infer types before they add defaults.
  ArrayAttr names = adaptor.getDims();
  ArrayRef<Attribute> dims;
  if (names)
    dims = names.getValue();
  if (failed(checkNames(loc, shape, dims)))
    return failure();
  std::optional<size_t> computed;
  bool overflow = false, varies = false;
  int64_t known = 1;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (!dims.empty() && !cast<StringAttr>(dims[i]).empty()) {
      varies = true;
      size = ShapedType::kDynamic;
      continue;
    }
    if (size == -1) {
      if (computed)
        return emitOptionalError(
            loc, "(C1) more than one size without a name is -1");
      computed = i;
      continue;
    }
    if (size < -1)
      return emitOptionalError(loc, "(C1) size ", size, " is negative");
    if (size == 0 && adaptor.getSpecialZero()) {
      if (static_cast<int64_t>(i) >= src.getRank())
        return emitOptionalError(loc, "(C3) no dimension ", i,
                                 " to copy the size from");
      size = src.getDimSize(i);
    }
    if (ShapedType::isDynamic(size))
      continue;
    overflow |= llvm::MulOverflow(known, size, known);
  }
  if (overflow)
    return emitOptionalError(loc, "(C2) the new shape overflows");
  if (src.hasStaticShape() && !varies) {
    int64_t count = src.getNumElements();
    if (computed) {
      if (known == 0 || count % known != 0)
        return emitOptionalError(loc, "(C2) ", count,
                                 " elements do not divide into [",
                                 adaptor.getShape(), "]");
      shape[*computed] = count / known;
    } else if (known != count) {
      return emitOptionalError(loc, "(C2) ", count,
                               " elements do not fit the shape [",
                               adaptor.getShape(), "]");
    }
  } else if (computed) {
    shape[*computed] = ShapedType::kDynamic;
  }
  types.push_back(RankedTensorType::get(shape, src.getElementType()));
  return success();
}

void StaticReshapeOp::setSize(unsigned i, int64_t size) {
  SmallVector<int64_t> shape(getShape());
  shape[i] = size;
  setShape(shape);
  SmallVector<Attribute> names(getDims().getValue());
  names[i] = StringAttr::get(getContext(), "");
  if (llvm::all_of(
          names, [](Attribute name) { return cast<StringAttr>(name).empty(); }))
    names.clear();
  setDimsAttr(ArrayAttr::get(getContext(), names));
}

OpFoldResult StaticReshapeOp::fold(FoldAdaptor adaptor) {
  // Sizes that vary may change places.
  if (getSrc().getType() == getType() && getDims().empty())
    return getSrc();
  if (!getType().hasStaticShape())
    return {};
  if (auto value = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSrc()))
    if (!getType().getEncoding())
      return value.reshape(getType());
  // A reshape of a reshape only depends on the first source.
  if (auto producer = getSrc().getDefiningOp<StaticReshapeOp>()) {
    setShape(getType().getShape());
    setSpecialZero(false);
    setDimsAttr(Builder(getContext()).getStrArrayAttr({}));
    getSrcMutable().assign(producer.getSrc());
    return getResult();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// static_transpose
//===----------------------------------------------------------------------===//

bool gc::graph::swapsMatrices(ArrayRef<int64_t> order) {
  int64_t rank = order.size();
  if (rank < 2)
    return false;
  auto swapped = llvm::to_vector(llvm::seq(rank));
  std::swap(swapped[rank - 2], swapped[rank - 1]);
  return order == ArrayRef(swapped);
}

SmallVector<int64_t> StaticTransposeOp::getPermutation() {
  SmallVector<int64_t> order(getOrder());
  for (int64_t &dim : order)
    dim += dim < 0 ? order.size() : 0;
  return order;
}

LogicalResult StaticTransposeOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  int64_t rank = src.getRank();
  SmallVector<bool> seen(rank, false);
  SmallVector<int64_t> shape;
  bool valid = static_cast<int64_t>(adaptor.getOrder().size()) == rank;
  for (int64_t dim : adaptor.getOrder()) {
    dim += dim < 0 ? rank : 0;
    valid = valid && dim >= 0 && dim < rank && !seen[dim];
    if (!valid)
      break;
    seen[dim] = true;
    shape.push_back(src.getDimSize(dim));
  }
  if (!valid)
    return emitOptionalError(loc, "(C1) order [", adaptor.getOrder(),
                             "] is not a permutation of ", rank, " dimensions");
  types.push_back(RankedTensorType::get(shape, src.getElementType()));
  return success();
}

OpFoldResult StaticTransposeOp::fold(FoldAdaptor) {
  if (llvm::is_sorted(getPermutation()) && getSrc().getType() == getType())
    return getSrc();
  return {};
}

FusibleKind StaticTransposeOp::getFusibleKind() {
  return FusibleKind::transpose;
}

AffineMap StaticTransposeOp::getOperandMap(unsigned) {
  SmallVector<int64_t> order = getPermutation();
  SmallVector<AffineExpr> indices(order.size());
  for (auto [i, dim] : llvm::enumerate(order))
    indices[dim] = getAffineDimExpr(i, getContext());
  return AffineMap::get(order.size(), 0, indices, getContext());
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

LogicalResult
ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  if (operands.empty())
    return emitOptionalError(loc, "(C1) there is nothing to concatenate");
  auto first = cast<RankedTensorType>(operands[0].getType());
  int64_t rank = first.getRank(), axis = adaptor.getAxis();
  if (axis < -rank || axis >= rank)
    return emitOptionalError(loc, "(C1) axis ", axis, " is not one of ", rank,
                             " dimensions");
  axis += axis < 0 ? rank : 0;
  SmallVector<int64_t> shape(first.getShape());
  shape[axis] = 0;
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getElementType() != first.getElementType())
      return emitOptionalError(loc, "(C3) element types ",
                               first.getElementType(), " and ",
                               type.getElementType(), " differ");
    SmallVector<int64_t> other(type.getShape());
    int64_t size = axis < type.getRank() ? other[axis] : 0;
    if (axis < type.getRank())
      other[axis] = ShapedType::kDynamic;
    SmallVector<int64_t> common(shape);
    common[axis] = ShapedType::kDynamic;
    if (failed(verifyCompatibleShape(common, other)))
      return emitOptionalError(loc, "(C2) shapes [", first.getShape(),
                               "] and [", type.getShape(),
                               "] differ in other dimensions than ", axis);
    for (int64_t dim = 0; dim < rank; ++dim)
      if (ShapedType::isDynamic(shape[dim]) && dim != axis)
        shape[dim] = other[dim];
    bool isDynamic =
        ShapedType::isDynamic(size) || ShapedType::isDynamic(shape[axis]);
    if (isDynamic)
      shape[axis] = ShapedType::kDynamic;
    else if (llvm::AddOverflow(shape[axis], size, shape[axis]))
      return emitOptionalError(loc, "(C2) dimension ", axis, " is too large");
  }
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

SmallVector<int64_t> ConcatOp::getPlace(unsigned operand) {
  SmallVector<int64_t> place(getType().getRank(), 0);
  for (Value before : getSrcs().take_front(operand))
    place[getDimension()] +=
        cast<RankedTensorType>(before.getType()).getDimSize(getDimension());
  return place;
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getSrcs().size() == 1 && getSrcs()[0].getType() == getType())
    return getSrcs()[0];
  return {};
}

//===----------------------------------------------------------------------===//
// reorder
//===----------------------------------------------------------------------===//

FusibleKind ReorderOp::getFusibleKind() { return FusibleKind::reorder; }

LogicalResult ReorderOp::verify() {
  if (failed(verifyNoUnknownAttributes(*this)))
    return failure();
  if (dropLayout(getSrc().getType()) != dropLayout(getType()))
    return emitOpError("(C1) changes the shape or element type from ")
           << dropLayout(getSrc().getType()) << " to " << dropLayout(getType());
  return success();
}

OpFoldResult ReorderOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  if (auto producer = getSrc().getDefiningOp<ReorderOp>()) {
    getSrcMutable().assign(producer.getSrc());
    return getResult();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// type_cast
//===----------------------------------------------------------------------===//

FusibleKind TypeCastOp::getFusibleKind() { return FusibleKind::cast; }

LogicalResult TypeCastOp::verify() {
  if (failed(verifyNoUnknownAttributes(*this)))
    return failure();
  auto src = getSrc().getType(), dst = getType();
  if (failed(verifyCompatibleShape(src, dst)))
    return emitOpError("(C1) changes the shape from [")
           << src.getShape() << "] to [" << dst.getShape() << "]";
  if (getBounded() && !(isa<FloatType>(src.getElementType()) &&
                        isa<IntegerType>(dst.getElementType())))
    return emitOpError("(C2) is bounded, but casts ")
           << src.getElementType() << " to " << dst.getElementType();
  return success();
}

Interval TypeCastOp::inferInterval(unsigned, ArrayRef<Interval> x) {
  return x[0];
}

OpFoldResult TypeCastOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return {};
}
