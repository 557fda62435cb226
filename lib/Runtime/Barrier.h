// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The barrier that a gc_team points to.

#ifndef GC_LIB_RUNTIME_BARRIER_H
#define GC_LIB_RUNTIME_BARRIER_H

#include "Wait.h"

namespace gc::runtime {

/// Generation-based: the last thread to arrive starts the next generation.
/// Does not know the team size, so that it can be created before the team.
class Barrier {
public:
  void wait(int64_t Size) {
    // The generation cannot move before this thread has arrived.
    uint32_t Current = Generation.load();
    if (Arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == Size) {
      Arrived.store(0, std::memory_order_relaxed);
      Generation.publish(Current + 1);
      return;
    }
    Generation.waitWhile(Current, Size);
  }

private:
  // Separate, so that arrivals do not disturb threads that already watch the
  // generation.
  alignas(64) std::atomic<int64_t> Arrived{0};
  alignas(64) WaitWord Generation;
};

} // namespace gc::runtime

#endif // GC_LIB_RUNTIME_BARRIER_H
