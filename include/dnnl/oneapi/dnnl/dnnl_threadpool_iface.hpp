// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A pool of threads that an application lends to the library.

#ifndef ONEAPI_DNNL_DNNL_THREADPOOL_IFACE_HPP
#define ONEAPI_DNNL_DNNL_THREADPOOL_IFACE_HPP

#include <cstdint>
#include <functional>

namespace dnnl {
namespace threadpool_interop {

/// What the application implements. The order of the functions is part of the
/// interface.
struct threadpool_iface {
  /// Bits of get_flags(): parallel_for() returns before all jobs are done.
  static constexpr std::uint64_t ASYNCHRONOUS = 1;

  /// Threads that may run at the same time.
  virtual int get_num_threads() const = 0;
  /// Whether the calling thread runs a job of the pool.
  virtual bool get_in_parallel() const = 0;
  /// Runs job(i, n) once for each i from 0 to n - 1, on any threads, at the
  /// same time or not.
  virtual void parallel_for(int n,
                            const std::function<void(int, int)> &job) = 0;
  virtual std::uint64_t get_flags() const = 0;
  /// Waits for the jobs of parallel_for(). Pools of programs before version
  /// 3.11 do not have it; this library does not call it.
  virtual void wait() {}
  virtual ~threadpool_iface() {}
};

} // namespace threadpool_interop
} // namespace dnnl

#endif // ONEAPI_DNNL_DNNL_THREADPOOL_IFACE_HPP
