// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether a loop may read one buffer and write another in the same memory.

#ifndef GC_LIB_DIALECT_TENSORIR_TRANSFORMS_INPLACE_H
#define GC_LIB_DIALECT_TENSORIR_TRANSFORMS_INPLACE_H

#include "Dialect/TensorIR/IR/TensorIROps.h"

namespace gc::tir {

/// Whether the loop, on all of its threads, reads each element of `from` for
/// the last time before it writes the same element of `to` for the first time.
/// Only loads of `from` are looked at: what a microkernel reads is needed by
/// several of its results. False if the answer cannot be seen.
bool readsBeforeWriting(ParallelOp loop, mlir::Value from, mlir::Value to);

} // namespace gc::tir

#endif // GC_LIB_DIALECT_TENSORIR_TRANSFORMS_INPLACE_H
