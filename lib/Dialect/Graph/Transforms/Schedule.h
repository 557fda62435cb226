// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a region runs on a machine: what graph-select-schedule writes into its
// schedule.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_SCHEDULE_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_SCHEDULE_H

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/PassDims.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Dialect/Graph/Transforms/RegionSpace.h"
#include "Machine/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace gc::graph {

/// What schedules depend on besides the regions.
struct ScheduleContext {
  explicit ScheduleContext(const Machine &machine) : machine(machine) {}

  const Machine &machine;
  int64_t threads = 1;
  /// The width of vectors, and the elements of one that has this width in f32.
  int64_t vectorBytes = ScheduleAttr::kElementBytes;
  int64_t getLanes() const { return vectorBytes / ScheduleAttr::kElementBytes; }
  /// What the user has decided.
  ScheduleSwitch stream = ScheduleSwitch::automatic;
  ScheduleSwitch prefetch = ScheduleSwitch::automatic;
  KernelPreference kernel = KernelPreference::automatic;
  /// Tasks of one region, 0 for the pass to decide; the dimension of vectors.
  int64_t tasks = 0;
  std::optional<int64_t> vectorDim;
  /// What passes that reduce compute together (0 for the pass to decide), and
  /// compute again.
  int64_t unroll = 0;
  std::optional<int64_t> recompute;
  /// Kernels may compute in fixed point.
  bool fixedPoint = true;
  /// The category of remarks.
  llvm::StringRef category;
  /// The function computes constants: it runs once, so that its speed does not
  /// matter.
  bool runsOnce = false;
  /// Of its arguments and results.
  int64_t argumentBytes = 0;

  /// Whether all of them stay in the caches from one call to the next.
  bool fitsCaches() const { return argumentBytes <= machine.l3Bytes; }
};

/// Bytes of a function's arguments and results.
int64_t getArgumentBytes(mlir::func::FuncOp func);

/// Whether the tensor is one of the caller's.
bool isOfCaller(mlir::Value value);

/// The numbers of the candidates among a region's results that are stored past
/// the caches.
llvm::SmallVector<int64_t>
chooseStreams(FusedOp fused, const ScheduleContext &context,
              llvm::function_ref<bool(unsigned)> isCandidate);

/// The schedule of a region without a tunable op;
/// reports an op that has no place in the region's space.
llvm::FailureOr<ScheduleAttr> schedulePlain(FusedOp fused,
                                            const ScheduleContext &context);

/// Remarks about a region without a tunable op that does not use the machine:
/// threads, lanes of vectors, or loads of more than one element.
void reportSlowPasses(FusedOp fused, const RegionSpace &space,
                      const PassAccesses &accesses, const PassDims &dims,
                      int64_t tasks, const ScheduleContext &context);

/// A pass over a box of an iteration space.
struct PassShape {
  const RegionSpace &space;
  llvm::ArrayRef<mlir::Operation *> ops;
  llvm::ArrayRef<PassExtent> box;
  int64_t vectorDim = -1;
  /// Loops over the elements of windows are unrolled.
  bool unrollsWindows = false;
};

/// What `unroll`, `recompute`, `row_bytes` and `max_row_bytes` say of a pass.
struct RowOrder {
  int64_t unroll = 1, recompute = 0;
  int64_t rowBytes = 0, maxRowBytes = 0;
};

/// From how many instructions per vector on stages of a region's passes are
/// long; 0 if none of them can be.
int64_t chooseInterleave(FusedOp fused, const RegionSpace &space);

/// The same in words; empty for one row at a time.
std::string describe(const RowOrder &order);

/// How a pass that reduces goes over its rows; `isStored`: whether it stores a
/// value.
RowOrder chooseRowOrder(const PassShape &pass,
                        llvm::function_ref<bool(mlir::Value)> isStored,
                        const ScheduleContext &context);

/// What the schedule of a region with a tunable op says of its passes: the
/// dimensions of vectors where they are not the last ones with several
/// elements, and the order of rows in those that reduce.
struct AnchorPasses {
  llvm::SmallVector<ScheduleAttr::AnchorDims> dims;
  RowOrder order;
};
AnchorPasses chooseAnchorPasses(FusedOp fused, const RegionSpace &space,
                                const ScheduleContext &context);

/// The schedule of a region with a tunable op.
llvm::FailureOr<ScheduleAttr> scheduleTemplate(FusedOp fused,
                                               const ScheduleContext &context);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_SCHEDULE_H
