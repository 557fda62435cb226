// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One tile of a matrix product in double: packing of the operands, of whatever
// element type and strides, and the loops around the kernel.

#ifndef GC_LIB_REFERENCE_MATMULTILE_H
#define GC_LIB_REFERENCE_MATMULTILE_H

#include "Reference/Tensor.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace gc::reference {

/// A matrix in memory. "Rows" are what the product keeps (m of A, n of B),
/// "depth" is what it sums over.
struct MatrixView {
  ElementType type = ElementType::F32;
  const void *data = nullptr;
  int64_t offset = 0;
  int64_t rowStride = 0, depthStride = 0;
  /// Is subtracted from every element.
  double zeroPoint = 0;

  explicit operator bool() const { return data != nullptr; }
};

/// What enters the product for an element a with error e: a itself, or, for
/// sums of squares, valueFactor a^2 + errorFactor e^2.
struct MatrixOperand {
  MatrixView value, error;
  bool square = false;
  double valueFactor = 1, errorFactor = 0;
};

/// One product of two operands.
struct MatrixProduct {
  MatrixOperand a, b;
};

/// Scratch memory of one thread for products of tiles.
class TileWorkspace {
public:
  static constexpr int64_t kRows = 96, kColumns = 128, kDepth = 256;

  TileWorkspace();
  /// Whether there was enough memory.
  explicit operator bool() const { return memory != nullptr; }

  /// Row i of sum `index` (0: values, 1: errors, 2: what equal terms add to the
  /// errors) starts at i * kColumns.
  double *getSum(unsigned index) { return sums + index * kRows * kColumns; }

  /// sum[i][j] = sum over products and k of a[row + i][k] b[column + j][k].
  /// `repeats`, if given, gets what equal terms of this sum add to its error,
  /// in unit roundoffs (see EqualTerms.h).
  void compute(llvm::ArrayRef<MatrixProduct> products, int64_t row,
               int64_t rows, int64_t column, int64_t columns, int64_t depth,
               double *sum, double *repeats = nullptr);

private:
  std::unique_ptr<double[]> memory;
  double *packedA = nullptr, *packedB = nullptr, *sums = nullptr;
};

/// Calls compute(index, workspace) for 0 <= index < count, from several threads
/// with a workspace each. Returns whether there was enough memory for them; if
/// not, nothing is complete.
bool runTiles(int64_t count,
              llvm::function_ref<void(int64_t, TileWorkspace &)> compute);

} // namespace gc::reference

#endif // GC_LIB_REFERENCE_MATMULTILE_H
