// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How near the pass comes to the fewest flags and barriers that there can be.

#include "SyncSearch.h"
#include "SyncRandom.h"
#include "gtest/gtest.h"

#include <iostream>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// Runs pass and search on programs of these sizes, straight lines: sums of
/// executed flags and barriers of both, of those that the search settles.
struct Comparison {
  int64_t pass = 0, best = 0;
  int settled = 0;
};

Comparison compare(int programs, int minOps, int maxOps, int64_t maxNodes) {
  Machine machine;
  RandomOptions options;
  options.fills = false;
  options.maxDepth = 0;
  options.minOps = minOps;
  options.maxOps = maxOps;
  Comparison sums;
  for (int seed = 0; seed < programs; ++seed) {
    Kernel kernel = makeRandomKernel(machine, seed, options);
    Result result = insertSync(kernel.program, machine);
    int64_t cycles = simulate(machine, list(kernel, result.plan), false).cycles;
    SearchResult search =
        findFewer(kernel, machine, result.executed, cycles, maxNodes);
    if (!search.isComplete)
      continue;
    ++sums.settled;
    sums.pass += result.executed;
    sums.best += search.plan
                     ? countExecuted(*Trace::makeWhole(kernel.program, 1 << 16),
                                     *search.plan)
                     : result.executed;
  }
  std::cout << sums.settled << " programs of " << minOps << " to " << maxOps
            << " instructions: " << sums.pass << " executed, fewest "
            << sums.best << "\n";
  return sums;
}

TEST(SyncSearchTest, PassIsWithinFivePercentOfTheFewest) {
  Comparison small = compare(100, 6, 12, 100000);
  EXPECT_GE(small.settled, 95);
  EXPECT_LE(small.pass * 100, small.best * 105);
  Comparison middle = compare(30, 13, 20, 50000);
  EXPECT_GE(middle.settled, 15);
  EXPECT_LE(middle.pass * 100, middle.best * 105);
  // Forty instructions with their flags and barriers, and more.
  Comparison large = compare(10, 21, 28, 50000);
  EXPECT_LE(large.pass * 100, large.best * 105);
}

// The search finds what is known to be best: one flag for two loads, and a
// detour over a third pipe.
TEST(SyncSearchTest, SearchFindsLess) {
  Machine machine;
  Kernel kernel;
  auto addLoad = [&](int64_t to) {
    kernel.add(0, machine, [=](const Env &) {
      Instruction in(Opcode::dma);
      in.dst = Address(Space::ub, to);
      in.dma = {1, 512, 512, 512};
      return in;
    });
  };
  addLoad(0);
  addLoad(512);
  kernel.add(0, machine, [](const Env &) {
    Instruction in(Opcode::vector);
    in.src0 = Address(Space::ub, 0);
    in.src1 = Address(Space::ub, 512);
    in.dst = Address(Space::ub, 1024);
    in.vector = {2, ~uint64_t(0), ~uint64_t(0), 1, 8, 1, 8, 1, 8, 0};
    return in;
  });
  kernel.program.finish();
  SearchResult search = findFewer(kernel, machine, 3, 1000, 1000);
  ASSERT_TRUE(search.plan);
  EXPECT_EQ(search.plan->flags.size(), 1u);
  EXPECT_TRUE(search.plan->barriers.empty());
  // None is not enough, and in no time neither.
  EXPECT_FALSE(findFewer(kernel, machine, 1, 1000, 1000).plan);
  EXPECT_FALSE(findFewer(kernel, machine, 3, 10, 1000).plan);
}

} // namespace
