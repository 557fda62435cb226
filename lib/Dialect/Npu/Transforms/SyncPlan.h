// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Flags and barriers at points of a program, and what a run with them does.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCPLAN_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCPLAN_H

#include "SyncTrace.h"

#include <string>
#include <utility>

namespace gc::npu::sync {

/// An execution's number modulo the events of a flag: the sum of `constant` and
/// of each loop's iteration times its factor.
struct EventIndex {
  int constant = 0;
  /// Loops, and factors from 1 on.
  std::vector<std::pair<int, int>> factors;
};

/// A set_flag and a wait_flag at two points. The n-th wait (from 0) takes what
/// the n-th set gave, of which the first `primes` are before all loops
/// (`begin`), so that iteration n waits for what iteration n - primes did; the
/// waits for what is left are at `end`. The n-th uses event first + n mod
/// events.
struct Flag {
  Pipe from = Pipe::v, to = Pipe::v;
  /// Points.
  int set = 0, wait = 0, begin = 0, end = 0;
  int primes = 0, drains = 0;
  /// What `primes` would be if there were enough events.
  int distance = 0;
  int events = 1, first = 0;
  /// n mod events of sets and of waits, and of the first wait at the end.
  EventIndex setEvent, waitEvent;
  int restEvent = 0;
};

/// Pipe S: barrier(all).
struct Barrier {
  Pipe pipe = Pipe::v;
  int point = 0;
};

struct Plan {
  std::vector<Flag> flags;
  std::vector<Barrier> barriers;
};

/// The actions at a point, in the order in which they are executed.
struct Action {
  enum Kind : uint8_t { set, drain, barrier, prime, wait };
  Kind kind;
  /// The flag or barrier.
  int index;
};
using Actions = std::vector<std::vector<Action>>;
Actions getActions(const Program &program, const Plan &plan);

/// Runs a plan along a trace. The visitor has
///   start(), iterate(), op(instance number), set(flag, n), wait(flag, n),
///   barrier(pipe),
/// each of which returns whether to go on.
template <typename Visitor>
void walk(const Trace &trace, const Plan &plan, const Actions &actions,
          Visitor &visitor) {
  std::vector<int32_t> sets(plan.flags.size()), waits(plan.flags.size());
  for (const Step &step : trace.steps) {
    bool goesOn = true;
    ++trace.walked;
    switch (step.kind) {
    case Step::start:
      goesOn = visitor.start();
      break;
    case Step::iterate:
      goesOn = visitor.iterate();
      break;
    case Step::op:
      goesOn = visitor.op(step.id);
      break;
    case Step::point:
      for (const Action &action : actions[step.id]) {
        int i = action.index;
        switch (action.kind) {
        case Action::set:
          goesOn &= visitor.set(i, sets[i]++);
          break;
        case Action::wait:
          goesOn &= visitor.wait(i, waits[i]++);
          break;
        case Action::barrier:
          goesOn &= visitor.barrier(plan.barriers[i].pipe);
          break;
        case Action::prime:
          sets[i] = waits[i] = 0;
          while (sets[i] < plan.flags[i].primes)
            goesOn &= visitor.set(i, sets[i]++);
          break;
        case Action::drain:
          for (int p = 0; p < plan.flags[i].drains; ++p)
            goesOn &= visitor.wait(i, waits[i]++);
          break;
        }
      }
      break;
    }
    if (!goesOn)
      return;
  }
}

/// Sorts a short list; equal ones keep their order.
template <typename List, typename Less>
void sortStably(List &list, Less less) {
  for (size_t i = 1; i < list.size(); ++i)
    for (size_t j = i; j > 0 && less(list[j], list[j - 1]); --j)
      std::swap(list[j], list[j - 1]);
}

/// An instance that may start before what it needs is visible.
struct Violation {
  /// The instance, and the one it needs.
  int32_t instance, needed;
};
/// The first violation in the order of issue, according to happens-before
/// alone, and all later ones between the same two ops; or all violations.
std::vector<Violation> findViolations(const Program &program,
                                      const Trace &trace, const Plan &plan,
                                      bool all = false);
/// Whether there is no violation, and no wait before its set.
bool isOrdered(const Program &program, const Trace &trace, const Plan &plan);

/// How many events each flag needs if it shares none, so that a set never meets
/// a flag that may still be set.
std::vector<int> countEvents(const Program &program, const Trace &trace,
                             const Plan &plan);

/// A flag that, with the events given, finds its event still set, or does not
/// find its own set, or is left set at the end; none if everything is right.
std::optional<int> findClash(const Program &program, const Trace &trace,
                             const Plan &plan);

/// Cycles of a run: the cycle model with an approximate global memory channel.
int64_t estimateCycles(const Program &program, const Trace &trace,
                       const Plan &plan, const Machine &machine);

/// Finds how the events of a flag can be computed, with at least as many of
/// them as it has and at most `maxEvents`; false if they cannot.
bool computeEvents(const Program &program, const Trace &trace, Flag &flag,
                   int maxEvents);

/// Executed set_flags and barriers.
int64_t countExecuted(const Trace &trace, const Plan &plan);

/// The most iterations that a flag lets one pipe run ahead of the other.
constexpr int kMaxPrimes = 4;

/// Gives a flag the given number of primes, and as many drains as are left
/// then; false if it would not be balanced, or a wait would come before its
/// set.
bool setPrimes(const Program &program, const Trace &trace, Flag &flag,
               int primes);

/// A flag with its set and its wait at these points that orders all `pairs`,
/// with as many primes as that allows. None if there is no legal one.
std::optional<Flag> makeFlag(const Program &program, const Trace &trace,
                             Pipe from, Pipe to, int set, int wait,
                             const std::vector<Violation> &pairs);

/// Flags for these pairs, all instances of the same two ops on different pipes:
/// after the first or a statement around it, before the second or a statement
/// around it; the innermost first.
std::vector<Flag> getFlags(const Program &program, const Trace &trace,
                           const std::vector<Violation> &pairs);

/// Flags for these pairs whose set and wait are at one point: after the first
/// op or before the second, or at statements around them. If one of the two is
/// in a branch that is rarely taken, they are executed rarely.
std::vector<Flag> getMeetings(const Program &program, const Trace &trace,
                              const std::vector<Violation> &pairs);

/// A point and those around it: after (sets) or before (waits) the statements
/// that it is in.
std::vector<int> getOuterPoints(const Program &program, int point,
                                bool isBehind);

/// A barrier for pairs of instances of the same two ops of a pipe, passed as
/// rarely as possible.
Barrier getBarrier(const Program &program, const Trace &trace,
                   const std::vector<Violation> &pairs);

/// Adds flags and barriers until the trace is in order, innermost places first.
void addMissing(const Program &program, const Trace &trace, Plan &plan);

/// Removes what the rest implies, starting with what is executed most.
void removeImplied(const Program &program, const Trace &trace, Plan &plan);

/// Merges and moves flags and barriers where that reduces their number and
/// costs no cycles: for each pair of pipes by dynamic programming, then one at
/// a time.
void group(const Program &program, const Trace &trace, const Machine &machine,
           Plan &plan);

/// Replaces a few neighbouring flags and barriers with fewer, in no more
/// cycles, if the trace is short.
void exchange(const Program &program, const Trace &trace,
              const Machine &machine, Plan &plan);

/// Looks for fewer flags and barriers in no more cycles in a short program
/// without loops; false if the program is not one.
bool walkPlacements(const Program &program, const Trace &trace,
                    const Machine &machine, Plan &plan);

/// A plan of few flags: for each pair of pipes and each loop's body one flag
/// from the last set to the first wait, and as few as possible within an
/// iteration.
Plan makeCoarsePlan(const Program &program, const Trace &trace);

/// Gives flags their events. If the machine has too few flags, makes pipes wait
/// that could run ahead, and reports it.
void assignEvents(const Program &program, const Trace &trace,
                  const Machine &machine, Plan &plan,
                  std::vector<struct Remark> &remarks);

struct Remark {
  /// The op for which it was done.
  int op;
  std::string name, reason;
};

struct Result {
  Plan plan;
  std::vector<Remark> remarks;
  /// Of the whole program; cycles are an estimate.
  int64_t executed = 0, cycles = 0;
};

/// The pass. Without `groups` flags are neither merged nor moved.
Result insertSync(const Program &program, const Machine &machine,
                  bool groups = true);

/// A barrier of all pipes before every op.
Plan getBarriers(const Program &program);

} // namespace gc::npu::sync

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCPLAN_H
