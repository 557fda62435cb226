// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SyncSearch.h"
#include "SyncCuts.h"
#include "SyncTimeBound.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

constexpr double kTiny = 1e-6;

/// Branch and cut. The rows of the linear program say what every right and fast
/// placement has; they are found as they are needed.
class Search {
public:
  Search(const Kernel &kernel, const Machine &machine, int64_t count,
         int64_t cycles, int64_t effort)
      : kernel(kernel), program(kernel.program), machine(machine),
        maxCycles(cycles), effort(effort), fewest(count),
        trace(*Trace::make(program, {1 << 16})), time(program, trace, machine) {
    for (const Candidate &candidate : getCandidates(program))
      if (!time.isSlower({candidate}, cycles))
        candidates.push_back(candidate);
    cuts.emplace(program, trace, candidates);
  }

  SearchResult run() {
    SearchResult result;
    // First with the bound of the time alone, then, between that and what is
    // known, with the simulator.
    limit = fewest;
    left = effort;
    explore(makeRoot(0), {});
    result.bound = left < 0 ? rootBound : limit;
    // One more at a time, as long as there is time.
    usesSimulator = true;
    left = effort;
    while (result.bound < fewest && left >= 0) {
      limit = result.bound + 1;
      refused.clear();
      explore(makeRoot(result.bound), {});
      if (left >= 0)
        result.bound = limit;
    }
    result.isExact = result.bound == fewest;
    result.plan = best;
    result.programs = programs;
    result.runs = runs;
    return result;
  }

private:
  CoverLp makeRoot(int64_t least) const {
    CoverLp root(static_cast<int>(candidates.size()));
    CoverRow all;
    for (int c = 0; c < static_cast<int>(candidates.size()); ++c)
      all.terms.emplace_back(c, 1);
    all.least = static_cast<double>(least);
    root.add(all);
    return root;
  }

  std::vector<Candidate> getChosen(const std::vector<int> &numbers) const {
    std::vector<Candidate> chosen;
    for (int c : numbers)
      chosen.push_back(candidates[c]);
    return chosen;
  }

  bool isSlow(const std::vector<int> &numbers) const {
    return time.isSlower(getChosen(numbers), maxCycles);
  }

  Plan makePlan(const std::vector<int> &chosen) const {
    Plan plan;
    int last = static_cast<int>(program.ops.size());
    for (int c : chosen) {
      const Candidate &candidate = candidates[c];
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

  /// Whether the simulator takes the placement in time.
  bool isAccepted(Plan &plan) {
    ++runs;
    // Which event a flag has takes no time.
    Machine many = machine;
    many.flagsPerPair = 64;
    Plan separate = plan;
    for (size_t i = 0; i < separate.flags.size(); ++i)
      separate.flags[i].first = static_cast<int>(i);
    Report report = simulate(many, list(kernel, separate), false);
    if (report.error || report.cycles > maxCycles)
      return false;
    Plan assigned = plan;
    std::vector<Remark> remarks;
    assignEvents(program, trace, machine, assigned, remarks);
    // If no events are found for it, it still counts: there may be some.
    if (assigned.flags.size() == plan.flags.size() &&
        assigned.barriers.size() == plan.barriers.size())
      plan = assigned;
    return true;
  }

  std::vector<CoverRow> findViolated(const std::vector<double> &amounts) const {
    std::vector<CoverRow> rows;
    for (const auto *list : {&pool, &refused})
      for (const CoverRow &row : *list) {
        double sum = 0;
        for (auto [c, coefficient] : row.terms)
          sum += coefficient * amounts[c];
        if (sum < row.least - kTiny)
          rows.push_back(row);
      }
    return rows;
  }

  /// Some that together take too long, of which the amounts have too much.
  std::vector<CoverRow> findSlow(const std::vector<double> &amounts) const {
    std::vector<int> order;
    for (int c = 0; c < static_cast<int>(amounts.size()); ++c)
      if (amounts[c] > kTiny)
        order.push_back(c);
    std::sort(order.begin(), order.end(), [&](int one, int other) {
      return amounts[one] > amounts[other];
    });
    std::vector<CoverRow> rows;
    for (size_t start = 0; start < order.size(); ++start) {
      std::vector<int> chosen = {order[start]};
      double missing = 1 - amounts[order[start]];
      for (int c : order)
        if (c != order[start] && missing + 1 - amounts[c] < 1 - kTiny) {
          chosen.push_back(c);
          missing += 1 - amounts[c];
        }
      if (!isSlow(chosen))
        continue;
      for (size_t i = 0; i < chosen.size();) {
        std::vector<int> fewer = chosen;
        fewer.erase(fewer.begin() + i);
        if (isSlow(fewer))
          chosen = std::move(fewer);
        else
          ++i;
      }
      rows.push_back(getOneLess(chosen));
      break;
    }
    return rows;
  }

  static CoverRow getOneLess(const std::vector<int> &chosen) {
    CoverRow row;
    for (int c : chosen)
      row.terms.emplace_back(c, -1);
    row.least = 1 - static_cast<double>(chosen.size());
    return row;
  }

  /// Not just these.
  CoverRow getOther(const std::vector<int> &chosen) const {
    CoverRow row = getOneLess(chosen);
    // More may only be added if that leaves fewer than the limit.
    if (static_cast<int64_t>(chosen.size()) + 1 < limit)
      for (int c = 0; c < static_cast<int>(candidates.size()); ++c)
        if (!std::count(chosen.begin(), chosen.end(), c))
          row.terms.emplace_back(c, 1);
    return row;
  }

  /// A placement that orders all and may be fast enough.
  bool take(const std::vector<int> &chosen) {
    int64_t count = static_cast<int64_t>(chosen.size());
    Plan plan = makePlan(chosen);
    if (isOrdered(program, trace, plan) && isAccepted(plan) && count < fewest) {
      fewest = count;
      best = plan;
    } else if (usesSimulator) {
      refused.push_back(getOther(chosen));
      return false;
    }
    limit = count;
    return true;
  }

  void explore(CoverLp lp, std::vector<int> fixed) {
    while (true) {
      if (--left < 0)
        return;
      ++programs;
      if (!lp.solve())
        return;
      auto bound = static_cast<int64_t>(std::ceil(lp.getBound() - kTiny));
      if (fixed.empty() && !usesSimulator && !isBranching)
        rootBound = std::min(limit, bound);
      if (bound >= limit)
        return;
      std::vector<double> amounts = lp.getValues();
      std::vector<CoverRow> rows = findViolated(amounts);
      if (rows.empty()) {
        rows = cuts->separate(amounts);
        if (rows.empty())
          rows = findSlow(amounts);
        pool.insert(pool.end(), rows.begin(), rows.end());
      }
      if (!rows.empty()) {
        for (const CoverRow &row : rows)
          lp.add(row);
        continue;
      }
      std::vector<int> chosen;
      int split = -1;
      auto getDistance = [&](int c) { return std::abs(amounts[c] - 0.5); };
      for (int c = 0; c < static_cast<int>(amounts.size()); ++c) {
        if (amounts[c] > kTiny)
          chosen.push_back(c);
        if (amounts[c] > kTiny && amounts[c] < 1 - kTiny &&
            (split < 0 || getDistance(c) < getDistance(split)))
          split = c;
      }
      if (split < 0) {
        if (take(chosen))
          return;
        continue;
      }
      branch(lp, fixed, split);
      return;
    }
  }

  void branch(CoverLp &lp, const std::vector<int> &fixed, int split) {
    isBranching = true;
    lp.dropSlackRows();
    std::vector<int> with = fixed;
    with.push_back(split);
    CoverLp one = lp;
    one.add({{{split, 1}}, 1});
    for (int c = 0; c < static_cast<int>(candidates.size()); ++c) {
      if (std::count(with.begin(), with.end(), c))
        continue;
      with.push_back(c);
      if (isSlow(with))
        one.forbid(c);
      with.pop_back();
    }
    explore(std::move(one), with);
    lp.forbid(split);
    explore(std::move(lp), fixed);
  }

  const Kernel &kernel;
  const sync::Program &program;
  const Machine &machine;
  int64_t maxCycles, effort, fewest;
  Trace trace;
  TimeBound time;
  std::vector<Candidate> candidates;
  std::optional<OrderCuts> cuts;
  /// Rows that all placements satisfy, and those that only exclude what the
  /// simulator rejected.
  std::vector<CoverRow> pool, refused;
  int64_t limit = 0, left = 0, rootBound = 0, programs = 0, runs = 0;
  bool usesSimulator = false, isBranching = false;
  std::optional<Plan> best;
};

} // namespace

SearchResult gc::npu::sync::findFewest(const Kernel &kernel,
                                       const Machine &machine, int64_t count,
                                       int64_t cycles, int64_t effort) {
  return Search(kernel, machine, count, cycles, effort).run();
}
