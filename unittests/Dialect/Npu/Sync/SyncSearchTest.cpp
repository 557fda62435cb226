// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How near the pass comes to the fewest flags and barriers that there can be.
// GC_SYNC_SEARCH sets how many programs of each size are tried, and that the
// search has more time for each.

#include "SyncSearch.h"
#include "SyncKernels.h"
#include "SyncRandom.h"
#include "gtest/gtest.h"

#include <chrono>
#include <cstdlib>
#include <iostream>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// Sums over programs: what the pass executes, what the search proves that any
/// placement does, and in how many programs the latter is reached.
struct Comparison {
  int64_t pass = 0, bound = 0;
  int programs = 0, exact = 0;

  SearchResult add(const Kernel &kernel, const Machine &machine,
                   int64_t effort) {
    Result result = insertSync(kernel.program, machine);
    int64_t cycles = simulate(machine, list(kernel, result.plan), false).cycles;
    SearchResult search =
        findFewest(kernel, machine, result.executed, cycles, effort);
    ++programs;
    exact += search.isExact;
    pass += result.executed;
    bound += search.bound;
    return search;
  }
  void print(const std::string &of) const {
    std::cout << programs << " " << of << ": " << pass
              << " executed, proved that none has fewer than " << bound
              << ", exact in " << exact << "\n";
  }
};

/// Random programs of these sizes, straight lines.
Comparison compare(int programs, int minOps, int maxOps, int64_t effort) {
  if (const char *text = std::getenv("GC_SYNC_SEARCH")) {
    programs = std::atoi(text);
    effort *= 30;
  }
  Machine machine;
  RandomOptions options;
  options.fills = false;
  options.maxDepth = 0;
  options.minOps = minOps;
  options.maxOps = maxOps;
  Comparison sums;
  auto start = std::chrono::steady_clock::now();
  for (int seed = 0; seed < programs; ++seed)
    sums.add(makeRandomKernel(machine, seed, options), machine, effort);
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  sums.print("programs of " + std::to_string(minOps) + " to " +
             std::to_string(maxOps) + " instructions in " +
             std::to_string(time.count()) + " s");
  return sums;
}

TEST(SyncSearchTest, PassIsWithinFivePercentOfTheFewest) {
  Comparison small = compare(100, 6, 12, 300);
  EXPECT_EQ(small.exact, small.programs);
  EXPECT_LE(small.pass * 100, small.bound * 105);
  Comparison middle = compare(30, 13, 20, 300);
  EXPECT_GE(middle.exact * 20, middle.programs * 19);
  EXPECT_LE(middle.pass * 100, middle.bound * 105);
  Comparison large = compare(20, 21, 28, 300);
  EXPECT_GE(large.exact * 4, large.programs * 3);
  EXPECT_LE(large.pass * 100, large.bound * 105);
  Comparison longest = compare(20, 29, 40, 300);
  EXPECT_GE(longest.exact * 2, longest.programs);
  EXPECT_LE(longest.pass * 100, longest.bound * 105);
}

TEST(SyncSearchTest, PassIsWithinFivePercentInSmallKernels) {
  Machine machine;
  Comparison sums;
  for (auto &[name, kernel] : makeSmallKernels(machine)) {
    SCOPED_TRACE(name);
    EXPECT_GE(kernel.program.ops.size(), 29u);
    EXPECT_LE(kernel.program.ops.size(), 40u);
    Result result = insertSync(kernel.program, machine);
    Report report = simulate(machine, list(kernel, result.plan));
    EXPECT_FALSE(report.error) << report.error->message;
    // They need order.
    report = simulate(machine, list(kernel, Plan()));
    ASSERT_TRUE(report.error);
    EXPECT_EQ(report.error->kind, ErrorKind::race);
    SearchResult search = sums.add(kernel, machine, 300);
    std::cout << name << ", " << kernel.program.ops.size()
              << " instructions: " << result.executed << " executed, at least "
              << search.bound << (search.isExact ? " (exact)" : "") << "\n";
  }
  sums.print("kernels");
  EXPECT_GE(sums.exact, 7);
  EXPECT_LE(sums.pass * 100, sums.bound * 105);
}

// The search finds what is known to be best: one flag for two loads.
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
  SearchResult search = findFewest(kernel, machine, 3, 1000, 1000);
  ASSERT_TRUE(search.plan);
  EXPECT_EQ(search.bound, 1);
  EXPECT_TRUE(search.isExact);
  EXPECT_EQ(search.plan->flags.size(), 1u);
  EXPECT_TRUE(search.plan->barriers.empty());
  // None is not enough, and in no time neither.
  EXPECT_FALSE(findFewest(kernel, machine, 1, 1000, 1000).plan);
  EXPECT_FALSE(findFewest(kernel, machine, 3, 10, 1000).plan);
}

} // namespace
