/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Streams on the threads of the application. Pools are C++ objects, described
 * in dnnl_threadpool_iface.hpp. */

#ifndef ONEAPI_DNNL_DNNL_THREADPOOL_H
#define ONEAPI_DNNL_DNNL_THREADPOOL_H

#include "oneapi/dnnl/dnnl_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* threadpool: a dnnl::threadpool_interop::threadpool_iface that outlives the
 * stream, or NULL for the calling thread alone. */
dnnl_status_t DNNL_API dnnl_threadpool_interop_stream_create(
    dnnl_stream_t *stream, dnnl_engine_t engine, void *threadpool);
/* NULL if the stream has none. */
dnnl_status_t DNNL_API dnnl_threadpool_interop_stream_get_threadpool(
    dnnl_stream_t stream, void **threadpool);
/* How many threads the calling thread compiles for; at least 1. Pools of any
 * size execute the result. */
dnnl_status_t DNNL_API
dnnl_threadpool_interop_set_max_concurrency(int max_concurrency);
dnnl_status_t DNNL_API
dnnl_threadpool_interop_get_max_concurrency(int *max_concurrency);

#ifdef __cplusplus
}
#endif

#endif /* ONEAPI_DNNL_DNNL_THREADPOOL_H */
