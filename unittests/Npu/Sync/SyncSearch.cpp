// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SyncSearch.h"

#include <algorithm>
#include <set>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// A flag from behind one op to in front of another, or (equal pipes) a barrier
/// in front of the second.
struct Candidate {
  int first, second;
  bool isBarrier;
};

/// Iterative deepening. A placement that is not right yet has a pair of ops out
/// of order; whatever repairs it begins behind the first of them and ends in
/// front of the second, so that only such flags are tried next.
class Search {
public:
  Search(const Kernel &kernel, const Machine &machine, int64_t cycles,
         int64_t maxNodes)
      : kernel(kernel), program(kernel.program), machine(machine),
        cycles(cycles), maxNodes(maxNodes),
        trace(*Trace::makeWhole(program, 1 << 16)) {
    int count = static_cast<int>(program.ops.size());
    for (int i = 0; i < count; ++i)
      for (int j = i + 1; j < count; ++j)
        if (program.ops[i].pipe != program.ops[j].pipe)
          candidates.push_back({i, j, false});
    for (int j = 1; j < count; ++j)
      if (program.ops[j].pipe != Pipe::s)
        candidates.push_back({j - 1, j, true});
  }

  SearchResult run(int64_t count) {
    SearchResult result;
    for (int64_t limit = 0; limit < count; ++limit) {
      seen.clear();
      std::vector<int> chosen;
      if (extend(chosen, limit)) {
        result.plan = makePlan(chosen);
        return result;
      }
      if (nodes > maxNodes) {
        result.isComplete = false;
        return result;
      }
    }
    return result;
  }

private:
  Plan makePlan(const std::vector<int> &chosen) const {
    Plan plan;
    int last = static_cast<int>(program.ops.size());
    for (int i : chosen) {
      const Candidate &candidate = candidates[i];
      if (candidate.isBarrier) {
        plan.barriers.push_back(
            {program.ops[candidate.second].pipe, candidate.second});
        continue;
      }
      Flag flag;
      flag.from = program.ops[candidate.first].pipe;
      flag.to = program.ops[candidate.second].pipe;
      flag.set = candidate.first + 1;
      flag.wait = candidate.second;
      flag.begin = 0;
      flag.end = last;
      plan.flags.push_back(flag);
    }
    return plan;
  }

  bool isAccepted(const Plan &plan) const {
    Plan assigned = plan;
    std::vector<Remark> remarks;
    assignEvents(program, trace, machine, assigned, remarks);
    if (assigned.flags.size() != plan.flags.size() ||
        assigned.barriers.size() != plan.barriers.size())
      return false;
    return simulate(machine, list(kernel, assigned), false).cycles <= cycles;
  }

  /// A bound from below: pairs out of order that no flag can serve together.
  int64_t countSeparate(const std::vector<Violation> &violations) const {
    // Ops are in the order of issue. Pairs that end first come first.
    std::vector<std::pair<int, int>> pairs;
    for (const Violation &violation : violations)
      pairs.emplace_back(violation.instance, violation.needed);
    std::sort(pairs.begin(), pairs.end());
    int64_t count = 0;
    int end = -1;
    for (auto [second, first] : pairs)
      if (first >= end) {
        ++count;
        end = second;
      }
    return count;
  }

  bool extend(std::vector<int> &chosen, int64_t limit) {
    if (++nodes > maxNodes)
      return false;
    Plan plan = makePlan(chosen);
    std::vector<Violation> violations =
        findViolations(program, trace, plan, true);
    if (violations.empty())
      return isAccepted(plan);
    int64_t left = limit - static_cast<int64_t>(chosen.size());
    if (countSeparate(violations) > left)
      return false;
    // The pair with the fewest ways to repair it.
    auto isNearer = [](const Violation &one, const Violation &other) {
      return one.instance - one.needed < other.instance - other.needed;
    };
    Violation pair =
        *std::min_element(violations.begin(), violations.end(), isNearer);
    for (int i = 0; i < static_cast<int>(candidates.size()); ++i) {
      const Candidate &candidate = candidates[i];
      bool helps =
          candidate.first >= pair.needed && candidate.second <= pair.instance;
      if (!helps || std::count(chosen.begin(), chosen.end(), i))
        continue;
      std::vector<int> next = chosen;
      next.push_back(i);
      std::sort(next.begin(), next.end());
      if (!seen.insert(next).second)
        continue;
      if (extend(next, limit))
        return chosen = next, true;
    }
    return false;
  }

  const Kernel &kernel;
  const sync::Program &program;
  const Machine &machine;
  int64_t cycles, maxNodes, nodes = 0;
  Trace trace;
  std::vector<Candidate> candidates;
  std::set<std::vector<int>> seen;
};

} // namespace

SearchResult gc::npu::sync::findFewer(const Kernel &kernel,
                                      const Machine &machine, int64_t count,
                                      int64_t cycles, int64_t maxNodes) {
  return Search(kernel, machine, cycles, maxNodes).run(count);
}
