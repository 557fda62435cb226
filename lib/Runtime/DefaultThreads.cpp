// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plain threads as the default: a pool that is made by the first execution that
// asks for more than one thread, and replaced by a larger one when an execution
// asks for more.

#include "DefaultExecutor.h"
#include "Wait.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <pthread.h>

using namespace gc::runtime;

namespace {

/// Pools are never destroyed: a thread of the application may be using one
/// while the process ends.
std::atomic<gc_executor *> Pool{nullptr};
std::mutex Growing;

/// GC_NUM_THREADS, else what the process may run on.
int64_t defaultThreads(void *) {
  static const int64_t Threads = [] {
    const char *Setting = std::getenv("GC_NUM_THREADS");
    long long Number = Setting ? std::atoll(Setting) : 0;
    return Number > 0 ? std::min<long long>(Number, 1024)
                      : availableProcessors();
  }();
  return Threads;
}

/// A child process has no threads but the one that forked: its next execution
/// makes a pool of its own.
void forgetPool() { Pool.store(nullptr, std::memory_order_relaxed); }
void lockPool() { Growing.lock(); }
void unlockPool() { Growing.unlock(); }
void forgetPoolInChild() {
  forgetPool();
  Growing.unlock();
}

int64_t sizeOf(gc_executor *Executor) {
  return Executor ? Executor->threads(Executor->context) : 1;
}

/// A pool of that many threads, or of as many as there can be; NULL for none.
gc_executor *getPool(int64_t Threads) {
  gc_executor *Current = Pool.load(std::memory_order_acquire);
  if (sizeOf(Current) >= Threads)
    return Current;
  std::lock_guard<std::mutex> Lock(Growing);
  Current = Pool.load(std::memory_order_acquire);
  if (sizeOf(Current) >= Threads)
    return Current;
  static const int Registered =
      pthread_atfork(lockPool, unlockPool, forgetPoolInChild);
  (void)Registered;
  gc_executor *Larger = gc_thread_pool_create(Threads);
  if (!Larger)
    return Current;
  Pool.store(Larger, std::memory_order_release);
  return Larger;
}

gc_status run(void *, int64_t Threads, gc_task Task, void *Arg) {
  gc_executor *Workers =
      Threads > 1 ? getPool(std::min<int64_t>(Threads, 1024)) : nullptr;
  if (Workers)
    return Workers->run(Workers->context, Threads, Task, Arg);
  Task(Arg, 0, 1);
  return GC_OK;
}

} // namespace

const gc_executor &gc::runtime::getDefaultExecutor() {
  static const gc_executor Executor = {nullptr, defaultThreads, run};
  return Executor;
}
