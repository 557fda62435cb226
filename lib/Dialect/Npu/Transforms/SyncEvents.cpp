// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which of the machine's flags a flag of the plan uses, and what to do if there
// are too few.

#include "SyncRelief.h"

#include <algorithm>
#include <map>
#include <set>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

class Assignment {
public:
  /// Whether relief looks first for what is enough at once or for what costs
  /// least.
  enum Order { packedFirst, cheapFirst };
  Assignment(const Program &program, const Trace &trace, const Machine &machine,
             Plan &plan, std::vector<Remark> &remarks, Order order)
      : program(program), trace(trace), plan(plan), remarks(remarks),
        grouping(program, trace, machine), order(order),
        numFlags(static_cast<int>(machine.flagsPerPair)) {}

  void run();

private:
  /// Gives each flag as many events as it needs, without sharing.
  void separate(Plan &plan) const;
  /// Finds events for all flags of a pair of pipes; false if they do not fit.
  bool pack(Plan &plan, Pipe from, Pipe to) const;
  bool packRest(Plan &plan, const std::vector<int> &flags, size_t next,
                int &budget) const;
  /// Changes the plan so that the pair needs fewer.
  void relieve(Pipe from, Pipe to);
  int getNeed(Plan plan, Pipe from, Pipe to) const;
  /// What a change must achieve.
  enum Goal { packed, closer, different };
  bool take(std::vector<Plan> &choices, Pipe from, Pipe to, Goal goal);
  /// Scores and numbers of plans, the best first.
  std::vector<std::pair<Score, size_t>>
  rank(const std::vector<Plan> &choices) const;
  void meet(Pipe from, Pipe to);
  using Name = std::vector<std::vector<int>>;
  static Name getName(const Plan &plan);
  int getExcess(const Plan &plan) const;
  void remark(Pipe from, Pipe to, const char *name, const char *reason);

  bool isOf(const Flag &flag, Pipe from, Pipe to) const {
    return flag.from == from && flag.to == to;
  }

  const Program &program;
  const Trace &trace;
  Plan &plan;
  std::vector<Remark> &remarks;
  Grouping grouping;
  Order order;
  int numFlags;
  /// Plans from which relief went on; none is returned to.
  std::set<Name> seen;
};

void Assignment::separate(Plan &plan) const {
  std::vector<int> needed = countEvents(program, trace, plan);
  int next = numFlags;
  for (size_t i = 0; i < plan.flags.size(); ++i) {
    Flag &flag = plan.flags[i];
    flag.events = std::max({needed[i], flag.primes, flag.drains, 1});
    // One that needs too many gets them: the others are not to be blamed.
    int least = flag.events;
    if (!computeEvents(program, trace, flag, numFlags))
      flag.events = std::max(least, numFlags + 1);
    flag.first = next;
    next += flag.events;
  }
}

bool Assignment::packRest(Plan &plan, const std::vector<int> &flags,
                          size_t next, int &budget) const {
  if (next == flags.size())
    return true;
  Flag &flag = plan.flags[flags[next]];
  int own = flag.first;
  for (int first = 0; first + flag.events <= numFlags; ++first) {
    flag.first = first;
    if (--budget < 0)
      break;
    if (!findClash(program, trace, plan) &&
        packRest(plan, flags, next + 1, budget))
      return true;
  }
  flag.first = own;
  return false;
}

bool Assignment::pack(Plan &plan, Pipe from, Pipe to) const {
  std::vector<int> flags;
  for (int i = 0; i < static_cast<int>(plan.flags.size()); ++i) {
    const Flag &flag = plan.flags[i];
    if (!isOf(flag, from, to))
      continue;
    if (flag.events > numFlags)
      return false;
    flags.push_back(i);
  }
  // Those that need many events first.
  sortStably(flags, [&](int one, int other) {
    return plan.flags[one].events > plan.flags[other].events;
  });
  int budget = 64;
  return packRest(plan, flags, 0, budget);
}

/// Events of all flags of a pair, if they share none.
int Assignment::getNeed(Plan plan, Pipe from, Pipe to) const {
  separate(plan);
  int need = 0;
  for (const Flag &flag : plan.flags)
    if (isOf(flag, from, to))
      need += flag.events;
  return need;
}

void Assignment::remark(Pipe from, Pipe to, const char *name,
                        const char *reason) {
  for (size_t i = 0; i < program.ops.size(); ++i)
    if (program.ops[i].pipe == from) {
      remarks.push_back({static_cast<int>(i), name,
                         std::string("pipe ") + gc::npu::getName(from) +
                             " to " + gc::npu::getName(to) + ": " + reason});
      return;
    }
}

std::vector<std::pair<Score, size_t>>
Assignment::rank(const std::vector<Plan> &choices) const {
  std::vector<std::pair<Score, size_t>> scores;
  for (size_t i = 0; i < choices.size(); ++i)
    scores.emplace_back(grouping.getScore(choices[i]), i);
  std::sort(scores.begin(), scores.end());
  return scores;
}

/// The cheapest of those that achieve it; of equally cheap ones, one that asks
/// least of all pairs.
bool Assignment::take(std::vector<Plan> &choices, Pipe from, Pipe to,
                      Goal goal) {
  int need = goal == closer ? getNeed(plan, from, to) : 0;
  int64_t before = grouping.getScore(plan).cycles;
  Plan *best = nullptr;
  int64_t bestCycles = 0;
  int bestExcess = 0;
  for (auto [score, i] : rank(choices)) {
    if (best &&
        (score.cycles > bestCycles + bestCycles / 1000 || trace.isSpent()))
      break;
    if (seen.count(getName(choices[i])))
      continue;
    Plan complete = choices[i];
    separate(complete);
    int excess = getExcess(complete);
    if (best && excess >= bestExcess)
      continue;
    if (goal == packed && !pack(complete, from, to))
      continue;
    if (goal == closer && getNeed(choices[i], from, to) >= need)
      continue;
    if (!best)
      bestCycles = score.cycles;
    best = &choices[i];
    bestExcess = excess;
  }
  if (!best)
    return false;
  if (bestCycles > before)
    remark(from, to, "Grouped",
           "fewer flags than there are dependences; they wait for more than "
           "they need");
  plan = std::move(*best);
  return true;
}

/// The last resort: a barrier of all pipes instead of a flag of the pair, where
/// it costs least.
void Assignment::meet(Pipe from, Pipe to) {
  remark(from, to, "Barrier",
         "it has too few flags; a barrier of all pipes is used instead");
  std::vector<Plan> choices;
  for (size_t i = 0; i < plan.flags.size(); ++i) {
    const Flag &flag = plan.flags[i];
    if (!isOf(flag, from, to))
      continue;
    std::vector<int> points = getOuterPoints(program, flag.wait, false);
    for (int point : getOuterPoints(program, flag.set, true))
      if (std::find(points.begin(), points.end(), point) == points.end())
        points.push_back(point);
    for (int point : points) {
      Plan next = plan;
      next.flags.erase(next.flags.begin() + static_cast<std::ptrdiff_t>(i));
      next.barriers.push_back({Pipe::s, point});
      // Before the wait it is always right.
      if (point == flag.wait || isOrdered(program, trace, next))
        choices.push_back(std::move(next));
    }
  }
  plan = std::move(choices[rank(choices).front().second]);
  removeImplied(program, trace, plan);
}

/// What tells plans apart.
Assignment::Name Assignment::getName(const Plan &plan) {
  Name name;
  for (const Flag &flag : plan.flags)
    name.push_back({static_cast<int>(flag.from), static_cast<int>(flag.to),
                    flag.set, flag.wait, flag.primes});
  for (const Barrier &barrier : plan.barriers)
    name.push_back({static_cast<int>(barrier.pipe), barrier.point});
  std::sort(name.begin(), name.end());
  return name;
}

/// Events beyond those that the pairs have, if no flag shares any.
int Assignment::getExcess(const Plan &plan) const {
  std::array<int, kNumPipes * kNumPipes> needs = {};
  for (const Flag &flag : plan.flags)
    needs[static_cast<size_t>(flag.from) * kNumPipes +
          static_cast<size_t>(flag.to)] += flag.events;
  int excess = 0;
  for (int need : needs)
    excess += std::max(0, need - numFlags);
  return excess;
}

void Assignment::relieve(Pipe from, Pipe to) {
  seen.insert(getName(plan));
  Relief relief(program, trace, grouping, plan, from, to);
  std::vector<Plan> choices = relief.getChanges();
  std::vector<Plan> all = choices;
  for (Plan &more : relief.getReturns())
    all.push_back(std::move(more));
  // What does not fit at once may fit later.
  bool isTaken =
      order == packedFirst
          ? take(all, from, to, packed) || take(choices, from, to, closer) ||
                take(all, from, to, closer)
          : take(all, from, to, closer) || take(all, from, to, packed);
  if (!isTaken && !take(choices, from, to, different))
    meet(from, to);
}

void Assignment::run() {
  constexpr int kMaxRounds = 48;
  for (int round = 0;; ++round) {
    separate(plan);
    bool fits = true;
    for (int from = 0; fits && from < kNumPipes; ++from)
      for (int to = 0; fits && to < kNumPipes; ++to)
        if (!pack(plan, static_cast<Pipe>(from), static_cast<Pipe>(to))) {
          // Relief for one pair may burden another; that must end.
          if (round < kMaxRounds)
            relieve(static_cast<Pipe>(from), static_cast<Pipe>(to));
          else
            meet(static_cast<Pipe>(from), static_cast<Pipe>(to));
          fits = false;
        }
    if (fits)
      return;
  }
}

/// Barriers of all pipes.
int64_t countMeetings(const Plan &plan) {
  return std::count_if(
      plan.barriers.begin(), plan.barriers.end(),
      [](const Barrier &barrier) { return barrier.pipe == Pipe::s; });
}

} // namespace

void gc::npu::sync::assignEvents(const Program &program, const Trace &trace,
                                 const Machine &machine, Plan &plan,
                                 std::vector<Remark> &remarks) {
  int64_t ideal = estimateCycles(program, trace, plan, machine);
  Plan best;
  std::vector<Remark> bestRemarks;
  int64_t bestCycles = INT64_MAX;
  // What all pipes lose at a barrier is estimated less well than the rest.
  auto getCost = [&](const Plan &made) {
    int64_t cycles = estimateCycles(program, trace, made, machine);
    bool hasMore = countMeetings(made) > countMeetings(plan);
    return cycles + (hasMore ? cycles / 50 : 0);
  };
  for (Assignment::Order order :
       {Assignment::packedFirst, Assignment::cheapFirst}) {
    Plan assigned = plan;
    std::vector<Remark> own;
    trace.walked = 0;
    Assignment(program, trace, machine, assigned, own, order).run();
    int64_t cycles = getCost(assigned);
    if (cycles < bestCycles) {
      bestCycles = cycles;
      best = std::move(assigned);
      bestRemarks = std::move(own);
    }
    if (bestCycles <= ideal + ideal / 200)
      break;
  }
  plan = std::move(best);
  remarks.insert(remarks.end(), bestRemarks.begin(), bestRemarks.end());
}
