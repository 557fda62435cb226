// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What verifiers of the dialect share: tiles as shapes and strides, and the
// check of an instruction op against the machine.

#ifndef GC_LIB_DIALECT_NPU_IR_VERIFY_H
#define GC_LIB_DIALECT_NPU_IR_VERIFY_H

#include "Dialect/Npu/IR/NpuOps.h"

namespace gc::npu {

/// A memref with static sizes and strides.
struct Tile {
  mlir::MemRefType type;
  MemorySpace space;
  DType dtype;
  llvm::SmallVector<int64_t> shape, strides;

  int64_t getRank() const { return static_cast<int64_t>(shape.size()); }
  int64_t getNumElements() const;
  /// Whether the last `dims` dimensions are row-major without gaps.
  bool isContiguous(int64_t dims) const;
  bool isContiguous() const { return isContiguous(getRank()); }
  /// Elements from one index of dimension `dim` to the next; if there is only
  /// one index, the value for a tile without gaps.
  int64_t getStride(int64_t dim) const;
};

/// `value` as a tile; none if it is not static or not of the machine.
std::optional<Tile> getTile(mlir::Value value);

/// The same, with an error that begins with `label` otherwise.
mlir::FailureOr<Tile> getTile(mlir::Operation *op, mlir::Value value,
                              llvm::StringRef label);

/// Which constraint of an op an error of a given kind violates.
struct Label {
  ErrorKind kind;
  const char *label;
};

/// Checks the instruction of `op` against the machine, and that what it touches
/// is within the memrefs. Errors that `labels` does not name have the last
/// label.
mlir::LogicalResult verifyInstruction(mlir::Operation *op,
                                      llvm::ArrayRef<Label> labels);

/// The number of bytes from the start of its buffer at which a memref begins,
/// added to the buffer's address if both are known; else 0.
int64_t getKnownOffset(mlir::Value memref);

/// The value of a constant index.
std::optional<int64_t> getConstant(mlir::Value index);

/// The sizes that `up_to` gives at run time: none, or one for each of `most`,
/// which constants must not exceed.
mlir::LogicalResult verifyUpTo(mlir::Operation *op, mlir::ValueRange upTo,
                               mlir::ArrayRef<int64_t> most,
                               mlir::StringRef label);

} // namespace gc::npu

#endif // GC_LIB_DIALECT_NPU_IR_VERIFY_H
