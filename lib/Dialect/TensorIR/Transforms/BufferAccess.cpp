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
  StringAttr attribute;
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
      if (direction.attribute)
        access.movements.push_back(
            {direction.attribute, static_cast<int64_t>(dim), step});
      found = true;
    }
    if (!found)
      return failure();
  }
  return success();
}

static LogicalResult addKernel(BrgemmOp op, ArrayRef<int64_t> shape,
                               BufferAccess &access) {
  auto kernel = op.getKernel().getDefiningOp<BrgemmDispatchOp>();
  // Rows of B are interleaved in twos or fours for narrow types.
  if (!kernel || !kernel.getType().isF32())
    return failure();
  std::optional<IndexRange> batch = getRange(op.getBatch());
  if (!batch)
    return failure();
  int64_t m = kernel.getM(), n = kernel.getN(), k = kernel.getK();
  auto along = [&](int64_t count, IntegerAttr stride, StringAttr name) {
    return Direction{count, stride.getInt(), name};
  };
  Direction lda = along(m, kernel.getLdaAttr(), kernel.getLdaAttrName()),
            ldb = along(k, kernel.getLdbAttr(), kernel.getLdbAttrName()),
            ldc = along(m, kernel.getLdcAttr(), kernel.getLdcAttrName()),
            nextA = along(batch->max, kernel.getStrideAAttr(),
                          kernel.getStrideAAttrName()),
            nextB = along(batch->max, kernel.getStrideBAttr(),
                          kernel.getStrideBAttrName());
  auto row = [](int64_t count) { return Direction{count, 1, {}}; };
  if (access.memref == &op.getAMutable())
    return addDirections({row(k), lda, nextA}, shape, access);
  if (access.memref == &op.getBMutable())
    return addDirections({row(n), ldb, nextB}, shape, access);
  if (access.memref == &op.getCMutable())
    return addDirections({row(n), ldc}, shape, access);
  return failure();
}

/// Vectors along the last dimensions.
static void addVector(VectorType vector, BufferAccess &access) {
  size_t first = access.extents.size() - vector.getRank();
  for (auto [i, size] : llvm::enumerate(vector.getShape()))
    access.extents[first + i] = size;
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
    if (&memref != &base || vector.isScalable() ||
        vector.getRank() > type.getRank())
      return false;
    addVector(vector, access);
    return true;
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
