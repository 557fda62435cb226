// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Engine.h"
#include "Next.h"
#include "Runtime/Runtime.h"
#include "Status.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

using namespace gc::dnnlgraph;

/// Lives until its last user is gone, whenever its owner destroys it.
struct dnnl_engine {
  dnnl_engine_kind_t kind = dnnl_cpu;
  Allocator allocator;
  std::atomic<int64_t> users{1};

  void retain() { users.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (users.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }
};

namespace {
/// The allocators of engines that the next library made for graphs.
struct ForeignAllocators {
  std::mutex mutex;
  std::unordered_map<dnnl_engine_t, Allocator> byEngine;
};
} // namespace

static ForeignAllocators &getForeignAllocators() {
  static ForeignAllocators &allocators = *new ForeignAllocators;
  return allocators;
}

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

dnnl_engine_kind_t gc::dnnlgraph::getKind(dnnl_engine_t engine) {
  dnnl_engine_kind_t kind = dnnl_any_engine;
  dnnl_engine_get_kind(engine, &kind);
  return kind;
}

Allocator gc::dnnlgraph::getAllocator(dnnl_engine_t engine) {
  if (!hasNext())
    return engine->allocator;
  ForeignAllocators &allocators = getForeignAllocators();
  std::lock_guard<std::mutex> lock(allocators.mutex);
  auto found = allocators.byEngine.find(engine);
  return found == allocators.byEngine.end() ? Allocator() : found->second;
}

EngineUser::EngineUser(dnnl_engine_t engine) : engine(engine) {
  if (engine && !hasNext())
    engine->retain();
}

EngineUser::~EngineUser() {
  if (engine && !hasNext())
    engine->release();
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

/// An engine of the next library, of which this one remembers the allocator.
static dnnl_status_t createForeignEngine(dnnl_engine_t *engine,
                                         dnnl_engine_kind_t kind, size_t index,
                                         const Allocator &allocator) {
  return guard([&] {
    dnnl_engine_t created = nullptr;
    if (dnnl_status_t status = dnnl_engine_create(&created, kind, index))
      return status;
    ForeignAllocators &allocators = getForeignAllocators();
    std::lock_guard<std::mutex> lock(allocators.mutex);
    allocators.byEngine[created] = allocator;
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
  return (hasNext() ? createForeignEngine : createEngine)(engine, kind, index,
                                                          allocator->functions);
}

size_t dnnl_engine_get_count(dnnl_engine_kind_t kind) {
  GC_FORWARD_OR(0, dnnl_engine_get_count, kind);
  return kind == dnnl_cpu ? 1 : 0;
}

dnnl_status_t dnnl_engine_create(dnnl_engine_t *engine, dnnl_engine_kind_t kind,
                                 size_t index) {
  GC_FORWARD(dnnl_engine_create, engine, kind, index);
  if (!engine)
    return dnnl_invalid_arguments;
  return createEngine(engine, kind, index, Allocator());
}

dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine,
                                   dnnl_engine_kind_t *kind) {
  GC_FORWARD(dnnl_engine_get_kind, engine, kind);
  if (!engine || !kind)
    return dnnl_invalid_arguments;
  *kind = engine->kind;
  return dnnl_success;
}

dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine) {
  if (hasNext()) {
    ForeignAllocators &allocators = getForeignAllocators();
    std::lock_guard<std::mutex> lock(allocators.mutex);
    allocators.byEngine.erase(engine);
  }
  GC_FORWARD(dnnl_engine_destroy, engine);
  if (engine)
    engine->release();
  return dnnl_success;
}
