// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The fewest flags and barriers that order a short program: a proof that no
// placement has fewer, and one that has as many.

#ifndef GC_UNITTESTS_NPU_SYNC_SYNCSEARCH_H
#define GC_UNITTESTS_NPU_SYNC_SYNCSEARCH_H

#include "SyncListing.h"

namespace gc::npu::sync {

struct SearchResult {
  /// No placement executes fewer in as many cycles.
  int64_t bound = 0;
  /// Whether a placement with so few is known: `plan`, or else the one that was
  /// given.
  bool isExact = false;
  /// The best one found that executes fewer than asked for.
  std::optional<Plan> plan;
  /// Linear programs solved and runs of the simulator.
  int64_t programs = 0, runs = 0;
};

/// Looks at all placements in a program without loops of flags, set after an op
/// of their pipe and waited for before one, and barriers of a pipe, that take
/// at most `cycles` on the simulator; `count` is what a known one executes.
/// Gives up after `effort` linear programs.
SearchResult findFewest(const Kernel &kernel, const Machine &machine,
                        int64_t count, int64_t cycles, int64_t effort);

} // namespace gc::npu::sync

#endif // GC_UNITTESTS_NPU_SYNC_SYNCSEARCH_H
