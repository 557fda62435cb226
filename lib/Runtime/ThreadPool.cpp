// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DefaultExecutor.h"
#include "Error.h"
#include "Task.h"
#include "Wait.h"

#include <memory>
#include <new>
#include <thread>
#include <vector>

using namespace gc::runtime;

namespace {

/// Workers that each wait on their own word, so that a run wakes only the
/// workers it needs. The caller of run is thread 0 of the team.
class ThreadPool {
public:
  explicit ThreadPool(int64_t Threads) : Threads(Threads) {}
  ~ThreadPool();

  /// Makes the workers; may throw, after which destruction ends those made.
  void start();
  gc_status run(int64_t Wanted, gc_task Task, void *Arg);
  int64_t threads() const { return Threads; }

  gc_executor Interface{};

private:
  struct Worker {
    alignas(64) WaitWord Ticket;
    std::thread Thread;
  };

  void work(Worker &Self, int64_t Index);

  const int64_t Threads;
  std::vector<std::unique_ptr<Worker>> Workers;

  // The current job: written by the owner of Busy before it issues tickets.
  gc_task Task = nullptr;
  void *Arg = nullptr;
  int64_t Size = 0;
  bool Stop = false;

  alignas(64) std::atomic<bool> Busy{false};
  std::atomic<bool> Threw{false};
  alignas(64) std::atomic<int64_t> Running{0};
  WaitWord Finished;
};

void ThreadPool::start() {
  Workers.reserve(Threads - 1);
  for (int64_t I = 1; I < Threads; ++I) {
    Workers.push_back(std::make_unique<Worker>());
    Worker &Self = *Workers.back();
    try {
      Self.Thread = std::thread([this, &Self, I] { work(Self, I); });
    } catch (...) {
      Workers.pop_back();
      throw;
    }
  }
}

ThreadPool::~ThreadPool() {
  Stop = true;
  for (auto &W : Workers) {
    W->Ticket.publish(W->Ticket.load() + 1);
    W->Thread.join();
  }
}

void ThreadPool::work(Worker &Self, int64_t Index) {
  for (uint32_t Seen = 0;; ++Seen) {
    Self.Ticket.waitWhile(Seen, Threads);
    if (Stop)
      return;
    if (!runTask(Task, Arg, Index, Size))
      Threw.store(true, std::memory_order_relaxed);
    if (Running.fetch_sub(1, std::memory_order_acq_rel) == 1)
      Finished.publish(Finished.load() + 1);
  }
}

gc_status ThreadPool::run(int64_t Wanted, gc_task Work, void *WorkArg) {
  int64_t Team = Wanted < Threads ? Wanted : Threads;
  if (Team <= 1 || Busy.exchange(true, std::memory_order_acquire)) {
    return runTask(Work, WorkArg, 0, 1) ? GC_OK : taskThrew();
  }
  Task = Work;
  Arg = WorkArg;
  Size = Team;
  Threw.store(false, std::memory_order_relaxed);
  Running.store(Team - 1, std::memory_order_relaxed);
  uint32_t Before = Finished.load();
  for (int64_t I = 0; I < Team - 1; ++I) {
    WaitWord &Ticket = Workers[I]->Ticket;
    Ticket.publish(Ticket.load() + 1);
  }
  if (!runTask(Work, WorkArg, 0, Team))
    Threw.store(true, std::memory_order_relaxed);
  Finished.waitWhile(Before, Team);
  bool Failed = Threw.load(std::memory_order_relaxed);
  Busy.store(false, std::memory_order_release);
  return Failed ? taskThrew() : GC_OK;
}

int64_t poolThreads(void *Context) {
  return static_cast<ThreadPool *>(Context)->threads();
}

gc_status poolRun(void *Context, int64_t Threads, gc_task Task, void *Arg) {
  return static_cast<ThreadPool *>(Context)->run(Threads, Task, Arg);
}

} // namespace

bool gc::runtime::isThreadPool(const gc_executor &Executor) {
  return Executor.run == poolRun;
}

gc_executor *gc_thread_pool_create(int64_t threads) {
  if (threads < 1) {
    fail(GC_INVALID_ARGUMENT, "a thread pool needs at least 1 thread, not %lld",
         static_cast<long long>(threads));
    return nullptr;
  }
  try {
    auto Pool = std::make_unique<ThreadPool>(threads);
    Pool->start();
    Pool->Interface = {Pool.get(), poolThreads, poolRun};
    return &Pool.release()->Interface;
  } catch (const std::exception &E) {
    fail(GC_RUNTIME_ERROR, "cannot make a pool of %lld threads: %s",
         static_cast<long long>(threads), E.what());
    return nullptr;
  }
}

void gc_thread_pool_destroy(gc_executor *pool) {
  if (pool)
    delete static_cast<ThreadPool *>(pool->context);
}
