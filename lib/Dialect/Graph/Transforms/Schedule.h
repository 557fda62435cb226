// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a region runs on a machine: what graph-select-schedule writes into its
// schedule.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_SCHEDULE_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_SCHEDULE_H

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Machine/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace gc::graph {

/// What schedules depend on besides the regions.
struct ScheduleContext {
  explicit ScheduleContext(const Machine &machine) : machine(machine) {}

  const Machine &machine;
  int64_t threads = 1;
  /// Elements of 32 bits in a vector.
  int64_t lanes = 1;
  /// What the user has decided.
  ScheduleSwitch stream = ScheduleSwitch::automatic;
  ScheduleSwitch prefetch = ScheduleSwitch::automatic;
  std::optional<KernelImplementation> kernel;
  /// Tasks of one region, 0 for the pass to decide; the dimension of vectors.
  int64_t tasks = 0;
  std::optional<int64_t> vectorDim;
  /// The category of remarks.
  llvm::StringRef category;
};

/// The schedule of a region without a tunable op; reports an op that has no
/// place in the region's space.
llvm::FailureOr<ScheduleAttr> schedulePlain(FusedOp fused,
                                            const ScheduleContext &context);

/// The schedule of a region with a tunable op, whose function is `func`.
llvm::FailureOr<ScheduleAttr> scheduleTemplate(FusedOp fused,
                                               mlir::func::FuncOp func,
                                               const ScheduleContext &context);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_SCHEDULE_H
