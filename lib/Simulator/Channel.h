// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The channel to global memory, which all cores share.
//
// MTE2 and MTE3 of every core move packages in turn. Where the specification is
// silent:
//  - A package occupies the channel from its grant for 256 bytes / bandwidth. A
//    transfer ends, and frees its pipe, when the slot of its last package does,
//    and is visible `latency` later.
//  - A request that arrives at a grant waits for the next grant if another was
//    waiting before it; else it is served.
//  - Turns go by core, MTE2 before MTE3, starting after the last one served.
//  - Times on the channel are fractions of a cycle in profile l2 (kept exactly,
//    in ticks); ends and visibility are rounded up to whole cycles.
//  - Profile l2: a package is slow, at the rate of a miss, if a line of it was
//  not
//    in the cache, or was brought in by this transfer's run that it belongs to:
//    so a run over new memory goes at 37.5 bytes a cycle as a whole. Only
//    packages that bring a line in are visible later. Tensors are placed one
//    after the other, starting at multiples of the line; the cache is empty at
//    the start.
//  - The second package that an atomic add needs for each is of the same bytes.

#ifndef GC_LIB_SIMULATOR_CHANNEL_H
#define GC_LIB_SIMULATOR_CHANNEL_H

#include "Cache.h"
#include "NpuModel/Machine.h"

#include <optional>
#include <vector>

namespace gc::npu {

/// Packages to move. The runs of bytes matter only to the cache.
struct Transfer {
  int64_t arrival = 0, packages = 0;
  /// Place of the first run as the cache sees it; runs, bytes of each,
  /// distance.
  int64_t begin = 0, runs = 0, bytes = 0, stride = 0;
  bool write = false, twice = false;
};

/// A transfer that has had its last package.
struct Completion {
  int requester = -1;
  int64_t end = 0, visible = 0;
};

class Channel {
public:
  Channel(const Machine &machine, int requesters);

  /// One transfer at a time for each requester.
  void start(int requester, const Transfer &transfer);

  /// Serves packages until a transfer is complete; none if there is no
  /// transfer. All transfers that arrive before that end must be known.
  std::optional<Completion> advance();

  /// Cycles that this many packages take at least.
  int64_t getLeastCycles(int64_t packages) const;
  /// Cycles, rounded down, in which a package was on the channel.
  int64_t getBusy() const { return busyTicks / ticksPerCycle; }
  int64_t getHits() const { return hits; }
  int64_t getMisses() const { return misses; }

private:
  struct Requester {
    bool active = false;
    Transfer transfer;
    int64_t arrivalTicks = 0;
    /// Position of the next package: run, byte in it, whether it is the second
    /// time.
    int64_t run = 0, byte = 0;
    bool again = false;
    int64_t slowLine = -1;
    int64_t visibleTicks = 0;
  };

  /// Serves as many packages together as cannot affect any other requester.
  void serveMany(int waiting, int64_t nextArrival);
  std::optional<Completion> serve(int requester);
  int64_t getSlot(Requester &requester, bool &missed);
  int64_t roundUp(int64_t ticks) const {
    return (ticks + ticksPerCycle - 1) / ticksPerCycle;
  }

  const Machine &machine;
  int64_t ticksPerCycle = 1;
  /// Of a package: in profiles gm64, gm32; in l2.
  int64_t slot = 0, readSlot = 0, writeSlot = 0, missSlot = 0;
  std::optional<Cache> cache;
  std::vector<Requester> requesters;
  int numActive = 0, last = -1;
  int64_t now = 0;
  int64_t busyTicks = 0, hits = 0, misses = 0;
};

} // namespace gc::npu

#endif // GC_LIB_SIMULATOR_CHANNEL_H
