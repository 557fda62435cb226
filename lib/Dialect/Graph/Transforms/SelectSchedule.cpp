// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule.h"
#include "Support/ModuleMachine.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHSELECTSCHEDULE
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {
/// What a schedule can say (C15).
constexpr int64_t kMostUnroll = 16, kMostRecompute = 1000;

struct SelectSchedule : impl::GraphSelectScheduleBase<SelectSchedule> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkOptions(module)))
      return signalPassFailure();
    auto machine = getMachine(module);
    if (failed(machine))
      return signalPassFailure();
    ScheduleContext context(*machine);
    context.threads = threads > 0 ? threads.getValue() : machine->cores;
    // Templates leave room in their blocks for these vectors.
    int64_t bytes =
        std::clamp(machine->vectorBits / 8, ScheduleAttr::kElementBytes,
                   ScheduleAttr::kMostVectorBytes);
    context.vectorBytes = vectorBytes > 0 ? vectorBytes.getValue()
                                          : llvm::bit_floor<uint64_t>(bytes);
    context.stream = stream;
    context.prefetch = prefetch;
    context.kernel = kernel;
    context.tasks = tasks;
    context.unroll = unroll;
    context.fixedPoint = fixedPoint;
    if (recompute >= 0)
      context.recompute = recompute;
    if (vectorDim >= 0)
      context.vectorDim = vectorDim;
    context.category = getArgument();

    llvm::SmallPtrSet<Attribute, 4> folds;
    for (auto func : module.getOps<func::FuncOp>())
      if (auto fold = func->getAttrOfType<FlatSymbolRefAttr>(
              GraphDialect::kFoldFunctionAttr))
        folds.insert(fold.getAttr());
    // Whether some region has the dimension that the user wants vectors along.
    bool hasDim = vectorDim < 0;
    for (auto func : module.getOps<func::FuncOp>()) {
      context.runsOnce = folds.contains(func.getSymNameAttr());
      context.argumentBytes = getArgumentBytes(func);
      WalkResult result = func.walk([&](FusedOp fused) {
        if (fused.getSchedule())
          return WalkResult::advance();
        FailureOr<ScheduleAttr> schedule =
            fused.getTunableOp() ? scheduleTemplate(fused, context)
                                 : schedulePlain(fused, context);
        if (failed(schedule))
          return WalkResult::interrupt();
        if (!hasDim && !fused.getTunableOp())
          hasDim = hasDimension(fused, vectorDim);
        fused->setAttr(GraphDialect::kScheduleAttr, *schedule);
        return WalkResult::advance();
      });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
    if (!hasDim)
      module.emitWarning("option 'vector-dim' has no effect: no region without "
                         "a tunable op has a dimension ")
          << vectorDim.getValue();
  }

  static bool hasDimension(FusedOp fused, int64_t dim) {
    FailureOr<RegionSpace> space = RegionSpace::get(fused);
    return succeeded(space) &&
           dim < static_cast<int64_t>(space->getSizes().size());
  }

  LogicalResult checkOptions(ModuleOp module) {
    if (failed(checkThreads(module, threads)))
      return failure();
    if (tasks < 0)
      return module.emitError("option 'tasks' is negative");
    if (vectorBytes != 0 && (vectorBytes < ScheduleAttr::kElementBytes ||
                             vectorBytes > ScheduleAttr::kMostVectorBytes ||
                             !llvm::isPowerOf2_64(vectorBytes)))
      return module.emitError("option 'vector-bytes' is 0, 4, 8, 16, 32 or 64, "
                              "not ")
             << vectorBytes.getValue();
    if (unroll < 0 || unroll > kMostUnroll)
      return module.emitError("option 'unroll' is 0 to ")
             << kMostUnroll << ", not " << unroll.getValue();
    if (recompute < -1 || recompute > kMostRecompute)
      return module.emitError("option 'recompute' is -1 to ")
             << kMostRecompute << " instructions, not " << recompute.getValue();
    if (vectorDim < -1)
      return module.emitError("option 'vector-dim' is a dimension or -1, not ")
             << vectorDim.getValue();
    return success();
  }
};
} // namespace

} // namespace gc::graph
