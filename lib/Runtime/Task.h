// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How executors call a task.

#ifndef GC_LIB_RUNTIME_TASK_H
#define GC_LIB_RUNTIME_TASK_H

#include "Error.h"

namespace gc::runtime {

/// Calls the task; false when it threw.
inline bool runTask(gc_task Task, void *Arg, int64_t Thread, int64_t Size) {
  try {
    Task(Arg, Thread, Size);
    return true;
  } catch (...) {
    return false;
  }
}

inline gc_status taskThrew() {
  return fail(GC_RUNTIME_ERROR, "a task threw an exception");
}

} // namespace gc::runtime

#endif // GC_LIB_RUNTIME_TASK_H
