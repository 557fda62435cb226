// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether threads that wait for each other have processors of their own.

#include "../../lib/Runtime/Wait.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <thread>

using namespace gc::runtime;

namespace {

void bindTo(int Processor) {
  cpu_set_t Set;
  CPU_ZERO(&Set);
  CPU_SET(Processor, &Set);
  pthread_setaffinity_np(pthread_self(), sizeof(Set), &Set);
}

/// As OMP_PROC_BIND=true does it: the initial thread is bound first, and each
/// thread that it starts to another processor. Exits with 1 for what is wrong.
[[noreturn]] void bindTwoThreads(int First, int Second) {
  bindTo(First);
  bool IsRight = availableProcessors() == 1 && !areCrowded(1) && areCrowded(2);
  std::thread Other([&] {
    bindTo(Second);
    IsRight &= !areCrowded(2) && areCrowded(3);
  });
  Other.join();
  std::exit(IsRight ? 0 : 1);
}

TEST(Wait, BoundThreads) {
  cpu_set_t Set;
  CPU_ZERO(&Set);
  ASSERT_EQ(sched_getaffinity(0, sizeof(Set), &Set), 0);
  int Found[2], Count = 0;
  for (int I = 0; I < CPU_SETSIZE && Count < 2; ++I)
    if (CPU_ISSET(I, &Set))
      Found[Count++] = I;
  if (Count < 2)
    GTEST_SKIP() << "there is only one processor";
  // A process of its own, which has counted nothing yet.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(bindTwoThreads(Found[0], Found[1]), testing::ExitedWithCode(0),
              "");
}

} // namespace
