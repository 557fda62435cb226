// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A module and a pool of threads for tests of its instance.

#ifndef GC_UNITTESTS_RUNTIME_INSTANCETEST_H
#define GC_UNITTESTS_RUNTIME_INSTANCETEST_H

#include "TestModule.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <utility>

/// An executor that does something else before its first task.
struct Errand {
  gc_executor Executor = {this, [](void *) -> int64_t { return 1; }, run};
  std::function<void()> Action;

  static gc_status run(void *Context, int64_t, gc_task Task, void *Arg) {
    auto *Self = static_cast<Errand *>(Context);
    if (auto First = std::exchange(Self->Action, nullptr))
      std::thread(First).join();
    Task(Arg, 0, 1);
    return GC_OK;
  }
};

struct InstanceTest : testing::Test {
  InstanceTest() : Pool(gc_thread_pool_create(4)) {}
  ~InstanceTest() override { gc_thread_pool_destroy(Pool); }

  void expectError(const char *Part) {
    EXPECT_NE(std::strstr(gc_last_error(), Part), nullptr) << gc_last_error();
  }

  gc_executor *Pool;
  TestModule M;
};

#endif // GC_UNITTESTS_RUNTIME_INSTANCETEST_H
