// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled code on the threads of an application.

#ifndef GC_LIB_CAPI_DNNLGRAPH_THREADPOOL_H
#define GC_LIB_CAPI_DNNLGRAPH_THREADPOOL_H

#include "Engine.h"
#include "Runtime/Runtime.h"

namespace gc::dnnlgraph {

/// What the application says that its pools have, for the calling thread; 0 if
/// it says nothing.
int getMaxConcurrency();

/// Threads to compile for.
int64_t getCompileThreads();

/// Runs teams on a pool, or on the calling thread alone if `pool` is null. A
/// pool does not promise that what it is given runs at the same time, and
/// threads of a team meet at barriers. So those that come first meet, for a
/// short time; who has come by then is the team, and who comes later returns.
/// The pool must live as long as the executor.
gc_executor makeExecutor(dnnl::threadpool_interop::threadpool_iface *pool);

} // namespace gc::dnnlgraph

#endif // GC_LIB_CAPI_DNNLGRAPH_THREADPOOL_H
