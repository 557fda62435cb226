// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pictures of a run on the NPU: what each pipe did when.

#ifndef GC_DRIVER_NPUTRACE_H
#define GC_DRIVER_NPUTRACE_H

#include "Simulator/Simulator.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace gc {

/// Part of a run, in cycles; empty (end <= begin) means the whole run.
struct NpuWindow {
  int64_t begin = 0, end = 0;
};

/// Names the source location of an instruction; empty if it is unknown.
using NpuLocationFn = llvm::function_ref<std::string(int32_t)>;

/// What an event is called: the vector op, else the kind of instruction, the
/// flag that is waited for, or why the front end is stalled.
std::string getEventName(const npu::TraceEvent &event);

/// Writes a trace in the JSON format of Chrome and Perfetto: a process for each
/// core, a thread for each pipe, one microsecond for 1000 cycles. Waits for
/// flags are events of their pipe, with an arrow from where the flag is set.
/// The report is of a run with Options::trace.
void writeNpuTrace(const npu::Report &report, NpuWindow window,
                   NpuLocationFn getLocation, llvm::raw_ostream &os);

/// Draws a lane for each pipe over time, as SVG: colours by kind of work, the
/// axis in cycles, the names of ops as tooltips. Ops that are too short to be
/// seen are drawn together.
void writeNpuTimeline(const npu::Report &report, NpuWindow window,
                      llvm::StringRef title, NpuLocationFn getLocation,
                      llvm::raw_ostream &os);

} // namespace gc

#endif // GC_DRIVER_NPUTRACE_H
