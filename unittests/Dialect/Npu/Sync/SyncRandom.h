// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random programs: every kind of instruction, nested loops and branches,
// buffers with slots.

#ifndef GC_UNITTESTS_NPU_SYNC_SYNCRANDOM_H
#define GC_UNITTESTS_NPU_SYNC_SYNCRANDOM_H

#include "SyncListing.h"

#include <random>

namespace gc::npu::sync {

struct RandomOptions {
  /// Instructions besides those that fill the buffers at the start; 0 for
  /// maxDepth: no loops.
  int minOps = 3, maxOps = 14, maxDepth = 3;
  /// Fills the buffers first, so that nothing reads unwritten bytes.
  bool fills = true;
};

/// The same program for the same seed.
Kernel makeRandomKernel(const Machine &machine, uint32_t seed,
                        const RandomOptions &options = {});

/// Moves one operand of a local buffer of an op to another place of the same
/// space, so that buffers overlap.
void overlap(Listing &listing, std::mt19937 &random);

} // namespace gc::npu::sync

#endif // GC_UNITTESTS_NPU_SYNC_SYNCRANDOM_H
