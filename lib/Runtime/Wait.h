// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a thread waits for another one: spin while the other is likely to be
// running, yield while it may need this processor, then sleep until woken.

#ifndef GC_LIB_RUNTIME_WAIT_H
#define GC_LIB_RUNTIME_WAIT_H

#include <atomic>
#include <cstdint>

namespace gc::runtime {

/// Processors that the threads of this process may run on when this is first
/// asked, at least 1.
int64_t availableProcessors();

/// Whether so many threads have to share processors.
bool areCrowded(int64_t Threads);

/// A counter that threads wait on to change.
class WaitWord {
public:
  uint32_t load() const { return Value.load(std::memory_order_acquire); }

  /// Stores a new value and wakes all threads that wait for the old one to
  /// change.
  void publish(uint32_t New) {
    // Sequentially consistent with the sleeper's increment of Sleepers before
    // it looks at Value: one of the two sees the other.
    Value.store(New, std::memory_order_seq_cst);
    if (Sleepers.load(std::memory_order_seq_cst) != 0)
      wake();
  }

  /// Returns once the value is not Old. `Threads` is how many threads compete
  /// for processors here: the more there are, the sooner this one yields.
  void waitWhile(uint32_t Old, int64_t Threads);

private:
  void wake();
  void sleepWhile(uint32_t Old);

  std::atomic<uint32_t> Value{0};
  std::atomic<uint32_t> Sleepers{0};
};

} // namespace gc::runtime

#endif // GC_LIB_RUNTIME_WAIT_H
