// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestModule.h"

#include <gtest/gtest.h>
#include <random>

std::atomic<int64_t> TestModule::LastTeam{0};
std::atomic<int32_t> TestModule::FoldStatus{GC_OK};
std::atomic<int32_t> TestModule::ComputeStatus{GC_OK};
std::atomic<int32_t> TestModule::InitStatus{GC_OK};
std::atomic<int64_t> TestModule::InitCalls{0};

namespace {

constexpr int64_t Size = TestModule::Size;

/// The contiguous part [begin, end) of thread t of n.
int64_t part(int64_t Thread, int64_t Threads) {
  return Size * Thread / Threads;
}

int32_t init() {
  ++TestModule::InitCalls;
  return TestModule::InitStatus;
}

int32_t fold(void *const *Args, void *, const gc_team *Team) {
  if (TestModule::FoldStatus != GC_OK)
    return TestModule::FoldStatus;
  auto *W = static_cast<const int64_t *>(Args[0]);
  auto *Folded = static_cast<int64_t *>(Args[1]);
  gc_trace_begin(Team, 0);
  for (int64_t I = part(Team->thread, Team->size),
               E = part(Team->thread + 1, Team->size);
       I < E; ++I)
    Folded[I] = 2 * W[I];
  gc_trace_end(Team, 0);
  return GC_OK;
}

int32_t compute(void *const *Args, void *Arena, const gc_team *Team) {
  if (TestModule::ComputeStatus != GC_OK)
    return TestModule::ComputeStatus;
  auto *X = static_cast<const int64_t *>(Args[1]);
  auto *Y = static_cast<int64_t *>(Args[2]);
  auto *Folded = static_cast<const int64_t *>(Args[3]);
  auto *Shared = static_cast<int64_t *>(Arena);
  // The thread's own part holds one value, in the last byte it may use.
  auto *Own = reinterpret_cast<int64_t *>(static_cast<char *>(Arena) + 768 +
                                          Team->thread * 64 + 56);
  if (Team->thread == 0)
    TestModule::LastTeam = Team->size;
  *Own = 3;
  gc_trace_begin(Team, 1);
  for (int64_t I = part(Team->thread, Team->size),
               E = part(Team->thread + 1, Team->size);
       I < E; ++I)
    Shared[I] = *Own * Folded[I];
  gc_trace_end(Team, 1);
  gc_barrier_wait(Team);
  gc_trace_begin(Team, 2);
  for (int64_t I = Team->thread; I < Size; I += Team->size)
    Y[I] = Shared[I] + X[I];
  gc_trace_end(Team, 2);
  return GC_OK;
}

const uint32_t FoldInputs[] = {0};
const uint64_t FoldedBytes[] = {Size * sizeof(int64_t)};
const char *const RegionNames[] = {"pack \"w\"", "matmul", "add"};

} // namespace

const gc_module TestModule::Module = {GC_ABI_VERSION,
                                      2, // inputs: w, x
                                      1, // output: y
                                      1,
                                      1,
                                      3,
                                      "test",
                                      "",
                                      FoldInputs,
                                      FoldedBytes,
                                      Size * sizeof(int64_t), // 768
                                      64,
                                      64,
                                      RegionNames,
                                      init,
                                      fold,
                                      compute};

TestModule::TestModule() {
  FoldStatus = ComputeStatus = InitStatus = GC_OK;
  for (int64_t I = 0; I < Size; ++I)
    Weights[I] = I * I - 7;
  EXPECT_EQ(gc_instance_create(&Module, &Instance), GC_OK) << gc_last_error();
}

TestModule::~TestModule() { gc_instance_destroy(Instance); }

void TestModule::executeAndCheck(const gc_executor *Executor, int64_t Threads,
                                 void *Arena, gc_trace *Trace) {
  executeAndCheck(Executor, Threads, Weights, Arena, Trace);
}

void TestModule::executeAndCheck(const gc_executor *Executor, int64_t Threads,
                                 int64_t *W, void *Arena, gc_trace *Trace,
                                 int64_t Version) {
  static std::atomic<int64_t> Serial{0};
  int64_t Offset = 1000 * ++Serial;
  int64_t X[Size], Y[Size];
  for (int64_t I = 0; I < Size; ++I) {
    X[I] = Offset + I;
    Y[I] = -1;
  }
  void *Inputs[] = {W, X};
  void *Outputs[] = {Y};
  ASSERT_EQ(gc_execute_version(Instance, Executor, Threads, Inputs, Outputs,
                               Arena, Trace, Version),
            GC_OK)
      << gc_last_error();
  for (int64_t I = 0; I < Size; ++I)
    ASSERT_EQ(Y[I], 6 * W[I] + Offset + I) << "element " << I;
}
