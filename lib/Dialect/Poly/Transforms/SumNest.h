// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Nests of column sums as products of the cube unit: slices of rows in L1,
// sums in L0C, squares on the diagonal of the matrix's product with itself.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_SUMNEST_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_SUMNEST_H

#include "ColumnSums.h"
#include "NestPlan.h"
#include "TileProgram.h"

namespace gc::poly {

class SumNest {
public:
  SumNest(TileProgram &program, const NestPlan &plan, const ColumnSums &sums)
      : program(program), plan(plan), sums(sums) {}

  /// What poly-promote decides: buffers.
  mlir::LogicalResult decide();
  /// The tiles of the whole nest, after that; null after an error.
  isl::Schedule emit();

private:
  void addBuffers();

  isl::Schedule emitSetup();
  isl::Schedule emitPack();
  isl::Schedule emitSteps();
  isl::Schedule emitResults();

  void fillSetup(mlir::ImplicitLocOpBuilder &b);
  void fillPack(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange counters);
  void fillLoad(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange counters);
  void fillProduct(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange counters);
  mlir::LogicalResult fillResults(mlir::ImplicitLocOpBuilder &b,
                                  mlir::ValueRange counters);

  /// The counters of the loops over tiles, and of those over slices and steps
  /// in them.
  isl::Set getCounters(llvm::ArrayRef<int64_t> inner) const;
  int64_t getSliceCount() const { return slices.outerCount * slices.rowCount; }
  bool hasOnes() const { return onesRow >= 0; }

  TileProgram &program;
  const NestPlan &plan;
  const ColumnSums &sums;
  const LeafPlan *leaf = nullptr;
  ColumnSums::Slices slices;
  unsigned outer = 0;
  /// Blocks of rows of the result: squares first, then sums.
  int64_t resultRows = 0, squaresRow = -1, onesRow = -1;
  BufferOp l1, l0a, l0b, l0c, onesUb, onesL1, onesL0, diagonal, zeros, drained;
};

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_SUMNEST_H
