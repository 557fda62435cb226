// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In which order a pass over a region's ops can compute them if it reduces: the
// schedule and the lowering both go by it.

#ifndef GC_DIALECT_GRAPH_TRANSFORMS_PASSSTAGES_H
#define GC_DIALECT_GRAPH_TRANSFORMS_PASSSTAGES_H

#include "Dialect/Graph/Transforms/RegionSpace.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gc::graph {

/// A pass goes over the inner dimensions of a row once per stage: between two
/// stages, reductions are complete. Values that do not vary along an inner
/// dimension are row values.
class PassStages {
public:
  /// Stages count reductions of the given ops only: those of earlier passes are
  /// complete.
  PassStages(const RegionSpace &space, llvm::ArrayRef<mlir::Operation *> ops);

  const RegionSpace &getSpace() const { return space; }
  unsigned getNumStages() const { return numStages; }

  bool isInner(int64_t dim) const { return inner[dim]; }
  bool isComputed(mlir::Value value) const;
  /// Whether the op combines elements of a row.
  bool isReducing(mlir::Operation *op) const;
  /// Whether something does not vary within a row.
  bool isOfRow(mlir::AffineMap map) const;
  bool isOfRow(mlir::Value value) const;

  /// The stage in which the op runs.
  unsigned getStage(mlir::Operation *op) const { return stageOf.lookup(op); }
  /// The stage in which a value is complete and varies, or in which a row value
  /// is available.
  unsigned getStage(mlir::Value value) const;

  /// Instructions per vector to compute a value, roughly, from what is in
  /// memory and the values for which `isKept` holds.
  int64_t getCost(mlir::Value value,
                  llvm::function_ref<bool(mlir::Value)> isKept) const;
  /// The same without the ops in `seen`, to which it adds.
  int64_t getCost(mlir::Value value,
                  llvm::function_ref<bool(mlir::Value)> isKept,
                  llvm::SmallPtrSetImpl<mlir::Operation *> &seen) const;

protected:
  const RegionSpace &space;
  /// For each dimension of the space; at first, those that ops reduce.
  llvm::SmallVector<bool> inner;

private:
  llvm::SmallPtrSet<mlir::Operation *, 16> opSet;
  llvm::DenseMap<mlir::Operation *, unsigned> stageOf;
  unsigned numStages = 1;
};

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TRANSFORMS_PASSSTAGES_H
