// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChunkPlan.h"

#include <algorithm>

using namespace gc::reference;

ChunkPlan::ChunkPlan(llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<llvm::ArrayRef<int64_t>> strides) {
  innerStrides.assign(strides.size(), 1);
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t size = shape[i];
    numRows *= size;
    if (size == 1)
      continue;
    Dim dim{size, {}};
    for (llvm::ArrayRef<int64_t> view : strides)
      dim.strides.push_back(view[i]);
    // Dimensions that every view walks like a single one are merged.
    auto continues = [&](const Dim &last) {
      for (size_t view = 0; view < strides.size(); ++view)
        if (last.strides[view] != dim.strides[view] * size)
          return false;
      return true;
    };
    if (!outer.empty() && continues(outer.back())) {
      outer.back().size *= size;
      outer.back().strides = dim.strides;
    } else {
      outer.push_back(std::move(dim));
    }
  }
  if (numRows == 0)
    return;
  if (!outer.empty()) {
    innerSize = outer.back().size;
    innerStrides = outer.back().strides;
    outer.pop_back();
  }
  numRows /= innerSize;
  chunksPerRow = (innerSize + kSize - 1) / kSize;
}

ChunkPlan::Chunk ChunkPlan::getChunk(int64_t index) const {
  int64_t row = index / chunksPerRow;
  int64_t column = index % chunksPerRow * kSize;
  Chunk chunk;
  chunk.begin = row * innerSize + column;
  chunk.size = std::min(kSize, innerSize - column);
  for (int64_t stride : innerStrides)
    chunk.offsets.push_back(column * stride);
  for (const Dim &dim : llvm::reverse(outer)) {
    int64_t position = row % dim.size;
    row /= dim.size;
    for (auto [offset, stride] : llvm::zip_equal(chunk.offsets, dim.strides))
      offset += position * stride;
  }
  return chunk;
}
