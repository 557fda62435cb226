// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Engine.h"
#include "Next.h"
#include "Status.h"
#include "Threadpool.h"
#include "oneapi/dnnl/dnnl_threadpool.h"

using namespace gc::dnnlgraph;
using dnnl::threadpool_interop::threadpool_iface;

struct dnnl_stream {
  EngineUser engine;
  StreamThreads threads;
};

dnnl_engine_t gc::dnnlgraph::getEngine(const_dnnl_stream_t stream) {
  dnnl_engine_t engine = nullptr;
  dnnl_stream_get_engine(stream, &engine);
  return engine;
}

/// Asks the next library for the pool of a stream. Only builds for thread pools
/// have such streams.
static StreamThreads getForeignThreads(const_dnnl_stream_t stream) {
  static auto *const ask =
      findNext(&dnnl_threadpool_interop_stream_get_threadpool,
               "dnnl_threadpool_interop_stream_get_"
               "threadpool");
  void *pool = nullptr;
  if (!ask || ask(const_cast<dnnl_stream_t>(stream), &pool) != dnnl_success)
    return {};
  return {/*isOwn=*/false, static_cast<threadpool_iface *>(pool)};
}

StreamThreads gc::dnnlgraph::getThreads(const_dnnl_stream_t stream) {
  return hasNext() ? getForeignThreads(stream) : stream->threads;
}

static dnnl_status_t createStream(dnnl_stream_t *stream, dnnl_engine_t engine,
                                  StreamThreads threads) {
  return guard([&] {
    *stream = new dnnl_stream{EngineUser(engine), threads};
    return dnnl_success;
  });
}

dnnl_status_t dnnl_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine,
                                 unsigned flags) {
  GC_FORWARD(dnnl_stream_create, stream, engine, flags);
  constexpr unsigned orders = dnnl_stream_in_order | dnnl_stream_out_of_order;
  if (!stream || !engine || !(flags & orders) || (flags & orders) == orders ||
      (flags & ~orders))
    return dnnl_invalid_arguments;
  return createStream(stream, engine, {});
}

dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream,
                                     dnnl_engine_t *engine) {
  GC_FORWARD(dnnl_stream_get_engine, stream, engine);
  if (!stream || !engine)
    return dnnl_invalid_arguments;
  *engine = stream->engine.get();
  return dnnl_success;
}

dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream) {
  GC_FORWARD(dnnl_stream_wait, stream);
  // Executions are finished when they return.
  return stream ? dnnl_success : dnnl_invalid_arguments;
}

dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream) {
  GC_FORWARD(dnnl_stream_destroy, stream);
  delete stream;
  return dnnl_success;
}

dnnl_status_t dnnl_threadpool_interop_stream_create(dnnl_stream_t *stream,
                                                    dnnl_engine_t engine,
                                                    void *threadpool) {
  GC_FORWARD(dnnl_threadpool_interop_stream_create, stream, engine, threadpool);
  if (!stream || !engine)
    return dnnl_invalid_arguments;
  return createStream(
      stream, engine,
      {/*isOwn=*/false, static_cast<threadpool_iface *>(threadpool)});
}

dnnl_status_t
dnnl_threadpool_interop_stream_get_threadpool(dnnl_stream_t stream,
                                              void **threadpool) {
  GC_FORWARD(dnnl_threadpool_interop_stream_get_threadpool, stream, threadpool);
  if (!stream || !threadpool)
    return dnnl_invalid_arguments;
  *threadpool = stream->threads.pool;
  return dnnl_success;
}

/// Of the calling thread; 0: none was set.
static int &getConcurrency() {
  static thread_local int concurrency = 0;
  return concurrency;
}

int gc::dnnlgraph::getMaxConcurrency() {
  if (!hasNext())
    return getConcurrency();
  static auto *const ask =
      findNext(&dnnl_threadpool_interop_get_max_concurrency,
               "dnnl_threadpool_interop_get_max_concurrency");
  int concurrency = 0;
  return ask && ask(&concurrency) == dnnl_success ? concurrency : 0;
}

dnnl_status_t dnnl_threadpool_interop_set_max_concurrency(int max_concurrency) {
  GC_FORWARD(dnnl_threadpool_interop_set_max_concurrency, max_concurrency);
  if (max_concurrency < 1)
    return dnnl_invalid_arguments;
  getConcurrency() = max_concurrency;
  return dnnl_success;
}

dnnl_status_t
dnnl_threadpool_interop_get_max_concurrency(int *max_concurrency) {
  GC_FORWARD(dnnl_threadpool_interop_get_max_concurrency, max_concurrency);
  if (!max_concurrency)
    return dnnl_invalid_arguments;
  *max_concurrency = static_cast<int>(getCompileThreads());
  return dnnl_success;
}
