// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstantCache.h"
#include "gc_dnnl_graph.h"
#include "oneapi/dnnl/dnnl_graph.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdlib>
#include <mutex>

using namespace gc::dnnlgraph;

namespace {
constexpr size_t kMiB = size_t(1) << 20;
constexpr size_t kMost = SIZE_MAX / kMiB;

struct Cache {
  Cache() {
    // "cpu:N", among those of other engines, which are separated by ';'.
    const char *text = getenv("ONEDNN_GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY");
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(text ? text : "").split(parts, ';');
    for (llvm::StringRef part : parts)
      if (size_t value;
          part.consume_front("cpu:") && !part.trim().getAsInteger(10, value))
        capacity = std::min(value, kMost);
  }

  std::mutex mutex;
  /// In MiB.
  size_t capacity = 0;
  /// Bytes that are reserved in this generation.
  size_t used = 0;
  /// Counts flushes.
  std::atomic<uint64_t> generation{1};
};
} // namespace

static Cache &getCache() {
  static Cache &cache = *new Cache;
  return cache;
}

ConstantUse::~ConstantUse() {
  uint64_t mine = reserved.load();
  if (mine == 0)
    return;
  Cache &cache = getCache();
  std::lock_guard<std::mutex> lock(cache.mutex);
  if (mine == cache.generation.load())
    cache.used -= bytes;
}

/// The version of the constant inputs that the thread's executions read.
static thread_local int32_t versionOfInputs = 0;

int64_t ConstantUse::getVersion() {
  Cache &cache = getCache();
  auto combine = [](uint64_t generation) {
    return static_cast<int64_t>(generation << 32 | versionOfInputs);
  };
  // Versions of executions that keep nothing are above those of generations.
  constexpr int64_t unique = int64_t(1) << 62;
  static std::atomic<int64_t> next{unique};
  uint64_t generation = cache.generation.load(std::memory_order_acquire);
  if (reserved.load(std::memory_order_acquire) == generation)
    return combine(generation);
  std::lock_guard<std::mutex> lock(cache.mutex);
  generation = cache.generation.load();
  if (reserved.load() == generation)
    return combine(generation);
  size_t limit = cache.capacity >= kMost ? SIZE_MAX : cache.capacity * kMiB;
  if (cache.capacity == 0 || bytes > limit || cache.used > limit - bytes)
    return next.fetch_add(1, std::memory_order_relaxed);
  cache.used += bytes;
  reserved.store(generation, std::memory_order_release);
  return combine(generation);
}

static dnnl_status_t setCapacity(size_t capacity) {
  Cache &cache = getCache();
  std::lock_guard<std::mutex> lock(cache.mutex);
  cache.capacity = std::min(capacity, kMost);
  cache.used = 0;
  cache.generation.fetch_add(1, std::memory_order_acq_rel);
  return dnnl_success;
}

dnnl_status_t
dnnl_graph_set_constant_tensor_cache_capacity(dnnl_engine_kind_t eng_kind,
                                              size_t size) {
  if (eng_kind != dnnl_cpu && eng_kind != dnnl_gpu)
    return dnnl_invalid_arguments;
  return eng_kind == dnnl_cpu ? setCapacity(size) : dnnl_success;
}

dnnl_status_t
dnnl_graph_get_constant_tensor_cache_capacity(dnnl_engine_kind_t eng_kind,
                                              size_t *size) {
  if (!size || (eng_kind != dnnl_cpu && eng_kind != dnnl_gpu))
    return dnnl_invalid_arguments;
  Cache &cache = getCache();
  std::lock_guard<std::mutex> lock(cache.mutex);
  *size = eng_kind == dnnl_cpu ? cache.capacity : 0;
  return dnnl_success;
}

dnnl_status_t dnnl_graph_set_constant_tensor_cache(int flag) {
  if (flag < 0)
    return dnnl_invalid_arguments;
  return setCapacity(flag > 0 ? SIZE_MAX : 0);
}

dnnl_status_t dnnl_graph_get_constant_tensor_cache(int *flag) {
  if (!flag)
    return dnnl_invalid_arguments;
  Cache &cache = getCache();
  std::lock_guard<std::mutex> lock(cache.mutex);
  *flag = cache.capacity > 0;
  return dnnl_success;
}

dnnl_status_t gc_dnnl_graph_set_constants_version(int32_t version) {
  if (version < 0)
    return dnnl_invalid_arguments;
  versionOfInputs = version;
  return dnnl_success;
}
