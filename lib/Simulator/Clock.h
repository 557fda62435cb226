// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vector clocks: what a pipe knows to be complete and visible.

#ifndef GC_LIB_SIMULATOR_CLOCK_H
#define GC_LIB_SIMULATOR_CLOCK_H

#include "NpuModel/Machine.h"

#include <algorithm>
#include <array>

namespace gc::npu {

/// For each pipe of a core how many entries of its queue happen before. Entries
/// are counted from 1.
struct Clock {
  std::array<uint32_t, kNumPipes> entries = {};

  uint32_t &operator[](Pipe pipe) { return entries[static_cast<size_t>(pipe)]; }
  uint32_t operator[](Pipe pipe) const {
    return entries[static_cast<size_t>(pipe)];
  }
  void join(const Clock &other) {
    for (int i = 0; i < kNumPipes; ++i)
      entries[i] = std::max(entries[i], other.entries[i]);
  }
};

} // namespace gc::npu

#endif // GC_LIB_SIMULATOR_CLOCK_H
