// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Walks several strided views of one shape in pieces that fit the cache, each a
// run along the innermost dimension.

#ifndef GC_LIB_REFERENCE_CHUNKPLAN_H
#define GC_LIB_REFERENCE_CHUNKPLAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace gc::reference {

class ChunkPlan {
public:
  /// Maximum number of elements in a chunk.
  static constexpr int64_t kSize = 1024;

  struct Chunk {
    /// Row-major index of the first element, and how many follow.
    int64_t begin, size;
    /// Per view, where the first element is.
    llvm::SmallVector<int64_t, 6> offsets;
  };

  /// `strides` has one list of element strides per view.
  ChunkPlan(llvm::ArrayRef<int64_t> shape,
            llvm::ArrayRef<llvm::ArrayRef<int64_t>> strides);

  int64_t getNumChunks() const { return numRows * chunksPerRow; }
  /// Distance of neighbouring elements of a chunk.
  int64_t getInnerStride(unsigned view) const { return innerStrides[view]; }
  Chunk getChunk(int64_t index) const;

private:
  struct Dim {
    int64_t size;
    llvm::SmallVector<int64_t, 6> strides;
  };
  llvm::SmallVector<Dim, 4> outer;
  int64_t innerSize = 1, numRows = 1, chunksPerRow = 1;
  llvm::SmallVector<int64_t, 6> innerStrides;
};

} // namespace gc::reference

#endif // GC_LIB_REFERENCE_CHUNKPLAN_H
