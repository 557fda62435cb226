// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The two halves of npu-double-buffer: slots for the buffers of marked loops,
// and loads that are issued ahead.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_DOUBLEBUFFER_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_DOUBLEBUFFER_H

#include "Dialect/Npu/IR/NpuOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace gc::npu {

/// What `npu.pipeline` says of a loop, at least 1.
int64_t getPipelineDepth(mlir::scf::ForOp loop);

/// Gives each buffer in the body of a marked loop as many slots as the loop
/// asks for and its space has room for, if several pipes use it. Such a buffer
/// moves to the begin of the kernel; slots take turns through all iterations of
/// the loops around it. A remark says where there are fewer slots.
llvm::LogicalResult giveSlots(mlir::func::FuncOp kernel,
                              const Machine &machine);

/// The number of the iteration of `loop`, counted through all loops around it,
/// modulo anything that `slots` divides; built at the builder's place in the
/// loop's body. It begins anew where a trip count changes from one iteration of
/// an outer loop to the next.
mlir::Value buildCounter(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::scf::ForOp loop, int64_t slots);

/// Makes `value` the value of all uses of `buffer`, which has another layout:
/// views follow. Call `canReplace` first.
void replaceBuffer(mlir::Value buffer, mlir::Value value);
bool canReplace(mlir::Value buffer);

/// The ops of a loop's body that are issued `distance` iterations ahead.
struct LeadingStage {
  llvm::SetVector<mlir::Operation *> ops;
  int64_t distance = 0;
};

/// Finds what can be issued ahead in a marked loop, at most `depth` - 1
/// iterations: ops that load from global memory, or of the pipe of the first op
/// if the other ops may fill a queue, as long as the order of what they touch
/// stays the same. Remarks say what stays behind and why. `ops` is empty if
/// nothing is issued ahead.
LeadingStage findLeadingStage(mlir::scf::ForOp loop, int64_t depth,
                              const Machine &machine);

/// Rewrites the loop: a prologue, the steady loop, an epilogue. Buffers in the
/// body get `npu.buffer` with numbers from `nextBuffer` on, since they are
/// copied.
void pipelineLoop(mlir::scf::ForOp loop, const LeadingStage &stage,
                  int64_t &nextBuffer);

} // namespace gc::npu

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_DOUBLEBUFFER_H
