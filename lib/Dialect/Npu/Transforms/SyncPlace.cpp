// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where flags and barriers can be placed.

#include "SyncPlan.h"

#include <algorithm>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

using Passes = std::vector<int32_t>;

int64_t countUpTo(const Passes &passes, int32_t step) {
  return std::upper_bound(passes.begin(), passes.end(), step) - passes.begin();
}

/// The part of a point's passes that belongs to a core.
struct Part {
  Passes::const_iterator begin, end;
  int64_t getSize() const { return end - begin; }
  int64_t countUpTo(int32_t step) const {
    return std::upper_bound(begin, end, step) - begin;
  }
};

Part getPart(const Trace &trace, int point, size_t core) {
  const Passes &starts = trace.starts;
  const Passes &passes = trace.passes[point];
  Part part = {std::lower_bound(passes.begin(), passes.end(), starts[core]),
               passes.end()};
  if (core + 1 < starts.size())
    part.end = std::lower_bound(part.begin, passes.end(), starts[core + 1]);
  return part;
}

} // namespace

bool gc::npu::sync::setPrimes(const Program &program, const Trace &trace,
                              Flag &flag, int primes) {
  flag.primes = primes;
  size_t cores = trace.starts.size();
  for (size_t core = 0; core < cores; ++core) {
    Part sets = getPart(trace, flag.set, core);
    Part waits = getPart(trace, flag.wait, core);
    int64_t left = primes + sets.getSize() - waits.getSize();
    if (left < 0 || left > kMaxPrimes || (core > 0 && left != flag.drains))
      return false;
    flag.drains = static_cast<int>(left);
    for (int64_t n = primes; n < waits.getSize(); ++n)
      if (sets.begin[n - primes] > waits.begin[n])
        return false;
  }
  return true;
}

std::optional<Flag>
gc::npu::sync::makeFlag(const Program &program, const Trace &trace, Pipe from,
                        Pipe to, int set, int wait,
                        const std::vector<Violation> &pairs) {
  Flag flag;
  flag.from = from;
  flag.to = to;
  flag.set = set;
  flag.wait = wait;
  const Passes &starts = trace.starts;
  int64_t primes = pairs.empty() ? 1 : 64;
  std::vector<std::pair<Part, Part>> parts;
  for (size_t core = 0; core < starts.size(); ++core)
    parts.emplace_back(getPart(trace, set, core), getPart(trace, wait, core));
  for (const Violation &pair : pairs) {
    int32_t first = trace.instances[pair.needed].step;
    int32_t second = trace.instances[pair.instance].step;
    auto &[sets, waits] = parts[countUpTo(starts, first) - 1];
    int64_t setNumber = sets.countUpTo(first);
    int64_t waitNumber = waits.countUpTo(second) - 1;
    if (setNumber >= sets.getSize() || waitNumber < setNumber)
      return std::nullopt;
    primes = std::min(primes, waitNumber - setNumber);
  }
  flag.distance = static_cast<int>(primes);
  if (!setPrimes(program, trace, flag, std::min(flag.distance, kMaxPrimes)))
    return std::nullopt;

  // Primes and drains are in the program's own block, around both.
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

/// Points after (or before) an op and the statements around it, the innermost
/// first.
static std::vector<int> getPoints(const Program &program, int op, int after) {
  std::vector<int> points;
  auto [block, node] = program.places[op];
  for (; block >= 0; node = program.blocks[block].parentNode,
                     block = program.blocks[block].parent)
    points.push_back(program.getPoint(block, node + after));
  return points;
}

std::vector<Flag>
gc::npu::sync::getMeetings(const Program &program, const Trace &trace,
                           const std::vector<Violation> &pairs) {
  int first = trace.instances[pairs[0].needed].op;
  int second = trace.instances[pairs[0].instance].op;
  Pipe from = program.ops[first].pipe, to = program.ops[second].pipe;
  std::vector<Flag> flags;
  for (bool isAfter : {true, false})
    for (int point : getPoints(program, isAfter ? first : second, isAfter))
      if (auto flag = makeFlag(program, trace, from, to, point, point, pairs))
        flags.push_back(*flag);
  return flags;
}

std::vector<Flag> gc::npu::sync::getFlags(const Program &program,
                                          const Trace &trace,
                                          const std::vector<Violation> &pairs) {
  int first = trace.instances[pairs[0].needed].op;
  int second = trace.instances[pairs[0].instance].op;
  Pipe from = program.ops[first].pipe, to = program.ops[second].pipe;
  struct Choice {
    int depth;
    Flag flag;
  };
  std::vector<Choice> choices;
  std::vector<int> sets = getPoints(program, first, 1),
                   waits = getPoints(program, second, 0);
  for (size_t i = 0; i < sets.size(); ++i)
    for (size_t j = 0; j < waits.size(); ++j)
      if (auto flag =
              makeFlag(program, trace, from, to, sets[i], waits[j], pairs))
        choices.push_back({program.blocks[program.getBlock(sets[i])].depth +
                               program.blocks[program.getBlock(waits[j])].depth,
                           *flag});
  // Those that would need more events than exist come last: further out, they
  // run rarely and lose little.
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
      // Nothing balances (branches that differ): use a barrier of all pipes.
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
    if (trace.isSpent())
      break;
    std::vector<bool> &isGone = item.isBarrier ? noBarrier : noFlag;
    isGone[item.index] = true;
    if (!isOrdered(program, trace, getRest()))
      isGone[item.index] = false;
  }
  plan = getRest();
}
