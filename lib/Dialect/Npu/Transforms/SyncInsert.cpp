// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The pass on an abstract program.

#include "SyncPlan.h"

#include <algorithm>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// A program's length beyond which it is not run in full.
constexpr int64_t kMaxSteps = 16 << 20;
/// A trace up to this length is short enough to plan on.
constexpr int64_t kShortSteps = 40000;

/// A barrier of all pipes before every op that depends on anything.
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

/// Balances a flag in the whole trace: where a branch is left out at the end of
/// a loop, its set or wait may have to move out of the branch.
bool balance(const Program &program, const Trace &full, Flag &flag) {
  for (int set : getOuterPoints(program, flag.set, true))
    for (int wait : getOuterPoints(program, flag.wait, false)) {
      Flag moved = flag;
      moved.set = set;
      moved.wait = wait;
      if (!setPrimes(program, full, moved, flag.primes))
        continue;
      flag = moved;
      return true;
    }
  return false;
}

/// Whether a plan that was made on a part of the trace is right for all of it;
/// makes its flags balanced there, and gives them their events.
bool fitsWhole(const Program &program, const Trace &full,
               const Machine &machine, Result &made, bool &isChanged) {
  Plan &plan = made.plan;
  isChanged = false;
  for (Flag &flag : plan.flags)
    if (!setPrimes(program, full, flag, flag.primes)) {
      isChanged = true;
      if (!balance(program, full, flag))
        return false;
    }
  if (!isOrdered(program, full, plan))
    return false;
  auto hasEvents = [&](Flag &flag) {
    int events = flag.events;
    return computeEvents(program, full, flag, events);
  };
  if (std::all_of(plan.flags.begin(), plan.flags.end(), hasEvents) &&
      !findClash(program, full, plan))
    return true;
  // At the ends of the loops more sets may be left than in the part.
  isChanged = true;
  assignEvents(program, full, machine, plan, made.remarks);
  return isOrdered(program, full, plan) && !findClash(program, full, plan);
}

/// How often each op runs, as far as it matters: up to three times.
std::vector<int> countRuns(const Program &program, const Trace &trace) {
  std::vector<int> counts(program.ops.size());
  for (const Instance &instance : trace.instances)
    counts[instance.op] = std::min(counts[instance.op] + 1, 3);
  return counts;
}

/// The longest form of the program of at most the given number of steps; none
/// if that is so short that it lacks what the program does rarely.
std::optional<Trace> getPart(const Program &program, const Trace &full,
                             int64_t outer, int64_t maxSteps) {
  if (static_cast<int64_t>(full.steps.size()) <= maxSteps)
    return full;
  for (int64_t inner : {4096, 2048, 1024, 512, 256, 128, 64, 48, 32, 24, 16, 12,
                        8, 6, 4, 3, 2}) {
    auto part = Trace::make(program, inner, std::min(outer, inner), maxSteps);
    if (!part)
      continue;
    if (countRuns(program, *part) == countRuns(program, full))
      return part;
    return std::nullopt;
  }
  return std::nullopt;
}

Result makePlan(const Program &program, const Trace &trace,
                const Machine &machine) {
  Result result;
  addMissing(program, trace, result.plan);
  removeImplied(program, trace, result.plan);
  group(program, trace, machine, result.plan);
  if (!walkPlacements(program, trace, machine, result.plan))
    exchange(program, trace, machine, result.plan);
  assignEvents(program, trace, machine, result.plan, result.remarks);
  result.cycles = estimateCycles(program, trace, result.plan, machine);
  return result;
}

} // namespace

Result gc::npu::sync::insertSync(const Program &program,
                                 const Machine &machine) {
  Result result;
  std::optional<Trace> full;
  if (program.isStatic)
    full = Trace::makeWhole(program, kMaxSteps);
  if (!full) {
    result.plan = getSlowPlan(program, nullptr);
    if (!program.ops.empty())
      result.remarks.push_back(
          {0, "Barriers",
           program.isStatic
               ? "the program is too long to be run at compile time; a barrier "
                 "of all pipes precedes each instruction"
               : "loop bounds or conditions are not known; a barrier of all "
                 "pipes precedes each instruction"});
    return result;
  }
  // Plan on a short form of the program; what matters is that the plan is right
  // for the whole one. Then on longer ones.
  struct Attempt {
    int64_t outer, steps;
  };
  constexpr Attempt kAttempts[] = {{3, kShortSteps},
                                   {Trace::kAll, kShortSteps},
                                   {Trace::kAll, 4 * kShortSteps},
                                   {Trace::kAll, kMaxSteps}};
  std::optional<Result> best;
  for (const Attempt &attempt : kAttempts) {
    std::optional<Trace> part =
        getPart(program, *full, attempt.outer, attempt.steps);
    if (!part)
      continue;
    Result made = makePlan(program, *part, machine);
    bool isChanged = false;
    if (!fitsWhole(program, *full, machine, made, isChanged))
      continue;
    // Parts that had to be changed may have become slow: try a longer part.
    made.cycles = estimateCycles(program, *full, made.plan, machine);
    if (!best || made.cycles < best->cycles)
      best = std::move(made);
    if (!isChanged)
      break;
  }
  if (best) {
    best->executed = countExecuted(*full, best->plan);
    return std::move(*best);
  }
  result.plan = getSlowPlan(program, &*full);
  result.remarks = {{0, "Barriers",
                     "no arrangement of flags was found; a barrier of all "
                     "pipes precedes each instruction that needs another"}};
  result.executed = countExecuted(*full, result.plan);
  return result;
}
