// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Modules that fold only what they hold themselves, which is freed once nobody
// reads it any more.

#include "InstanceTest.h"

#include <functional>
#include <thread>
#include <vector>

namespace {

/// What the module holds; freed: -1 everywhere.
int64_t Source[TestModule::Size];
std::atomic<int64_t> Freed{0};

int32_t foldSource(void *const *Args, void *Arena, const gc_team *Team) {
  void *Own[] = {Source, Args[0]};
  return TestModule::Module.fold(Own, Arena, Team);
}

int32_t computePlain(void *const *Args, void *Arena, const gc_team *Team) {
  void *Own[] = {Source, Args[0], Args[1], Args[2]};
  return TestModule::Module.compute(Own, Arena, Team);
}

void freeSource(void *Context) {
  *static_cast<std::atomic<int64_t> *>(Context) += 1;
  std::fill_n(Source, TestModule::Size, -1);
}

struct FoldedTest : InstanceTest {
  FoldedTest() : Module(TestModule::Module) {
    Freed = 0;
    for (int64_t I = 0; I < TestModule::Size; ++I)
      Source[I] = 11 * I + 1;
    Module.num_inputs = 1;
    Module.num_fold_inputs = 0;
    Module.fold_inputs = nullptr;
    Module.fold = foldSource;
    Module.compute = computePlain;
    EXPECT_EQ(gc_instance_create(&Module, &Instance), GC_OK);
    EXPECT_EQ(gc_instance_set_folded(Instance, freeSource, &Freed), GC_OK);
  }
  ~FoldedTest() override { gc_instance_destroy(Instance); }

  gc_status run(const gc_executor *Executor, int64_t Threads, int64_t Version) {
    int64_t X[TestModule::Size], Y[TestModule::Size] = {};
    for (int64_t I = 0; I < TestModule::Size; ++I)
      X[I] = 1000 * Version + I;
    void *Inputs[] = {X}, *Outputs[] = {Y};
    gc_status Status = gc_execute_version(Instance, Executor, Threads, Inputs,
                                          Outputs, nullptr, nullptr, Version);
    for (int64_t I = 0; Status == GC_OK && I < TestModule::Size; ++I)
      if (Y[I] != 6 * (11 * I + 1) + X[I])
        return GC_RUNTIME_ERROR;
    return Status;
  }
  int64_t folds() { return gc_instance_fold_count(Instance); }

  gc_module Module;
  gc_instance *Instance = nullptr;
};

TEST_F(FoldedTest, FoldsOnceWhateverIsAsked) {
  EXPECT_EQ(Freed, 0);
  EXPECT_EQ(run(Pool, 2, 0), GC_OK);
  EXPECT_EQ(Freed, 1);
  EXPECT_EQ(run(Pool, 2, 3), GC_OK);
  EXPECT_EQ(gc_instance_invalidate(Instance), GC_OK);
  EXPECT_EQ(run(Pool, 2, 0), GC_OK);
  EXPECT_EQ(gc_instance_fold(Instance, Pool, 2, nullptr), GC_OK);
  EXPECT_EQ(gc_instance_fold_version(Instance, Pool, 2, nullptr, 5), GC_OK);
  EXPECT_EQ(gc_instance_set_capacity(Instance, 1), GC_OK);
  EXPECT_EQ(run(Pool, 2, 5), GC_OK);
  EXPECT_EQ(folds(), 1);
  EXPECT_EQ(Freed, 1);
}

TEST_F(FoldedTest, AFoldThatFailsFreesNothing) {
  TestModule::FoldStatus = GC_RUNTIME_ERROR;
  EXPECT_EQ(run(Pool, 2, 0), GC_RUNTIME_ERROR);
  EXPECT_EQ(Freed, 0);
  TestModule::FoldStatus = GC_OK;
  EXPECT_EQ(run(Pool, 2, 0), GC_OK);
  EXPECT_EQ(Freed, 1);
}

TEST_F(FoldedTest, NothingIsFreedUnderAnotherFold) {
  ASSERT_EQ(gc_instance_set_capacity(Instance, 1), GC_OK);
  Errand Outer, Inner;
  Outer.Action = [&] {
    // One on the runtime's threads, one that folds for itself; both are done
    // before the outer fold reads anything.
    EXPECT_EQ(run(Pool, 2, 0), GC_OK);
    EXPECT_EQ(folds(), 1);
    EXPECT_EQ(run(&Inner.Executor, 1, 0), GC_OK);
    EXPECT_EQ(folds(), 1);
    EXPECT_EQ(Freed, 0);
  };
  EXPECT_EQ(run(&Outer.Executor, 1, 0), GC_OK);
  EXPECT_EQ(folds(), 2);
  EXPECT_EQ(Freed, 1);
  // The set that came second is gone.
  EXPECT_EQ(gc_instance_constant_bytes(Instance), Module.folded_bytes[0]);
  EXPECT_EQ(run(Pool, 2, 0), GC_OK);
  EXPECT_EQ(run(&Outer.Executor, 1, 0), GC_OK);
  EXPECT_EQ(folds(), 2);
}

TEST_F(FoldedTest, ManyHostThreads) {
  for (int Round = 0; Round < 50; ++Round) {
    gc_instance_destroy(Instance);
    for (int64_t I = 0; I < TestModule::Size; ++I)
      Source[I] = 11 * I + 1;
    Freed = 0;
    ASSERT_EQ(gc_instance_create(&Module, &Instance), GC_OK);
    ASSERT_EQ(gc_instance_set_folded(Instance, freeSource, &Freed), GC_OK);
    std::atomic<int64_t> Wrong{0};
    std::vector<std::thread> Hosts;
    for (int Host = 0; Host < 4; ++Host)
      Hosts.emplace_back([&, Host] {
        // Half of them fold on threads of their own.
        Errand Own;
        for (int I = 0; I < 5; ++I)
          Wrong += run(Host % 2 ? Pool : &Own.Executor, 1, I) != GC_OK;
      });
    for (std::thread &Host : Hosts)
      Host.join();
    EXPECT_EQ(Wrong, 0);
    EXPECT_EQ(Freed, 1);
  }
}

TEST_F(FoldedTest, ConstantInputsAreNeverDone) {
  ASSERT_EQ(gc_instance_set_folded(M.Instance, freeSource, &Freed), GC_OK);
  M.executeAndCheck(Pool, 2);
  EXPECT_EQ(Freed, 0);
  EXPECT_EQ(gc_instance_set_folded(M.Instance, freeSource, &Freed),
            GC_INVALID_ARGUMENT);
  expectError("has folded");
  EXPECT_EQ(gc_instance_set_folded(Instance, nullptr, nullptr),
            GC_INVALID_ARGUMENT);
  expectError("a NULL argument");
}

} // namespace
