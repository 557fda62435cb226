// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which implementation a batch-reduce GEMM kernel gets, and how a generated one
// is tiled over registers: shared by the pass that lowers kernels and by cost
// models that need to know how a block shape will run.

#ifndef GC_DIALECT_TENSORIR_TRANSFORMS_MICROKERNELS_H
#define GC_DIALECT_TENSORIR_TRANSFORMS_MICROKERNELS_H

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "Machine/Machine.h"

namespace gc::tir {

/// The kernel C[m, n] = beta * C + sum over i of A_i[m, k] * B_i[k, n], all
/// row-major; leading dimensions and block strides in elements.
struct KernelShape {
  int64_t m = 1, n = 1, k = 1;
  int64_t lda = 1, ldb = 1, ldc = 1;
  int64_t strideA = 0, strideB = 0;
  int64_t beta = 0;

  static KernelShape get(BrgemmDispatchOp op);
  /// "f32_m32n64k64_lda64ldb64ldc64_sa2048sb4096_beta1": unique per kernel.
  std::string getName() const;
};

enum class KernelKind { Libxsmm, Vector };

struct KernelChoice {
  KernelKind kind = KernelKind::Libxsmm;
  /// Why vector code was chosen, and what would have led to libxsmm; empty for
  /// libxsmm.
  llvm::StringRef reason, suggestion;
};

/// Estimated fraction of the peak of one core for f32 operands in the cache, at
/// most 1: what the tiles of rows and columns cost for large k.
double getKernelEfficiency(const Machine &machine, const KernelShape &shape,
                           KernelKind kind);

/// The rule of `kernel=auto` for f32 kernels: libxsmm where it is fast, vectors
/// where the machine or the shape does not suit it.
KernelChoice chooseKernel(const Machine &machine, const KernelShape &shape);

/// `count` tiles of `size` rows, one after the other, from row `start`.
struct RowTiles {
  int64_t start, count, size;
};

/// `count` tiles of columns from column `start`, one every `step`, all with the
/// same body: vectors at the given columns of the tile. The last vector may
/// overlap the one before it, so that tails need no mask.
struct ColumnTiles {
  int64_t start, count, step;
  llvm::SmallVector<int64_t, 4> vectors;
  llvm::SmallVector<RowTiles, 2> rows;
};

/// Register tiles of a generated kernel.
struct VectorPlan {
  /// Lanes of the vectors, and how many of them exist in memory: fewer only
  /// when the whole kernel is narrower than one vector.
  int64_t lanes = 1, valid = 1;
  /// Vectors run along k, one accumulator per row (n = 1).
  bool dot = false;
  llvm::SmallVector<ColumnTiles, 3> columns;
  /// Estimated core cycles per step of k (of one block), counting only load and
  /// multiply-add ports.
  double cyclesPerK = 0;
};

/// Tiles for f32. Any shape with m, n, k of 1 or more.
VectorPlan planVectorKernel(const Machine &machine, const KernelShape &shape);

} // namespace gc::tir

#endif // GC_DIALECT_TENSORIR_TRANSFORMS_MICROKERNELS_H
