// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Engine.h"
#include "Runtime/Runtime.h"
#include "Status.h"

using namespace gc::dnnlgraph;

void *Allocator::allocate(size_t bytes, size_t alignment) const noexcept {
  if (!isCustom())
    return gc_allocate(bytes, alignment);
  try {
    return allocateFunction(bytes, alignment);
  } catch (...) {
    return nullptr;
  }
}

void Allocator::free(void *memory) const noexcept {
  if (!isCustom())
    return gc_deallocate(memory);
  try {
    freeFunction(memory);
  } catch (...) {
    // There is nobody to tell.
  }
}

dnnl_status_t
dnnl_graph_allocator_create(dnnl_graph_allocator_t *allocator,
                            dnnl_graph_host_allocate_f host_malloc,
                            dnnl_graph_host_deallocate_f host_free) {
  if (!allocator)
    return dnnl_invalid_arguments;
  return guard([&] {
    *allocator = new dnnl_graph_allocator{{host_malloc, host_free}};
    return dnnl_success;
  });
}

dnnl_status_t dnnl_graph_allocator_destroy(dnnl_graph_allocator_t allocator) {
  if (!allocator)
    return dnnl_invalid_arguments;
  delete allocator;
  return dnnl_success;
}

static dnnl_status_t createEngine(dnnl_engine_t *engine,
                                  dnnl_engine_kind_t kind, size_t index,
                                  const Allocator &allocator) {
  if (kind != dnnl_cpu || index >= dnnl_engine_get_count(kind))
    return fail(dnnl_invalid_arguments, "there is one engine, CPU 0");
  return guard([&] {
    auto *created = new dnnl_engine;
    created->allocator = allocator;
    *engine = created;
    return dnnl_success;
  });
}

dnnl_status_t
dnnl_graph_make_engine_with_allocator(dnnl_engine_t *engine,
                                      dnnl_engine_kind_t kind, size_t index,
                                      const_dnnl_graph_allocator_t allocator) {
  if (!engine || !allocator)
    return dnnl_invalid_arguments;
  return createEngine(engine, kind, index, allocator->functions);
}

size_t dnnl_engine_get_count(dnnl_engine_kind_t kind) {
  return kind == dnnl_cpu ? 1 : 0;
}

dnnl_status_t dnnl_engine_create(dnnl_engine_t *engine, dnnl_engine_kind_t kind,
                                 size_t index) {
  if (!engine)
    return dnnl_invalid_arguments;
  return createEngine(engine, kind, index, Allocator());
}

dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine,
                                   dnnl_engine_kind_t *kind) {
  if (!engine || !kind)
    return dnnl_invalid_arguments;
  *kind = engine->kind;
  return dnnl_success;
}

dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine) {
  EngineUser::release(engine);
  return dnnl_success;
}

dnnl_status_t dnnl_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine,
                                 unsigned flags) {
  constexpr unsigned orders = dnnl_stream_in_order | dnnl_stream_out_of_order;
  if (!stream || !engine || !(flags & orders) || (flags & orders) == orders ||
      (flags & ~orders))
    return dnnl_invalid_arguments;
  return guard([&] {
    *stream = new dnnl_stream{engine, flags};
    engine->users.fetch_add(1, std::memory_order_relaxed);
    return dnnl_success;
  });
}

dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream,
                                     dnnl_engine_t *engine) {
  if (!stream || !engine)
    return dnnl_invalid_arguments;
  *engine = stream->engine;
  return dnnl_success;
}

dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream) {
  // Executions are finished when they return.
  return stream ? dnnl_success : dnnl_invalid_arguments;
}

dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream) {
  if (stream)
    EngineUser::release(stream->engine);
  delete stream;
  return dnnl_success;
}
