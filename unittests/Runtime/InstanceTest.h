// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A module and a pool of threads for tests of its instance.

#ifndef GC_UNITTESTS_RUNTIME_INSTANCETEST_H
#define GC_UNITTESTS_RUNTIME_INSTANCETEST_H

#include "TestModule.h"

#include <cstring>
#include <gtest/gtest.h>

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
