// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What memory a piece of Tensor IR reads and writes, buffer by buffer.

#ifndef GC_LIB_DIALECT_TENSORIR_TRANSFORMS_MEMORYUSE_H
#define GC_LIB_DIALECT_TENSORIR_TRANSFORMS_MEMORYUSE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gc::tir {

/// The memref that an op makes a view of, or null if it makes none.
mlir::Value getViewSource(mlir::Operation *op);

/// The buffer that a memref is a view of: a temporary, a constant, an argument
/// of the function; or null if that cannot be seen.
mlir::Value getBuffer(mlir::Value memref);

/// The buffers that some ops read and write. Different buffers do not share
/// memory: arguments of an entry function are different memory by contract.
class MemoryUse {
public:
  MemoryUse() = default;
  explicit MemoryUse(mlir::Operation *op) { add(op); }

  /// Adds what an op and the ops inside it do.
  void add(mlir::Operation *op);

  /// Whether the order of the two matters.
  bool conflictsWith(const MemoryUse &other) const;
  bool isNone() const { return !unknown && reads.empty() && writes.empty(); }
  bool doesRead(mlir::Value buffer) const {
    return unknown || reads.contains(buffer);
  }
  bool doesWrite(mlir::Value buffer) const {
    return unknown || writes.contains(buffer);
  }

private:
  llvm::SmallPtrSet<mlir::Value, 8> reads, writes;
  /// Something that is not known was read or written.
  bool unknown = false;
};

} // namespace gc::tir

#endif // GC_LIB_DIALECT_TENSORIR_TRANSFORMS_MEMORYUSE_H
