// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Windows that do not overlap, as pooling has them: a reshape.

#include "WindowView.h"
#include "OpBody.h"
#include "OpLoops.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

namespace {
/// A loop that moves an index by `step`.
struct Loop {
  unsigned dim;
  int64_t size, step;
};
} // namespace

/// The value of an index if one dimension, or none, is 1 and all others are 0.
static std::optional<int64_t> evaluate(AffineExpr index, unsigned count,
                                       std::optional<unsigned> dim) {
  SmallVector<AffineExpr> dims(count,
                               getAffineConstantExpr(0, index.getContext()));
  if (dim)
    dims[*dim] = getAffineConstantExpr(1, index.getContext());
  auto value =
      dyn_cast<AffineConstantExpr>(index.replaceDimsAndSymbols(dims, {}));
  if (!value)
    return std::nullopt;
  return value.getValue();
}

static bool isLinear(AffineExpr index) {
  bool isLinear = true;
  index.walk([&](AffineExpr part) {
    isLinear &= isa<AffineDimExpr, AffineConstantExpr>(part) ||
                part.getKind() == AffineExprKind::Add ||
                part.getKind() == AffineExprKind::Mul;
  });
  return isLinear;
}

/// The loops of an index that together count from 0 to `size`, the slowest one
/// first; nothing if they do not.
static std::optional<SmallVector<Loop>> getLoops(AffineExpr index, int64_t size,
                                                 ArrayRef<int64_t> space) {
  if (!isLinear(index) || evaluate(index, space.size(), std::nullopt) != 0)
    return std::nullopt;
  SmallVector<Loop> loops;
  for (unsigned dim = 0; dim < space.size(); ++dim)
    if (space[dim] > 1 && index.isFunctionOfDim(dim))
      loops.push_back({dim, space[dim], *evaluate(index, space.size(), dim)});
  llvm::stable_sort(
      loops, [](const Loop &a, const Loop &b) { return a.step > b.step; });
  int64_t reached = 1;
  for (const Loop &loop : llvm::reverse(loops)) {
    if (loop.step != reached)
      return std::nullopt;
    reached *= loop.size;
  }
  if (reached != size)
    return std::nullopt;
  return loops;
}

std::optional<WindowView> gc::getWindowView(Operation *op) {
  auto fusible = dyn_cast_or_null<FusibleOpInterface>(op);
  if (!fusible || fusible.getFusibleKind() != FusibleKind::windows)
    return std::nullopt;
  std::optional<Gaps> gaps = fusible.getGaps(0);
  if (gaps && llvm::any_of(gaps->spacing, [](int64_t by) { return by > 1; }))
    return std::nullopt;
  // Who reads the elements in the order of the operand.
  auto reduces = [](Operation *user) { return isReduction(user); };
  if (!llvm::all_of(op->getUsers(), [&](Operation *user) {
        return reduces(user) ||
               (isConversion(user) && llvm::all_of(user->getUsers(), reduces));
      }))
    return std::nullopt;
  WindowView view;
  SmallVector<int64_t> space = fusible.getIterationSpace();
  SmallVector<AffineExpr> indices;
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  for (auto [index, size] :
       llvm::zip(fusible.getOperandMap(0).getResults(), type.getShape())) {
    auto loops = getLoops(index, size, space);
    if (!loops)
      return std::nullopt;
    for (const Loop &loop : *loops) {
      view.shape.push_back(loop.size);
      indices.push_back(getAffineDimExpr(loop.dim, op->getContext()));
    }
  }
  view.map = AffineMap::get(space.size(), 0, indices, op->getContext());
  return view;
}
