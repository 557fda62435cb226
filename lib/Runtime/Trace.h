// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Recording of what each thread does and when. Writing it out is
// TraceWriter.cpp.

#ifndef GC_LIB_RUNTIME_TRACE_H
#define GC_LIB_RUNTIME_TRACE_H

#include "Runtime/Runtime.h"

#include <atomic>
#include <memory>

namespace gc::runtime {

enum class TraceKind : uint8_t { Fold, Compute };

/// Region index of the event that spans a whole fold or execution.
constexpr int64_t WholeRun = -1;

struct TraceEvent {
  int64_t Begin, End; // nanoseconds of the monotonic clock
  int64_t Region;     // index into the module's region names, or WholeRun
  int64_t Run;        // number of the fold or the execution
  int64_t SystemThread;
  TraceKind Kind;
};

/// The events of one team index. Two executions that share a trace may write
/// the same ring at the same time; each claims its slots with one atomic
/// addition.
struct TraceRing {
  std::unique_ptr<TraceEvent[]> Events;
  alignas(64) std::atomic<int64_t> Claimed{0};
};

int64_t nanoseconds();

/// What gc_team::trace points to: one thread's part in one fold or execution.
/// Lives on that thread's stack.
class TraceCursor {
public:
  TraceCursor(gc_trace &Trace, int64_t Thread, TraceKind Kind, int64_t Run)
      : Trace(Trace), Thread(Thread), Run(Run), Kind(Kind) {}

  void begin(int64_t Region);
  void end(int64_t Region);
  void record(int64_t Begin, int64_t End, int64_t Region);

private:
  static constexpr int MaxDepth = 16;
  gc_trace &Trace;
  const int64_t Thread, Run;
  const TraceKind Kind;
  int Depth = 0;
  int64_t Begins[MaxDepth];
};

} // namespace gc::runtime

struct gc_trace {
  int64_t MaxThreads = 0, MaxEvents = 0;
  std::unique_ptr<gc::runtime::TraceRing[]> Rings;
  std::atomic<int64_t> Runs[2] = {}; // folds, executions
  std::atomic<int64_t> Dropped{0};   // events of team indices beyond MaxThreads

  int64_t nextRun(gc::runtime::TraceKind Kind) {
    return Runs[static_cast<int>(Kind)].fetch_add(1, std::memory_order_relaxed);
  }
};

#endif // GC_LIB_RUNTIME_TRACE_H
