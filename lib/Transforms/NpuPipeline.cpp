// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Npu/Transforms/Passes.h"
#include "Transforms/Pipelines.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace gc;

// Alive in all phases: npu, scf, affine, arith, memref. Ops on tiles are gone
// after phase instructions, buffers without addresses after phase addresses.
void gc::buildNpuPipeline(OpPassManager &manager,
                          const NpuPipelineOptions &options) {
  static constexpr std::pair<NpuPhase, std::unique_ptr<Pass> (*)()> kPhases[] =
      {{NpuPhase::slots, npu::createNpuDoubleBuffer},
       {NpuPhase::instructions, npu::createNpuExpandTiles},
       {NpuPhase::addresses, [] { return npu::createNpuPlanMemory(); }},
       {NpuPhase::flags, [] { return npu::createNpuInsertSync(); }}};
  for (auto [phase, create] : kPhases) {
    manager.addNestedPass<func::FuncOp>(create());
    if (phase == options.stopAfter)
      return;
  }
}
