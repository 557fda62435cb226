// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How long tiles take that are loaded, computed and stored at the same time.

#ifndef GC_DIALECT_POLY_TRANSFORMS_TILEPIPELINE_H
#define GC_DIALECT_POLY_TRANSFORMS_TILEPIPELINE_H

#include <cstdint>

namespace gc::poly {

/// Tiles of the vector unit that are all alike.
struct TilePipeline {
  int64_t tiles = 1;
  /// Buffers of each array that is loaded or stored.
  int64_t slots = 1;
  /// Cycles of a tile: those that its transfers take alone, and of the unit.
  double load = 0, vector = 0, store = 0;
  /// Cycles until what was transferred is visible.
  double latency = 0;
  /// Whether a store waits for the one before it: tiles that overlap.
  bool isSerial = false;
  /// Whether a tile is stored from the buffer that it was loaded into.
  bool isInPlace = false;

  /// Cycles until the last store is visible. Loads and stores that are under
  /// way at the same time have half of global memory each.
  double getCycles() const;
};

} // namespace gc::poly

#endif // GC_DIALECT_POLY_TRANSFORMS_TILEPIPELINE_H
