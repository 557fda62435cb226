// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The fewest flags and barriers that order a short program, by search through
// all placements.

#ifndef GC_UNITTESTS_NPU_SYNC_SYNCSEARCH_H
#define GC_UNITTESTS_NPU_SYNC_SYNCSEARCH_H

#include "SyncListing.h"

namespace gc::npu::sync {

struct SearchResult {
  /// False if the search gave up after too many placements: nothing is known.
  bool isComplete = true;
  /// A placement with fewer flags and barriers than asked for, if there is one.
  std::optional<Plan> plan;
};

/// Looks for a placement in a program without loops that executes fewer than
/// `count` flags and barriers of a pipe and takes at most `cycles` on the
/// simulator; the one with the fewest.
SearchResult findFewer(const Kernel &kernel, const Machine &machine,
                       int64_t count, int64_t cycles, int64_t maxNodes);

} // namespace gc::npu::sync

#endif // GC_UNITTESTS_NPU_SYNC_SYNCSEARCH_H
