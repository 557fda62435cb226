// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Buffer.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

MemRefType getBufferType(RankedTensorType type) {
  Type element = getStorageType(type.getElementType());
  LayoutAttr layout = getLayout(type);
  if (!layout)
    return MemRefType::get(type.getShape(), element);
  if (layout.isBlocked()) {
    SmallVector<int64_t> shape = layout.getPhysicalShape(type.getShape());
    if (sharesBytes(type))
      shape.back() /= 2;
    return MemRefType::get(shape, element);
  }
  return MemRefType::get(
      type.getShape(), element,
      StridedLayoutAttr::get(type.getContext(), 0, layout.getStrides()));
}

Value createTemporary(OpBuilder &builder, Location loc, RankedTensorType type,
                      bool perThread) {
  MemRefType memref = getBufferType(type);
  LayoutAttr layout = getLayout(type);
  if (!layout || !layout.isStrided())
    return tir::ScratchOp::create(builder, loc, memref, perThread);
  // The layout's verifier has bounded this sum.
  int64_t span = 1;
  for (auto [size, stride] :
       llvm::zip_equal(type.getShape(), layout.getStrides()))
    span += (size - 1) * stride;
  Value dense = tir::ScratchOp::create(
      builder, loc, MemRefType::get(span, memref.getElementType()), perThread);
  return memref::ReinterpretCastOp::create(builder, loc, memref, dense,
                                           /*offset=*/0, type.getShape(),
                                           layout.getStrides());
}

SmallVector<Value> Buffer::getIndices(OpBuilder &builder, Location loc,
                                      ArrayRef<Coord> coords) const {
  LayoutAttr layout = getLayout(type);
  SmallVector<Value> indices;
  if (!layout || !layout.isBlocked()) {
    for (const Coord &coord : coords)
      indices.push_back(coord.materialize(builder, loc));
    return indices;
  }
  // Peel the inner blocks of each dimension from the innermost one.
  SmallVector<Coord> rest(coords), inner(layout.getInnerDims().size());
  for (int64_t i = inner.size() - 1; i >= 0; --i) {
    int64_t dim = layout.getInnerDims()[i];
    auto [quotient, remainder] =
        rest[dim].divmod(builder, loc, layout.getInnerBlocks()[i]);
    rest[dim] = quotient;
    inner[i] = remainder;
  }
  if (sharesBytes(type))
    inner.back() = inner.back().divmod(builder, loc, 2).first;
  for (int64_t dim : layout.getOuter())
    indices.push_back(rest[dim].materialize(builder, loc));
  for (const Coord &coord : inner)
    indices.push_back(coord.materialize(builder, loc));
  return indices;
}

} // namespace gc
