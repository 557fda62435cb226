// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Along which dimension of an iteration space vectors lie.
// graph-select-schedule decides it by the layouts of what a region, or the
// passes at an anchor of a template, read and write.

#ifndef GC_DIALECT_GRAPH_TRANSFORMS_PASSDIMS_H
#define GC_DIALECT_GRAPH_TRANSFORMS_PASSDIMS_H

#include "Dialect/Graph/IR/GraphInterfaces.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace gc::graph {

/// Whether an index varies along a dimension of the space within a pass. The
/// number of a part does not: a pass is over one part.
bool varies(mlir::AffineExpr index, int64_t spaceDim);

/// A tensor as points of an iteration space see it.
struct TensorAccess {
  mlir::RankedTensorType type;
  /// From the space to the tensor's indices: dimensions, the constant 0, or the
  /// number of the part of a dimension; with gaps, sums. A slice has the last
  /// ones only.
  mlir::AffineMap map;
  std::optional<Gaps> gaps = std::nullopt;

  /// The tensor dimension that runs along a dimension of the space, element by
  /// element; negative for one that the slice does not have.
  std::optional<int64_t> getTensorDim(int64_t spaceDim) const;
  /// Whether points along a dimension of the space see different elements.
  bool varies(int64_t spaceDim) const;
  /// How many neighbours along a dimension of the space are adjacent in memory:
  /// 1 if they are not, 0 if the tensor does not vary along it.
  int64_t getContiguousRun(int64_t spaceDim) const;
  /// Whether windows slide along a contiguous dimension as points move along
  /// one of the space.
  bool slides(int64_t spaceDim) const;
};

/// One dimension of the box that a pass goes over.
struct PassExtent {
  int64_t size;
};

/// What a pass reads and writes.
struct PassAccesses {
  llvm::SmallVector<TensorAccess> written;
  /// What ops read, and what is only copied.
  llvm::SmallVector<TensorAccess> read, copied;
  /// Some op reduces, so that a pass goes over rows.
  bool reduces = false;
};

/// Dimensions of a space.
struct PassDims {
  /// The dimension that vectors lie along; -1 in a space without dimensions.
  int64_t vector = -1;
  /// The dimension along which something is contiguous that is not along the
  /// vector's, so that blocks are transposed in registers; -1 if nothing is.
  int64_t transposed = -1;
};

/// The dimension along which most of what is written, then most of what is
/// read, is contiguous; the last one if others are not better. Only what has
/// the most elements counts. `lanes`: elements of a vector; `forced`: the
/// dimension of vectors, if somebody else has chosen it.
PassDims choosePassDims(llvm::ArrayRef<PassExtent> box,
                        const PassAccesses &accesses, int64_t lanes,
                        std::optional<int64_t> forced = std::nullopt);

/// Whether something has to be gathered along the vectors and is contiguous
/// along the dimension that is transposed.
bool isTransposed(const TensorAccess &access, const PassDims &dims);

/// Whether a tensor is a constant of equal elements.
bool isSplat(mlir::Value value);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TRANSFORMS_PASSDIMS_H
