// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A hand-written module in the shape the compiler emits: what the tests of the
// life cycle load, fold and execute.

#ifndef GC_UNITTESTS_RUNTIME_TESTMODULE_H
#define GC_UNITTESTS_RUNTIME_TESTMODULE_H

#include "Runtime/Runtime.h"

#include <atomic>

/// y = 3 * (2 * w) + x for vectors of Size int64, with w constant. fold doubles
/// w into folded buffer 0; compute multiplies by 3 into the shared arena, meets
/// at a barrier, and adds x while reading the arena back in another partition
/// than it was written in, so that a missing barrier or an overlapping arena
/// gives wrong numbers.
struct TestModule {
  static constexpr int64_t Size = 96;

  TestModule();
  ~TestModule();

  /// Executes with w and a fresh x and checks y.
  void executeAndCheck(const gc_executor *Executor, int64_t Threads,
                       void *Arena = nullptr, gc_trace *Trace = nullptr);
  void executeAndCheck(const gc_executor *Executor, int64_t Threads,
                       int64_t *Weights, void *Arena, gc_trace *Trace,
                       int64_t Version = 0);

  int64_t Weights[Size];
  gc_instance *Instance = nullptr;
  static std::atomic<int64_t> LastTeam;
  /// What fold returns on every thread.
  static std::atomic<int32_t> FoldStatus;
  static std::atomic<int32_t> ComputeStatus;
  static std::atomic<int32_t> InitStatus;
  static std::atomic<int64_t> InitCalls;

  /// The descriptor; a copy may be changed and loaded on its own.
  static const gc_module Module;
};

#endif // GC_UNITTESTS_RUNTIME_TESTMODULE_H
