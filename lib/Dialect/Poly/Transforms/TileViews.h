// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Buffers of tiles and views of parts of them.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_TILEVIEWS_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_TILEVIEWS_H

#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/IR/PolyOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace gc::poly {

mlir::MemRefType getBufferType(llvm::ArrayRef<int64_t> shape,
                               mlir::Type element, npu::MemorySpace space);

/// An array in global memory: where it is a part, a view of the whole array.
mlir::MemRefType getGlobalType(ArrayOp array);

/// The shape of a buffer in UB for tiles of `shape`: rows of several begin at
/// multiples of 32 bytes in f16, and so in all wider types.
llvm::SmallVector<int64_t> padRows(llvm::ArrayRef<int64_t> shape,
                                   mlir::Type element);

/// A buffer in UB, as the part of it that holds a tile of `shape`.
mlir::Value allocateTile(mlir::ImplicitLocOpBuilder &b,
                         llvm::ArrayRef<int64_t> shape, mlir::Type element);

/// The box of `shape` at `offsets`, without its dimensions `dropped`, which
/// have size 1. The memref itself if that is what the box is.
mlir::Value takeBox(mlir::ImplicitLocOpBuilder &b, mlir::Value memref,
                    llvm::ArrayRef<mlir::OpFoldResult> offsets,
                    llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<bool> dropped);

/// The memref with dimensions of size 1 added, so that it has `shape`.
mlir::Value expandUnits(mlir::ImplicitLocOpBuilder &b, mlir::Value memref,
                        llvm::ArrayRef<int64_t> shape);

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_TILEVIEWS_H
