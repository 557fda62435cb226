// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Coordinates of a tensor dimension as sums of loop indices, so that block and
// position within a block are known from the loop structure and need no
// division at run time.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_COORDINATE_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_COORDINATE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace gc {

/// constant + sum of index * stride, with 0 <= index < extent.
class Coord {
public:
  Coord(int64_t constant = 0) : constant(constant) {}
  Coord(mlir::Value index, int64_t stride, int64_t extent) : constant(0) {
    if (extent > 1)
      terms.push_back({index, stride, extent});
  }

  /// The index of a loop over [0, size) in steps: at most size - step.
  static Coord ofLoop(mlir::Value index, int64_t size, int64_t step) {
    return Coord(index, 1, size - step + 1);
  }

  Coord operator+(const Coord &other) const;
  Coord operator*(int64_t factor) const;

  /// The smallest and the largest value it can have.
  int64_t getMin() const;
  int64_t getMax() const;

  /// How far it is from another one, if that does not vary.
  std::optional<int64_t> getDistance(const Coord &from) const;

  /// The largest number that divides every value it can have; 0 if it is 0.
  int64_t getAlignment() const;

  /// The value as an index: a constant, a loop index or an affine.apply.
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc) const;

  /// The smallest and the largest of several values: affine.min, affine.max.
  static mlir::Value materializeMin(mlir::OpBuilder &builder,
                                    mlir::Location loc,
                                    llvm::ArrayRef<Coord> coords);
  static mlir::Value materializeMax(mlir::OpBuilder &builder,
                                    mlir::Location loc,
                                    llvm::ArrayRef<Coord> coords);

  /// Quotient and remainder by a block size.
  std::pair<Coord, Coord> divmod(mlir::OpBuilder &builder, mlir::Location loc,
                                 int64_t block) const;

  /// Quotient and remainder, rounded down, by a number that divides every
  /// stride, so that the remainder is known; nothing for other numbers.
  std::optional<std::pair<Coord, int64_t>> divideExactly(int64_t divisor) const;

private:
  /// The sum as an expression over the indices of the terms, which are
  /// dimensions from the first one on.
  mlir::AffineExpr getExpr(mlir::MLIRContext *context,
                           unsigned firstDim = 0) const;
  /// An expression over the indices of the terms as an index.
  mlir::Value apply(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::AffineExpr expr) const;
  template <typename ExtremeOp>
  static mlir::Value materializeExtreme(mlir::OpBuilder &builder,
                                        mlir::Location loc,
                                        llvm::ArrayRef<Coord> coords);
  /// Quotient and remainder computed at run time.
  std::pair<Coord, Coord> divide(mlir::OpBuilder &builder, mlir::Location loc,
                                 int64_t divisor) const;

  struct Term {
    mlir::Value index;
    int64_t stride, extent;
  };
  llvm::SmallVector<Term, 3> terms;
  int64_t constant;
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_COORDINATE_H
