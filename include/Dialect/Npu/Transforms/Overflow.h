// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether the buffers of a kernel fit the core, before anything is decided
// about them.

#ifndef GC_DIALECT_NPU_TRANSFORMS_OVERFLOW_H
#define GC_DIALECT_NPU_TRANSFORMS_OVERFLOW_H

#include "Dialect/Npu/IR/NpuOps.h"
#include "NpuModel/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gc::npu {

/// What the buffers of one memory need, each in one slot.
struct MemoryUse {
  MemorySpace space = MemorySpace::ub;
  /// What is alive at the same time at most, and what the buffers take as
  /// npu-plan-memory places them, which is as much or more.
  int64_t peak = 0, bytes = 0, capacity = 0;
  /// What is alive when the most bytes are needed, the largest ones first.
  struct Live {
    AllocOp alloc;
    int64_t bytes;
  };
  llvm::SmallVector<Live> live;

  bool fits() const { return bytes <= capacity; }
};

/// The memories that a kernel of one block uses. Its ops on tiles are expanded,
/// since they need buffers as well, except if buffers do not fit without these,
/// and except for ops that cannot be expanded: npu-expand-tiles reports those.
/// Fails, with an error, where uses of a buffer cannot be followed.
llvm::FailureOr<llvm::SmallVector<MemoryUse>>
findMemoryUse(mlir::func::FuncOp kernel, const Machine &machine);

} // namespace gc::npu

#endif // GC_DIALECT_NPU_TRANSFORMS_OVERFLOW_H
