// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Evaluates fusible ops on one vector of the iteration space: loads what is in
// memory, computes the rest, stores what is asked for.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_VECTORACCESS_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_VECTORACCESS_H

#include "RegionEmitter.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gc {

class VectorEvaluator {
public:
  VectorEvaluator(mlir::OpBuilder &builder, mlir::Location loc,
                  llvm::ArrayRef<mlir::Operation *> ops,
                  const BufferMap &buffers)
      : builder(builder), loc(loc), ops(ops.begin(), ops.end()),
        buffers(buffers) {}

  /// The longest run of the space's last dimension within which every tensor
  /// that is read or written stays in one block, for a box that starts at
  /// `start`; at most `columns`.
  int64_t getCommonRun(llvm::ArrayRef<Store> stores, int64_t lastDim,
                       const Coord &start, int64_t columns);

  /// Computes and stores `lanes` elements from the given coordinates on.
  llvm::LogicalResult emit(llvm::ArrayRef<Store> stores,
                           llvm::ArrayRef<Coord> coords,
                           llvm::ArrayRef<Coord> locals, int64_t lanes);

private:
  /// The value at the coordinates as a vector of f32 or integers, rounded to
  /// its tensor's type; null after an error.
  mlir::Value get(mlir::Value value);
  mlir::Value load(mlir::Value value, mlir::AffineMap map);
  void store(mlir::Value vector, const Buffer &buffer);
  bool isComputed(mlir::Value value) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::SmallPtrSet<mlir::Operation *, 16> ops;
  const BufferMap &buffers;

  // State of one emit().
  llvm::ArrayRef<Coord> coords, locals;
  int64_t lanes = 0;
  llvm::DenseMap<mlir::Value, mlir::Value> computed;
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_VECTORACCESS_H
