// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Task.h"

#include <algorithm>
#include <atomic>
#include <omp.h>

using namespace gc::runtime;

static int64_t openMPThreads(void *) { return omp_get_max_threads(); }

static gc_status openMPRun(void *, int64_t Threads, gc_task Task, void *Arg) {
  // OpenMP terminates the process if the system cannot provide more threads; a
  // smaller team is just as correct.
  Threads = std::min<int64_t>(Threads, std::max(256, 4 * omp_get_num_procs()));
  if (Threads <= 1)
    return runTask(Task, Arg, 0, 1) ? GC_OK : taskThrew();
  std::atomic<bool> Threw{false};
#pragma omp parallel num_threads(static_cast<int>(Threads))
  {
    // OpenMP cannot let an exception out of a parallel region.
    if (!runTask(Task, Arg, omp_get_thread_num(), omp_get_num_threads()))
      Threw.store(true, std::memory_order_relaxed);
  }
  return Threw.load(std::memory_order_relaxed) ? taskThrew() : GC_OK;
}

const gc_executor *gc_openmp_executor(void) {
  static const gc_executor Executor = {nullptr, openMPThreads, openMPRun};
  return &Executor;
}
