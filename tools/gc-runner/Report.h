// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What gc-runner says about a run.

#ifndef GC_TOOLS_GC_RUNNER_REPORT_H
#define GC_TOOLS_GC_RUNNER_REPORT_H

#include "Options.h"

namespace llvm::json {
class OStream;
} // namespace llvm::json

namespace gc::runner {

/// Times of repeated runs, in milliseconds.
struct RunTimes {
  double median = 0, min = 0, max = 0;
  int64_t runs = 0;
};

/// A check that is `weak` found no difference, and would hardly have found one.
enum class CheckStatus { notRun, passed, weak, failed };

struct Report {
  std::string name;
  std::string target;
  int64_t threads = 0;
  std::optional<CompiledGraph::Times> compile;
  std::optional<double> foldMs;
  std::optional<RunTimes> run;
  int64_t flops = 0;
  /// Of all threads together, the physical limit and what is reached over
  /// windows as long as a run; nothing when it was not measured.
  std::optional<double> peakGflops, sustainedPeakGflops;
  /// Whose kernel reached the peak.
  std::string peakKernel;
  std::optional<int64_t> arenaBytes, constantBytes, fusedOps, parallelRegions;
  /// Of one execution with folded constants.
  std::optional<int64_t> forks;
  CheckStatus check = CheckStatus::notRun;
  double maxAbsError = 0, maxRelError = 0;
  /// Elements of all results, and those that were not compared because the
  /// reference has no finite bound of their error.
  int64_t elements = 0, unbounded = 0;
  /// Why the check failed or is weak.
  std::string checkMessage;
};

/// Whether the exit code is 0.
bool isGood(const Report &report, const Options &options);

/// Median, minimum and maximum; `times` is not empty.
RunTimes summarize(std::vector<double> times);

/// The outcome of the check, for people and as the field `check` of an object.
void printCheck(const Report &report, llvm::raw_ostream &os);
void writeCheck(const Report &report, llvm::json::OStream &json);

/// The lines for people.
void printReport(const Report &report, llvm::raw_ostream &os);

/// One JSON object; a field is null where nothing was
/// measured.
void printJson(const Report &report, llvm::raw_ostream &os);

} // namespace gc::runner

#endif // GC_TOOLS_GC_RUNNER_REPORT_H
