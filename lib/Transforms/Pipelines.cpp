// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Pipelines.h"
#include "Conversion/Passes.h"
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
static void addGraphPhase(OpPassManager &manager,
                          const CpuPipelineOptions &options) {
  graph::GraphDecomposeOptions decompose;
  decompose.fastSoftmax = options.fastSoftmax;
  manager.addPass(graph::createGraphDecompose(decompose));
  manager.addNestedPass<func::FuncOp>(graph::createGraphOrientMatmuls());
  manager.addNestedPass<func::FuncOp>(graph::createGraphSinkRowScale());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  graph::GraphFormAttentionOptions attention;
  attention.mode = options.fineGrain ? options.attention.getValue() : "never";
  manager.addNestedPass<func::FuncOp>(
      graph::createGraphFormAttention(attention));
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
  graph::GraphPropagateLayoutOptions layout;
  layout.propagate = options.propagateLayout;
  manager.addNestedPass<func::FuncOp>(
      graph::createGraphPropagateLayout(layout));
  // Layouts have brought reorders of constants.
  manager.addNestedPass<func::FuncOp>(graph::createGraphMarkConstants());
  manager.addPass(graph::createGraphSplitConstants());
}

// Alive: graph.fused_op regions, constants and reshapes between them.
static void addFusionPhase(OpPassManager &manager,
                           const CpuPipelineOptions &options) {
  graph::GraphFuseOptions fuse;
  fuse.threads = options.threads;
  fuse.maxOps = options.fineGrain ? options.maxOps.getValue() : 0;
  fuse.maxReductions = options.maxReductions;
  fuse.maxReorders = options.maxReorders;
  fuse.maxInputBytes = options.maxInputBytes;
  fuse.splitElements = options.splitElements;
  manager.addNestedPass<func::FuncOp>(graph::createGraphFuse(fuse));
  graph::GraphSelectAnchorsOptions anchors;
  anchors.threads = options.threads;
  manager.addNestedPass<func::FuncOp>(graph::createGraphSelectAnchors(anchors));
  if (options.coarseGrain)
    manager.addNestedPass<func::FuncOp>(graph::createGraphMarkMergeable());
}

// Alive: tir, scf, affine, memref, vector, arith, math.
static void addTensorPhase(OpPassManager &manager,
                           const CpuPipelineOptions &options) {
  manager.addPass(createConvertGraphToTir());
  if (options.coarseGrain)
    manager.addNestedPass<func::FuncOp>(tir::createTirMergeLoops());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(tir::createTirShrinkTensors());
  manager.addNestedPass<func::FuncOp>(tir::createTirForwardStores());
  manager.addPass(createCSEPass());
  // Kernels and addresses that do not change in a loop.
  manager.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
  tir::TirPlanBuffersOptions plan;
  plan.reuse = options.bufferReuse;
  manager.addNestedPass<func::FuncOp>(tir::createTirPlanBuffers(plan));
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
      addGraphPhase(manager, options);
      break;
    case CpuPhase::layout:
      addLayoutPhase(manager, options);
      break;
    case CpuPhase::fusion:
      addFusionPhase(manager, options);
      break;
    case CpuPhase::tensor:
      addTensorPhase(manager, options);
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
  PassPipelineRegistration<NpuPipelineOptions>(
      "gc-npu-pipeline",
      "From ops on tiles to instructions with addresses and flags, for the NPU",
      buildNpuPipeline);
}
