// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReshapeMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

/// The position of an element in row-major order.
static AffineExpr linearize(ArrayRef<AffineExpr> indices,
                            ArrayRef<int64_t> shape, MLIRContext *context) {
  AffineExpr position = getAffineConstantExpr(0, context);
  for (auto [index, size] : llvm::zip(indices, shape))
    position = position * size + index;
  return position;
}

AffineMap gc::getReshapeMap(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                            MLIRContext *context) {
  SmallVector<AffineExpr> indices;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    size_t beginI = i, beginJ = j;
    int64_t left = 1, right = 1;
    do {
      if ((left <= right && i < from.size()) || j == to.size())
        left *= from[i++];
      else
        right *= to[j++];
    } while (left != right);
    SmallVector<AffineExpr> dims;
    for (size_t d = beginJ; d < j; ++d)
      dims.push_back(getAffineDimExpr(d, context));
    if (i - beginI == 1 && j - beginJ == 1) {
      indices.push_back(dims[0]);
      continue;
    }
    AffineExpr position =
        linearize(dims, to.slice(beginJ, j - beginJ), context);
    int64_t inner = left;
    for (size_t d = beginI; d < i; ++d) {
      AffineExpr index = d == beginI ? position : position % inner;
      inner /= from[d];
      indices.push_back(inner == 1 ? index : index.floorDiv(inner));
    }
  }
  return simplifyAffineMap(AffineMap::get(to.size(), 0, indices, context));
}
