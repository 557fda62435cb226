// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/PassDims.h"
#include "Dialect/Graph/IR/TensorMemory.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace gc::graph {

bool isSplat(Value value) {
  SplatElementsAttr splat;
  return matchPattern(value, m_Constant(&splat));
}

std::optional<int64_t> TensorAccess::getTensorDim(int64_t spaceDim) const {
  int64_t dropped = map.getNumResults() - type.getRank();
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto index = dyn_cast<AffineDimExpr>(expr);
    if (index && index.getPosition() == spaceDim &&
        !(gaps && gaps->spacing[dim]))
      return static_cast<int64_t>(dim) - dropped;
  }
  return std::nullopt;
}

bool varies(AffineExpr index, int64_t spaceDim) {
  return index.getKind() != AffineExprKind::FloorDiv &&
         index.isFunctionOfDim(spaceDim);
}

bool TensorAccess::varies(int64_t spaceDim) const {
  return llvm::any_of(
      map.getResults().take_back(type.getRank()),
      [&](AffineExpr index) { return graph::varies(index, spaceDim); });
}

int64_t TensorAccess::getContiguousRun(int64_t spaceDim) const {
  std::optional<int64_t> dim = getTensorDim(spaceDim);
  if (!dim || *dim < 0)
    return varies(spaceDim) ? 1 : 0;
  return graph::getContiguousRun(type, *dim);
}

/// The size of the longest dimension that an index varies along: the positions
/// of windows rather than the elements of one.
static int64_t getLongest(AffineExpr index, ArrayRef<PassExtent> box) {
  int64_t longest = 1;
  for (auto [dim, extent] : llvm::enumerate(box))
    if (index.isFunctionOfDim(dim))
      longest = std::max(longest, extent.size);
  return longest;
}

bool TensorAccess::slides(int64_t spaceDim) const {
  if (!gaps)
    return false;
  int64_t dropped = map.getNumResults() - type.getRank();
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (static_cast<int64_t>(i) >= dropped && gaps->spacing[i] &&
        expr.isFunctionOfDim(spaceDim))
      return graph::getContiguousRun(type, i - dropped) > 1;
  return false;
}

static int64_t chooseVectorDim(ArrayRef<PassExtent> box,
                               const PassAccesses &accesses) {
  int64_t rank = box.size();
  if (rank == 0)
    return -1;
  // The last dimension, unless it is a single element or what is written lies
  // along another one.
  int64_t vector = rank - 1;
  while (vector > 0 && box[vector].size == 1)
    --vector;
  if (box[vector].size == 1)
    vector = rank - 1;
  // Only what has the most elements counts: stores first, then loads.
  SmallVector<TensorAccess> written, read;
  int64_t largest = 0;
  auto add = [&](const TensorAccess &access,
                 SmallVectorImpl<TensorAccess> &list) {
    int64_t elements = 1;
    for (auto [i, expr] : llvm::enumerate(access.map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        elements *= box[dim.getPosition()].size;
      else if (access.gaps && access.gaps->spacing[i])
        elements *= getLongest(expr, box);
    if (elements > largest) {
      written.clear();
      read.clear();
      largest = elements;
    }
    if (elements == largest)
      list.push_back(access);
  };
  for (const TensorAccess &access : accesses.read)
    add(access, read);
  for (const TensorAccess &access : accesses.written)
    add(access, written);
  auto count = [&](int64_t dim) {
    auto isAlong = [&](const TensorAccess &access) {
      return access.getContiguousRun(dim) > 1 || access.slides(dim);
    };
    return std::make_pair(llvm::count_if(written, isAlong),
                          llvm::count_if(read, isAlong));
  };
  auto best = count(vector);
  for (int64_t dim = vector - 1; dim >= 0; --dim) {
    if (box[dim].size < 2)
      continue;
    auto other = count(dim);
    if (other > best) {
      best = other;
      vector = dim;
    }
  }
  return vector;
}

/// The dimension along which something that has to be gathered into vectors is
/// contiguous.
static int64_t chooseTransposedDim(ArrayRef<PassExtent> box,
                                   const PassAccesses &accesses, int64_t vector,
                                   int64_t lanes) {
  // Squares are transposed in quads of lanes.
  constexpr int64_t kLeastLanes = 4;
  bool storesRows =
      llvm::any_of(accesses.written, [&](const TensorAccess &access) {
        return !access.varies(vector);
      });
  if (accesses.reduces || vector < 0 || lanes < kLeastLanes ||
      box[vector].size < 2 || storesRows)
    return -1;
  for (const TensorAccess &access :
       llvm::concat<const TensorAccess>(accesses.read, accesses.copied)) {
    if (access.getContiguousRun(vector) != 1)
      continue;
    for (int64_t dim = 0; dim < static_cast<int64_t>(box.size()); ++dim)
      if (dim != vector && box[dim].size >= 2 &&
          access.getContiguousRun(dim) >= 2)
        return dim;
  }
  return -1;
}

PassDims choosePassDims(ArrayRef<PassExtent> box, const PassAccesses &accesses,
                        int64_t lanes, std::optional<int64_t> forced) {
  int64_t vector = forced ? *forced : chooseVectorDim(box, accesses);
  return {vector, chooseTransposedDim(box, accesses, vector, lanes)};
}

bool isTransposed(const TensorAccess &access, const PassDims &dims) {
  return dims.transposed >= 0 && access.getContiguousRun(dims.vector) == 1 &&
         access.getContiguousRun(dims.transposed) >= 2;
}

} // namespace gc::graph
