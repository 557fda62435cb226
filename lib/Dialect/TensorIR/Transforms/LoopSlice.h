// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which part of a buffer one iteration of a loop uses, and whether iterations
// use different parts.

#ifndef GC_LIB_DIALECT_TENSORIR_TRANSFORMS_LOOPSLICE_H
#define GC_LIB_DIALECT_TENSORIR_TRANSFORMS_LOOPSLICE_H

#include "BufferAccess.h"

namespace gc::tir {

/// The slice of a buffer that one iteration of a loop uses.
struct Slice {
  /// Per dimension: the terms of every index that are the same throughout the
  /// iteration, with the least constant; empty where the whole dimension stays.
  llvm::SmallVector<IndexForm, 0> bases;
  llvm::SmallVector<int64_t> shape;
  int64_t elements = 1;
};

/// The loops around an op from the inside to the parallel loop, or none if
/// something other than loops and branches is around it.
llvm::SmallVector<mlir::Operation *> getLoops(mlir::Operation *op);

/// The slice that one iteration of `loop` uses, of a buffer of the given sizes.
Slice getSlice(llvm::ArrayRef<BufferAccess> accesses,
               llvm::ArrayRef<int64_t> sizes, mlir::Operation *loop);

/// Whether any two iterations of the loops from `loop` to the parallel one use
/// slices that do not meet. Iterations that differ in the indices of the
/// parallel loop are compared only `withParallel`.
bool areSeparate(const Slice &slice, mlir::Operation *loop, bool withParallel);

} // namespace gc::tir

#endif // GC_LIB_DIALECT_TENSORIR_TRANSFORMS_LOOPSLICE_H
