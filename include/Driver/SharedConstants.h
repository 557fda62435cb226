// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constants that several compiled graphs have in common, such as the weights of
// one graph that is compiled for several batch sizes.

#ifndef GC_DRIVER_SHAREDCONSTANTS_H
#define GC_DRIVER_SHAREDCONSTANTS_H

#include "Driver/JitCode.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gc {

/// Keeps each content once, as long as a compiled graph uses it. Contents are
/// the same if their bytes are. Several threads may use it at the same time.
class SharedConstants {
public:
  SharedConstants();
  ~SharedConstants();

  /// The same data, shared with the graphs that already have it.
  std::vector<NamedData> share(std::vector<NamedData> constants);
  /// The pool for what instances of the runtime fold; null if memory was short.
  gc_constant_pool *getFolded() const { return folded; }

  /// Bytes of the constants of the graphs, and of what was folded from them.
  int64_t getBytes() const;
  int64_t getFoldedBytes() const;

private:
  struct Known {
    llvm::StringRef bytes;
    std::weak_ptr<const void> owner;
  };

  mutable std::mutex mutex;
  std::unordered_multimap<uint64_t, Known> known;
  gc_constant_pool *folded;
};

} // namespace gc

#endif // GC_DRIVER_SHAREDCONSTANTS_H
