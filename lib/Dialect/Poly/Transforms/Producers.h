// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statements that compute a factor of a contraction element by element: the
// intermediate space that the reverse strategy adds to the contraction's tiles.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_PRODUCERS_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_PRODUCERS_H

#include "Dialect/Poly/IR/Scop.h"
#include "NpuModel/Machine.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace gc::poly {

/// Parts of UB for what factors are computed from, of which a slice (or the
/// part of an image) is loaded as a whole, and for what operations leave to
/// each other, with the bytes for an element.
inline constexpr double kProducedShare = 5.0 / 8, kScratchShare = 1.0 / 4;
inline constexpr int64_t kScratchBytes = 12;

/// What producers of a factor read or write, by the indices of the factor: for
/// each dimension of the array the dimension of the factor that it is, plus
/// `shifts`, or -1 where it is the constant `shifts`.
struct ProducedArray {
  ArrayOp array;
  llvm::SmallVector<int> dims;
  llvm::SmallVector<int64_t> shifts;
  /// From global memory.
  bool isLoaded = false;
  /// The array in whose place it is computed, which is read for the last time.
  llvm::StringRef taken;

  /// Sizes of the elements that belong to a box of the factor.
  llvm::SmallVector<int64_t> getBox(llvm::ArrayRef<int64_t> factor) const;
  bool has(int dim) const { return llvm::is_contained(dims, dim); }
};

struct Producers {
  /// In order; the last one writes the factor.
  llvm::SmallVector<StatementOp> statements;
  llvm::MapVector<llvm::StringRef, ProducedArray> arrays;

  bool empty() const { return statements.empty(); }
  /// Packages that are loaded for a box of the factor.
  double getPackages(llvm::ArrayRef<int64_t> box) const;
  /// Cycles of the vector unit for as many elements of the factor, in pieces.
  double getVectorCycles(const npu::Machine &machine, double elements,
                         double pieces) const;
  /// Whether operations leave tiles to each other.
  bool hasScratch() const;
  /// Bytes of what as many elements are computed from and in.
  double getBytes(double elements) const;
  /// Whether all of that is loaded as a whole.
  bool fits(const npu::Machine &machine, double elements) const {
    return getBytes(elements) <= machine.ubBytes * kProducedShare;
  }
};

/// The statements before a contraction that compute `factor`; none if it comes
/// from global memory. Fails if one of them is not an elementwise function of
/// elements at the factor's indices, with an error unless `isQuiet`.
mlir::FailureOr<Producers> findProducers(const isl::Ctx &ctx, ScopOp scop,
                                         ArrayOp factor, bool isQuiet = false);

/// The arrays that the contraction multiplies, in the order of its reads.
llvm::SmallVector<ArrayOp> getFactors(StatementOp contraction);

/// The statements that compute factors of the only contraction of a scop. None
/// if there are several: then tiles of one are computed from another one's.
llvm::DenseSet<mlir::Operation *> getAllProducers(ScopOp scop);

/// Packages of a box of an array in global memory.
int64_t countPackages(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> box);

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_PRODUCERS_H
