// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tensors as buffers: which memref holds a tensor, and where an element is in
// it under the tensor's layout.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_BUFFER_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_BUFFER_H

#include "Coordinate.h"
#include "Dialect/Graph/IR/GraphTypes.h"
#include "Dialect/Graph/IR/TensorMemory.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinTypes.h"

namespace gc {

/// Bytes of a cache line.
using graph::kLineBytes;

using graph::getStorageType;

/// The memref of a tensor: the logical shape with its strides, or the physical
/// shape of a blocked layout.
mlir::MemRefType getBufferType(mlir::RankedTensorType type);

/// A temporary for a tensor, of the memref type that getBufferType gives.
/// Memory itself is dense: strides are a view of as many elements as they span.
mlir::Value createTemporary(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::RankedTensorType type, bool perThread);

/// A tensor in memory.
struct Buffer {
  mlir::Value memref;
  /// Shape and layout of what the memref holds.
  mlir::RankedTensorType type;
  /// Holds only the slice that a loop nest works on; addressed by coordinates
  /// relative to the slice.
  bool isLocal = false;
  /// Stores bypass the caches, line by line; the memref is aligned to lines.
  bool streams = false;

  explicit operator bool() const { return static_cast<bool>(memref); }

  /// Indices into the memref of an element at logical coordinates.
  llvm::SmallVector<mlir::Value> getIndices(mlir::OpBuilder &builder,
                                            mlir::Location loc,
                                            llvm::ArrayRef<Coord> coords) const;
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_BUFFER_H
