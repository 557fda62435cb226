// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferAccess.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace gc::tir {

SmallVector<int64_t> getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// One direction in which a microkernel moves through a matrix operand.
struct Direction {
  int64_t count, stride;
  /// Null for the contiguous direction.
  int64_t KernelSpec::*field = nullptr;
};

/// Finds the dimension along which each direction moves and widens the extents.
/// Like every access of a memref, a kernel's block ends inside the dimensions
/// that it moves along.
static LogicalResult addDirections(ArrayRef<Direction> directions,
                                   ArrayRef<int64_t> shape,
                                   BufferAccess &access) {
  SmallVector<int64_t> strides = getRowMajorStrides(shape);
  for (const Direction &direction : directions) {
    if (direction.count <= 1 || direction.stride == 0)
      continue;
    // The outermost dimension that has room for it.
    bool found = false;
    for (size_t dim = 0; dim < shape.size() && !found; ++dim) {
      if (direction.stride < strides[dim] || direction.stride % strides[dim])
        continue;
      int64_t step = direction.stride / strides[dim];
      int64_t extent = access.extents[dim] + (direction.count - 1) * step;
      if (extent > shape[dim])
        continue;
      access.extents[dim] = extent;
      if (direction.field)
        access.movements.push_back(
            {direction.field, static_cast<int64_t>(dim), step});
      found = true;
    }
    if (!found)
      return failure();
  }
  return success();
}

static LogicalResult addKernel(BrgemmOp op, ArrayRef<int64_t> shape,
                               BufferAccess &access) {
  std::optional<KernelSpec> spec = op.getSpec();
  std::optional<IndexRange> batch = getRange(op.getBatch());
  if (!spec || !batch)
    return failure();
  auto along = [&](int64_t count, int64_t KernelSpec::*field) {
    return Direction{count, (*spec).*field, field};
  };
  auto row = [](int64_t count) { return Direction{count, 1}; };
  if (access.memref == &op.getCMutable())
    return addDirections({row(spec->n), along(spec->m, &KernelSpec::ldc)},
                         shape, access);
  // Lists can lead anywhere; rows of groups do not lie along one dimension.
  bool isA = access.memref == &op.getAMutable();
  bool isB = access.memref == &op.getBMutable();
  if (spec->batch != BatchForm::stride || (!isA && !isB) ||
      (isA ? spec->packA : spec->packB) != 1)
    return failure();
  if (isA)
    return addDirections({row(spec->getColumnsA()),
                          along(spec->getRowsA(), &KernelSpec::lda),
                          along(batch->max, &KernelSpec::strideA)},
                         shape, access);
  return addDirections({row(spec->getColumnsB()),
                        along(spec->getRowsB(), &KernelSpec::ldb),
                        along(batch->max, &KernelSpec::strideB)},
                       shape, access);
}

/// Vectors along the last dimensions. In memory a vector also continues past
/// dimensions of size 1 at the end, along the one before them. False if it
/// continues into further rows.
static bool addVector(VectorType vector, ArrayRef<int64_t> shape,
                      BufferAccess &access) {
  size_t end = shape.size();
  if (vector.getRank() == 1)
    while (end > 1 && shape[end - 1] == 1)
      --end;
  if (end < static_cast<size_t>(vector.getRank()))
    return false;
  size_t first = end - vector.getRank();
  for (auto [i, size] : llvm::enumerate(vector.getShape())) {
    if (size > shape[first + i])
      return false;
    access.extents[first + i] = size;
  }
  return true;
}

std::optional<BufferAccess> getAccess(OpOperand &memref) {
  auto type = dyn_cast<MemRefType>(memref.get().getType());
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
    return std::nullopt;
  Operation *op = memref.getOwner();
  BufferAccess access;
  access.memref = &memref;
  access.extents.assign(type.getRank(), 1);

  auto isVector = [&](VectorType vector, OpOperand &base) {
    return &memref == &base && !vector.isScalable() &&
           addVector(vector, type.getShape(), access);
  };
  auto isTransfer = [&](auto transfer) {
    return transfer.getPermutationMap().isMinorIdentity() &&
           !transfer.hasOutOfBoundsDim() &&
           isVector(transfer.getVectorType(), transfer.getBaseMutable());
  };
  bool isKnown = false;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    isKnown = true;
  else if (auto store = dyn_cast<memref::StoreOp>(op))
    isKnown = &memref == &store.getMemrefMutable();
  else if (auto load = dyn_cast<vector::LoadOp>(op))
    isKnown = isVector(load.getVectorType(), load.getBaseMutable());
  else if (auto store = dyn_cast<vector::StoreOp>(op))
    isKnown = isVector(store.getVectorType(), store.getBaseMutable());
  else if (auto read = dyn_cast<vector::TransferReadOp>(op))
    isKnown = isTransfer(read);
  else if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    isKnown = isTransfer(write);
  else if (auto kernel = dyn_cast<BrgemmOp>(op))
    isKnown = succeeded(addKernel(kernel, type.getShape(), access));
  if (!isKnown)
    return std::nullopt;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    access.starts.emplace_back(op->getOperand(access.getIndexOperand(dim)));
  return access;
}

std::optional<SmallVector<BufferAccess>> getAccesses(ScratchOp scratch) {
  SmallVector<BufferAccess> accesses;
  for (OpOperand &use : scratch.getBuffer().getUses()) {
    std::optional<BufferAccess> access = getAccess(use);
    if (!access)
      return std::nullopt;
    accesses.push_back(std::move(*access));
  }
  return accesses;
}

} // namespace gc::tir
