// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runtime/Runtime.h"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

/// Counts which threads came, and what size they were told.
struct Census {
  std::atomic<int64_t> Calls{0};
  std::atomic<int64_t> Seen[64] = {};
  std::atomic<int64_t> MinSize{1 << 30}, MaxSize{0};

  static void task(void *Arg, int64_t Thread, int64_t Size) {
    auto &Self = *static_cast<Census *>(Arg);
    ++Self.Calls;
    ++Self.Seen[Thread];
    for (int64_t Old = Self.MinSize; Size < Old;)
      Self.MinSize.compare_exchange_weak(Old, Size);
    for (int64_t Old = Self.MaxSize; Size > Old;)
      Self.MaxSize.compare_exchange_weak(Old, Size);
  }

  /// One whole team of at most Limit came; returns its size.
  int64_t expectTeam(int64_t Limit) {
    EXPECT_EQ(MinSize.load(), MaxSize.load());
    EXPECT_EQ(Calls.load(), MaxSize.load());
    EXPECT_GE(MaxSize.load(), 1);
    EXPECT_LE(MaxSize.load(), Limit);
    for (int64_t I = 0; I < MaxSize; ++I)
      EXPECT_EQ(Seen[I].load(), 1) << "thread " << I;
    return MaxSize;
  }
};

struct Pool {
  explicit Pool(int64_t Threads) : Executor(gc_thread_pool_create(Threads)) {}
  ~Pool() { gc_thread_pool_destroy(Executor); }
  gc_status run(int64_t Threads, gc_task Task, void *Arg) {
    return Executor->run(Executor->context, Threads, Task, Arg);
  }
  gc_executor *Executor;
};

TEST(ThreadPool, BringsTheTeamAskedFor) {
  Pool P(4);
  ASSERT_NE(P.Executor, nullptr);
  EXPECT_EQ(P.Executor->threads(P.Executor->context), 4);
  for (int64_t Asked : {1, 2, 3, 4}) {
    Census C;
    EXPECT_EQ(P.run(Asked, Census::task, &C), GC_OK);
    EXPECT_EQ(C.expectTeam(4), Asked);
  }
}

TEST(ThreadPool, BringsNoMoreThanItHas) {
  Pool P(2);
  Census C;
  EXPECT_EQ(P.run(8, Census::task, &C), GC_OK);
  EXPECT_EQ(C.expectTeam(2), 2);
}

TEST(ThreadPool, ManyShortRuns) {
  Pool P(3);
  for (int I = 0; I < 5000; ++I) {
    Census C;
    ASSERT_EQ(P.run(3, Census::task, &C), GC_OK);
    ASSERT_EQ(C.expectTeam(3), 3);
  }
}

/// Workers have gone to sleep between runs.
TEST(ThreadPool, RunsAfterAPause) {
  Pool P(3);
  for (int I = 0; I < 3; ++I) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    Census C;
    ASSERT_EQ(P.run(3, Census::task, &C), GC_OK);
    ASSERT_EQ(C.expectTeam(3), 3);
  }
}

TEST(ThreadPool, TwoHostThreadsAtOnce) {
  Pool P(2);
  auto Host = [&] {
    for (int I = 0; I < 2000; ++I) {
      Census C;
      ASSERT_EQ(P.run(2, Census::task, &C), GC_OK);
      C.expectTeam(2);
    }
  };
  std::thread Other(Host);
  Host();
  Other.join();
}

TEST(ThreadPool, RunInsideATaskGetsATeamOfOne) {
  struct Nest {
    Pool *P;
    Census Inner[2];
  };
  Pool P(2);
  Nest N{&P, {}};
  EXPECT_EQ(P.run(
                2,
                [](void *Arg, int64_t Thread, int64_t) {
                  auto *N = static_cast<Nest *>(Arg);
                  N->P->run(2, Census::task, &N->Inner[Thread]);
                },
                &N),
            GC_OK);
  EXPECT_EQ(N.Inner[0].expectTeam(1), 1);
  EXPECT_EQ(N.Inner[1].expectTeam(1), 1);
}

TEST(ThreadPool, RefusesNoThreads) {
  EXPECT_EQ(gc_thread_pool_create(0), nullptr);
  EXPECT_NE(std::strstr(gc_last_error(), "at least 1"), nullptr);
  gc_thread_pool_destroy(nullptr);
}

void throwing(void *, int64_t Thread, int64_t Size) {
  if (Thread == Size - 1)
    throw std::runtime_error("no");
}

TEST(ThreadPool, ExceptionsBecomeAStatus) {
  Pool P(2);
  EXPECT_EQ(P.run(2, throwing, nullptr), GC_RUNTIME_ERROR);
  EXPECT_EQ(P.run(1, throwing, nullptr), GC_RUNTIME_ERROR);
  Census C;
  EXPECT_EQ(P.run(2, Census::task, &C), GC_OK);
  EXPECT_EQ(C.expectTeam(2), 2);
}

} // namespace
