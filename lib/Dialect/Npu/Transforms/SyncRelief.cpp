// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SyncRelief.h"

#include <algorithm>
#include <map>

using namespace gc::npu;
using namespace gc::npu::sync;

std::vector<Plan> Relief::getChanges() const {
  std::vector<Plan> choices;
  addRows(choices);
  addMerges(choices);
  addFewerPrimes(from, to, choices);
  addMeetings(choices);
  return choices;
}

std::vector<Plan> Relief::getReturns() const {
  std::vector<Plan> choices;
  // The first pipe runs ahead less if flags back lag less.
  addFewerPrimes(to, from, choices);
  addReturns(choices);
  return choices;
}

/// All flags between two blocks become one, or all of a direction do: the last
/// set, the first wait.
void Relief::addRows(std::vector<Plan> &choices) const {
  std::map<std::pair<int, int>, std::vector<int>> rows;
  for (int i = 0; i < static_cast<int>(plan.flags.size()); ++i) {
    const Flag &flag = plan.flags[i];
    if (isOf(flag))
      rows[{program.getBlock(flag.set), program.getBlock(flag.wait)}].push_back(
          i);
  }
  for (const auto &[blocks, flags] : rows) {
    std::vector<int> ahead;
    for (int i : flags)
      if (plan.flags[i].primes > 0)
        ahead.push_back(i);
    for (const std::vector<int> &list : {flags, ahead})
      if (list.size() > 1)
        if (auto merged = grouping.replaceRow(plan, list))
          choices.push_back(std::move(*merged));
  }
}

/// One flag, or one instead of two, further out.
void Relief::addMerges(std::vector<Plan> &choices) const {
  int count = static_cast<int>(plan.flags.size());
  for (int i = 0; i < count; ++i)
    for (int j = i; j < count; ++j)
      if (isOf(plan.flags[i]) && isOf(plan.flags[j])) {
        std::vector<int> flags = {i};
        if (i != j)
          flags.push_back(j);
        for (Plan &merged : grouping.getMerges(plan, flags))
          choices.push_back(std::move(merged));
      }
}

/// A flag is set and waited for at one point after each op that needs it.
void Relief::addMeetings(std::vector<Plan> &choices) const {
  for (int i = 0; i < static_cast<int>(plan.flags.size()); ++i)
    if (isOf(plan.flags[i]) && !trace.isSpent())
      for (Plan &met : grouping.getMeetings(plan, i))
        choices.push_back(std::move(met));
}

/// The second pipe of flags runs ahead less.
void Relief::addFewerPrimes(Pipe from, Pipe to,
                            std::vector<Plan> &choices) const {
  for (size_t i = 0; i < plan.flags.size(); ++i) {
    if (!isOf(plan.flags[i], from, to) || plan.flags[i].primes < 2)
      continue;
    Plan fewer = plan;
    if (setPrimes(program, trace, fewer.flags[i], fewer.flags[i].primes - 1) &&
        isOrdered(program, trace, fewer))
      choices.push_back(std::move(fewer));
  }
  // All of them at once.
  for (int most = kMaxPrimes - 1; most > 0; --most) {
    Plan fewer = plan;
    bool isChanged = false, isRight = true;
    for (Flag &flag : fewer.flags)
      if (isOf(flag, from, to) && flag.primes > most) {
        isChanged = true;
        isRight &= setPrimes(program, trace, flag, most);
      }
    if (isChanged && isRight && isOrdered(program, trace, fewer))
      choices.push_back(std::move(fewer));
  }
}

/// Flags back, so that the first pipe sets no flag before an earlier one has
/// been waited for.
void Relief::addReturns(std::vector<Plan> &choices) const {
  for (const Flag &waited : plan.flags)
    for (const Flag &set : plan.flags) {
      if (!isOf(waited) || !isOf(set))
        continue;
      if (trace.isSpent())
        return;
      int block = program.getBlock(waited.wait);
      int gap = program.getGap(waited.wait);
      int target = program.getGap(set.set);
      if (gap == static_cast<int>(program.blocks[block].nodes.size()) ||
          target == 0)
        continue;
      int back = waited.wait + 1, stop = set.set - 1;
      auto flag = makeFlag(program, trace, to, from, back, stop, {});
      if (!flag)
        continue;
      int most = back <= stop ? 0 : 3;
      for (int primes = back <= stop ? 0 : 1; primes <= most; ++primes) {
        Plan more = plan;
        if (!setPrimes(program, trace, *flag, primes))
          continue;
        more.flags.push_back(*flag);
        if (isOrdered(program, trace, more))
          choices.push_back(std::move(more));
      }
    }
}
