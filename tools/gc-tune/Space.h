// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The plans that a kernel of the NPU may have, as points.

#ifndef GC_TOOLS_GC_TUNE_SPACE_H
#define GC_TOOLS_GC_TUNE_SPACE_H

#include "Dialect/Poly/Transforms/CubeSizes.h"
#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "SampleSpace.h"

namespace gc::tune {

/// The sizes of tiles that are tried for a loop of `extent` iterations: all of
/// them; powers of two; 3/2 of those, from 48 on; and as many iterations as
/// divide the extent into equal parts where a power of two divides it into as
/// many, from 16 on rounded up to a multiple of 16.
llvm::SmallVector<int64_t> getGrid(int64_t extent);

/// A tile size of a statement, or a choice.
struct Dimension : SampleDimension {
  /// Of a tile size: number of the list, its level and its loop.
  size_t list = 0;
  poly::Level level = poly::Level::l1;
  size_t loop = 0;
  /// Of a size for L1: whether tiles for L0 have the same.
  bool isForL0 = false;
  /// Of a choice; empty for tile sizes.
  std::string choice;
};

class Space : public SampleSpace {
public:
  /// Tile sizes around the plan that the passes chose for the scop, whose sizes
  /// are in it, and the choices of that plan.
  Space(poly::ScopOp scop, const poly::KernelPlan &plan);

  llvm::ArrayRef<Dimension> getDimensions() const { return dimensions; }
  size_t countDimensions() const override { return dimensions.size(); }
  size_t countSizes() const override { return sizes; }
  const SampleDimension &getDimension(size_t number) const override {
    return dimensions[number];
  }
  /// The point of the plan that the space was made around, choices open.
  Point getOrigin() const;
  /// Without values for dimensions it is a plan of tile sizes.
  poly::KernelPlan getPlan(llvm::ArrayRef<int64_t> point) const;
  /// The point of a plan with nothing left open.
  Point getPoint(const poly::KernelPlan &plan) const;
  /// Adds the choices of a plan, and their alternatives.
  void addChoices(const poly::KernelPlan &plan);
  /// Number of points, as far as a double can tell: of tile sizes only, or
  /// with all choices that are known.
  double getSize(bool hasChoices) const;
  bool isPossible(llvm::ArrayRef<int64_t> point) const override;

private:
  void addSizes(poly::ScopOp scop, size_t number, poly::Level level);
  /// The dimension of that size; nothing if its value is not among `count`.
  std::optional<size_t> find(size_t list, poly::Level level, size_t loop,
                             size_t count) const;

  poly::KernelPlan base;
  /// Of each list of sizes.
  std::vector<std::optional<poly::CubeSizes>> cubes;
  std::vector<Dimension> dimensions;
  size_t sizes = 0;
};

} // namespace gc::tune

#endif // GC_TOOLS_GC_TUNE_SPACE_H
