// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The phases of the NPU pipeline: the pass of each, and what it promises.

#include "Conversion/Passes.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Npu/Transforms/Passes.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "Transforms/PhaseVerifiers.h"
#include "Transforms/Pipelines.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace gc;

namespace {

/// Adds the passes of a phase.
template <NpuPhase phase>
void addPhase(OpPassManager &manager, const NpuPipelineOptions &options);
/// Reports an op of a kernel that breaks what the phase promises.
template <NpuPhase phase>
LogicalResult checkPhase(Operation *op);

template <>
void addPhase<NpuPhase::extract>(OpPassManager &manager,
                                 const NpuPipelineOptions &options) {
  manager.addPass(createPolyShortenFunctions());
  manager.addPass(graph::createGraphDecompose());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createPolyNarrowFactors());
  // Private functions are references of kernels.
  manager.addPass(graph::createGraphCheckSupport({"npu", /*publicOnly=*/true}));
  manager.addPass(createPolySplitReductions({options.fuse}));
  if (options.fuse)
    manager.addPass(createPolyJoinProducts());
  manager.addNestedPass<func::FuncOp>(
      graph::createGraphMarkConstants({/*publicOnly=*/true}));
  manager.addPass(
      graph::createGraphSplitConstants({/*threads=*/1, /*keepViews=*/true}));
  manager.addPass(createPolyCutKernels({options.fuse, options.producers}));
  manager.addPass(createPolyExtract());
  // What a plan of its own does not say, the database may.
  if (!options.planDatabase.empty())
    manager.addPass(poly::createPolyImportPlan(
        {options.planDatabase, /*database=*/true, options.cores}));
  if (!options.importPlan.empty())
    manager.addPass(poly::createPolyImportPlan(
        {options.importPlan, /*database=*/false, options.cores}));
}
template <>
LogicalResult checkPhase<NpuPhase::extract>(Operation *) {
  return success();
}

template <>
void addPhase<NpuPhase::schedule>(OpPassManager &manager,
                                  const NpuPipelineOptions &options) {
  manager.addNestedPass<poly::ScopOp>(poly::createPolyConvToFractal());
  manager.addNestedPass<poly::ScopOp>(poly::createPolySchedule());
  if (options.cores != 1)
    manager.addPass(poly::createPolySplitCores({options.cores}));
}
template <>
LogicalResult checkPhase<NpuPhase::schedule>(Operation *) {
  return success();
}

template <>
void addPhase<NpuPhase::tile>(OpPassManager &manager,
                              const NpuPipelineOptions &options) {
  poly::PolyTileOptions tile;
  tile.autoTiling = options.autoTiling;
  manager.addNestedPass<poly::ScopOp>(poly::createPolyTile(tile));
}
template <>
LogicalResult checkPhase<NpuPhase::tile>(Operation *) {
  return success();
}

template <>
void addPhase<NpuPhase::fuse>(OpPassManager &manager,
                              const NpuPipelineOptions &) {
  manager.addNestedPass<poly::ScopOp>(poly::createPolyFuse());
}
template <>
LogicalResult checkPhase<NpuPhase::fuse>(Operation *) {
  return success();
}

template <>
void addPhase<NpuPhase::map>(OpPassManager &manager,
                             const NpuPipelineOptions &) {
  manager.addNestedPass<poly::ScopOp>(poly::createPolyMapUnits());
}
template <>
LogicalResult checkPhase<NpuPhase::map>(Operation *) {
  return success();
}

template <>
void addPhase<NpuPhase::promote>(OpPassManager &manager,
                                 const NpuPipelineOptions &options) {
  poly::PolyPromoteOptions promote;
  promote.promote = options.promote;
  promote.skew = options.doubleBuffer;
  manager.addNestedPass<poly::ScopOp>(poly::createPolyPromote(promote));
  manager.addNestedPass<poly::ScopOp>(poly::createPolyTileStatements());
  if (!options.exportPlan.empty())
    manager.addPass(poly::createPolyExportPlan({options.exportPlan}));
}
template <>
LogicalResult checkPhase<NpuPhase::promote>(Operation *op) {
  if (isa<poly::StatementOp>(op))
    return op->emitOpError("is not an op on tiles after phase 'promote'");
  return success();
}

template <>
void addPhase<NpuPhase::kernels>(OpPassManager &manager,
                                 const NpuPipelineOptions &) {
  manager.addPass(createConvertPolyToNpu());
}
template <>
LogicalResult checkPhase<NpuPhase::kernels>(Operation *op) {
  if (isa<poly::ScopOp>(op))
    return op->emitOpError("is still a scop after phase 'kernels'");
  return success();
}

template <>
void addPhase<NpuPhase::slots>(OpPassManager &manager,
                               const NpuPipelineOptions &options) {
  manager.addNestedPass<func::FuncOp>(
      npu::createNpuDoubleBuffer({options.doubleBuffer ? 0 : 1}));
}
template <>
LogicalResult checkPhase<NpuPhase::slots>(Operation *op) {
  if (op->hasAttr(npu::NpuDialect::kPipelineAttr))
    return op->emitOpError("is still marked after phase 'slots'");
  return success();
}

template <>
void addPhase<NpuPhase::npu>(OpPassManager &manager,
                             const NpuPipelineOptions &) {
  manager.addNestedPass<func::FuncOp>(npu::createNpuExpandTiles());
}
template <>
LogicalResult checkPhase<NpuPhase::npu>(Operation *op) {
  if (isa<npu::TileOpInterface>(op))
    return op->emitOpError("is not an instruction after phase 'npu'");
  return success();
}

template <>
void addPhase<NpuPhase::memory>(OpPassManager &manager,
                                const NpuPipelineOptions &) {
  manager.addNestedPass<func::FuncOp>(npu::createNpuPlanMemory());
}
template <>
LogicalResult checkPhase<NpuPhase::memory>(Operation *op) {
  if (auto alloc = dyn_cast<npu::AllocOp>(op); alloc && !alloc.getAddress())
    return op->emitOpError("has no address after phase 'memory'");
  return success();
}

template <>
void addPhase<NpuPhase::sync>(OpPassManager &manager,
                              const NpuPipelineOptions &options) {
  manager.addNestedPass<func::FuncOp>(
      npu::createNpuInsertSync({options.flags, options.groupFlags}));
}
// npu-insert-sync checks the order of accesses itself, on the whole run.
template <>
LogicalResult checkPhase<NpuPhase::sync>(Operation *) {
  return success();
}

struct VerifyNpuPhasePass
    : public PassWrapper<VerifyNpuPhasePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyNpuPhasePass)

  VerifyNpuPhasePass() = default;
  VerifyNpuPhasePass(const VerifyNpuPhasePass &other) : PassWrapper(other) {
    phase = static_cast<NpuPhase>(other.phase);
  }
  explicit VerifyNpuPhasePass(NpuPhase chosen) { phase = chosen; }

  StringRef getArgument() const override { return "gc-verify-npu-phase"; }
  StringRef getDescription() const override {
    return "Checks what a phase of the NPU pipeline promises";
  }

  void runOnOperation() override {
    if (failed(verify(getOperation())))
      return signalPassFailure();
    static constexpr LogicalResult (*kChecks[])(Operation *) = {
#define GC_PHASE(word, promise, alive) checkPhase<NpuPhase::word>,
#include "Transforms/NpuPhases.def"
    };
    // A later phase keeps what an earlier one promised.
    auto checks =
        ArrayRef(kChecks).take_front(static_cast<size_t>(phase.getValue()) + 1);
    for (Operation &kernel : getOperation().getOps()) {
      if (!isa<poly::ScopOp>(kernel) &&
          !kernel.hasAttr(npu::NpuDialect::kKernelAttr))
        continue;
      auto result = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
        bool good = llvm::all_of(
            checks, [&](auto check) { return succeeded(check(op)); });
        return good ? WalkResult::advance() : WalkResult::interrupt();
      });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }

  Option<NpuPhase> phase{*this, "phase",
                         llvm::cl::desc("The phase that has just run"),
                         llvm::cl::init(NpuPhase::sync), getNpuPhaseValues()};
};

} // namespace

void gc::buildNpuPipeline(OpPassManager &manager,
                          const NpuPipelineOptions &options) {
  static constexpr void (*kPhases[])(OpPassManager &,
                                     const NpuPipelineOptions &) = {
#define GC_PHASE(word, promise, alive) addPhase<NpuPhase::word>,
#include "Transforms/NpuPhases.def"
  };
  for (auto [index, add] : llvm::enumerate(kPhases)) {
    auto phase = static_cast<NpuPhase>(index);
    add(manager, options);
    manager.addPass(std::make_unique<VerifyNpuPhasePass>(phase));
    if (phase == options.stopAfter)
      return;
  }
}

void gc::registerVerifyNpuPhasePass() {
  PassRegistration<VerifyNpuPhasePass>();
}
