// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Code.h"
#include "Status.h"

#include <cstdlib>
#include <list>
#include <mutex>
#include <unordered_map>

using namespace gc::dnnlgraph;

namespace {
struct HashKey {
  size_t operator()(const CodeKey *key) const { return key->hash; }
};
struct EqualKeys {
  bool operator()(const CodeKey *a, const CodeKey *b) const { return *a == *b; }
};

/// Least recently used last.
class CodeCache {
public:
  std::shared_ptr<Code> find(const CodeKey &key) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = entries.find(&key);
    if (found == entries.end())
      return nullptr;
    order.splice(order.begin(), order, found->second);
    return found->second->second;
  }

  void insert(CodeKey key, std::shared_ptr<Code> code) {
    // Code is freed without the lock.
    Order dropped;
    std::lock_guard<std::mutex> lock(mutex);
    if (capacity == 0 || entries.count(&key))
      return;
    order.emplace_front(std::move(key), std::move(code));
    entries[&order.front().first] = order.begin();
    shrink(dropped);
  }

  void setCapacity(int entriesToKeep) {
    Order dropped;
    std::lock_guard<std::mutex> lock(mutex);
    capacity = entriesToKeep;
    shrink(dropped);
  }

  int getCapacity() {
    std::lock_guard<std::mutex> lock(mutex);
    return capacity;
  }

private:
  using Order = std::list<std::pair<CodeKey, std::shared_ptr<Code>>>;

  void shrink(Order &dropped) {
    while (order.size() > static_cast<size_t>(capacity)) {
      entries.erase(&order.back().first);
      dropped.splice(dropped.begin(), order, std::prev(order.end()));
    }
  }

  static int getInitialCapacity() {
    constexpr int most = 1024;
    const char *text = getenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY");
    char *end = nullptr;
    long value = text ? strtol(text, &end, 10) : most;
    return text && (end == text || *end || value < 0 || value > INT32_MAX)
               ? most
               : static_cast<int>(value);
  }

  std::mutex mutex;
  Order order;
  std::unordered_map<const CodeKey *, Order::iterator, HashKey, EqualKeys>
      entries;
  int capacity = getInitialCapacity();
};
} // namespace

static CodeCache &getCache() {
  // Not destroyed: other threads may still use it when the process ends.
  static CodeCache &cache = *new CodeCache;
  return cache;
}

std::shared_ptr<Code> gc::dnnlgraph::findCode(const CodeKey &key) {
  return getCache().find(key);
}

void gc::dnnlgraph::keepCode(CodeKey key, std::shared_ptr<Code> code) {
  getCache().insert(std::move(key), std::move(code));
}

dnnl_status_t dnnl_graph_get_compiled_partition_cache_capacity(int *capacity) {
  if (!capacity)
    return dnnl_invalid_arguments;
  *capacity = getCache().getCapacity();
  return dnnl_success;
}

dnnl_status_t dnnl_graph_set_compiled_partition_cache_capacity(int capacity) {
  if (capacity < 0)
    return dnnl_invalid_arguments;
  return guard([&] {
    getCache().setCapacity(capacity);
    return dnnl_success;
  });
}
