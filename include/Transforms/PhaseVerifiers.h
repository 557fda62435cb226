// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes that change nothing and fail if the preceding phase did not keep its
// contract.

#ifndef GC_TRANSFORMS_PHASEVERIFIERS_H
#define GC_TRANSFORMS_PHASEVERIFIERS_H

#include "Transforms/Pipelines.h"

#include "mlir/Support/LLVM.h"

#include <memory>

namespace mlir {
class Operation;
class Pass;
} // namespace mlir

namespace gc {

/// `gc-verify-phase`: reports ops that are invalid, else the first that breaks
/// the contract of `phase`.
///
/// - import: graph ops have results of static, non-empty shape.
/// - graph: no complex ops.
/// - layout: every tunable op has a template; no layout is `any`.
/// - fusion: outside fused ops there are only constants and reshapes.
/// - tensor: no tensors in entry functions, temporaries placed.
/// - machine: no entry functions of memrefs.
///
/// No phase has ops of GC's dialects that are not alive in it (CpuPhases.def).
std::unique_ptr<mlir::Pass> createVerifyPhasePass(CpuPhase phase);

void registerVerifyPhasePass();

/// `gc-verify-npu-phase`: the same for scops and NPU kernels. A phase also
/// keeps the promises of those before it.
///
/// - promote: no statements.
/// - kernels: no scops.
/// - slots: no loop is marked for pipelining.
/// - npu: no ops on tiles.
/// - memory: every buffer has an address.
/// - sync: nothing more; npu-insert-sync checks the order itself.
void registerVerifyNpuPhasePass();

/// Reports the first op under `root` with a tensor of more bytes than an
/// address space of 2^46 bytes holds; sizes beyond overflow later. Part of
/// phase import.
mlir::LogicalResult verifyTensorSizes(mlir::Operation *root);

} // namespace gc

#endif // GC_TRANSFORMS_PHASEVERIFIERS_H
