// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The L2 of profile l2: which lines it holds, least recently used out first.

#ifndef GC_LIB_SIMULATOR_CACHE_H
#define GC_LIB_SIMULATOR_CACHE_H

#include "NpuModel/Machine.h"

#include <algorithm>
#include <vector>

namespace gc::npu {

class Cache {
public:
  explicit Cache(const Machine &machine)
      : ways(static_cast<size_t>(machine.l2Ways)),
        sets(std::max<int64_t>(1, machine.l2Bytes / machine.l2LineBytes /
                                      machine.l2Ways)),
        lines(static_cast<size_t>(sets) * ways, -1) {}

  /// Whether the line was in the cache; it is afterwards. Writes allocate as
  /// reads do; writing a dirty line back has no separate cost: the cost of the
  /// miss that replaces it includes it.
  bool touch(int64_t line) {
    int64_t *set = lines.data() + static_cast<size_t>(line % sets) * ways;
    int64_t *place = std::find(set, set + ways, line);
    bool hit = place != set + ways;
    // The most recent is first.
    if (!hit)
      --place;
    std::copy_backward(set, place, place + 1);
    *set = line;
    return hit;
  }

private:
  size_t ways;
  int64_t sets;
  std::vector<int64_t> lines;
};

} // namespace gc::npu

#endif // GC_LIB_SIMULATOR_CACHE_H
