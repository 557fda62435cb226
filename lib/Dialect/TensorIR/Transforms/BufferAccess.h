// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every access of a temporary as a box of elements: where it starts and how far
// it reaches along each dimension.

#ifndef GC_LIB_DIALECT_TENSORIR_TRANSFORMS_BUFFERACCESS_H
#define GC_LIB_DIALECT_TENSORIR_TRANSFORMS_BUFFERACCESS_H

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "IndexForm.h"

namespace gc::tir {

/// One operand through which an op reads or writes elements of a memref. The
/// indices are the operands right after it.
struct BufferAccess {
  /// A stride of a microkernel: `step` indices along dimension `dim`.
  struct Movement {
    int64_t KernelSpec::*field;
    int64_t dim = 0, step = 0;
  };

  mlir::OpOperand *memref = nullptr;
  /// Where the access starts, per dimension.
  llvm::SmallVector<IndexForm, 0> starts;
  /// How many indices it covers, per dimension.
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<Movement> movements;

  mlir::Operation *getOp() const { return memref->getOwner(); }
  unsigned getIndexOperand(unsigned dim) const {
    return memref->getOperandNumber() + 1 + dim;
  }
};

/// The access through an operand of type memref with static shape and identity
/// layout, or nothing if it is not known which elements the op touches.
std::optional<BufferAccess> getAccess(mlir::OpOperand &memref);

/// All accesses of a temporary, or nothing if one is unknown.
std::optional<llvm::SmallVector<BufferAccess>> getAccesses(ScratchOp scratch);

/// Row-major strides of a shape, in elements.
llvm::SmallVector<int64_t> getRowMajorStrides(llvm::ArrayRef<int64_t> shape);

} // namespace gc::tir

#endif // GC_LIB_DIALECT_TENSORIR_TRANSFORMS_BUFFERACCESS_H
