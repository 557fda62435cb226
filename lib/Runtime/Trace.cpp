// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Trace.h"

#include "Error.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <new>
#include <thread>
#include <vector>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace gc::runtime;

int64_t gc::runtime::nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Tells tracks apart: team indices repeat when host threads execute
/// concurrently.
static int64_t systemThread() {
#if defined(__linux__)
  static thread_local const int64_t Id = syscall(SYS_gettid);
#else
  static std::atomic<int64_t> Next{1};
  static thread_local const int64_t Id = Next.fetch_add(1);
#endif
  return Id;
}

void TraceCursor::record(int64_t Begin, int64_t End, int64_t Region) {
  if (Thread >= Trace.MaxThreads) {
    Trace.Dropped.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  TraceRing &Ring = Trace.Rings[Thread];
  int64_t Slot = Ring.Claimed.fetch_add(1, std::memory_order_relaxed);
  Ring.Events[Slot % Trace.MaxEvents] = {Begin,          End, Region, Run,
                                         systemThread(), Kind};
}

void TraceCursor::begin(int64_t) {
  if (Depth < MaxDepth)
    Begins[Depth] = nanoseconds();
  ++Depth;
}

void TraceCursor::end(int64_t Region) {
  if (Depth == 0)
    return;
  if (--Depth < MaxDepth)
    record(Begins[Depth], nanoseconds(), Region);
}

void gc_trace_begin(const gc_team *team, int64_t region) {
  if (team->trace)
    static_cast<TraceCursor *>(team->trace)->begin(region);
}

void gc_trace_end(const gc_team *team, int64_t region) {
  if (team->trace)
    static_cast<TraceCursor *>(team->trace)->end(region);
}

gc_trace *gc_trace_create(int64_t max_threads, int64_t max_events_per_thread) {
  if (max_threads < 1 || max_events_per_thread < 1) {
    fail(GC_INVALID_ARGUMENT,
         "a trace needs room for at least 1 thread and 1 event");
    return nullptr;
  }
  try {
    auto Trace = std::make_unique<gc_trace>();
    Trace->MaxThreads = max_threads;
    Trace->MaxEvents = max_events_per_thread;
    Trace->Rings.reset(new TraceRing[max_threads]);
    for (int64_t I = 0; I < max_threads; ++I)
      Trace->Rings[I].Events.reset(new TraceEvent[max_events_per_thread]);
    return Trace.release();
  } catch (const std::bad_alloc &) {
    fail(GC_OUT_OF_MEMORY, "no memory for a trace of %lld x %lld events",
         static_cast<long long>(max_threads),
         static_cast<long long>(max_events_per_thread));
    return nullptr;
  }
}

void gc_trace_destroy(gc_trace *trace) { delete trace; }

double gc_trace_region_ms(const gc_trace *trace, int64_t region) {
  if (!trace)
    return -1;
  // Begin and end by the number of the execution.
  std::map<int64_t, std::pair<int64_t, int64_t>> Spans;
  try {
    for (int64_t T = 0; T < trace->MaxThreads; ++T) {
      const TraceRing &Ring = trace->Rings[T];
      int64_t Count = std::min(Ring.Claimed.load(), trace->MaxEvents);
      for (int64_t I = 0; I < Count; ++I) {
        const TraceEvent &E = Ring.Events[I];
        if (E.Region != region || E.Kind != TraceKind::Compute)
          continue;
        auto [It, IsNew] = Spans.try_emplace(E.Run, E.Begin, E.End);
        It->second.first = std::min(It->second.first, E.Begin);
        It->second.second = std::max(It->second.second, E.End);
      }
    }
    std::vector<int64_t> Times;
    for (const auto &Span : Spans)
      Times.push_back(Span.second.second - Span.second.first);
    if (Times.empty())
      return -1;
    auto Chosen = Times.begin() + Times.size() / 10;
    std::nth_element(Times.begin(), Chosen, Times.end());
    return *Chosen * 1e-6;
  } catch (const std::bad_alloc &) {
    return -1;
  }
}
