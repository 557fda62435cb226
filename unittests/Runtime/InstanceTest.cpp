// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InstanceTest.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

TEST_F(InstanceTest, EveryTeamSizeGivesTheSame) {
  for (int64_t Threads : {1, 2, 3, 4, 9})
    for (int I = 0; I < 20; ++I)
      M.executeAndCheck(Pool, Threads);
}

TEST_F(InstanceTest, FoldsOnceAndForksOncePerExecution) {
  M.executeAndCheck(Pool, 2);
  EXPECT_EQ(gc_instance_fold_count(M.Instance), 1);
  EXPECT_GT(gc_instance_fold_ms(M.Instance), 0);
  int64_t Before = gc_fork_count();
  for (int I = 0; I < 10; ++I)
    M.executeAndCheck(Pool, 2);
  EXPECT_EQ(gc_fork_count() - Before, 10);
  EXPECT_EQ(gc_instance_fold_count(M.Instance), 1);
}

TEST_F(InstanceTest, RefoldsForOtherPointers) {
  std::vector<int64_t> Other(TestModule::Size, 5);
  M.executeAndCheck(Pool, 2);
  M.executeAndCheck(Pool, 2, Other.data(), nullptr, nullptr);
  EXPECT_EQ(gc_instance_fold_count(M.Instance), 2);
  M.executeAndCheck(Pool, 2, Other.data(), nullptr, nullptr);
  EXPECT_EQ(gc_instance_fold_count(M.Instance), 2);
  M.executeAndCheck(Pool, 2);
  EXPECT_EQ(gc_instance_fold_count(M.Instance), 3);
}

TEST_F(InstanceTest, InvalidateRefoldsTheSamePointer) {
  M.executeAndCheck(Pool, 2);
  M.Weights[3] = 12345;
  ASSERT_EQ(gc_instance_invalidate(M.Instance), GC_OK);
  M.executeAndCheck(Pool, 2);
  EXPECT_EQ(gc_instance_fold_count(M.Instance), 2);
}

TEST_F(InstanceTest, ExplicitFold) {
  void *FoldArgs[] = {M.Weights};
  ASSERT_EQ(gc_instance_fold(M.Instance, Pool, 2, FoldArgs), GC_OK);
  M.executeAndCheck(Pool, 2);
  EXPECT_EQ(gc_instance_fold_count(M.Instance), 1);
  M.Weights[0] = 99;
  ASSERT_EQ(gc_instance_fold(M.Instance, Pool, 2, FoldArgs), GC_OK);
  M.executeAndCheck(Pool, 2);
  EXPECT_EQ(gc_instance_fold_count(M.Instance), 2);
}

TEST_F(InstanceTest, FailedFoldLeavesTheInstanceUsable) {
  int64_t X[TestModule::Size], Y[TestModule::Size];
  void *Inputs[] = {M.Weights, X}, *Outputs[] = {Y};
  TestModule::FoldStatus = GC_OUT_OF_MEMORY;
  EXPECT_EQ(gc_execute(M.Instance, Pool, 2, Inputs, Outputs, nullptr, nullptr),
            GC_OUT_OF_MEMORY);
  expectError("fold of module 'test' failed");
  TestModule::FoldStatus = 77; // not a gc_status
  EXPECT_EQ(gc_execute(M.Instance, Pool, 2, Inputs, Outputs, nullptr, nullptr),
            GC_RUNTIME_ERROR);
  TestModule::FoldStatus = GC_OK;
  M.executeAndCheck(Pool, 2);
  EXPECT_EQ(gc_instance_fold_count(M.Instance), 1);
}

TEST_F(InstanceTest, FailedComputeIsReported) {
  int64_t X[TestModule::Size], Y[TestModule::Size];
  void *Inputs[] = {M.Weights, X}, *Outputs[] = {Y};
  TestModule::ComputeStatus = GC_UNSUPPORTED;
  EXPECT_EQ(gc_execute(M.Instance, Pool, 3, Inputs, Outputs, nullptr, nullptr),
            GC_UNSUPPORTED);
  expectError("compute of module 'test' failed");
  TestModule::ComputeStatus = GC_OK;
  M.executeAndCheck(Pool, 3);
}

TEST_F(InstanceTest, HostThreadsFoldOnce) {
  for (int Repeat = 0; Repeat < 20; ++Repeat) {
    TestModule Fresh;
    auto Host = [&] {
      for (int I = 0; I < 20; ++I)
        Fresh.executeAndCheck(Pool, 2);
    };
    std::vector<std::thread> Hosts;
    for (int I = 0; I < 3; ++I)
      Hosts.emplace_back(Host);
    Host();
    for (std::thread &T : Hosts)
      T.join();
    ASSERT_EQ(gc_instance_fold_count(Fresh.Instance), 1);
  }
}

/// Two host threads with their own constants, and one that invalidates: each
/// execution must see the constants it came with.
TEST_F(InstanceTest, HostThreadsWithDifferentConstants) {
  std::vector<int64_t> First(TestModule::Size, 11),
      Second(TestModule::Size, -4);
  auto Host = [&](int64_t *Weights) {
    for (int I = 0; I < 500; ++I) {
      M.executeAndCheck(Pool, 2, Weights, nullptr, nullptr);
      if (I % 50 == 0)
        gc_instance_invalidate(M.Instance);
    }
  };
  std::thread Other(Host, First.data());
  Host(Second.data());
  Other.join();
}

TEST_F(InstanceTest, MoreHostThreadsThanCachedArenas) {
  std::vector<std::thread> Hosts;
  for (int H = 0; H < 40; ++H)
    Hosts.emplace_back([&] {
      for (int I = 0; I < 20; ++I)
        M.executeAndCheck(Pool, 1 + I % 3);
    });
  for (std::thread &T : Hosts)
    T.join();
  EXPECT_EQ(gc_instance_fold_count(M.Instance), 1);
}

TEST_F(InstanceTest, CallersArena) {
  uint64_t Bytes = gc_arena_bytes(&TestModule::Module, 3);
  std::unique_ptr<char, decltype(&std::free)> Arena(
      static_cast<char *>(std::aligned_alloc(64, Bytes + 64)), std::free);
  std::memset(Arena.get(), 0x5a, Bytes + 64);
  M.executeAndCheck(Pool, 3, Arena.get());
  // The shared part holds 3 * 2 * w, and nothing beyond the size is touched.
  int64_t FirstShared;
  std::memcpy(&FirstShared, Arena.get(), sizeof(FirstShared));
  EXPECT_EQ(FirstShared, 6 * M.Weights[0]);
  for (int I = 0; I < 64; ++I)
    EXPECT_EQ(Arena.get()[Bytes + I], 0x5a);

  int64_t X[TestModule::Size], Y[TestModule::Size];
  void *Inputs[] = {M.Weights, X}, *Outputs[] = {Y};
  EXPECT_EQ(gc_execute(M.Instance, Pool, 2, Inputs, Outputs, Arena.get() + 8,
                       nullptr),
            GC_INVALID_ARGUMENT);
  expectError("aligned to 64");
}

TEST_F(InstanceTest, ExecutorThatBringsTooMany) {
  gc_executor Liar = {nullptr, [](void *) -> int64_t { return 1; },
                      [](void *, int64_t Threads, gc_task Task, void *Arg) {
                        std::thread Extra(Task, Arg, Threads, Threads + 1);
                        for (int64_t I = 0; I < Threads; ++I)
                          Task(Arg, I, Threads + 1);
                        Extra.join();
                        return GC_OK;
                      }};
  int64_t X[TestModule::Size], Y[TestModule::Size];
  void *Inputs[] = {M.Weights, X}, *Outputs[] = {Y};
  EXPECT_EQ(gc_execute(M.Instance, &Liar, 1, Inputs, Outputs, nullptr, nullptr),
            GC_RUNTIME_ERROR);
  expectError("more threads");
}

TEST_F(InstanceTest, ExecutorThatFails) {
  gc_executor Broken = {
      nullptr, [](void *) -> int64_t { return 2; },
      [](void *, int64_t, gc_task, void *) { return GC_OUT_OF_MEMORY; }};
  int64_t X[TestModule::Size], Y[TestModule::Size];
  void *Inputs[] = {M.Weights, X}, *Outputs[] = {Y};
  EXPECT_EQ(
      gc_execute(M.Instance, &Broken, 0, Inputs, Outputs, nullptr, nullptr),
      GC_OUT_OF_MEMORY);
  expectError("the executor failed");
  M.executeAndCheck(Pool, 2);
}

TEST_F(InstanceTest, ExecutorWithoutFunctions) {
  gc_executor NoThreads = {nullptr, nullptr, Pool->run};
  gc_executor NoRun = {nullptr, Pool->threads, nullptr};
  int64_t X[TestModule::Size], Y[TestModule::Size];
  void *Inputs[] = {M.Weights, X}, *Outputs[] = {Y};
  for (gc_executor *Executor : {&NoThreads, &NoRun}) {
    EXPECT_EQ(
        gc_execute(M.Instance, Executor, 2, Inputs, Outputs, nullptr, nullptr),
        GC_INVALID_ARGUMENT);
    expectError("NULL function");
    EXPECT_EQ(gc_instance_fold(M.Instance, Executor, 2, Inputs),
              GC_INVALID_ARGUMENT);
    expectError("NULL function");
  }
}

TEST_F(InstanceTest, OutOfMemory) {
  int64_t X[TestModule::Size], Y[TestModule::Size];
  void *Inputs[] = {M.Weights, X}, *Outputs[] = {Y};
  // No address space is that large.
  for (uint64_t Bytes : {uint64_t(1) << 62, UINT64_MAX}) {
    gc_module Big = TestModule::Module;
    Big.arena_shared_bytes = Bytes;
    gc_instance *Instance = nullptr;
    ASSERT_EQ(gc_instance_create(&Big, &Instance), GC_OK);
    EXPECT_EQ(gc_execute(Instance, Pool, 2, Inputs, Outputs, nullptr, nullptr),
              GC_OUT_OF_MEMORY);
    expectError("arena");
    gc_instance_destroy(Instance);

    Big = TestModule::Module;
    Big.folded_bytes = &Bytes;
    ASSERT_EQ(gc_instance_create(&Big, &Instance), GC_OK);
    EXPECT_EQ(gc_execute(Instance, Pool, 2, Inputs, Outputs, nullptr, nullptr),
              GC_OUT_OF_MEMORY);
    expectError("constants");
    gc_instance_destroy(Instance);
  }
}

TEST_F(InstanceTest, ModuleWithoutConstants) {
  gc_module Plain = TestModule::Module;
  Plain.num_fold_inputs = Plain.num_folded = 0;
  Plain.fold_inputs = nullptr;
  Plain.folded_bytes = nullptr;
  Plain.fold = nullptr;
  Plain.init = nullptr;
  Plain.compute = [](void *const *Args, void *,
                     const gc_team *Team) -> int32_t {
    if (Team->thread == 0)
      *static_cast<int64_t *>(Args[2]) = 42;
    return GC_OK;
  };
  gc_instance *Instance = nullptr;
  ASSERT_EQ(gc_instance_create(&Plain, &Instance), GC_OK);
  int64_t Y = 0;
  void *Inputs[] = {nullptr, nullptr}, *Outputs[] = {&Y};
  int64_t Before = gc_fork_count();
  EXPECT_EQ(gc_execute(Instance, Pool, 2, Inputs, Outputs, nullptr, nullptr),
            GC_OK);
  EXPECT_EQ(gc_fork_count() - Before, 1);
  EXPECT_EQ(Y, 42);
  gc_instance_destroy(Instance);
}

TEST(InstanceCreate, RefusesAnotherAbi) {
  gc_module Other = TestModule::Module;
  Other.abi_version = GC_ABI_VERSION + 1;
  gc_instance *Instance = nullptr;
  EXPECT_EQ(gc_instance_create(&Other, &Instance), GC_UNSUPPORTED);
  EXPECT_EQ(Instance, nullptr);
  EXPECT_NE(std::strstr(gc_last_error(), "ABI version 3"), nullptr);
}

TEST(InstanceCreate, NamesTheMissingFeature) {
  gc_module Other = TestModule::Module;
  gc_instance *Instance = nullptr;
  TestModule::InitCalls = 0;
  Other.target_features = "-avx512f,+no-such-thing";
  EXPECT_EQ(gc_instance_create(&Other, &Instance), GC_UNSUPPORTED);
  EXPECT_NE(std::strstr(gc_last_error(), "'no-such-thing'"), nullptr);
  // Nothing of a module that cannot run is called.
  EXPECT_EQ(TestModule::InitCalls, 0);
  std::string Long(200, 'x');
  Other.target_features = Long.c_str();
  EXPECT_EQ(gc_instance_create(&Other, &Instance), GC_UNSUPPORTED);
}

TEST(InstanceCreate, InitFailureNamesTheKernel) {
  gc_module Other = TestModule::Module;
  Other.init = []() -> int32_t {
    gc_kernel_spec Spec = {};
    Spec.version = GC_KERNEL_SPEC_VERSION;
    Spec.a_type = Spec.b_type = Spec.c_type = Spec.accumulator_type = GC_BF16;
    Spec.pack_a = Spec.pack_b = 1;
    Spec.m = 3;
    Spec.n = Spec.ldb = Spec.ldc = 5;
    Spec.k = Spec.lda = 7;
    return gc_brgemm_dispatch(&Spec) ? GC_OK : GC_UNSUPPORTED;
  };
  gc_instance *Instance = nullptr;
  EXPECT_EQ(gc_instance_create(&Other, &Instance), GC_UNSUPPORTED);
  EXPECT_NE(std::strstr(gc_last_error(), "sums in bf16, m=3 n=5 k=7"), nullptr)
      << gc_last_error();
}

TEST(InstanceCreate, RefusesMalformedModules) {
  gc_instance *Instance = nullptr;
  EXPECT_EQ(gc_instance_create(nullptr, &Instance), GC_INVALID_ARGUMENT);
  EXPECT_EQ(gc_instance_create(&TestModule::Module, nullptr),
            GC_INVALID_ARGUMENT);
  gc_module Other = TestModule::Module;
  Other.compute = nullptr;
  EXPECT_EQ(gc_instance_create(&Other, &Instance), GC_INVALID_ARGUMENT);
  Other = TestModule::Module;
  Other.fold = nullptr;
  EXPECT_EQ(gc_instance_create(&Other, &Instance), GC_INVALID_ARGUMENT);
  Other = TestModule::Module;
  Other.arena_alignment = 48;
  EXPECT_EQ(gc_instance_create(&Other, &Instance), GC_INVALID_ARGUMENT);
  const uint32_t Beyond[] = {2};
  Other = TestModule::Module;
  Other.fold_inputs = Beyond;
  EXPECT_EQ(gc_instance_create(&Other, &Instance), GC_INVALID_ARGUMENT);
  EXPECT_EQ(gc_execute(nullptr, nullptr, 1, nullptr, nullptr, nullptr, nullptr),
            GC_INVALID_ARGUMENT);
  gc_instance_destroy(nullptr);
}

TEST(Arena, SharedPartThenOnePartPerThread) {
  gc_module M = TestModule::Module;
  M.arena_shared_bytes = 1;
  M.arena_thread_bytes = 65;
  M.arena_alignment = 64;
  EXPECT_EQ(gc_arena_bytes(&M, 1), 64u + 128u);
  EXPECT_EQ(gc_arena_bytes(&M, 8), 64u + 8 * 128u);
  EXPECT_EQ(gc_arena_bytes(&M, 0), 64u + 128u);
  M.arena_alignment = 4096;
  EXPECT_EQ(gc_arena_bytes(&M, 2), 3 * 4096u);
  M.arena_alignment = 0;
  EXPECT_EQ(gc_arena_bytes(&M, 2), 64u + 2 * 128u);
  M.arena_shared_bytes = M.arena_thread_bytes = 0;
  EXPECT_EQ(gc_arena_bytes(&M, 7), 0u);
  M.arena_thread_bytes = uint64_t(1) << 62;
  EXPECT_EQ(gc_arena_bytes(&M, 8), UINT64_MAX);
  M.arena_shared_bytes = UINT64_MAX;
  EXPECT_EQ(gc_arena_bytes(&M, 1), UINT64_MAX);
}

} // namespace
