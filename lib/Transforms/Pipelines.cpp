// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Pipelines.h"
#include "Conversion/Passes.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Dialect/TensorIR/Transforms/Passes.h"
#include "Transforms/MemrefAbiCalls.h"
#include "Transforms/PhaseVerifiers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace gc;

StringRef gc::getPhaseName(CpuPhase phase) {
  switch (phase) {
  case CpuPhase::import:
    return "import";
  case CpuPhase::graph:
    return "graph";
  case CpuPhase::layout:
    return "layout";
  case CpuPhase::fusion:
    return "fusion";
  case CpuPhase::tensor:
    return "tensor";
  case CpuPhase::machine:
    return "machine";
  }
  llvm_unreachable("all phases are above");
}

static std::string getKernelName(KernelChoice kernel) {
  switch (kernel) {
  case KernelChoice::automatic:
    return "auto";
  case KernelChoice::libxsmm:
    return "libxsmm";
  case KernelChoice::vector:
    return "vector";
  }
  llvm_unreachable("all choices are above");
}

// Alive: graph ops on plain or strided tensors.
static void addImportPhase(OpPassManager &manager,
                           const CpuPipelineOptions &options) {
  if (options.abi == CallAbi::memref)
    manager.addPass(createMemrefAbiCallsPass());
  manager.addPass(graph::createGraphInferShapes());
}

// Alive: basic graph ops, constants marked.
static void addGraphPhase(OpPassManager &manager) {
  manager.addPass(graph::createGraphDecompose());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(graph::createGraphMarkConstants());
}

// Alive: basic graph ops with templates, on tensors with layouts; constant work
// in functions of its own.
static void addLayoutPhase(OpPassManager &manager,
                           const CpuPipelineOptions &options) {
  graph::GraphSelectTemplateOptions select;
  select.threads = options.threads;
  select.kernel = getKernelName(options.kernel);
  manager.addNestedPass<func::FuncOp>(graph::createGraphSelectTemplate(select));
  manager.addNestedPass<func::FuncOp>(graph::createGraphPropagateLayout());
  // Layouts have brought reorders of constants.
  manager.addNestedPass<func::FuncOp>(graph::createGraphMarkConstants());
  manager.addPass(graph::createGraphSplitConstants());
}

// Alive: graph.fused_op regions, constants and reshapes between them.
static void addFusionPhase(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(graph::createGraphFuse());
  manager.addNestedPass<func::FuncOp>(graph::createGraphSelectAnchors());
}

// Alive: tir, scf, affine, memref, vector, arith, math.
static void addTensorPhase(OpPassManager &manager) {
  manager.addPass(createConvertGraphToTir());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(tir::createTirPlanBuffers());
}

// Alive: llvm.
static void addMachinePhase(OpPassManager &manager,
                            const CpuPipelineOptions &options) {
  tir::TirLowerMicrokernelsOptions kernels;
  kernels.kernel = getKernelName(options.kernel);
  manager.addPass(tir::createTirLowerMicrokernels(kernels));
  ConvertTirToLLVMOptions lowering;
  lowering.trace = options.trace;
  lowering.features = options.features;
  lowering.abi = options.abi == CallAbi::memref ? "memref" : "pointers";
  manager.addPass(createConvertTirToLLVM(lowering));
}

void gc::buildCpuPipeline(OpPassManager &manager,
                          const CpuPipelineOptions &options) {
  for (CpuPhase phase :
       {CpuPhase::import, CpuPhase::graph, CpuPhase::layout, CpuPhase::fusion,
        CpuPhase::tensor, CpuPhase::machine}) {
    switch (phase) {
    case CpuPhase::import:
      addImportPhase(manager, options);
      break;
    case CpuPhase::graph:
      addGraphPhase(manager);
      break;
    case CpuPhase::layout:
      addLayoutPhase(manager, options);
      break;
    case CpuPhase::fusion:
      addFusionPhase(manager);
      break;
    case CpuPhase::tensor:
      addTensorPhase(manager);
      break;
    case CpuPhase::machine:
      addMachinePhase(manager, options);
      break;
    }
    manager.addPass(createVerifyPhasePass(phase));
    if (phase == options.stopAfter)
      return;
  }
}

void gc::registerPipelines() {
  PassPipelineRegistration<CpuPipelineOptions>(
      "gc-cpu-pipeline", "From graphs to the LLVM dialect, for CPUs",
      buildCpuPipeline);
}
