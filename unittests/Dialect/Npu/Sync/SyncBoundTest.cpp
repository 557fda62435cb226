// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The basis of the proof that there is nothing better: linear programs, the
// rows that every right placement satisfies, the bound of its cycles; and all
// placements one by one in programs so short that this is possible.

#include "SyncCuts.h"
#include "SyncRandom.h"
#include "SyncSearch.h"
#include "SyncTimeBound.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <map>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

Kernel makeStraight(const Machine &machine, uint32_t seed, int ops) {
  RandomOptions options;
  options.fills = false;
  options.maxDepth = 0;
  options.minOps = options.maxOps = ops;
  return makeRandomKernel(machine, seed, options);
}

Plan makePlan(const sync::Program &program,
              const std::vector<Candidate> &chosen) {
  Plan plan;
  std::map<std::pair<Pipe, Pipe>, int> events;
  for (const Candidate &candidate : chosen) {
    Flag flag;
    flag.from = program.ops[candidate.first].pipe;
    flag.to = program.ops[candidate.second].pipe;
    flag.set = candidate.first + 1;
    flag.wait = candidate.second;
    flag.end = static_cast<int>(program.ops.size());
    if (candidate.isBarrier) {
      plan.barriers.push_back({flag.to, flag.wait});
      continue;
    }
    flag.first = events[{flag.from, flag.to}]++;
    plan.flags.push_back(flag);
  }
  return plan;
}

Machine makeMachineOfManyFlags() {
  Machine machine;
  machine.flagsPerPair = 64;
  return machine;
}

TEST(SyncBoundTest, LinearProgram) {
  // One of each two of three: a half of each.
  CoverLp lp(3);
  lp.add({{{0, 1}, {1, 1}}, 1});
  ASSERT_TRUE(lp.solve());
  EXPECT_DOUBLE_EQ(lp.getBound(), 1);
  lp.add({{{1, 1}, {2, 1}}, 1});
  lp.add({{{0, 1}, {2, 1}}, 1});
  ASSERT_TRUE(lp.solve());
  EXPECT_DOUBLE_EQ(lp.getBound(), 1.5);
  EXPECT_EQ(lp.getValues(), std::vector<double>(3, 0.5));
  // Without one of them both others.
  CoverLp fewer = lp;
  fewer.forbid(1);
  ASSERT_TRUE(fewer.solve());
  EXPECT_DOUBLE_EQ(fewer.getBound(), 2);
  // The first and the last not together: the one between and either.
  lp.add({{{0, -1}, {2, -1}}, -1});
  lp.add({{{0, 1}, {2, -1}}, 1});
  ASSERT_TRUE(lp.solve());
  EXPECT_DOUBLE_EQ(lp.getBound(), 2);
  EXPECT_EQ(lp.getValues(), std::vector<double>({1, 1, 0}));
  lp.forbid(0);
  EXPECT_FALSE(lp.solve());
}

TEST(SyncBoundTest, NoRowsAreViolatedIfAllIsInOrder) {
  Machine machine;
  std::mt19937 random;
  int ordered = 0;
  for (int seed = 0; seed < 100; ++seed) {
    Kernel kernel = makeStraight(machine, seed, 12);
    Trace trace = *Trace::make(kernel.program, {1 << 16});
    std::vector<Candidate> candidates = getCandidates(kernel.program);
    OrderCuts cuts(kernel.program, trace, candidates);
    for (int tries = 0; tries < 40; ++tries) {
      std::vector<double> amounts(candidates.size());
      std::vector<Candidate> chosen;
      for (size_t c = 0; c < candidates.size(); ++c)
        if (random() % 40 < static_cast<unsigned>(tries)) {
          amounts[c] = 1;
          chosen.push_back(candidates[c]);
        }
      bool isRight =
          isOrdered(kernel.program, trace, makePlan(kernel.program, chosen));
      EXPECT_EQ(cuts.separate(amounts).empty(), isRight) << "seed " << seed;
      ordered += isRight;
    }
  }
  EXPECT_GE(ordered, 500);
  EXPECT_LE(ordered, 3500);
}

// Random correct placements take no less than the bounds for parts of them.
TEST(SyncBoundTest, CyclesAreNoFewerThanTheBound) {
  Machine machine = makeMachineOfManyFlags();
  std::mt19937 random;
  int tight = 0, tries = 0;
  for (int seed = 0; seed < 150; ++seed) {
    Kernel kernel = makeStraight(machine, seed, 10 + seed % 25);
    Trace trace = *Trace::make(kernel.program, {1 << 16});
    TimeBound bound(kernel.program, trace, machine);
    std::vector<Candidate> candidates = getCandidates(kernel.program);
    for (int round = 0; round < 10; ++round) {
      // Adds random ones until all is in order.
      std::vector<Candidate> chosen;
      Plan plan;
      while (true) {
        plan = makePlan(kernel.program, chosen);
        auto violations = findViolations(kernel.program, trace, plan);
        if (violations.empty() && random() % 4 == 0)
          break;
        std::vector<Candidate> helping;
        for (const Candidate &candidate : candidates)
          if (violations.empty() ||
              (candidate.first >= violations[0].needed &&
               candidate.second <= violations[0].instance))
            helping.push_back(candidate);
        if (helping.empty())
          break;
        chosen.push_back(helping[random() % helping.size()]);
      }
      Report report = simulate(machine, list(kernel, plan), false);
      ASSERT_FALSE(report.error) << report.error->message;
      int64_t cycles = report.cycles;
      ++tries;
      EXPECT_FALSE(bound.isSlower(chosen, cycles)) << "seed " << seed;
      tight += bound.isSlower(chosen, cycles - 1);
      std::shuffle(chosen.begin(), chosen.end(), random);
      chosen.resize(chosen.size() / 2);
      EXPECT_FALSE(bound.isSlower(chosen, cycles)) << "seed " << seed;
    }
  }
  // It would say nothing if it were much too low.
  EXPECT_GE(tight * 5, tries);
}

/// The fewest, from none on, that order everything in the given number of
/// cycles.
int64_t findFewestByTrying(const Kernel &kernel, const Machine &machine,
                           int64_t count, int64_t cycles) {
  const sync::Program &program = kernel.program;
  Trace trace = *Trace::make(program, {1 << 16});
  std::vector<Candidate> candidates = getCandidates(program);
  std::vector<Candidate> chosen;
  std::function<bool(size_t, int64_t)> isPossible = [&](size_t from,
                                                        int64_t left) {
    if (left == 0) {
      Plan plan = makePlan(program, chosen);
      return isOrdered(program, trace, plan) &&
             simulate(machine, list(kernel, plan), false).cycles <= cycles;
    }
    for (size_t c = from; c < candidates.size(); ++c) {
      chosen.push_back(candidates[c]);
      bool isFound = isPossible(c + 1, left - 1);
      chosen.pop_back();
      if (isFound)
        return true;
    }
    return false;
  };
  for (int64_t size = 0; size < count; ++size)
    if (isPossible(0, size))
      return size;
  return count;
}

TEST(SyncBoundTest, SearchFindsWhatTryingAllFinds) {
  Machine machine = makeMachineOfManyFlags();
  int better = 0, programs = 0;
  for (int seed = 0; programs < 60; ++seed) {
    Kernel kernel = makeStraight(machine, seed, 5 + seed % 4);
    // A flag for each dependence: not the best.
    Trace trace = *Trace::make(kernel.program, {1 << 16});
    Plan plan;
    addMissing(kernel.program, trace, plan);
    int64_t count = countExecuted(trace, plan);
    if (count < 2 || count > 4)
      continue;
    ++programs;
    for (size_t i = 0; i < plan.flags.size(); ++i)
      plan.flags[i].first = static_cast<int>(i);
    int64_t cycles = simulate(machine, list(kernel, plan), false).cycles;
    // A little more and less too.
    for (int64_t more : {-20, 0, 20, 400}) {
      int64_t fewest =
          findFewestByTrying(kernel, machine, count, cycles + more);
      SearchResult search =
          findFewest(kernel, machine, count, cycles + more, 1000);
      EXPECT_TRUE(search.isExact) << "seed " << seed;
      EXPECT_EQ(search.bound, fewest) << "seed " << seed << " " << more;
      better += fewest < count;
    }
  }
  EXPECT_GE(better, 10);
}

} // namespace
