// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of f32 rows with integers of 4 bits by dot products of bytes.
// The numbers of a row of a block become integers of 23 bits, in units of a
// power of two that suits the largest of them, and these three digits of 8 bits
// with signs. A dot product multiplies four neighbours along k of a digit; sums
// of integers are exact. Compared with multiply-adds in f32 there are half as
// many instructions for an element of B, whose numbers need not be converted.
//
// What is lost is the rounding of A: half a unit, or 2^-22 of the row's largest
// number at most. A block with an infinity, NaN, or numbers near the ends of
// the range of f32 has to be computed in another way.

#ifndef GC_LIB_DIALECT_TENSORIR_TRANSFORMS_FIXEDPOINTROWS_H
#define GC_LIB_DIALECT_TENSORIR_TRANSFORMS_FIXEDPOINTROWS_H

#include "TileBuilder.h"

namespace gc::tir {

class FixedPointRows {
public:
  /// The rows and vectors of a tile, whose digits are in `scratch`.
  FixedPointRows(TileBuilder &t, const Machine &machine, const KernelSpec &spec,
                 int64_t rows, llvm::ArrayRef<int64_t> vectors,
                 mlir::Value scratch);

  /// Blocks that are converted one after the other before they are multiplied,
  /// so that B is then read without a break.
  static int64_t getNumBlocks(const KernelSpec &spec, int64_t rows);
  /// Bytes of the digits of this many rows of those blocks, aligned to
  /// kAlignment.
  static int64_t getScratchBytes(const KernelSpec &spec, int64_t rows);
  static constexpr int64_t kAlignment = 64;

  /// Writes the digits of the rows of a block, the i-th of those that are
  /// converted together.
  void convert(mlir::Value i, mlir::Value a);
  /// Whether all numbers of the block were in range.
  mlir::Value isInRange(mlir::Value i);

  /// The products' sums of block i, for each row of the tile one for each
  /// vector, as f32. Zero points of the vectors of B are those of the spec
  /// unless there are others.
  llvm::SmallVector<mlir::Value>
  multiply(mlir::Value i, mlir::Value b,
           llvm::ArrayRef<mlir::Value> zeroPoints);

private:
  void convertRow(mlir::Value a, mlir::Value digits);
  /// The largest magnitude of a row, as the bits of an f32.
  mlir::Value getLargest(mlir::Value a);
  /// What a broadcast finds in memory: for each group of B, digit by digit, the
  /// elements of each of its parts. Those of 4 bits have two parts, the even
  /// and the odd ones.
  mlir::Value arrange(mlir::Value numbers);
  /// The sums of each digit's elements, from dot products of arranged digits
  /// with ones.
  llvm::SmallVector<mlir::Value> splitSums(mlir::Value sums);

  /// Elements of A that become a vector of digits.
  mlir::Value loadNumbers(mlir::Value address, mlir::VectorType type);
  mlir::Value splat(int64_t value);
  mlir::Value scalar(int64_t value);
  mlir::Value address(mlir::Value base, int64_t bytes);
  mlir::Value address(mlir::Value base, mlir::Value count, int64_t bytes);

  /// Where the digits of block i are.
  mlir::Value getDigits(mlir::Value i);

  static int64_t getRowBytes(const KernelSpec &spec);
  int64_t getRowBytes() const { return getRowBytes(spec); }
  /// After a row's digits: its unit, the sums of each digit's elements, and
  /// whether they are in range.
  int64_t getFactsOffset() const { return 4 * spec.k; }

  TileBuilder &t;
  mlir::ImplicitLocOpBuilder &b;
  const KernelSpec &spec;
  /// Of the dot products: bytes of B are unsigned, digits signed.
  KernelSpec bytes;
  MultiplyAdd multiplyAdd;
  int64_t rows, width, lanes;
  llvm::ArrayRef<int64_t> vectors;
  mlir::Value scratch;
};

} // namespace gc::tir

#endif // GC_LIB_DIALECT_TENSORIR_TRANSFORMS_FIXEDPOINTROWS_H
