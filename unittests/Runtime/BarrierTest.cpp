// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "../../lib/Runtime/Barrier.h"
#include "Runtime/Runtime.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace {

/// Each thread writes its own plain (not atomic) cell between barriers and
/// reads every other one after: a barrier that lets anyone through early, or
/// does not publish the writes, shows as a wrong round number.
void stress(int64_t Size, int Rounds) {
  gc::runtime::Barrier Sync;
  std::vector<int64_t> Cells(Size * 16, -1);
  std::vector<int64_t> Errors(Size, 0);
  auto Body = [&](int64_t Thread) {
    gc_team Team = {Thread, Size, &Sync, nullptr};
    for (int Round = 0; Round < Rounds; ++Round) {
      Cells[Thread * 16] = Round;
      gc_barrier_wait(&Team);
      for (int64_t I = 0; I < Size; ++I)
        Errors[Thread] += Cells[I * 16] != Round;
      gc_barrier_wait(&Team);
    }
  };
  std::vector<std::thread> Threads;
  for (int64_t I = 1; I < Size; ++I)
    Threads.emplace_back(Body, I);
  Body(0);
  for (std::thread &T : Threads)
    T.join();
  for (int64_t I = 0; I < Size; ++I)
    EXPECT_EQ(Errors[I], 0) << "thread " << I << " of " << Size;
}

TEST(Barrier, OneThreadReturnsAtOnce) {
  // Not even the barrier is looked at.
  gc_team Team = {0, 1, nullptr, nullptr};
  gc_barrier_wait(&Team);
  stress(1, 1000);
}

TEST(Barrier, TwoThreads) { stress(2, 20000); }
TEST(Barrier, ThreeThreads) { stress(3, 3000); }
TEST(Barrier, EightThreads) { stress(8, 1000); }

/// A late thread makes the others go through yielding into sleep.
TEST(Barrier, SleepersAreWoken) {
  gc::runtime::Barrier Sync;
  std::atomic<int> Passed{0};
  auto Body = [&](int64_t Thread) {
    gc_team Team = {Thread, 4, &Sync, nullptr};
    for (int Round = 0; Round < 5; ++Round) {
      if (Thread == Round % 4)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      gc_barrier_wait(&Team);
    }
    ++Passed;
  };
  std::vector<std::thread> Threads;
  for (int64_t I = 0; I < 4; ++I)
    Threads.emplace_back(Body, I);
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Passed.load(), 4);
}

} // namespace
