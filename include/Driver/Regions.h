// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The parallel loops of a compiled graph as its user sees them: what they
// compute, how long they were predicted to take, and how long they took.

#ifndef GC_DRIVER_REGIONS_H
#define GC_DRIVER_REGIONS_H

#include "Machine/Machine.h"
#include "Runtime/Runtime.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace gc {

/// Fused regions that are one parallel loop: a single region, or a merge group.
struct RegionInfo {
  /// The names of the regions joined with "|", which is the loop's name.
  std::string name;
  /// Of contractions.
  int64_t flops = 0;
  /// Bytes that have to be read and written once.
  int64_t bytes = 0;
  double predictedMs = 0;
  /// What is predicted to take most of the time: "compute", "memory", ...
  std::string boundBy;
};

/// The regions of a function after the fusion phase, in order, with the costs
/// that graph-predict-cost has set on them.
std::vector<RegionInfo> getRegions(mlir::func::FuncOp function,
                                   const Machine &machine);

/// The predicted time of one execution of the function; nothing if it has no
/// cost.
std::optional<double> getPredictedMs(mlir::func::FuncOp function,
                                     const Machine &machine);

/// The time that each region's loops took, according to the trace of executions
/// of the module; nothing for regions without a recorded loop.
std::vector<std::optional<double>>
getMeasuredMs(llvm::ArrayRef<RegionInfo> regions, const gc_module &module,
              const gc_trace &trace);

} // namespace gc

#endif // GC_DRIVER_REGIONS_H
