// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sizes of tiles that Auto Tiling tries.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_TILECANDIDATES_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_TILECANDIDATES_H

#include "TileModel.h"

namespace gc::poly {

/// Sizes worth trying for a loop: the whole extent, and parts of it, in steps
/// of about `ratio`: balanced ones and those that divide it.
llvm::SmallVector<int64_t> getCandidates(int64_t extent, int64_t multiple,
                                         double ratio);

/// Tiles of 16 rows and columns, or all of them.
llvm::SmallVector<int64_t> getFractalCandidates(int64_t extent, int64_t most);

/// Calls `visit` with every combination of sizes.
void forEachSizes(llvm::ArrayRef<llvm::SmallVector<int64_t>> candidates,
                  TileSizes &sizes,
                  llvm::function_ref<void(const TileSizes &)> visit);

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_TILECANDIDATES_H
