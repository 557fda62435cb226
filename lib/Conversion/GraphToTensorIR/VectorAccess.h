// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vectors of a tensor in memory: where an element of the iteration space is,
// whether neighbours are adjacent, loads and stores.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_VECTORACCESS_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_VECTORACCESS_H

#include "Dialect/Graph/Transforms/PassDims.h"
#include "RegionEmitter.h"

namespace gc {

/// A vector of the iteration space: `lanes` points from the coordinates on
/// along dimension `vectorDim`.
struct Position {
  /// Per dimension of the space: the coordinate, the one within the slice of
  /// local buffers, and the one within the present row (or box).
  llvm::SmallVector<Coord> coords, locals, offsets;
  /// -1 in a space without dimensions.
  int64_t vectorDim = -1;
  int64_t lanes = 1;

  /// The position that is `by` further along a dimension.
  Position shifted(int64_t dim, const Coord &by) const;
};

/// A tensor as points of the iteration space see it.
struct Access {
  Buffer buffer;
  /// From the space to the tensor's indices: dimensions, the constant 0, or the
  /// number of the part of a dimension; with gaps, sums. A slice has only the
  /// last ones.
  mlir::AffineMap map;
  /// Addressed by offsets within the row: a value kept between stages.
  bool isOfRow = false;
  std::optional<graph::Gaps> gaps = std::nullopt;

  /// The tensor dimension that runs along a dimension of the space.
  std::optional<int64_t> getTensorDim(int64_t spaceDim) const;
  /// Whether points along a dimension of the space see different elements.
  bool varies(int64_t spaceDim) const;
  /// How many neighbours along a dimension of the space are adjacent in memory:
  /// 1 if they are not, 0 if the tensor does not vary along it.
  int64_t getContiguousRun(int64_t spaceDim) const;
  /// Size of the blocks of a blocked dimension that a vector along it must not
  /// cross, shortened to what divides the dimension's start; 0 without blocks.
  int64_t getBlock(int64_t spaceDim, const BoxDim &box) const;
  /// Whether vectors at the position read elements at indices of their own.
  bool isScattered(const Position &position) const;
  /// An index at the position, of a map whose result is a sum.
  Coord evaluate(unsigned result, const Position &position) const;
};

/// The elements at a position as a vector of the storage type; broadcast if the
/// tensor does not vary along the vector's dimension.
mlir::Value loadVector(mlir::OpBuilder &builder, mlir::Location loc,
                       const Access &access, const Position &position);

/// Fetches the elements at a position, which may be beyond the tensor; elements
/// have no gaps between them.
void prefetchVector(mlir::OpBuilder &builder, mlir::Location loc,
                    const Access &access, const Position &position);

/// A vector of the compute type that was loaded at a position, with what
/// belongs where there are no elements.
mlir::Value fillGaps(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value vector, const Access &access,
                     const Position &position);

/// Stores a vector of the storage type, followed by zeros if there are to be
/// more than its lanes. What is streamed starts at a multiple of `alignedLanes`
/// elements in a row, which starts at a cache line.
void storeVector(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value vector, const Access &access,
                 const Position &position, int64_t paddedLanes,
                 int64_t alignedLanes);

/// A constant of equal elements as a vector of the compute type, or null.
mlir::Value getSplat(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, int64_t lanes);

using graph::getComputeType;

/// Between vectors in memory and vectors in computations.
mlir::Value toComputeType(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value vector, mlir::Type element);
mlir::Value toStorageType(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value vector, mlir::Type element);

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_VECTORACCESS_H
