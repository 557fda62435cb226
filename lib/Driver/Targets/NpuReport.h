// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The report on a run on the NPU.

#ifndef GC_LIB_DRIVER_TARGETS_NPUREPORT_H
#define GC_LIB_DRIVER_TARGETS_NPUREPORT_H

#include "Driver/NpuBound.h"
#include "Simulator/Simulator.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
namespace json {
class OStream;
} // namespace json
} // namespace llvm

namespace gc {

struct NpuReport {
  std::string name, profile;
  npu::Mode mode = npu::Mode::values;
  npu::Report run;
  /// Of the reference; nothing without one. The padded bound differs if a
  /// layout has to pad.
  std::optional<NpuBound> bound, paddedBound;
  /// Of the reference's matmuls and convolutions.
  int64_t flops = 0;
  double compileMs = 0, simulateMs = 0;
  /// One per kernel that ran, without its own trace.
  std::vector<NpuReport> parts;
  /// The same for kernels that compute what depends on constants only. They run
  /// once, and nothing else counts them.
  std::vector<NpuReport> once;
};

/// Adds the run of a kernel that starts when the others have ended, and whose
/// locations are counted from `locations`.
void addRun(npu::Report &total, npu::Report &run, int32_t locations);

/// One line: name, cycles, bound.
std::string getTitle(const NpuReport &report);

/// The human-readable lines: cycles and bound, what each pipe did, what bounds
/// the program, and why the front end was stalled.
void printReport(const NpuReport &report, llvm::raw_ostream &os);

/// Members of an open JSON object, after its name and target.
void writeReport(const NpuReport &report, llvm::json::OStream &json);

} // namespace gc

#endif // GC_LIB_DRIVER_TARGETS_NPUREPORT_H
