// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Engines with their allocators, and streams.

#ifndef GC_LIB_CAPI_DNNLGRAPH_ENGINE_H
#define GC_LIB_CAPI_DNNLGRAPH_ENGINE_H

#include "oneapi/dnnl/dnnl_graph.h"

#include <atomic>

namespace gc::dnnlgraph {

/// Where memory comes from: callbacks of the application, or the runtime.
struct Allocator {
  dnnl_graph_host_allocate_f allocateFunction = nullptr;
  dnnl_graph_host_deallocate_f freeFunction = nullptr;

  bool isCustom() const { return allocateFunction && freeFunction; }
  /// Null when there is no memory, also if the callback threw.
  void *allocate(size_t bytes, size_t alignment) const noexcept;
  void free(void *memory) const noexcept;
};

/// The alignment of memory that tensors own.
constexpr size_t kTensorAlignment = 64;

} // namespace gc::dnnlgraph

struct dnnl_graph_allocator {
  gc::dnnlgraph::Allocator functions;
};

/// Lives until its last user is gone, whenever its owner destroys it.
struct dnnl_engine {
  dnnl_engine_kind_t kind = dnnl_cpu;
  gc::dnnlgraph::Allocator allocator;
  std::atomic<int64_t> users{1};
};

struct dnnl_stream {
  dnnl_engine_t engine;
  unsigned flags;
};

namespace gc::dnnlgraph {

/// Keeps an engine alive.
class EngineUser {
public:
  EngineUser() = default;
  explicit EngineUser(dnnl_engine_t engine) : engine(engine) {
    if (engine)
      engine->users.fetch_add(1, std::memory_order_relaxed);
  }
  EngineUser(EngineUser &&other) noexcept : engine(other.engine) {
    other.engine = nullptr;
  }
  EngineUser &operator=(EngineUser &&other) noexcept {
    dnnl_engine_t mine = engine;
    engine = other.engine;
    other.engine = mine;
    return *this;
  }
  ~EngineUser() { release(engine); }

  dnnl_engine_t get() const { return engine; }

  static void release(dnnl_engine_t engine) {
    if (engine && engine->users.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete engine;
  }

private:
  dnnl_engine_t engine = nullptr;
};

} // namespace gc::dnnlgraph

#endif // GC_LIB_CAPI_DNNLGRAPH_ENGINE_H
