// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Who wrote and read each byte last: finds races and reads of poison.

#ifndef GC_LIB_SIMULATOR_SHADOW_H
#define GC_LIB_SIMULATOR_SHADOW_H

#include "Clock.h"
#include "IntervalMap.h"
#include "NpuModel/Instruction.h"

#include <deque>

namespace gc::npu {

/// An op as the bytes that it touched remember it.
struct Toucher {
  /// Its entry in its pipe, from 1; 0: there is none.
  uint32_t entry = 0;
  /// Its position in program order.
  uint32_t sequence = 0;
  int32_t location = -1;
  int16_t core = 0;
  Opcode opcode = Opcode::alloc;
  VectorOp vectorOp = VectorOp::add;
};

/// The op whose accesses are checked.
struct Accessor {
  Toucher self;
  Pipe pipe;
  /// What happens before it.
  const Clock &clock;
};

/// The error of an access.
struct Conflict {
  bool poison = false;
  /// First bytes concerned.
  int64_t begin = 0, end = 0;
  /// The other op of a race.
  Toucher other;
  Pipe pipe = Pipe::s;
  Access access = Access::read;
};

/// Of one local buffer of one core.
class LocalShadow {
public:
  explicit LocalShadow(int64_t bytes) : map(bytes) {}

  /// Records an access of [begin, end); false, with `conflict` filled, if it is
  /// wrong. `oldest` is the lowest sequence number of this core's program that
  /// has not started.
  bool access(Access access, int64_t begin, int64_t end,
              const Accessor &accessor, uint32_t oldest, Conflict &conflict);

  /// The contents of [begin, end) are undefined for ops after `sequence`.
  void alloc(int64_t begin, int64_t end, uint32_t sequence, uint32_t oldest);

private:
  struct State {
    Toucher writer;
    Pipe pipe = Pipe::s;
    bool poisoned = true;
    /// The last read of each pipe since then.
    std::array<Toucher, kNumPipes> readers;
  };
  /// Allocations that an earlier op in program order, which has not started
  /// yet, must not see: such an op sees the buffer as it was.
  struct Alloc {
    int64_t begin, end;
    uint32_t sequence;
  };

  void retire(uint32_t oldest);
  bool isPoisoned(const State &state, int64_t begin, int64_t end,
                  uint32_t sequence, Conflict &conflict) const;

  IntervalMap<State> map;
  std::deque<Alloc> pending;
};

/// Of a tensor in global memory, for all cores. Its bytes are never poison.
/// Reads are always MTE2's, writes MTE3's.
class GlobalShadow {
public:
  explicit GlobalShadow(int64_t bytes);

  bool access(Access access, int64_t begin, int64_t end,
              const Accessor &accessor, Conflict &conflict);

private:
  struct State {
    Toucher writer;
    /// The last op of a core and one of another: since cores are not ordered
    /// among themselves, that is all a later op needs to know.
    Toucher readers[2], adders[2];
  };

  static bool isOrdered(const Toucher &op, Pipe pipe, const Accessor &accessor);
  bool accessPage(IntervalMap<State> &map, Access access, int64_t begin,
                  int64_t end, const Accessor &accessor, Conflict &conflict);

  int64_t bytes;
  std::vector<std::unique_ptr<IntervalMap<State>>> pages;
};

} // namespace gc::npu

#endif // GC_LIB_SIMULATOR_SHADOW_H
