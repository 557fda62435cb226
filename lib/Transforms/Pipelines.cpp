// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Pipelines.h"
#include "Conversion/Passes.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/TensorIR/Transforms/Passes.h"
#include "Transforms/MemrefAbiCalls.h"
#include "Transforms/PhaseVerifiers.h"
#include "Transforms/SetMachine.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace gc;

/// Adds the passes of one phase.
template <CpuPhase phase>
static void addPhase(OpPassManager &manager, const CpuPipelineOptions &options);

template <>
void addPhase<CpuPhase::import>(OpPassManager &manager,
                                const CpuPipelineOptions &options) {
  if (!options.machine.empty())
    manager.addPass(createSetMachinePass(options.machine));
  if (options.abi == CallAbi::memref)
    manager.addPass(createMemrefAbiCallsPass());
  manager.addPass(graph::createGraphInferShapes());
}

template <>
void addPhase<CpuPhase::graph>(OpPassManager &manager,
                               const CpuPipelineOptions &options) {
  graph::GraphDecomposeOptions contractions;
  contractions.contractionsOnly = true;
  manager.addPass(graph::createGraphDecompose(contractions));
  if (options.lowPrecision) {
    // What is computed of weights only can be corrected once.
    manager.addNestedPass<func::FuncOp>(graph::createGraphMarkConstants());
    manager.addNestedPass<func::FuncOp>(graph::createGraphLowerPrecision());
  }
  graph::GraphDecomposeOptions decompose;
  decompose.fastSoftmax = options.fastSoftmax;
  manager.addPass(graph::createGraphDecompose(decompose));
  manager.addPass(graph::createGraphCheckSupport());
  manager.addNestedPass<func::FuncOp>(graph::createGraphCancelTransposes());
  manager.addNestedPass<func::FuncOp>(graph::createGraphOrientMatmuls());
  manager.addNestedPass<func::FuncOp>(graph::createGraphCollapseRows());
  manager.addNestedPass<func::FuncOp>(graph::createGraphSinkRowScale());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  if (options.fineGrain && options.attention != AttentionMode::never)
    manager.addNestedPass<func::FuncOp>(graph::createGraphFormAttention());
  manager.addNestedPass<func::FuncOp>(graph::createGraphMarkConstants());
}

graph::GraphSelectTemplateOptions
gc::getSelectTemplateOptions(const CpuPipelineOptions &options) {
  graph::GraphSelectTemplateOptions select;
  select.threads = options.threads;
  select.kernel = options.kernel;
  select.fixedPoint = options.fixedPoint;
  for (const std::string &name : options.forceTemplates)
    select.force.push_back(name);
  if (options.attention == AttentionMode::always)
    select.force.push_back(graph::AttentionTemplateAttr::getMnemonic().str());
  return select;
}

template <>
void addPhase<CpuPhase::layout>(OpPassManager &manager,
                                const CpuPipelineOptions &options) {
  graph::GraphSelectTemplateOptions select = getSelectTemplateOptions(options);
  if (!options.templateDatabase.empty()) {
    graph::GraphImportTemplatesOptions import;
    import.file = options.templateDatabase;
    import.threads = select.threads;
    import.kernel = select.kernel;
    manager.addPass(graph::createGraphImportTemplates(import));
  }
  manager.addNestedPass<func::FuncOp>(graph::createGraphSelectTemplate(select));
  if (!options.exportTemplates.empty()) {
    graph::GraphExportTemplatesOptions own;
    own.file = options.exportTemplates;
    own.threads = select.threads;
    own.kernel = select.kernel;
    manager.addPass(graph::createGraphExportTemplates(own));
  }
  manager.addNestedPass<func::FuncOp>(graph::createGraphExpandTemplates());
  manager.addNestedPass<func::FuncOp>(graph::createGraphInvertDivisors());
  manager.addNestedPass<func::FuncOp>(graph::createGraphBoundCasts());
  graph::GraphPropagateLayoutOptions layout;
  layout.propagate = options.propagateLayout;
  layout.threads = options.threads;
  layout.kernel = options.kernel;
  layout.fixedPoint = options.fixedPoint;
  manager.addNestedPass<func::FuncOp>(
      graph::createGraphPropagateLayout(layout));
  // Layouts have added reorders of constants.
  manager.addNestedPass<func::FuncOp>(graph::createGraphMarkConstants());
  graph::GraphSplitConstantsOptions constants;
  constants.threads = options.threads;
  manager.addPass(graph::createGraphSplitConstants(constants));
}

template <>
void addPhase<CpuPhase::fusion>(OpPassManager &manager,
                                const CpuPipelineOptions &options) {
  graph::GraphFuseOptions fuse;
  fuse.threads = options.threads;
  fuse.maxOps = options.fineGrain ? options.maxOps.getValue() : 0;
  fuse.maxReductions = options.maxReductions;
  fuse.maxReorders = options.maxReorders;
  fuse.maxInputBytes = options.maxInputBytes;
  fuse.tunableOnly = true;
  manager.addNestedPass<func::FuncOp>(graph::createGraphFuse(fuse));
  graph::GraphSelectAnchorsOptions anchors;
  anchors.threads = options.threads;
  manager.addNestedPass<func::FuncOp>(graph::createGraphSelectAnchors(anchors));
  // What is in no template's loops, or has left them.
  graph::GraphSplitReductionsOptions split;
  split.threads = options.threads;
  split.maxOps = fuse.maxOps;
  split.splitElements = options.splitElements;
  manager.addNestedPass<func::FuncOp>(graph::createGraphSplitReductions(split));
  fuse.tunableOnly = false;
  manager.addNestedPass<func::FuncOp>(graph::createGraphFuse(fuse));
  if (options.coarseGrain) {
    graph::GraphMarkMergeableOptions merge;
    merge.threads = options.threads;
    manager.addNestedPass<func::FuncOp>(graph::createGraphMarkMergeable(merge));
  }
  graph::GraphSelectScheduleOptions schedule;
  schedule.threads = options.threads;
  schedule.vectorBytes = options.vectorBytes;
  schedule.vectorDim = options.vectorDim;
  schedule.tasks = options.tasks;
  schedule.fixedPoint = options.fixedPoint;
  schedule.unroll = options.unroll;
  schedule.recompute = options.recompute;
  schedule.kernel = options.kernel;
  schedule.stream = options.stream;
  schedule.prefetch = options.prefetch;
  manager.addPass(graph::createGraphSelectSchedule(schedule));
  graph::GraphPredictCostOptions cost;
  cost.threads = options.threads;
  manager.addNestedPass<func::FuncOp>(graph::createGraphPredictCost(cost));
}

template <>
void addPhase<CpuPhase::tensor>(OpPassManager &manager,
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

template <>
void addPhase<CpuPhase::machine>(OpPassManager &manager,
                                 const CpuPipelineOptions &options) {
  tir::TirLowerMicrokernelsOptions kernels;
  kernels.kernel = options.kernel;
  manager.addPass(tir::createTirLowerMicrokernels(kernels));
  ConvertTirToLLVMOptions lowering;
  lowering.trace = options.trace;
  lowering.features = llvm::to_vector(options.features);
  lowering.abi = options.abi;
  manager.addPass(createConvertTirToLLVM(lowering));
  if (options.abi == CallAbi::memref)
    manager.addPass(createSinkCallOperandsPass());
}

void gc::buildCpuPipeline(OpPassManager &manager,
                          const CpuPipelineOptions &options) {
  static constexpr void (*kBuilders[])(OpPassManager &,
                                       const CpuPipelineOptions &) = {
#define GC_PHASE(word, promise, alive) addPhase<CpuPhase::word>,
#include "Transforms/CpuPhases.def"
  };
  for (auto [index, build] : llvm::enumerate(kBuilders)) {
    auto phase = static_cast<CpuPhase>(index);
    build(manager, options);
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
      "From graphs, or ops on tiles, to instructions with addresses and flags, "
      "for the NPU",
      buildNpuPipeline);
}
