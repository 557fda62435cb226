// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/SlidingDims.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace gc::graph {

namespace {
/// constant + sum of a factor times each dimension of the space.
struct Sum {
  int64_t constant = 0;
  SmallVector<int64_t> factors;

  explicit Sum(size_t rank) : factors(rank) {}

  void add(AffineExpr expr, int64_t factor) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      factors[dim.getPosition()] += factor;
    } else if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
      constant += factor * number.getValue();
    } else {
      auto binary = cast<AffineBinaryOpExpr>(expr);
      if (binary.getKind() == AffineExprKind::Add) {
        add(binary.getLHS(), factor);
        add(binary.getRHS(), factor);
      } else {
        assert(binary.getKind() == AffineExprKind::Mul && "not a sum");
        add(binary.getLHS(),
            factor * cast<AffineConstantExpr>(binary.getRHS()).getValue());
      }
    }
  }
};
} // namespace

/// Narrows a dimension to the positions where an index is inside: a multiple of
/// `spacing` from 0 to before `size` * `spacing`, at all points of the others.
static void narrow(SlidingDim &sliding, const Sum &index, int64_t size,
                   int64_t spacing, ArrayRef<int64_t> sizes) {
  int64_t factor = index.factors[sliding.dim];
  int64_t least = index.constant, most = index.constant;
  for (auto [dim, other] : llvm::enumerate(index.factors)) {
    if (static_cast<int64_t>(dim) == sliding.dim)
      continue;
    least += std::min<int64_t>(other, 0) * (sizes[dim] - 1);
    most += std::max<int64_t>(other, 0) * (sizes[dim] - 1);
  }
  int64_t last = size * spacing - 1;
  if (factor > 0) {
    sliding.begin =
        std::max(sliding.begin, llvm::divideCeilSigned(-least, factor));
    sliding.end =
        std::min(sliding.end, llvm::divideFloorSigned(last - most, factor) + 1);
  } else {
    sliding.end = sliding.begin;
  }
  sliding.end = std::max(sliding.begin, sliding.end);
  sliding.period =
      std::lcm(sliding.period, spacing / std::gcd(spacing, factor));
}

SmallVector<SlidingDim> getSlidingDims(ArrayRef<TensorAccess> read,
                                       ArrayRef<int64_t> sizes,
                                       ArrayRef<unsigned> reduced) {
  SmallVector<SlidingDim> dims;
  for (int64_t dim = 0; dim < static_cast<int64_t>(sizes.size()); ++dim) {
    if (llvm::is_contained(reduced, dim) || sizes[dim] == 1)
      continue;
    SlidingDim sliding{dim, 0, sizes[dim], 1};
    bool slides = false;
    for (const TensorAccess &access : read) {
      if (!access.gaps)
        continue;
      int64_t dropped = access.map.getNumResults() - access.type.getRank();
      for (auto [i, expr] : llvm::enumerate(access.map.getResults())) {
        int64_t spacing = access.gaps->spacing[i];
        if (spacing == 0 || !expr.isFunctionOfDim(dim))
          continue;
        Sum index(sizes.size());
        index.add(expr, 1);
        slides = true;
        narrow(sliding, index, access.type.getDimSize(i - dropped), spacing,
               sizes);
      }
    }
    if (slides)
      dims.push_back(sliding);
  }
  return dims;
}

bool isSpaced(const Gaps &gaps) {
  return llvm::any_of(gaps.spacing, [](int64_t every) { return every > 1; });
}

int64_t getFactor(AffineExpr index, unsigned dim) {
  if (!index.isFunctionOfDim(dim))
    return 0;
  unsigned rank = dim + 1;
  index.walk([&](AffineExpr part) {
    if (auto other = dyn_cast<AffineDimExpr>(part))
      rank = std::max(rank, other.getPosition() + 1);
  });
  Sum sum(rank);
  sum.add(index, 1);
  return sum.factors[dim];
}

bool readsRuns(const TensorAccess &access, int64_t vectorDim, int64_t lanes) {
  if (!access.slides(vectorDim))
    return false;
  for (auto [i, expr] : llvm::enumerate(access.map.getResults())) {
    if (!expr.isFunctionOfDim(vectorDim))
      continue;
    Sum index(access.map.getNumDims());
    index.add(expr, 1);
    int64_t spacing = access.gaps->spacing[i];
    int64_t distance = std::abs(index.factors[vectorDim]) * lanes;
    return distance % spacing == 0 && distance <= 2 * lanes * spacing;
  }
  return false;
}

} // namespace gc::graph
