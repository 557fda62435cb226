// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Folded constants that several instances have in common.

#ifndef GC_LIB_RUNTIME_CONSTANTPOOL_H
#define GC_LIB_RUNTIME_CONSTANTPOOL_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace gc::runtime {

/// Buffers whose contents no longer change, each content once. Buffers are the
/// same if their bytes are, whatever they were folded from.
class ConstantPool {
public:
  ConstantPool() = default;
  ConstantPool(const ConstantPool &) = delete;
  ~ConstantPool();

  /// Takes buffers over. Those that are there already, no less aligned, are
  /// freed, and their pointers are replaced. False, with nothing changed, when
  /// memory is short.
  bool add(void **Buffers, const uint64_t *Bytes, uint32_t Count,
           uint64_t Alignment);
  /// Gives up one use of a buffer that `add` has returned.
  void drop(void *Buffer);
  uint64_t bytes() const;

private:
  struct Entry {
    uint64_t Hash, Bytes;
    void *Data;
    int64_t Users;
  };

  mutable std::mutex Mutex;
  std::vector<Entry> Entries;
};

} // namespace gc::runtime

struct gc_constant_pool {
  std::shared_ptr<gc::runtime::ConstantPool> Constants;
};

#endif // GC_LIB_RUNTIME_CONSTANTPOOL_H
