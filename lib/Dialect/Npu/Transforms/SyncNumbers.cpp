// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Events of flags as sums over the loops around them: fitted to the numbers
// that the executions have in the trace, so branches and uneven loops do not
// matter as long as the numbers are regular.

#include "SyncPlan.h"

#include <algorithm>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// The executions of a point, and their numbers modulo the events.
class Numbers {
public:
  Numbers(const Program &program, const Trace &trace, int point, int plus)
      : loops(program.getLoops(program.getBlock(point))),
        iterations(trace.iterations[point]), plus(plus),
        count(trace.passes[point].size()) {
    // Numbering restarts on each core.
    const auto &passes = trace.passes[point];
    for (int32_t start : trace.starts)
      starts.push_back(std::lower_bound(passes.begin(), passes.end(), start) -
                       passes.begin());
  }

  /// Tries all factors: there are few, and wrong ones fail early.
  bool fit(int events, EventIndex &index) const {
    index = {};
    if (count == 0)
      return true;
    std::vector<int> factors(loops.size());
    while (true) {
      int constant = (plus - getSum(factors, 0) % events + events) % events;
      if (fits(factors, constant, events)) {
        index.constant = constant;
        for (size_t i = 0; i < factors.size(); ++i)
          if (factors[i])
            index.factors.emplace_back(loops[i], factors[i]);
        return true;
      }
      size_t digit = 0;
      while (digit < factors.size() && ++factors[digit] == events)
        factors[digit++] = 0;
      if (digit == factors.size())
        return false;
    }
  }

private:
  int getSum(const std::vector<int> &factors, size_t pass) const {
    int sum = 0;
    for (size_t i = 0; i < factors.size(); ++i)
      sum += factors[i] * iterations[pass * factors.size() + i];
    return sum;
  }

  bool fits(const std::vector<int> &factors, int constant, int events) const {
    size_t core = 0;
    for (size_t pass = 0; pass < count; ++pass) {
      while (core + 1 < starts.size() && starts[core + 1] <= pass)
        ++core;
      size_t number = pass - starts[core] + plus;
      if ((getSum(factors, pass) + constant) % events !=
          static_cast<int>(number % events))
        return false;
    }
    return true;
  }

  std::vector<int> loops;
  const std::vector<int32_t> &iterations;
  int plus;
  size_t count;
  std::vector<size_t> starts;
};

/// The number of the first wait that is left at the end, modulo the events;
/// with as many events as waits left their order does not matter. None if it is
/// not the same on all cores.
std::optional<int> getRest(const Program &program, const Trace &trace,
                           const Flag &flag) {
  if (flag.drains == 0 || flag.drains == flag.events)
    return 0;
  const auto &starts = trace.starts;
  const auto &waits = trace.passes[flag.wait];
  std::optional<int> rest;
  size_t at = 0;
  for (size_t core = 0; core < starts.size(); ++core) {
    size_t count = 0;
    for (; at < waits.size() &&
           (core + 1 == starts.size() || waits[at] < starts[core + 1]);
         ++at)
      ++count;
    int own = static_cast<int>(count % flag.events);
    if (rest && *rest != own)
      return std::nullopt;
    rest = own;
  }
  return rest;
}

} // namespace

bool gc::npu::sync::computeEvents(const Program &program, const Trace &trace,
                                  Flag &flag, int maxEvents) {
  if (flag.events == 1) {
    flag.setEvent = flag.waitEvent = {};
    flag.restEvent = 0;
    return true;
  }
  Numbers sets(program, trace, flag.set, flag.primes);
  Numbers waits(program, trace, flag.wait, 0);
  for (; flag.events <= maxEvents; ++flag.events) {
    std::optional<int> rest = getRest(program, trace, flag);
    if (!rest)
      continue;
    flag.restEvent = *rest;
    if (sets.fit(flag.events, flag.setEvent) &&
        waits.fit(flag.events, flag.waitEvent))
      return true;
  }
  return false;
}
