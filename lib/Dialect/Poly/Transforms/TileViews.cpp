// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileViews.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

MemRefType gc::poly::getBufferType(ArrayRef<int64_t> shape, Type element,
                                   npu::MemorySpace space) {
  return MemRefType::get(
      shape, element, MemRefLayoutAttrInterface(),
      npu::MemorySpaceAttr::get(element.getContext(), space));
}

MemRefType gc::poly::getGlobalType(ArrayOp array) {
  RankedTensorType tensor = array.getTensorType();
  MemRefType whole = getBufferType(
      array.getWholeShape(), tensor.getElementType(), npu::MemorySpace::gm);
  if (!array.getPart())
    return whole;
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)whole.getStridesAndOffset(strides, offset);
  return MemRefType::get(
      tensor.getShape(), tensor.getElementType(),
      StridedLayoutAttr::get(array.getContext(), ShapedType::kDynamic, strides),
      whole.getMemorySpace());
}

SmallVector<int64_t> gc::poly::padRows(ArrayRef<int64_t> shape, Type element) {
  SmallVector<int64_t> result(shape);
  if (result.empty())
    return {1};
  int64_t rows = 1;
  for (int64_t size : shape.drop_back())
    rows *= size;
  if (rows > 1)
    result.back() = llvm::alignTo(
        result.back(), element.getIntOrFloatBitWidth() == 8 ? 32 : 16);
  return result;
}

Value gc::poly::allocateTile(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                             Type element) {
  SmallVector<int64_t> padded = padRows(shape, element);
  Value buffer = npu::AllocOp::create(
      b, getBufferType(padded, element, npu::MemorySpace::ub),
      /*slots=*/b.getI64IntegerAttr(1), /*address=*/IntegerAttr());
  SmallVector<OpFoldResult> zeros(padded.size(), b.getIndexAttr(0));
  SmallVector<int64_t> sizes(shape);
  if (sizes.empty())
    sizes.push_back(1);
  return takeBox(b, buffer, zeros, sizes, {});
}

Value gc::poly::takeBox(ImplicitLocOpBuilder &b, Value memref,
                        ArrayRef<OpFoldResult> offsets, ArrayRef<int64_t> shape,
                        ArrayRef<bool> dropped) {
  auto type = cast<MemRefType>(memref.getType());
  bool isWhole = type.getShape() == shape && !llvm::is_contained(dropped, true);
  if (isWhole)
    return memref;
  SmallVector<OpFoldResult> sizes, strides(shape.size(), b.getIndexAttr(1));
  SmallVector<int64_t> kept;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    sizes.push_back(b.getIndexAttr(size));
    if (dropped.empty() || !dropped[dim])
      kept.push_back(size);
  }
  auto result = memref::SubViewOp::inferRankReducedResultType(
      kept, type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, cast<MemRefType>(result), memref, offsets,
                                   sizes, strides);
}

Value gc::poly::expandUnits(ImplicitLocOpBuilder &b, Value memref,
                            ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getShape() == shape)
    return memref;
  // A scalar has no dimension to divide.
  if (type.getRank() == 0)
    return memref::ExpandShapeOp::create(b, shape, memref,
                                         ArrayRef<ReassociationIndices>{});
  // Units in front join the first dimension, others the one before them; units
  // that the memref has are the first ones in their places.
  SmallVector<ReassociationIndices> groups(type.getRank());
  int64_t current = -1;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (current + 1 < type.getRank() && size == type.getDimSize(current + 1))
      ++current;
    groups[std::max<int64_t>(current, 0)].push_back(dim);
  }
  return memref::ExpandShapeOp::create(b, shape, memref, groups);
}
