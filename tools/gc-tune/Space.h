// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The plans that a kernel may have, as points: an index into the values of each
// decision.

#ifndef GC_TOOLS_GC_TUNE_SPACE_H
#define GC_TOOLS_GC_TUNE_SPACE_H

#include "Dialect/Poly/Transforms/KernelPlan.h"

namespace gc::tune {

/// A tile size of a statement, or a choice.
struct Dimension {
  /// Of a tile size: number of the list, its level and its loop.
  size_t list = 0;
  poly::Level level = poly::Level::l1;
  size_t loop = 0;
  /// Of a size for L1: whether tiles for L0 have the same.
  bool isForL0 = false;
  /// Of a choice; empty for tile sizes.
  std::string choice;
  /// In ascending order, the value of the first plan among them.
  llvm::SmallVector<int64_t> values;
};

using Point = std::vector<size_t>;

class Space {
public:
  /// Around the plan that the passes chose for the scop.
  Space(poly::ScopOp scop, const poly::KernelPlan &plan);

  llvm::ArrayRef<Dimension> getDimensions() const { return dimensions; }
  /// The point of the plan that the space was made around.
  Point getOrigin() const;
  poly::KernelPlan getPlan(const Point &point) const;
  /// Number of points, as far as a double can tell.
  double getSize() const;

private:
  poly::KernelPlan base;
  std::vector<Dimension> dimensions;
};

} // namespace gc::tune

#endif // GC_TOOLS_GC_TUNE_SPACE_H
