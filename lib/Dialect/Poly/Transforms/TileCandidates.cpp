// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileCandidates.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::poly;

static int64_t roundUp(int64_t size, int64_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

SmallVector<int64_t> gc::poly::getCandidates(int64_t extent, int64_t multiple,
                                             double ratio) {
  SmallVector<int64_t> sizes{extent};
  for (double target = multiple; target < extent;
       target = std::max(target * ratio, target + 1)) {
    int64_t parts = llvm::divideCeil(extent, static_cast<int64_t>(target));
    int64_t size = roundUp(llvm::divideCeil(extent, parts), multiple);
    // Long rows in whole repeats.
    if (size >= 512 && multiple > 1)
      size = roundUp(size, 128);
    int64_t divisor = parts;
    while (divisor < 2 * parts &&
           (extent % divisor != 0 || extent / divisor % multiple != 0))
      ++divisor;
    // Rows of whole packages.
    int64_t whole = llvm::PowerOf2Ceil(size);
    for (int64_t candidate :
         {size, divisor < 2 * parts ? extent / divisor : extent,
          whole >= 64 && whole <= 4096 ? whole : extent})
      if (candidate < extent && !llvm::is_contained(sizes, candidate))
        sizes.push_back(candidate);
  }
  return sizes;
}

SmallVector<int64_t> gc::poly::getFractalCandidates(int64_t extent,
                                                    int64_t most) {
  SmallVector<int64_t> sizes;
  if (extent <= most)
    sizes.push_back(extent);
  for (int64_t size = 16; size < std::min(extent, most + 1);
       size += size < 256 ? 16 : 64) {
    // Balanced parts rather than a short last one, unless they are uneven.
    int64_t parts = llvm::divideCeil(extent, size);
    int64_t balanced = roundUp(llvm::divideCeil(extent, parts), 16);
    for (int64_t candidate : {size, balanced})
      if (candidate < extent && !llvm::is_contained(sizes, candidate))
        sizes.push_back(candidate);
  }
  return sizes;
}

void gc::poly::forEachSizes(ArrayRef<SmallVector<int64_t>> candidates,
                            TileSizes &sizes,
                            llvm::function_ref<void(const TileSizes &)> visit) {
  if (sizes.size() == candidates.size())
    return visit(sizes);
  for (int64_t size : candidates[sizes.size()]) {
    sizes.push_back(size);
    forEachSizes(candidates, sizes, visit);
    sizes.pop_back();
  }
}
