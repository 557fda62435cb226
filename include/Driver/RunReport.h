// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reports on runs on this machine, of compiled code and of the reference.

#ifndef GC_DRIVER_RUNREPORT_H
#define GC_DRIVER_RUNREPORT_H

#include "Driver/Driver.h"

#include <optional>
#include <vector>

namespace llvm {
class raw_ostream;
namespace json {
class OStream;
} // namespace json
} // namespace llvm

namespace gc {

/// Times of repeated runs, in milliseconds.
struct RunTimes {
  double median = 0, min = 0, max = 0;
  int64_t runs = 0;
};

/// A field without a value was not measured.
struct RunReport {
  std::string name, target;
  int64_t threads = 0;
  std::optional<CompiledGraph::Times> compile;
  std::optional<double> foldMs;
  std::optional<RunTimes> run;
  int64_t flops = 0;
  /// Of all threads together: the physical limit, and the rate reached over
  /// windows as long as a run.
  std::optional<double> peakGflops, sustainedPeakGflops;
  /// Whose kernel reached the peak.
  std::string peakKernel;
  std::optional<int64_t> arenaBytes, constantBytes, fusedOps, parallelRegions;
  /// The predicted time of one execution, and its parallel loops.
  std::optional<double> predictedMs;
  std::vector<RegionInfo> regions;
  /// One per region; empty where nothing was traced.
  std::vector<std::optional<double>> measuredMs;
  /// Of one execution with folded constants.
  std::optional<int64_t> forks;
};

/// Median, minimum and maximum; `times` is not empty.
RunTimes summarize(std::vector<double> times);

/// Multiplications and additions of the contractions in the function.
int64_t countFlops(mlir::func::FuncOp entry);

/// The human-readable lines.
void printReport(const RunReport &report, llvm::raw_ostream &os);

/// Members of an open object, after its name and target; null where nothing was
/// measured.
void writeReport(const RunReport &report, llvm::json::OStream &json);

} // namespace gc

#endif // GC_DRIVER_RUNREPORT_H
