// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pools of threads as applications have them.

#ifndef GC_UNITTESTS_CAPI_DNNLGRAPH_POOLS_H
#define GC_UNITTESTS_CAPI_DNNLGRAPH_POOLS_H

#include "oneapi/dnnl/dnnl_threadpool_iface.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gc::dnnltest {

using Job = std::function<void(int, int)>;

/// Threads that take jobs from a queue.
class ThreadPool : public dnnl::threadpool_interop::threadpool_iface {
public:
  /// What the thread does that calls parallel_for(): runs jobs as well, waits
  /// for them, or returns.
  enum class Caller { Helps, Waits, Returns };

  explicit ThreadPool(int size, Caller caller = Caller::Helps)
      : size(size), caller(caller) {
    int workers = caller == Caller::Helps ? size - 1 : size;
    for (int i = 0; i < workers; ++i)
      threads.emplace_back([this] { work(); });
  }
  ~ThreadPool() override {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stop = true;
    }
    queued.notify_all();
    for (std::thread &thread : threads)
      thread.join();
  }

  int get_num_threads() const override { return size; }
  bool get_in_parallel() const override { return current() == this; }
  uint64_t get_flags() const override {
    return caller == Caller::Returns ? ASYNCHRONOUS : 0;
  }
  void wait() override { throw std::logic_error("not for the library"); }

  void parallel_for(int n, const Job &job) override {
    auto left = std::make_shared<std::atomic<int>>(n);
    auto done = std::make_shared<std::promise<void>>();
    {
      std::lock_guard<std::mutex> lock(mutex);
      for (int i = 0; i < n; ++i)
        queue.push_back([=] {
          job(i, n);
          if (--*left == 0)
            done->set_value();
        });
    }
    queued.notify_all();
    if (caller == Caller::Returns)
      return;
    while (caller == Caller::Helps && runOne())
      continue;
    done->get_future().wait();
  }

  int getJobs() const { return jobs; }

private:
  static ThreadPool *&current() {
    static thread_local ThreadPool *pool = nullptr;
    return pool;
  }

  bool runOne() {
    std::unique_lock<std::mutex> lock(mutex);
    if (queue.empty())
      return false;
    run(lock);
    return true;
  }

  void run(std::unique_lock<std::mutex> &lock) {
    auto job = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    ThreadPool *outer = current();
    current() = this;
    job();
    current() = outer;
    ++jobs;
  }

  void work() {
    while (true) {
      std::unique_lock<std::mutex> lock(mutex);
      queued.wait(lock, [this] { return stop || !queue.empty(); });
      if (queue.empty())
        return;
      run(lock);
    }
  }

  const int size;
  const Caller caller;
  std::mutex mutex;
  std::condition_variable queued;
  std::deque<std::function<void()>> queue;
  std::vector<std::thread> threads;
  std::atomic<int> jobs{0};
  bool stop = false;
};

/// Says that it has threads, and runs one job after the other.
class SerialPool : public dnnl::threadpool_interop::threadpool_iface {
public:
  explicit SerialPool(int size) : size(size) {}
  int get_num_threads() const override { return size; }
  bool get_in_parallel() const override { return false; }
  uint64_t get_flags() const override { return 0; }
  void parallel_for(int n, const Job &job) override {
    for (int i = 0; i < n; ++i)
      job(i, n);
  }

private:
  int size;
};

/// Runs one job and throws.
class ThrowingPool : public SerialPool {
public:
  using SerialPool::SerialPool;
  void parallel_for(int n, const Job &job) override {
    job(0, n);
    throw std::runtime_error("no more threads");
  }
};

} // namespace gc::dnnltest

#endif // GC_UNITTESTS_CAPI_DNNLGRAPH_POOLS_H
