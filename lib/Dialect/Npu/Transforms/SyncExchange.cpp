// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Short programs: removes a few neighbouring flags and barriers and searches
// all ways to replace them with fewer. Grouping only merges flags of one pair
// of pipes; this also finds detours, where one flag replaces two others because
// they meet on a third pipe.

#include "SyncGroup.h"

#include <algorithm>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// A flag without primes, or a barrier.
struct Item {
  bool isBarrier = false;
  Flag flag;
  Barrier barrier;
  int getPoint() const { return isBarrier ? barrier.point : flag.wait; }
};

class Exchange {
public:
  Exchange(const Program &program, const Trace &trace, const Machine &machine,
           int64_t budget)
      : program(program), trace(trace), machine(machine), budget(budget) {
    addCandidates();
  }

  /// One exchange that makes the plan shorter, if the budget finds one.
  bool improve(Plan &plan) {
    std::vector<Item> items = getItems(plan);
    maxCycles = estimateCycles(program, trace, plan, machine);
    for (size_t size = 2; size <= kMaxSize; ++size)
      for (size_t begin = 0; begin + size <= items.size(); ++begin) {
        std::vector<Item> rest = items;
        rest.erase(rest.begin() + begin, rest.begin() + begin + size);
        before = countExecuted(trace, plan);
        if (repair(rest, size - 1)) {
          plan = getPlan(rest);
          return true;
        }
        if (budget <= 0)
          return false;
      }
    return false;
  }

private:
  static constexpr size_t kMaxSize = 5;

  void addCandidates() {
    for (size_t block = 0; block < program.blocks.size(); ++block) {
      const auto &nodes = program.blocks[block].nodes;
      int count = static_cast<int>(nodes.size());
      for (int i = 0; i < count; ++i) {
        if (nodes[i].kind != Node::op)
          continue;
        Pipe from = program.ops[nodes[i].index].pipe;
        int place = program.getPoint(static_cast<int>(block), i);
        Item item;
        item.isBarrier = true;
        item.barrier = {from, place};
        if (from != Pipe::s)
          candidates.push_back(item);
        for (int j = i + 1; j < count; ++j)
          if (nodes[j].kind == Node::op)
            addFlag(place + 1, program.getPoint(static_cast<int>(block), j),
                    from, program.ops[nodes[j].index].pipe);
      }
    }
  }

  void addFlag(int set, int wait, Pipe from, Pipe to) {
    if (from == to)
      return;
    Item item;
    auto flag = makeFlag(program, trace, from, to, set, wait, {});
    if (!flag)
      return;
    item.flag = *flag;
    item.flag.distance = 0;
    if (!setPrimes(program, trace, item.flag, 0))
      return;
    candidates.push_back(item);
  }

  std::vector<Item> getItems(const Plan &plan) const {
    std::vector<Item> items;
    for (const Flag &flag : plan.flags) {
      Item item;
      item.flag = flag;
      items.push_back(item);
    }
    for (const Barrier &barrier : plan.barriers) {
      Item item;
      item.isBarrier = true;
      item.barrier = barrier;
      items.push_back(item);
    }
    sortStably(items, [](const Item &one, const Item &other) {
      return one.getPoint() < other.getPoint();
    });
    return items;
  }

  static Plan getPlan(const std::vector<Item> &items) {
    Plan plan;
    for (const Item &item : items)
      if (item.isBarrier)
        plan.barriers.push_back(item.barrier);
      else
        plan.flags.push_back(item.flag);
    return plan;
  }

  /// Whether the item may put the two ops in order: it begins after the first
  /// and ends before the second.
  bool helps(const Item &item, const Violation &pair) const {
    int32_t first = trace.instances[pair.needed].step;
    int32_t second = trace.instances[pair.instance].step;
    const auto &ends = trace.passes[item.getPoint()];
    const auto &begins = item.isBarrier ? ends : trace.passes[item.flag.set];
    size_t n =
        std::upper_bound(begins.begin(), begins.end(), first) - begins.begin();
    return n < ends.size() && ends[n] <= second;
  }

  bool repair(std::vector<Item> &items, size_t left) {
    if (--budget < 0)
      return false;
    Plan plan = getPlan(items);
    std::vector<Violation> pairs = findViolations(program, trace, plan);
    if (pairs.empty())
      return countExecuted(trace, plan) < before &&
             isOrdered(program, trace, plan) &&
             estimateCycles(program, trace, plan, machine) <= maxCycles;
    if (left == 0)
      return false;
    for (const Item &candidate : candidates) {
      if (!helps(candidate, pairs[0]))
        continue;
      items.push_back(candidate);
      if (repair(items, left - 1))
        return true;
      items.pop_back();
    }
    return false;
  }

  const Program &program;
  const Trace &trace;
  const Machine &machine;
  std::vector<Item> candidates;
  int64_t budget, maxCycles = 0, before = 0;
};

} // namespace

void gc::npu::sync::exchange(const Program &program, const Trace &trace,
                             const Machine &machine, Plan &plan) {
  // What the search may look at, in steps of the trace.
  constexpr int64_t kMaxSteps = 400, kEffort = 250000;
  int64_t steps = static_cast<int64_t>(trace.steps.size());
  if (steps > kMaxSteps)
    return;
  int64_t budget = kEffort / std::max<int64_t>(steps, 1);
  while (Exchange(program, trace, machine, budget).improve(plan)) {
  }
}
