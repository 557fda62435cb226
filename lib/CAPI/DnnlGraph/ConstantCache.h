// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How long results that depend on constant inputs alone are kept. The runtime
// keeps them per instance, by a version and the inputs' addresses; this says
// which version an execution has.

#ifndef GC_LIB_CAPI_DNNLGRAPH_CONSTANTCACHE_H
#define GC_LIB_CAPI_DNNLGRAPH_CONSTANTCACHE_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gc::dnnlgraph {

/// The share of one compiled partition in the cache.
class ConstantUse {
public:
  ConstantUse() = default;
  ~ConstantUse();

  /// Bytes of the folded constants.
  void setBytes(size_t count) { bytes = count; }

  /// The version to execute with: one that was never used if there is no room
  /// to keep the constants, so that they are folded; else the same for the
  /// thread's version of the inputs until the cache is flushed. Takes no lock
  /// once the constants are in the cache.
  int64_t getVersion();

private:
  size_t bytes = 0;
  /// The generation of the cache in which room was reserved; 0: none.
  std::atomic<uint64_t> reserved{0};
};

} // namespace gc::dnnlgraph

#endif // GC_LIB_CAPI_DNNLGRAPH_CONSTANTCACHE_H
