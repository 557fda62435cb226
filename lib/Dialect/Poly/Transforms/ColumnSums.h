// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums over the rows of matrices, and sums of squares, which the cube unit
// computes as products: with ones, and of a matrix with its own transpose.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_COLUMNSUMS_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_COLUMNSUMS_H

#include "Dialect/Poly/IR/Scop.h"
#include "NpuModel/Machine.h"

namespace gc::poly {

struct ColumnSum {
  StatementOp update;
  bool isSquare;
  /// The sums, and what statements compute from them and from each other, one
  /// by one. Not all of it is returned.
  struct Result {
    ArrayOp array;
    /// None for the sums.
    StatementOp statement;
  };
  llvm::SmallVector<Result> results;

  /// The first array that is returned, or null.
  ArrayOp getOutput() const;
};

/// All that a scop computes: sums of the columns of one array of f16, with the
/// array's dimensions as iterations. The last of them is columns, the one
/// before it rows.
struct ColumnSums {
  ArrayOp input;
  llvm::SmallVector<ColumnSum> sums;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<bool> isReduced;

  int64_t getColumns() const { return extents.back(); }
  int64_t getRows() const { return extents[extents.size() - 2]; }
  /// The other dimension that is added up, if there is one.
  std::optional<unsigned> getOuterRows() const;
  bool hasSquares() const;

  /// Cycles of each unit, transfers included.
  double getCubeCycles(const npu::Machine &machine) const;
  double getVectorCycles(const npu::Machine &machine) const;
  bool prefersCube(const npu::Machine &machine) const {
    return getCubeCycles(machine) < getVectorCycles(machine);
  }

  /// How a tile is divided: columns of fractals, rows of a slice in L1 (`outer`
  /// times `rows`, rounded up to `padded`), fractals of a step in L0.
  struct Slices {
    int64_t columns, blocks, outer, rows, padded, steps, step;
    int64_t outerCount, rowCount;
  };
  Slices getSlices(const npu::Machine &machine) const;
};

/// Nothing if the scop computes anything else.
std::optional<ColumnSums> findColumnSums(const isl::Ctx &ctx, ScopOp scop);

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_COLUMNSUMS_H
