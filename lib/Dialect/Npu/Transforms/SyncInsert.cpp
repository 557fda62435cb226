// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The pass on an abstract program.

#include "SyncPlan.h"

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// A program's length beyond which it is not run in full.
constexpr int64_t kMaxSteps = 16 << 20;
/// A trace up to this length is short enough to plan on.
constexpr int64_t kShortSteps = 40000;

/// All pipes meet in front of every op that needs anything.
Plan getSlowPlan(const Program &program, const Trace *trace) {
  std::vector<bool> waits(program.ops.size(), !trace);
  if (trace)
    for (const Instance &instance : trace->instances)
      for (int32_t count : instance.needs)
        if (count)
          waits[instance.op] = true;
  Plan plan;
  for (size_t op = 0; op < program.ops.size(); ++op)
    if (waits[op]) {
      auto [block, node] = program.places[op];
      plan.barriers.push_back({Pipe::s, program.getPoint(block, node)});
    }
  return plan;
}

/// Whether a plan that was made on a part of the trace is right for all of it;
/// gives the flags their events there.
bool fitsWhole(const Program &program, const Trace &full, Plan &plan) {
  if (!isOrdered(program, full, plan))
    return false;
  for (Flag &flag : plan.flags) {
    int events = flag.events;
    if (!computeEvents(program, full, flag, events))
      return false;
  }
  return !findClash(program, full, plan);
}

} // namespace

Result gc::npu::sync::insertSync(const Program &program,
                                 const Machine &machine) {
  Result result;
  std::optional<Trace> full;
  if (program.isStatic)
    full = Trace::make(program, -1, kMaxSteps);
  if (!full) {
    result.plan = getSlowPlan(program, nullptr);
    if (!program.ops.empty())
      result.remarks.push_back(
          {0, "Barriers",
           program.isStatic ? "the program is too long to be run beforehand; "
                              "all pipes meet in front of each instruction"
                            : "loop bounds or conditions are not known; all "
                              "pipes meet in front of each instruction"});
    return result;
  }
  // Plan on a short form of the program; what counts is that the whole one is
  // right.
  std::vector<Remark> remarks;
  for (int64_t trips = program.period;; trips *= 4) {
    std::optional<Trace> part;
    bool isWhole = static_cast<int64_t>(full->steps.size()) <= kShortSteps;
    if (!isWhole) {
      part = Trace::make(program, trips, kMaxSteps);
      isWhole = part->steps.size() == full->steps.size();
    }
    const Trace &trace = isWhole ? *full : *part;
    remarks.clear();
    Plan plan;
    addMissing(program, trace, plan);
    removeImplied(program, trace, plan);
    group(program, trace, machine, plan);
    exchange(program, trace, machine, plan);
    assignEvents(program, trace, machine, plan, remarks);
    if (fitsWhole(program, *full, plan)) {
      result.plan = std::move(plan);
      result.remarks = std::move(remarks);
      result.cycles = estimateCycles(program, trace, result.plan, machine);
      break;
    }
    if (isWhole) {
      result.plan = getSlowPlan(program, &*full);
      result.remarks = {{0, "Barriers",
                         "no arrangement of flags was found; all pipes meet "
                         "in front of each instruction that needs another"}};
      break;
    }
  }
  result.executed = countExecuted(*full, result.plan);
  return result;
}
