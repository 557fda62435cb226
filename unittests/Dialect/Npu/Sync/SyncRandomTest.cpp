// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whatever the program, what npu-insert-sync makes of it runs without races,
// deadlocks and left flags. GC_SYNC_PROGRAMS sets how many programs are tried.

#include "SyncRandom.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

int getCount(const char *name, int standard) {
  const char *text = std::getenv(name);
  return text ? std::atoi(text) : standard;
}

TEST(SyncRandomTest, SimulatorAcceptsWhatThePassMakes) {
  Machine machine;
  int count = getCount("GC_SYNC_PROGRAMS", 400);
  for (int seed = 0; seed < count; ++seed) {
    Kernel kernel = makeRandomKernel(machine, seed);
    Result result = insertSync(kernel.program, machine);
    Report report = simulate(machine, list(kernel, result.plan));
    ASSERT_FALSE(report.error)
        << "seed " << seed << ": " << report.error->message;
  }
}

TEST(SyncRandomTest, FewFlagsInTheMachineAreEnough) {
  Machine machine;
  for (int64_t flags : {1, 2, 3}) {
    ASSERT_TRUE(setParameter(machine, "flags_per_pair", flags));
    for (int seed = 0; seed < 30; ++seed) {
      Kernel kernel = makeRandomKernel(machine, seed);
      Result result = insertSync(kernel.program, machine);
      Report report = simulate(machine, list(kernel, result.plan));
      ASSERT_FALSE(report.error) << "seed " << seed << " with " << flags
                                 << " flags: " << report.error->message;
    }
  }
}

TEST(SyncRandomTest, SimulatorAcceptsPlansOfFewFlagsThatPassTheChecks) {
  Machine machine;
  int count = getCount("GC_SYNC_PROGRAMS", 200), accepted = 0;
  for (int seed = 0; seed < count; ++seed) {
    Kernel kernel = makeRandomKernel(machine, seed);
    auto trace = Trace::make(kernel.program, {1 << 20});
    ASSERT_TRUE(trace);
    Plan plan = makeCoarsePlan(kernel.program, *trace);
    std::vector<Remark> remarks;
    assignEvents(kernel.program, *trace, machine, plan, remarks);
    // The same checks as in the pass.
    if (!isOrdered(kernel.program, *trace, plan) ||
        findClash(kernel.program, *trace, plan))
      continue;
    ++accepted;
    Report report = simulate(machine, list(kernel, plan));
    ASSERT_FALSE(report.error)
        << "seed " << seed << ": " << report.error->message;
  }
  EXPECT_GE(accepted * 10, count * 9);
}

TEST(SyncRandomTest, ClosureFindsNothingEither) {
  Machine machine;
  for (int seed = 0; seed < 100; ++seed) {
    Kernel kernel = makeRandomKernel(machine, seed);
    Result result = insertSync(kernel.program, machine);
    EXPECT_EQ(findFault(list(kernel, result.plan)), "") << "seed " << seed;
  }
}

TEST(SyncRandomTest, ProgramsWithoutFlagsHaveRaces) {
  // Else the tests above would prove nothing.
  Machine machine;
  int races = 0;
  for (int seed = 0; seed < 100; ++seed) {
    Kernel kernel = makeRandomKernel(machine, seed);
    Report report = simulate(machine, list(kernel, Plan()));
    races += report.error && report.error->kind == ErrorKind::race;
  }
  EXPECT_GE(races, 99);
}

} // namespace
