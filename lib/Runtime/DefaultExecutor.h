// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The executor of calls that name none. Two files define it: DefaultOpenMP.cpp
// for the compiler's own process, DefaultThreads.cpp for the standalone
// runtime.

#ifndef GC_LIB_RUNTIME_DEFAULTEXECUTOR_H
#define GC_LIB_RUNTIME_DEFAULTEXECUTOR_H

#include "Runtime/Runtime.h"

namespace gc::runtime {

/// Lives as long as the process.
const gc_executor &getDefaultExecutor();

/// Whether gc_thread_pool_create made it. Its teams wait for nobody else.
bool isThreadPool(const gc_executor &Executor);

} // namespace gc::runtime

#endif // GC_LIB_RUNTIME_DEFAULTEXECUTOR_H
