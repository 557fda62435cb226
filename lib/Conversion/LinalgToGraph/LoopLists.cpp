// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopLists.h"

using namespace mlir;
using namespace gc;

std::optional<Dims> gc::getLoops(AffineMap map) {
  Dims loops;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || llvm::is_contained(loops, int64_t(dim.getPosition())))
      return std::nullopt;
    loops.push_back(dim.getPosition());
  }
  return loops;
}

Dims gc::filterLoopsBy(ArrayRef<int64_t> loops,
                       function_ref<bool(int64_t)> predicate) {
  return llvm::to_vector(llvm::make_filter_range(loops, predicate));
}

Dims gc::concatLoops(std::initializer_list<ArrayRef<int64_t>> parts) {
  Dims result;
  for (ArrayRef<int64_t> part : parts)
    result.append(part.begin(), part.end());
  return result;
}

Dims gc::getLoopOrder(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  Dims order;
  for (int64_t loop : to)
    order.push_back(llvm::find(from, loop) - from.begin());
  return order;
}

Dims gc::getLoopSizes(ArrayRef<int64_t> loops, ArrayRef<int64_t> ranges) {
  Dims sizes;
  for (int64_t loop : loops)
    sizes.push_back(ranges[loop]);
  return sizes;
}

int64_t gc::getLoopSize(ArrayRef<int64_t> loops, ArrayRef<int64_t> ranges) {
  int64_t product = 1;
  for (int64_t loop : loops)
    product *= ranges[loop];
  return product;
}
