// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Suites named OpenMP* are left out under the thread sanitizer, which does not
// see the synchronization inside the OpenMP library.

#include "TestModule.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <omp.h>
#include <stdexcept>

namespace {

const gc_executor &openMP() { return *gc_openmp_executor(); }

struct Team {
  std::atomic<int64_t> Calls{0}, Size{0};
  static void task(void *Arg, int64_t, int64_t Size) {
    ++static_cast<Team *>(Arg)->Calls;
    static_cast<Team *>(Arg)->Size = Size;
  }
};

/// 1 in the run of this binary that sets OMP_THREAD_LIMIT=1.
int64_t threadLimit() { return omp_get_thread_limit(); }

TEST(OpenMPExecutor, OneWholeTeam) {
  EXPECT_GE(openMP().threads(nullptr), 1);
  for (int64_t Asked : {1, 2, 3, 8}) {
    Team T;
    ASSERT_EQ(openMP().run(nullptr, Asked, Team::task, &T), GC_OK);
    EXPECT_EQ(T.Calls, T.Size);
    EXPECT_EQ(T.Size, std::min(Asked, threadLimit()));
  }
}

TEST(OpenMPExecutor, AbsurdlyManyThreads) {
  Team T;
  ASSERT_EQ(openMP().run(nullptr, int64_t(1) << 40, Team::task, &T), GC_OK);
  EXPECT_GE(T.Size, 1);
  EXPECT_EQ(T.Calls, T.Size);
}

TEST(OpenMPExecutor, ExceptionsBecomeAStatus) {
  gc_task Throwing = [](void *, int64_t, int64_t) {
    throw std::runtime_error("no");
  };
  EXPECT_EQ(openMP().run(nullptr, 2, Throwing, nullptr), GC_RUNTIME_ERROR);
  EXPECT_EQ(openMP().run(nullptr, 1, Throwing, nullptr), GC_RUNTIME_ERROR);
}

TEST(OpenMPExecution, EightThreads) {
  TestModule M;
  for (int I = 0; I < 50; ++I)
    M.executeAndCheck(gc_openmp_executor(), 8);
}

TEST(OpenMPExecution, DefaultExecutorAndThreads) {
  TestModule M;
  M.executeAndCheck(nullptr, 0);
  EXPECT_EQ(M.LastTeam,
            std::min<int64_t>(omp_get_max_threads(), threadLimit()));
}

/// Every thread of a region executes the same instance: nested regions are off,
/// so each gets a team of one, and the first fold happens once.
TEST(OpenMPExecution, InsideARegion) {
  omp_set_max_active_levels(1);
  TestModule M;
#pragma omp parallel num_threads(4)
  {
    for (int I = 0; I < 20; ++I)
      M.executeAndCheck(nullptr, 4);
  }
  EXPECT_EQ(gc_instance_fold_count(M.Instance), 1);
}

TEST(OpenMPExecution, InsideARegionWithNestingAllowed) {
  omp_set_max_active_levels(2);
  TestModule M;
#pragma omp parallel num_threads(2)
  {
    for (int I = 0; I < 20; ++I)
      M.executeAndCheck(nullptr, 2);
  }
  omp_set_max_active_levels(1);
  EXPECT_EQ(gc_instance_fold_count(M.Instance), 1);
}

/// The environment of the run is what the test's name says it is.
TEST(OpenMPExecution, ThreadLimit) {
  const char *Limit = std::getenv("OMP_THREAD_LIMIT");
  if (!Limit)
    GTEST_SKIP() << "only meaningful with OMP_THREAD_LIMIT";
  ASSERT_EQ(std::atoi(Limit), 1);
  TestModule M;
  M.executeAndCheck(nullptr, 8);
  EXPECT_EQ(M.LastTeam, 1);
}

} // namespace
