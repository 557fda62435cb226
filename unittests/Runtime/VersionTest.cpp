// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constants of several versions of the weights, and when they are folded.

#include "InstanceTest.h"

#include <functional>
#include <thread>
#include <vector>

namespace {

/// Executions with versions of the weights.
struct VersionTest : InstanceTest {
  static constexpr uint64_t SetBytes = TestModule::Size * sizeof(int64_t);

  void run(int64_t *Weights, int64_t Version) {
    M.executeAndCheck(Pool, 2, Weights, nullptr, nullptr, Version);
  }
  int64_t folds() { return gc_instance_fold_count(M.Instance); }
  uint64_t bytes() { return gc_instance_constant_bytes(M.Instance); }

  std::vector<int64_t> A = std::vector<int64_t>(TestModule::Size, 5),
                       B = std::vector<int64_t>(TestModule::Size, -9),
                       C = std::vector<int64_t>(TestModule::Size, 4);
};

TEST_F(VersionTest, TwoSetsByTurnsFoldOnceEach) {
  for (int I = 0; I < 10; ++I) {
    run(A.data(), 1);
    run(B.data(), 2);
  }
  EXPECT_EQ(folds(), 2);
  EXPECT_EQ(bytes(), 2 * SetBytes);
}

TEST_F(VersionTest, NewContentIsANewVersion) {
  run(A.data(), 1);
  A.assign(TestModule::Size, 6);
  run(A.data(), 2);
  EXPECT_EQ(folds(), 2);
}

TEST_F(VersionTest, OneVersionAtTwoAddressesIsTwoSets) {
  run(A.data(), 1);
  run(B.data(), 1);
  run(A.data(), 1);
  run(B.data(), 1);
  EXPECT_EQ(folds(), 2);
}

TEST_F(VersionTest, TheLeastRecentlyUsedGivesWay) {
  run(A.data(), 1);
  run(B.data(), 2);
  run(A.data(), 1);
  run(C.data(), 3); // instead of 2
  EXPECT_EQ(folds(), 3);
  run(A.data(), 1);
  EXPECT_EQ(folds(), 3);
  run(B.data(), 2);
  EXPECT_EQ(folds(), 4);
  EXPECT_EQ(bytes(), 2 * SetBytes);
}

TEST_F(VersionTest, Capacity) {
  EXPECT_EQ(bytes(), 0u);
  ASSERT_EQ(gc_instance_set_capacity(M.Instance, 3), GC_OK);
  for (int I = 0; I < 3; ++I) {
    run(A.data(), 1);
    run(B.data(), 2);
    run(C.data(), 3);
  }
  EXPECT_EQ(folds(), 3);
  EXPECT_EQ(bytes(), 3 * SetBytes);
  ASSERT_EQ(gc_instance_set_capacity(M.Instance, 1), GC_OK);
  EXPECT_EQ(bytes(), SetBytes);
  run(C.data(), 3);
  EXPECT_EQ(folds(), 3);
  run(A.data(), 1);
  EXPECT_EQ(folds(), 4);
  EXPECT_EQ(bytes(), SetBytes);
  EXPECT_EQ(gc_instance_set_capacity(M.Instance, 0), GC_INVALID_ARGUMENT);
  expectError("less than 1 set");
}

TEST_F(VersionTest, WithoutVersionOnlyTheLastFoldCounts) {
  run(A.data(), 1);
  run(B.data(), 0);
  run(A.data(), 1);
  EXPECT_EQ(folds(), 2);
  run(C.data(), 0);
  B.assign(TestModule::Size, 77); // may be other weights at a reused address
  run(B.data(), 0);
  EXPECT_EQ(folds(), 4);
}

TEST_F(VersionTest, InvalidateIsForAllVersions) {
  run(A.data(), 1);
  A.assign(TestModule::Size, 8);
  ASSERT_EQ(gc_instance_invalidate(M.Instance), GC_OK);
  run(A.data(), 1);
  EXPECT_EQ(folds(), 2);
}

TEST_F(VersionTest, ExplicitFoldOfAVersion) {
  void *FoldArgs[] = {A.data()};
  ASSERT_EQ(gc_instance_fold_version(M.Instance, Pool, 2, FoldArgs, 7), GC_OK);
  run(A.data(), 7);
  EXPECT_EQ(folds(), 1);
  A.assign(TestModule::Size, 3);
  ASSERT_EQ(gc_instance_fold_version(M.Instance, Pool, 2, FoldArgs, 7), GC_OK);
  run(A.data(), 7);
  EXPECT_EQ(folds(), 2);
  EXPECT_EQ(bytes(), SetBytes);
  EXPECT_EQ(gc_instance_fold_version(M.Instance, Pool, 2, FoldArgs, -1),
            GC_INVALID_ARGUMENT);
  expectError("a negative version");
}

TEST_F(VersionTest, CallsThatAFoldWaitsFor) {
  ASSERT_EQ(gc_instance_set_capacity(M.Instance, 3), GC_OK);
  Errand Other;
  Other.Action = [&] {
    void *FoldArgs[] = {B.data()};
    EXPECT_EQ(gc_instance_fold_version(M.Instance, &Other.Executor, 1, FoldArgs,
                                       /*version=*/4),
              GC_OK);
    EXPECT_EQ(gc_instance_set_capacity(M.Instance, 1), GC_OK);
    EXPECT_EQ(folds(), 1);
    // A fold for one execution alone takes nobody's place.
    M.executeAndCheck(&Other.Executor, 1, C.data(), nullptr, nullptr, 3);
    EXPECT_EQ(folds(), 2);
    M.executeAndCheck(&Other.Executor, 1, B.data(), nullptr, nullptr, 4);
    EXPECT_EQ(folds(), 2);
    // Nor does one on the runtime's threads wait for that of the application.
    M.executeAndCheck(Pool, 2, B.data(), nullptr, nullptr, 5);
    EXPECT_EQ(folds(), 3);
  };
  M.executeAndCheck(&Other.Executor, 1, A.data(), nullptr, nullptr, 2);
  EXPECT_EQ(folds(), 4);
  M.executeAndCheck(&Other.Executor, 1, A.data(), nullptr, nullptr, 2);
  EXPECT_EQ(folds(), 4);
  EXPECT_EQ(bytes(), SetBytes);
}

TEST_F(VersionTest, InvalidatedWhileItIsFolded) {
  Errand Other;
  Other.Action = [&] { EXPECT_EQ(gc_instance_invalidate(M.Instance), GC_OK); };
  M.executeAndCheck(&Other.Executor, 1, A.data(), nullptr, nullptr, 1);
  EXPECT_EQ(folds(), 1);
  run(A.data(), 1);
  EXPECT_EQ(folds(), 2);
}

TEST_F(VersionTest, TheFoldThatBeganLaterIsKept) {
  Errand Other;
  Other.Action = [&] {
    void *FoldArgs[] = {A.data()};
    EXPECT_EQ(gc_instance_fold_version(M.Instance, &Other.Executor, 1, FoldArgs,
                                       /*version=*/1),
              GC_OK);
  };
  M.executeAndCheck(&Other.Executor, 1, A.data(), nullptr, nullptr, 1);
  EXPECT_EQ(folds(), 2);
  run(A.data(), 1);
  EXPECT_EQ(folds(), 2);
}

/// More versions than the capacity, from several host threads, one of which
/// changes it: each execution must see the constants it came with.
TEST_F(VersionTest, HostThreadsWithVersions) {
  auto Host = [&](int First) {
    int64_t *Weights[] = {A.data(), B.data(), C.data()};
    for (int I = 0; I < 300; ++I) {
      int Which = (First + I) % 3;
      run(Weights[Which], 1 + Which);
      if (First == 0 && I % 40 == 0)
        gc_instance_set_capacity(M.Instance, 1 + I % 3);
      if (First == 1 && I % 70 == 0)
        gc_instance_invalidate(M.Instance);
    }
  };
  std::thread Second(Host, 1), Third(Host, 2);
  Host(0);
  Second.join();
  Third.join();
  gc_instance_set_capacity(M.Instance, 1);
  EXPECT_LE(bytes(), SetBytes);
}

/// Two instances with one pool.
struct PoolTest : VersionTest {
  void SetUp() override {
    VersionTest::SetUp();
    ASSERT_EQ(gc_instance_set_constant_pool(M.Instance, Constants), GC_OK);
    ASSERT_EQ(gc_instance_set_constant_pool(Other.Instance, Constants), GC_OK);
  }
  void TearDown() override {
    gc_constant_pool_destroy(Constants);
    VersionTest::TearDown();
  }
  void runOther(int64_t *Weights, int64_t Version) {
    Other.executeAndCheck(Pool, 2, Weights, nullptr, nullptr, Version);
  }
  uint64_t pooled() { return gc_constant_pool_bytes(Constants); }

  TestModule Other;
  gc_constant_pool *Constants = gc_constant_pool_create();
};

TEST_F(PoolTest, TheSameContentIsKeptOnce) {
  run(A.data(), 1);
  EXPECT_EQ(pooled(), SetBytes);
  // The same numbers at another address.
  std::vector<int64_t> Copy = A;
  runOther(Copy.data(), 1);
  EXPECT_EQ(pooled(), SetBytes);
  EXPECT_EQ(bytes(), SetBytes);
  EXPECT_EQ(gc_instance_constant_bytes(Other.Instance), SetBytes);
  runOther(B.data(), 2);
  EXPECT_EQ(pooled(), 2 * SetBytes);
}

TEST_F(PoolTest, WhatOneFoldsAnewStaysForTheOther) {
  run(A.data(), 0);
  runOther(A.data(), 0);
  EXPECT_EQ(pooled(), SetBytes);
  // New content at the same address: the other one still has the old.
  std::vector<int64_t> Old = A;
  A.assign(TestModule::Size, 77);
  ASSERT_EQ(gc_instance_invalidate(M.Instance), GC_OK);
  run(A.data(), 0);
  EXPECT_EQ(pooled(), 2 * SetBytes);
  ASSERT_EQ(gc_instance_invalidate(Other.Instance), GC_OK);
  runOther(A.data(), 0);
  runOther(Old.data(), 0);
  run(A.data(), 0);
}

TEST_F(PoolTest, WhatNobodyHasIsFreed) {
  for (int64_t I = 1; I < 20; ++I) {
    A.assign(TestModule::Size, I);
    run(A.data(), I);
    runOther(A.data(), I);
    // Two sets each, and one that is out of date but not yet written to.
    EXPECT_LE(pooled(), 3 * SetBytes);
  }
}

TEST_F(PoolTest, ThePoolIsSetBeforeTheFirstFold) {
  run(A.data(), 1);
  EXPECT_EQ(gc_instance_set_constant_pool(M.Instance, Constants),
            GC_INVALID_ARGUMENT);
  EXPECT_EQ(gc_instance_set_constant_pool(M.Instance, nullptr),
            GC_INVALID_ARGUMENT);
  EXPECT_EQ(gc_instance_set_constant_pool(nullptr, Constants),
            GC_INVALID_ARGUMENT);
}

TEST_F(PoolTest, ManyThreads) {
  std::vector<std::thread> Threads;
  for (int Thread = 0; Thread < 4; ++Thread)
    Threads.emplace_back([&, Thread] {
      for (int64_t I = 0; I < 50; ++I) {
        std::vector<int64_t> W(TestModule::Size, 1 + I % 3);
        TestModule &Module = (I + Thread) % 2 ? M : Other;
        Module.executeAndCheck(nullptr, 1, W.data(), nullptr, nullptr,
                               1 + Thread * 50 + I);
      }
    });
  for (std::thread &Thread : Threads)
    Thread.join();
}

} // namespace
