// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs without loops and branches: a random walk through placements. A flag
// or barrier is added anywhere, and whatever it makes superfluous is removed.
// Most often that is nothing; but where a flag goes through a pipe that other
// flags lead to, it may replace two or three of them. Placements with as many
// flags as before are kept too, so that the walk gets from one such placement
// to another.

#include "SyncPlan.h"

#include <algorithm>
#include <random>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// A flag from after one op to before another, or a barrier before the second.
/// Ops are numbered in the order of issue.
struct Item {
  int first, second;
  bool isBarrier;
};

class Walk {
public:
  Walk(const Program &program, const Trace &trace, const Machine &machine)
      : program(program), trace(trace), machine(machine),
        numOps(static_cast<int>(program.ops.size())), waits(numOps),
        snapshots(numOps) {
    addItems();
  }

  void improve(Plan &plan, int64_t effort) {
    std::vector<int> now = getNumbers(plan);
    if (now.size() < 2)
      return;
    int64_t maxCycles = estimateCycles(program, trace, plan, machine);
    std::vector<int> best = now;
    for (int64_t i = 0; i < effort; ++i) {
      std::vector<int> next = now;
      if (!change(next) || next.size() > best.size() + 1)
        continue;
      Plan changed = getPlan(next);
      if (estimateCycles(program, trace, changed, machine) > maxCycles)
        continue;
      now = std::move(next);
      if (now.size() < best.size())
        best = now;
    }
    if (best.size() < plan.flags.size() + plan.barriers.size())
      plan = getPlan(best);
  }

private:
  /// For each pipe how many of its ops are known to have completed; programs
  /// are short enough for bytes.
  using Known = std::array<uint8_t, 8>;

  void addItems() {
    for (int j = 0; j < numOps; ++j)
      for (int i = 0; i <= j; ++i) {
        Pipe from = program.ops[i].pipe, to = program.ops[j].pipe;
        if (from != Pipe::s && (from != to || i == j))
          items.push_back({i, j, i == j});
      }
  }

  /// The numbers of the plan's items; none if it has others.
  std::vector<int> getNumbers(const Plan &plan) const {
    std::vector<int> numbers;
    auto add = [&](int first, int second, bool isBarrier) {
      for (size_t i = 0; i < items.size(); ++i)
        if (items[i].first == first && items[i].second == second &&
            items[i].isBarrier == isBarrier) {
          numbers.push_back(static_cast<int>(i));
          return;
        }
    };
    for (const Flag &flag : plan.flags) {
      bool isPlain = flag.set > 0 && flag.wait < numOps && !flag.primes &&
                     !flag.drains &&
                     program.ops[flag.set - 1].pipe == flag.from &&
                     program.ops[flag.wait].pipe == flag.to;
      if (isPlain)
        add(flag.set - 1, flag.wait, false);
    }
    for (const Barrier &barrier : plan.barriers)
      if (barrier.point < numOps &&
          program.ops[barrier.point].pipe == barrier.pipe)
        add(barrier.point, barrier.point, true);
    if (numbers.size() != plan.flags.size() + plan.barriers.size())
      numbers.clear();
    return numbers;
  }

  Plan getPlan(const std::vector<int> &numbers) const {
    Plan plan;
    for (int number : numbers) {
      const Item &item = items[number];
      if (item.isBarrier) {
        plan.barriers.push_back({program.ops[item.first].pipe, item.second});
        continue;
      }
      Flag flag;
      flag.from = program.ops[item.first].pipe;
      flag.to = program.ops[item.second].pipe;
      flag.set = item.first + 1;
      flag.wait = item.second;
      flag.begin = item.first;
      flag.end = item.second + 1;
      plan.flags.push_back(flag);
    }
    return plan;
  }

  /// Adds something and removes, in any order, what that implies. Returns false
  /// if nothing was removed, except one time in eight.
  bool change(std::vector<int> &numbers) {
    int added = pick(items.size());
    if (std::count(numbers.begin(), numbers.end(), added))
      return false;
    for (size_t i = numbers.size() - 1; i > 0; --i)
      std::swap(numbers[i], numbers[pick(i + 1)]);
    size_t before = numbers.size();
    numbers.push_back(added);
    for (size_t i = before; i-- > 0;) {
      int number = numbers[i];
      numbers.erase(numbers.begin() + i);
      if (!isOrdered(numbers))
        numbers.insert(numbers.begin() + i, number);
    }
    return numbers.size() <= before || pick(8) == 0;
  }

  /// Vector clocks, as in findViolations, but without everything that loops
  /// need.
  bool isOrdered(const std::vector<int> &numbers) {
    hasBarrier.assign(numOps, false);
    hasSet.assign(numOps, false);
    for (std::vector<int> &list : waits)
      list.clear();
    for (int number : numbers) {
      const Item &item = items[number];
      if (item.isBarrier) {
        hasBarrier[item.second] = true;
        continue;
      }
      hasSet[item.first] = true;
      waits[item.second].push_back(item.first);
    }
    std::array<Known, kNumPipes> clocks = {};
    const Known &scalar = clocks[static_cast<size_t>(Pipe::s)];
    auto join = [](Known &one, const Known &other) {
      for (size_t p = 0; p < one.size(); ++p)
        one[p] = std::max(one[p], other[p]);
    };
    Known done = {};
    for (int j = 0; j < numOps; ++j) {
      const Instance &instance = trace.instances[j];
      auto self = static_cast<size_t>(program.ops[j].pipe);
      Known &clock = clocks[self];
      join(clock, scalar);
      if (hasBarrier[j])
        clock[self] = done[self];
      for (int first : waits[j])
        join(clock, snapshots[first]);
      for (int p = 0; p < kNumPipes; ++p)
        if (clock[p] < instance.needs[p])
          return false;
      done[self] = static_cast<uint8_t>(instance.number + 1);
      if (program.ops[j].pipe == Pipe::s)
        clock[self] = done[self];
      if (hasSet[j]) {
        snapshots[j] = clock;
        snapshots[j][self] = done[self];
      }
    }
    return true;
  }

  int pick(size_t count) { return static_cast<int>(random() % count); }

  const Program &program;
  const Trace &trace;
  const Machine &machine;
  int numOps;
  std::vector<Item> items;
  std::vector<bool> hasBarrier, hasSet;
  std::vector<std::vector<int>> waits;
  std::vector<Known> snapshots;
  std::mt19937 random;
};

} // namespace

bool gc::npu::sync::walkPlacements(const Program &program, const Trace &trace,
                                   const Machine &machine, Plan &plan) {
  constexpr size_t kMaxOps = 100;
  constexpr int64_t kEffort = 5000;
  size_t count = program.ops.size();
  if (program.blocks.size() > 1 || program.cores > 1 || count > kMaxOps)
    return false;
  Walk(program, trace, machine).improve(plan, kEffort);
  return true;
}
