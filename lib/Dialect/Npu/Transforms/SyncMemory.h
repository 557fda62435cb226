// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Who wrote and who read each byte last: where dependences come from.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCMEMORY_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCMEMORY_H

#include "SyncTrace.h"

#include <map>

namespace gc::npu::sync {

class Memory {
public:
  /// An access by op `number` (from 1 on) of a pipe: adds what it has to wait
  /// for to `needs`.
  void access(const Range &range, Pipe pipe, int32_t number, Counts &needs);
  void clear() {
    for (Map &segments : spaces)
      segments.clear();
  }

private:
  struct Segment {
    uint64_t end;
    Counts writers = {}, readers = {};
    /// The last writes were accumulations (mads in L0C, sums in global memory).
    bool accumulated = false;
    /// They were mads: accumulating ones may follow.
    bool byMad = false;
  };
  using Map = std::map<uint64_t, Segment>;

  /// Splits a segment that covers `at` and starts before it in two.
  static Map::iterator split(Map &segments, uint64_t at);
  void use(Segment &segment, const Range &range, Pipe pipe, int32_t number,
           Counts &needs);

  /// Of each space, so that long lists of what is in global memory slow nothing
  /// else down.
  std::array<Map, kNumSpaces> spaces;
};

} // namespace gc::npu::sync

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCMEMORY_H
