// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/TensorMemory.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gc::graph {

int64_t getOffset(RankedTensorType type, int64_t dim, int64_t distance) {
  LayoutAttr layout = getLayout(type);
  if (!layout)
    return distance * getPlainStrides(type.getShape())[dim];
  if (layout.isStrided())
    return distance * layout.getStrides()[dim];
  SmallVector<int64_t> strides =
      getPlainStrides(layout.getPhysicalShape(type.getShape()));
  int64_t offset = 0, rank = type.getRank();
  for (int64_t i = layout.getInnerDims().size() - 1; i >= 0; --i) {
    if (layout.getInnerDims()[i] != dim)
      continue;
    int64_t block = layout.getInnerBlocks()[i];
    offset += distance % block * strides[rank + i];
    distance /= block;
  }
  int64_t position =
      llvm::find(layout.getOuter(), dim) - layout.getOuter().begin();
  return offset + distance * strides[position];
}

int64_t getInnermostBlock(RankedTensorType type, int64_t dim) {
  LayoutAttr layout = getLayout(type);
  if (layout && layout.isBlocked())
    for (int64_t i = layout.getInnerDims().size() - 1; i >= 0; --i)
      if (layout.getInnerDims()[i] == dim)
        return layout.getInnerBlocks()[i];
  return type.getDimSize(dim);
}

bool isUniform(RankedTensorType type, int64_t dim, int64_t extent) {
  int64_t block = getInnermostBlock(type, dim);
  return block >= type.getDimSize(dim) || block % extent == 0;
}

int64_t getContiguousRun(RankedTensorType type, int64_t dim) {
  int64_t block = getInnermostBlock(type, dim);
  return block == 1 || getOffset(type, dim, 1) == 1 ? block : 1;
}

int64_t getLineElements(RankedTensorType type) {
  return kLineBytes / llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

bool hasRowsOfLines(RankedTensorType type) {
  int64_t rank = type.getRank();
  LayoutAttr layout = getLayout(type);
  if (rank < 1 || (layout && layout.isBlocked()))
    return false;
  int64_t lineElements = getLineElements(type);
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t stride = getOffset(type, dim, 1);
    bool isRow = dim == rank - 1;
    if (isRow ? stride != 1
              : type.getDimSize(dim) > 1 && stride % lineElements != 0)
      return false;
  }
  return true;
}

int64_t getMemoryBytes(RankedTensorType type) {
  LayoutAttr layout = getLayout(type);
  int64_t elements =
      layout && layout.isBlocked()
          ? ShapedType::getNumElements(layout.getPhysicalShape(type.getShape()))
          : type.getNumElements();
  if (sharesBytes(type))
    return elements / 2;
  return elements * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// Whether the result of an op is its operand's memory in another shape.
static bool isPlainView(Operation *op) {
  return op->hasTrait<RowMajorView>() &&
         !getLayout(op->getOperand(0).getType()) &&
         !getLayout(op->getResult(0).getType());
}

Value skipViews(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isPlainView(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool isReturned(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<func::ReturnOp>(user) ||
           (isPlainView(user) && isReturned(user->getResult(0)));
  });
}

} // namespace gc::graph
