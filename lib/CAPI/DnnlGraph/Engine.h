// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Engines with their allocators, and streams. They are objects of this library,
// or those of the next one (Next.h), about which only its functions know.

#ifndef GC_LIB_CAPI_DNNLGRAPH_ENGINE_H
#define GC_LIB_CAPI_DNNLGRAPH_ENGINE_H

#include "oneapi/dnnl/dnnl_graph.h"
#include "oneapi/dnnl/dnnl_threadpool_iface.hpp"

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

dnnl_engine_kind_t getKind(dnnl_engine_t engine);
/// The callbacks that the engine was made with.
Allocator getAllocator(dnnl_engine_t engine);
/// Null if the next library does not know.
dnnl_engine_t getEngine(const_dnnl_stream_t stream);

/// Whose threads run what is executed on a stream.
struct StreamThreads {
  /// Not the application's: OpenMP's.
  bool isOwn = true;
  /// Null: the calling thread alone.
  dnnl::threadpool_interop::threadpool_iface *pool = nullptr;
};
StreamThreads getThreads(const_dnnl_stream_t stream);

/// Keeps an engine of this library alive. Those of the next library live as
/// long as their owner wants.
class EngineUser {
public:
  EngineUser() = default;
  explicit EngineUser(dnnl_engine_t engine);
  EngineUser(EngineUser &&other) noexcept : engine(other.engine) {
    other.engine = nullptr;
  }
  EngineUser &operator=(EngineUser &&other) noexcept {
    dnnl_engine_t mine = engine;
    engine = other.engine;
    other.engine = mine;
    return *this;
  }
  ~EngineUser();

  dnnl_engine_t get() const { return engine; }

private:
  dnnl_engine_t engine = nullptr;
};

} // namespace gc::dnnlgraph

struct dnnl_graph_allocator {
  gc::dnnlgraph::Allocator functions;
};

#endif // GC_LIB_CAPI_DNNLGRAPH_ENGINE_H
