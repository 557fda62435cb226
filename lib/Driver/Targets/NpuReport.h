// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is said about a run on the NPU.

#ifndef GC_LIB_DRIVER_TARGETS_NPUREPORT_H
#define GC_LIB_DRIVER_TARGETS_NPUREPORT_H

#include "Driver/NpuBound.h"
#include "Simulator/Simulator.h"

#include <optional>
#include <string>

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
  /// Of the reference; nothing without one. The padded bound differs where a
  /// layout pads by necessity.
  std::optional<NpuBound> bound, paddedBound;
  /// Of the reference's matmuls and convolutions.
  int64_t flops = 0;
  double compileMs = 0, simulateMs = 0;
};

/// One line: name, cycles, bound.
std::string getTitle(const NpuReport &report);

/// The lines for people: cycles and bound, what each pipe did, what bounds the
/// program, and why the front end stood still.
void printReport(const NpuReport &report, llvm::raw_ostream &os);

/// Members of an open object, after its name and target.
void writeReport(const NpuReport &report, llvm::json::OStream &json);

} // namespace gc

#endif // GC_LIB_DRIVER_TARGETS_NPUREPORT_H
