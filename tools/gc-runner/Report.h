// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gc-runner's report on the comparison with the reference.

#ifndef GC_TOOLS_GC_RUNNER_REPORT_H
#define GC_TOOLS_GC_RUNNER_REPORT_H

#include <cstdint>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace llvm::json {
class OStream;
} // namespace llvm::json

namespace gc::runner {

struct Options;

/// A check that is `weak` found no difference, and would hardly have found one.
enum class CheckStatus { notRun, passed, weak, failed };

struct Report {
  CheckStatus check = CheckStatus::notRun;
  double maxAbsError = 0, maxRelError = 0;
  /// Elements of all results, and those that were not compared because the
  /// reference has no bound on their error that is finite and narrower than the
  /// type.
  int64_t elements = 0, unbounded = 0, ties = 0;
  /// Why the check failed or is weak.
  std::string checkMessage;
};

/// Whether the exit code is 0.
bool isGood(const Report &report, const Options &options);

/// The outcome of the check, human-readable and as the field `check` of an
/// object.
void printCheck(const Report &report, llvm::raw_ostream &os);
void writeCheck(const Report &report, llvm::json::OStream &json);

} // namespace gc::runner

#endif // GC_TOOLS_GC_RUNNER_REPORT_H
