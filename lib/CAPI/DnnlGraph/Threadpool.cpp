// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Threadpool.h"
#include "Driver/Driver.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

using namespace gc;
using namespace gc::dnnlgraph;
using dnnl::threadpool_interop::threadpool_iface;

namespace {
/// How long the first of a team waits for others: several times what waking
/// threads takes.
constexpr auto kMeetingTime = std::chrono::microseconds(100);

/// A team that forms while it is open. Jobs that the pool runs after the
/// execution still find it.
class Team {
public:
  Team(int64_t most, gc_task task, void *arg)
      : most(most), task(task), arg(arg) {}

  /// Runs the task as one of the team; returns at once if the team is closed.
  void join();
  /// Waits for the threads that run the task. The team has been joined.
  void wait();
  bool hasThrown() const { return threw; }

private:
  /// Spins, then sleeps until the team is closed, up to a time if there is one.
  void meet(std::unique_lock<std::mutex> &lock, bool isFirst);
  bool isClosed() const { return size.load(std::memory_order_acquire) > 0; }

  const int64_t most;
  const gc_task task;
  void *const arg;
  std::mutex mutex;
  std::condition_variable changed;
  int64_t joined = 0, finished = 0;
  bool threw = false;
  /// 0 while the team is open.
  std::atomic<int64_t> size{0};
};
} // namespace

void Team::meet(std::unique_lock<std::mutex> &lock, bool isFirst) {
  lock.unlock();
  auto deadline = std::chrono::steady_clock::now() + kMeetingTime;
  while (!isClosed() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  lock.lock();
  if (isClosed())
    return;
  if (!isFirst)
    return changed.wait(lock, [&] { return isClosed(); });
  size.store(joined, std::memory_order_release);
  changed.notify_all();
}

void Team::join() {
  std::unique_lock<std::mutex> lock(mutex);
  if (isClosed())
    return;
  int64_t index = joined++;
  if (joined == most) {
    size.store(joined, std::memory_order_release);
    changed.notify_all();
  } else {
    meet(lock, /*isFirst=*/index == 0);
  }
  lock.unlock();
  bool failed = false;
  try {
    task(arg, index, size.load(std::memory_order_relaxed));
  } catch (...) {
    failed = true;
  }
  lock.lock();
  threw |= failed;
  if (++finished == size.load(std::memory_order_relaxed))
    changed.notify_all();
}

void Team::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] {
    return isClosed() && finished == size.load(std::memory_order_relaxed);
  });
}

static int64_t countThreads(void *context) {
  auto *pool = static_cast<threadpool_iface *>(context);
  return pool ? std::max(1, pool->get_num_threads()) : 1;
}

static gc_status runTeam(void *context, int64_t threads, gc_task task,
                         void *arg) {
  auto *pool = static_cast<threadpool_iface *>(context);
  int64_t most = std::min(threads, countThreads(context));
  // Within a job of the pool its other threads may all be waiting for this one.
  if (most <= 1 || pool->get_in_parallel())
    most = 1;
  try {
    auto team = std::make_shared<Team>(most, task, arg);
    if (most > 1) {
      try {
        pool->parallel_for(static_cast<int>(most),
                           [team](int, int) { team->join(); });
      } catch (...) {
        // Whoever has come is enough.
      }
    }
    // The pool may have returned early, or have run nothing at all.
    team->join();
    team->wait();
    return team->hasThrown() ? GC_RUNTIME_ERROR : GC_OK;
  } catch (...) {
    return GC_OUT_OF_MEMORY;
  }
}

gc_executor dnnlgraph::makeExecutor(threadpool_iface *pool) {
  return {pool, countThreads, runTeam};
}

int64_t dnnlgraph::getCompileThreads() {
  constexpr int64_t most = 1024;
  if (int64_t concurrency = getMaxConcurrency())
    return std::min(concurrency, most);
  const gc_executor *executor = gc_openmp_executor();
  return executor->threads(executor->context);
}
