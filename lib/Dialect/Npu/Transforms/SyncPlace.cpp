// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where flags and barriers can stand.

#include "SyncPlan.h"

#include <algorithm>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

using Passes = std::vector<int32_t>;

int64_t countUpTo(const Passes &passes, int32_t step) {
  return std::upper_bound(passes.begin(), passes.end(), step) - passes.begin();
}

/// Whether two points are passed equally often on each core.
bool isBalanced(const Program &program, const Trace &trace, const Passes &sets,
                const Passes &waits) {
  if (sets.size() != waits.size())
    return false;
  for (int32_t start : trace.passes[program.getPoint(0, 0)])
    if (countUpTo(sets, start) != countUpTo(waits, start))
      return false;
  return true;
}

} // namespace

std::optional<Flag>
gc::npu::sync::makeFlag(const Program &program, const Trace &trace, Pipe from,
                        Pipe to, int set, int wait,
                        const std::vector<Violation> &pairs) {
  const Passes &sets = trace.passes[set], &waits = trace.passes[wait];
  if (!isBalanced(program, trace, sets, waits))
    return std::nullopt;

  Flag flag;
  flag.from = from;
  flag.to = to;
  flag.set = set;
  flag.wait = wait;
  int64_t primes = INT64_MAX;
  for (const Violation &pair : pairs) {
    int32_t first = trace.instances[pair.needed].step;
    int32_t second = trace.instances[pair.instance].step;
    int64_t setNumber = countUpTo(sets, first);
    int64_t waitNumber = countUpTo(waits, second) - 1;
    bool isFlagged = setNumber < static_cast<int64_t>(sets.size()) &&
                     waitNumber >= setNumber;
    if (!isFlagged)
      return std::nullopt;
    primes = std::min(primes, waitNumber - setNumber);
  }
  flag.distance =
      primes == INT64_MAX ? 1 : static_cast<int>(std::min<int64_t>(primes, 64));
  flag.primes = std::min(flag.distance, kMaxPrimes);
  for (size_t n = flag.primes; n < waits.size(); ++n)
    if (sets[n - flag.primes] > waits[n])
      return std::nullopt;

  // Primes and drains stand in the program's own block, around both.
  auto getChild = [&](int point, bool isSet) {
    int block = program.getBlock(point), gap = program.getGap(point);
    if (block)
      return program.getChild(0, block);
    return std::max(0, isSet ? gap - 1 : gap);
  };
  int one = getChild(set, true), other = getChild(wait, false);
  flag.begin = program.getPoint(0, std::min(one, other));
  flag.end = program.getPoint(0, std::max(one, other) + 1);
  return flag;
}

std::vector<Flag> gc::npu::sync::getFlags(const Program &program,
                                          const Trace &trace,
                                          const std::vector<Violation> &pairs) {
  int first = trace.instances[pairs[0].needed].op;
  int second = trace.instances[pairs[0].instance].op;
  Pipe from = program.ops[first].pipe, to = program.ops[second].pipe;
  // Points behind the first op and the statements around it, the innermost
  // first; and so on.
  auto collect = [&](int op, int behind) {
    std::vector<int> points;
    auto [block, node] = program.places[op];
    for (; block >= 0; node = program.blocks[block].parentNode,
                       block = program.blocks[block].parent)
      points.push_back(program.getPoint(block, node + behind));
    return points;
  };
  struct Choice {
    int depth;
    Flag flag;
  };
  std::vector<Choice> choices;
  std::vector<int> sets = collect(first, 1), waits = collect(second, 0);
  for (size_t i = 0; i < sets.size(); ++i)
    for (size_t j = 0; j < waits.size(); ++j)
      if (auto flag =
              makeFlag(program, trace, from, to, sets[i], waits[j], pairs))
        choices.push_back({program.blocks[program.getBlock(sets[i])].depth +
                               program.blocks[program.getBlock(waits[j])].depth,
                           *flag});
  // Those that would need more events than there are come last: further out,
  // they run rarely and lose little.
  sortStably(choices, [](const Choice &one, const Choice &other) {
    bool oneFits = one.flag.distance == one.flag.primes;
    bool otherFits = other.flag.distance == other.flag.primes;
    if (oneFits != otherFits)
      return oneFits;
    return one.depth > other.depth;
  });
  std::vector<Flag> flags;
  for (const Choice &choice : choices)
    flags.push_back(choice.flag);
  return flags;
}

Barrier gc::npu::sync::getBarrier(const Program &program, const Trace &trace,
                                  const std::vector<Violation> &pairs) {
  int op = trace.instances[pairs[0].instance].op;
  auto [block, node] = program.places[op];
  Barrier best = {program.ops[op].pipe, program.getPoint(block, node)};
  for (; block >= 0; node = program.blocks[block].parentNode,
                     block = program.blocks[block].parent) {
    int point = program.getPoint(block, node);
    const Passes &passes = trace.passes[point];
    bool isBetween =
        std::all_of(pairs.begin(), pairs.end(), [&](const Violation &pair) {
          return countUpTo(passes, trace.instances[pair.needed].step) <
                 countUpTo(passes, trace.instances[pair.instance].step);
        });
    if (isBetween && passes.size() < trace.passes[best.point].size())
      best.point = point;
  }
  return best;
}

void gc::npu::sync::addMissing(const Program &program, const Trace &trace,
                               Plan &plan) {
  while (true) {
    std::vector<Violation> pairs = findViolations(program, trace, plan);
    if (pairs.empty())
      return;
    int first = trace.instances[pairs[0].needed].op;
    int second = trace.instances[pairs[0].instance].op;
    if (program.ops[first].pipe == program.ops[second].pipe) {
      plan.barriers.push_back(getBarrier(program, trace, pairs));
      continue;
    }
    std::vector<Flag> flags = getFlags(program, trace, pairs);
    if (flags.empty()) {
      // Nothing balances (branches that differ): all pipes meet.
      Barrier barrier = getBarrier(program, trace, pairs);
      barrier.pipe = Pipe::s;
      plan.barriers.push_back(barrier);
      continue;
    }
    plan.flags.push_back(flags.front());
  }
}

void gc::npu::sync::removeImplied(const Program &program, const Trace &trace,
                                  Plan &plan) {
  struct Item {
    size_t count;
    bool isBarrier;
    size_t index;
  };
  std::vector<Item> items;
  for (size_t i = 0; i < plan.flags.size(); ++i)
    items.push_back({trace.passes[plan.flags[i].set].size(), false, i});
  for (size_t i = 0; i < plan.barriers.size(); ++i)
    items.push_back({trace.passes[plan.barriers[i].point].size(), true, i});
  sortStably(items, [](const Item &one, const Item &other) {
    return one.count > other.count;
  });
  std::vector<bool> noFlag(plan.flags.size()), noBarrier(plan.barriers.size());
  auto getRest = [&] {
    Plan rest;
    for (size_t i = 0; i < plan.flags.size(); ++i)
      if (!noFlag[i])
        rest.flags.push_back(plan.flags[i]);
    for (size_t i = 0; i < plan.barriers.size(); ++i)
      if (!noBarrier[i])
        rest.barriers.push_back(plan.barriers[i]);
    return rest;
  };
  for (const Item &item : items) {
    std::vector<bool> &isGone = item.isBarrier ? noBarrier : noFlag;
    isGone[item.index] = true;
    if (!isOrdered(program, trace, getRest()))
      isGone[item.index] = false;
  }
  plan = getRest();
}
