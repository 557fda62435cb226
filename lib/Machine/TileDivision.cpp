// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileDivision.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace gc {

llvm::SmallVector<RowTiles, 2> divideRows(int64_t total, int64_t most) {
  int64_t count = llvm::divideCeil(total, most);
  int64_t size = total / count, larger = total % count;
  llvm::SmallVector<RowTiles, 2> tiles;
  if (larger)
    tiles.push_back({0, larger, size + 1});
  tiles.push_back({larger * (size + 1), count - larger, size});
  return tiles;
}

llvm::SmallVector<ColumnTiles, 3> tileColumns(int64_t n, int64_t lanes,
                                              int64_t most) {
  if (n < lanes)
    return {{0, 1, lanes, {0}, {}}};
  llvm::SmallVector<ColumnTiles, 3> result;
  auto add = [&](int64_t start, int64_t count, int64_t size, int64_t last) {
    ColumnTiles tiles{start, count, size * lanes, {}, {}};
    for (int64_t i = 0; i < size; ++i)
      tiles.vectors.push_back(std::min(i * lanes, last));
    result.push_back(std::move(tiles));
  };
  llvm::SmallVector<RowTiles, 2> groups =
      divideRows(llvm::divideCeil(n, lanes), most);
  // The smaller tiles first: an overlap then falls into the larger ones, which
  // have a second vector unless all tiles have one.
  int64_t start = 0;
  for (const RowTiles &group : llvm::reverse(groups)) {
    int64_t step = group.size * lanes;
    int64_t whole = group.count;
    bool last = &group == groups.begin();
    if (last && n % lanes != 0)
      --whole;
    if (whole)
      add(start, whole, group.size, step);
    start += whole * step;
    if (whole != group.count)
      add(start, 1, group.size, n - start - lanes);
  }
  return result;
}

} // namespace gc
