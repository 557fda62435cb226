// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The folded (prepacked) constants of an instance.

#ifndef GC_LIB_RUNTIME_CONSTANTCACHE_H
#define GC_LIB_RUNTIME_CONSTANTCACHE_H

#include "Runtime/Runtime.h"

#include <atomic>
#include <mutex>

namespace gc::runtime {

/// One set of folded buffers and the pointers it was folded from.
struct ConstantSet {
  std::atomic<int64_t> Users{0}; // executions that read it
  const void **Inputs = nullptr; // num_fold_inputs
  void **Buffers = nullptr;      // num_folded
  ConstantSet *Next = nullptr;

  ~ConstantSet();
};

/// Executions pin the current set without a lock. A fold writes only to a set
/// that is neither current nor pinned, so that executions with the old
/// constants finish undisturbed. Sets are never freed before the cache is,
/// which is what makes pinning safe: there is one, and a second only when
/// constants change while an execution is reading them.
class ConstantCache {
public:
  explicit ConstantCache(const gc_module &Module) : Module(Module) {}
  ~ConstantCache();

  /// The current set, pinned, if Matches(Set); else nullptr.
  template <typename Fn>
  ConstantSet *pin(Fn Matches) {
    ConstantSet *Set = Current.load(std::memory_order_acquire);
    if (!Set)
      return nullptr;
    // Sequentially consistent with retract, then isFree, in the folding thread:
    // either it sees this user, or this thread sees that the set is retracted.
    Set->Users.fetch_add(1, std::memory_order_seq_cst);
    if (Current.load(std::memory_order_seq_cst) == Set && Matches(*Set))
      return Set;
    unpin(Set);
    return nullptr;
  }
  void unpin(ConstantSet *Set) {
    Set->Users.fetch_sub(1, std::memory_order_release);
  }

  /// Held around whatever decides to fold, and the fold.
  std::mutex Folding;

  // The following need Folding to be held.

  /// No new execution finds the current set.
  void retract() { Current.store(nullptr, std::memory_order_seq_cst); }
  /// A set to fold into, made if need be; nullptr when memory is short.
  ConstantSet *writable();
  /// Makes Set, folded from Inputs, current and pins it.
  void publish(ConstantSet *Set, void *const *Inputs);

private:
  ConstantSet *create() const;

  const gc_module &Module;
  std::atomic<ConstantSet *> Current{nullptr};
  ConstantSet *First = nullptr;
};

} // namespace gc::runtime

#endif // GC_LIB_RUNTIME_CONSTANTCACHE_H
