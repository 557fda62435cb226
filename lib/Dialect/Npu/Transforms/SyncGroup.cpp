// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fewer flags and barriers where that costs no cycles.

#include "SyncGroup.h"

#include <algorithm>
#include <map>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// Flags that serve more ops than this are not split.
constexpr size_t kMaxGroups = 12;

void addUnique(std::vector<int> &to, const std::vector<int> &from) {
  for (int value : from)
    if (std::find(to.begin(), to.end(), value) == to.end())
      to.push_back(value);
}

} // namespace

std::vector<int> gc::npu::sync::getOuterPoints(const Program &program,
                                               int point, bool isBehind) {
  std::vector<int> points = {point};
  for (int block = program.getBlock(point); program.blocks[block].parent >= 0;
       block = program.blocks[block].parent)
    points.push_back(program.getPoint(program.blocks[block].parent,
                                      program.blocks[block].parentNode +
                                          (isBehind ? 1 : 0)));
  return points;
}

Score Grouping::getScore(const Plan &plan) const {
  return {estimateCycles(program, trace, plan, machine),
          countExecuted(trace, plan)};
}

Grouping::Gap Grouping::takeOut(const Plan &plan,
                                const std::vector<int> &flags) const {
  Gap gap;
  gap.rest = plan;
  const Flag &model = plan.flags[flags.front()];
  gap.from = model.from;
  gap.to = model.to;
  for (auto it = flags.rbegin(); it != flags.rend(); ++it)
    gap.rest.flags.erase(gap.rest.flags.begin() + *it);
  for (const Violation &pair : findViolations(program, trace, gap.rest, true)) {
    const Instance &first = trace.instances[pair.needed];
    const Instance &second = trace.instances[pair.instance];
    if (program.ops[first.op].pipe == gap.from &&
        program.ops[second.op].pipe == gap.to)
      gap.pairs.push_back(pair);
  }
  return gap;
}

std::optional<Plan> Grouping::fill(const Gap &gap, int set, int wait) const {
  auto flag = makeFlag(program, trace, gap.from, gap.to, set, wait, gap.pairs);
  if (!flag)
    return std::nullopt;
  Plan filled = gap.rest;
  filled.flags.push_back(*flag);
  if (!isOrdered(program, trace, filled))
    return std::nullopt;
  return filled;
}

std::vector<Plan> Grouping::getMerges(const Plan &plan,
                                      const std::vector<int> &flags) const {
  std::vector<int> sets, waits;
  size_t executed = 0;
  for (int i : flags) {
    addUnique(sets, getOuterPoints(program, plan.flags[i].set, true));
    addUnique(waits, getOuterPoints(program, plan.flags[i].wait, false));
    executed += trace.passes[plan.flags[i].set].size();
  }
  std::optional<Gap> gap;
  std::vector<Plan> merges;
  for (int set : sets)
    for (int wait : waits) {
      size_t count = trace.passes[set].size();
      if (count != trace.passes[wait].size() || count > executed ||
          trace.isSpent())
        continue;
      if (!gap)
        gap = takeOut(plan, flags);
      if (auto merged = fill(*gap, set, wait))
        merges.push_back(std::move(*merged));
    }
  return merges;
}

std::optional<Plan> Grouping::merge(const Plan &plan,
                                    const std::vector<int> &flags,
                                    int64_t maxCycles) const {
  std::optional<Plan> best;
  Score bestScore;
  for (Plan &merged : getMerges(plan, flags)) {
    Score score = getScore(merged);
    if (score.cycles <= maxCycles && (!best || score < bestScore)) {
      best = std::move(merged);
      bestScore = score;
    }
  }
  return best;
}

/// Flags of one pair of pipes between the same two blocks, in order: the best
/// way to cut the sequence into groups, each of which becomes one flag.
bool Grouping::groupRow(Plan &plan, std::vector<int> row) const {
  constexpr size_t kMaxRow = 24, kMaxGroup = 8;
  std::sort(row.begin(), row.end(), [&](int one, int other) {
    const Flag &first = plan.flags[one], &second = plan.flags[other];
    return std::make_pair(first.set, first.wait) <
           std::make_pair(second.set, second.wait);
  });
  if (row.size() > kMaxRow)
    row.resize(kMaxRow);
  Score base = getScore(plan);
  size_t size = row.size();
  // Executed flags, and cycles lost, of each group on its own.
  auto getCost = [&](size_t begin, size_t end) -> std::optional<Score> {
    if (end - begin == 1)
      return Score{0, static_cast<int64_t>(
                          trace.passes[plan.flags[row[begin]].set].size())};
    if (trace.isSpent())
      return std::nullopt;
    std::vector<int> flags(row.begin() + begin, row.begin() + end);
    auto merged = replaceRow(plan, flags);
    if (!merged)
      return std::nullopt;
    int64_t count = trace.passes[merged->flags.back().set].size();
    int64_t lost =
        estimateCycles(program, trace, *merged, machine) - base.cycles;
    return Score{std::max<int64_t>(lost, 0), count};
  };
  std::vector<Score> costs(size + 1, Score{INT64_MAX, INT64_MAX});
  std::vector<size_t> cuts(size + 1);
  costs[0] = {0, 0};
  for (size_t begin = 0; begin < size; ++begin)
    for (size_t end = begin + 1; end <= std::min(size, begin + kMaxGroup);
         ++end) {
      auto cost = getCost(begin, end);
      if (!cost)
        continue;
      Score sum = {costs[begin].cycles + cost->cycles,
                   costs[begin].executed + cost->executed};
      if (sum < costs[end]) {
        costs[end] = sum;
        cuts[end] = begin;
      }
    }
  // From the last group backwards, so that earlier flags keep their numbers.
  bool changed = false;
  for (size_t end = size; end > 0; end = cuts[end]) {
    if (end - cuts[end] == 1)
      continue;
    auto merged = replaceRow(
        plan, std::vector<int>(row.begin() + cuts[end], row.begin() + end));
    if (!merged || getScore(*merged).cycles > base.cycles)
      continue;
    // Numbers of the others in the new plan.
    std::vector<int> gone(row.begin() + cuts[end], row.begin() + end);
    for (int &number : row)
      number -= static_cast<int>(std::count_if(
          gone.begin(), gone.end(), [&](int other) { return other < number; }));
    plan = std::move(*merged);
    changed = true;
  }
  return changed;
}

std::optional<Plan> Grouping::replaceRow(const Plan &plan,
                                         std::vector<int> flags) const {
  int set = plan.flags[flags[0]].set, wait = plan.flags[flags[0]].wait;
  for (int i : flags) {
    set = std::max(set, plan.flags[i].set);
    wait = std::min(wait, plan.flags[i].wait);
  }
  std::sort(flags.begin(), flags.end());
  return fill(takeOut(plan, flags), set, wait);
}

bool Grouping::groupRows(Plan &plan) const {
  bool changed = false;
  for (size_t i = 0; i < plan.flags.size(); ++i) {
    const Flag &flag = plan.flags[i];
    std::vector<int> row;
    for (size_t j = 0; j < plan.flags.size(); ++j) {
      const Flag &other = plan.flags[j];
      bool belongs =
          other.from == flag.from && other.to == flag.to &&
          program.getBlock(other.set) == program.getBlock(flag.set) &&
          program.getBlock(other.wait) == program.getBlock(flag.wait);
      if (!belongs)
        continue;
      if (j < i)
        break;
      row.push_back(static_cast<int>(j));
    }
    if (row.size() > 1 && groupRow(plan, row)) {
      changed = true;
      i = static_cast<size_t>(-1);
    }
  }
  return changed;
}

bool Grouping::improve(Plan &plan) const {
  Score base = getScore(plan);
  int count = static_cast<int>(plan.flags.size());
  auto accept = [&](std::optional<Plan> next) {
    if (!next || !isOrdered(program, trace, *next))
      return false;
    removeImplied(program, trace, *next);
    Score score = getScore(*next);
    if (score.cycles > base.cycles || score.executed >= base.executed)
      return false;
    plan = std::move(*next);
    return true;
  };
  if (trace.isSpent())
    return false;
  for (int i = 0; i < count; ++i)
    if (accept(merge(plan, {i}, base.cycles)))
      return true;
  // Before a branch a barrier may serve others too.
  for (size_t i = 0; i < plan.barriers.size(); ++i)
    for (int point : getOuterPoints(program, plan.barriers[i].point, false)) {
      Plan moved = plan;
      moved.barriers[i].point = point;
      if (point != plan.barriers[i].point && accept(std::move(moved)))
        return true;
    }
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j)
      if (plan.flags[i].from == plan.flags[j].from &&
          plan.flags[i].to == plan.flags[j].to &&
          accept(merge(plan, {i, j}, base.cycles)))
        return true;
  return false;
}

bool Grouping::split(Plan &plan) const {
  Score base = getScore(plan), best = base;
  // A cycle here or there is not worth more flags.
  auto isWorth = [&](const Score &score) {
    return score.cycles < base.cycles - base.cycles / 500;
  };
  std::optional<Plan> found;
  for (size_t i = 0; i < plan.flags.size() && !trace.isSpent(); ++i) {
    Plan rest = plan;
    rest.flags.erase(rest.flags.begin() + i);
    // Nothing in its place can be faster than without it.
    if (!isWorth(getScore(rest)))
      continue;
    // Pairs that nothing orders any more, by their first op.
    std::map<int, std::vector<Violation>> groups;
    for (const Violation &pair : findViolations(program, trace, rest, true)) {
      int first = trace.instances[pair.needed].op;
      int second = trace.instances[pair.instance].op;
      if (program.ops[first].pipe != program.ops[second].pipe)
        groups[first].push_back(pair);
    }
    // A single pair is already where it should be.
    if (groups.size() < 2 || groups.size() > kMaxGroups)
      continue;
    for (auto &[op, pairs] : groups)
      for (const Flag &flag : sync::getMeetings(program, trace, pairs)) {
        // Only where it runs rarely.
        if (trace.passes[flag.set].size() * 2 >
            trace.passes[plan.flags[i].set].size())
          continue;
        Plan next = rest;
        next.flags.push_back(flag);
        if (!(getScore(next) < best))
          continue;
        addMissing(program, trace, next);
        removeImplied(program, trace, next);
        Score score = getScore(next);
        if (score < best) {
          best = score;
          found = std::move(next);
        }
      }
  }
  if (!found || !isWorth(best))
    return false;
  plan = std::move(*found);
  return true;
}

std::vector<Plan> Grouping::getMeetings(const Plan &plan, int flag) const {
  Gap gap = takeOut(plan, {flag});
  std::map<int, std::vector<Violation>> groups;
  for (const Violation &pair : gap.pairs)
    groups[trace.instances[pair.needed].op].push_back(pair);
  if (groups.size() > kMaxGroups)
    return {};
  auto getDepth = [&](const Flag &meeting) {
    return program.blocks[program.getBlock(meeting.set)].depth;
  };
  std::vector<std::vector<Flag>> meetings;
  int depth = 0;
  for (const auto &[op, pairs] : groups) {
    meetings.push_back(sync::getMeetings(program, trace, pairs));
    for (const Flag &meeting : meetings.back())
      depth = std::max(depth, getDepth(meeting));
  }
  // Further out they are rarer, and need fewer events.
  std::vector<Plan> plans;
  for (; depth >= 0 && !trace.isSpent(); --depth) {
    Plan met = gap.rest;
    bool isDeep = false, isComplete = true;
    for (const std::vector<Flag> &list : meetings) {
      const Flag *best = nullptr;
      Score bestScore;
      for (const Flag &meeting : list) {
        if (getDepth(meeting) > depth)
          continue;
        Plan next = met;
        next.flags.push_back(meeting);
        Score score = getScore(next);
        if (!best || score < bestScore) {
          best = &meeting;
          bestScore = score;
        }
      }
      isComplete &= best != nullptr;
      if (!best)
        break;
      isDeep |= getDepth(*best) == depth;
      met.flags.push_back(*best);
    }
    if (isComplete && isDeep && isOrdered(program, trace, met))
      plans.push_back(std::move(met));
  }
  return plans;
}

void gc::npu::sync::group(const Program &program, const Trace &trace,
                          const Machine &machine, Plan &plan) {
  Grouping grouping(program, trace, machine);
  while (grouping.split(plan)) {
  }
  grouping.groupRows(plan);
  removeImplied(program, trace, plan);
  while (grouping.improve(plan)) {
  }
}
