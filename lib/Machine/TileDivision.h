// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Blocks divided into register tiles.

#ifndef GC_LIB_MACHINE_TILEDIVISION_H
#define GC_LIB_MACHINE_TILEDIVISION_H

#include "Machine/VectorPlan.h"

namespace gc {

/// Divides `total` rows into as few tiles of at most `most` as possible, of two
/// sizes that differ by one.
llvm::SmallVector<RowTiles, 2> divideRows(int64_t total, int64_t most);

/// Tiles of up to `most` vectors over n columns. Where the last vector overlaps
/// its neighbour the tile is a body of its own; one vector that is longer than
/// n is the only one.
llvm::SmallVector<ColumnTiles, 3> tileColumns(int64_t n, int64_t lanes,
                                              int64_t most);

} // namespace gc

#endif // GC_LIB_MACHINE_TILEDIVISION_H
