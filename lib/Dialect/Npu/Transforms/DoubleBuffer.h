// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The two halves of npu-double-buffer: slots for the buffers of marked loops,
// and loads that are issued ahead.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_DOUBLEBUFFER_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_DOUBLEBUFFER_H

#include "Dialect/Npu/IR/NpuOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace gc::npu {

/// The value of `npu.pipeline` on a loop, at least 1.
int64_t getPipelineDepth(mlir::scf::ForOp loop);

/// Gives each buffer in the body of a marked loop as many slots as the loop
/// asks for and its space has room for, if several pipes use it. Such a buffer
/// moves to the beginning of the kernel; its slots alternate through all
/// iterations of the loops around it. A remark says where there are fewer
/// slots.
llvm::LogicalResult giveSlots(mlir::func::FuncOp kernel,
                              const Machine &machine);

/// The number of the iteration of `loop`, counted through all loops around it,
/// modulo any multiple of `slots`; built at the builder's position in the
/// loop's body. It restarts where a trip count changes from one iteration of an
/// outer loop to the next.
mlir::Value buildCounter(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::scf::ForOp loop, int64_t slots);

/// Makes `value` the value of all uses of `buffer`, which has another layout:
/// views follow. Call `canReplace` first.
void replaceBuffer(mlir::Value buffer, mlir::Value value);
bool canReplace(mlir::Value buffer);

/// By how many iterations ops of a loop's body are issued ahead; contains only
/// those that are.
using Leads = llvm::MapVector<mlir::Operation *, int64_t>;

/// Finds what can be issued ahead in a marked loop, at most `depth` - 1
/// iterations, as long as the order of what ops touch stays the same:
/// - ops that load from global memory, each as far as it can;
/// - at least two iterations less, ops that compute a value that the front end
///   then waits for.
/// Remarks say what is not issued ahead and why.
Leads findLeads(mlir::scf::ForOp loop, int64_t depth, const Machine &machine);

/// Makes one loop of each two marked loops that are nested in each other and
/// load from global memory, if their bounds are constants. A remark says if the
/// buffers would not fit then.
void flattenNests(mlir::func::FuncOp kernel, const Machine &machine);

/// Divides branches in the bodies of marked loops with stages that load from
/// global memory and compute with it, so that the loads can be issued ahead of
/// the rest.
void splitBranches(mlir::func::FuncOp kernel);

/// Whether all buffers of a kernel fit, with what expanding its tiles will
/// need, unless pipes wait for each other.
bool fitsMachine(mlir::func::FuncOp kernel, const Machine &machine);

/// Rewrites the loop: a prologue, and the loop with the leading ops of later
/// iterations.
void pipelineLoop(mlir::scf::ForOp loop, const Leads &leads);

} // namespace gc::npu

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_DOUBLEBUFFER_H
