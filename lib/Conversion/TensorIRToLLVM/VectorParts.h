// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Instructions on vectors that are longer than a register.

#ifndef GC_LIB_CONVERSION_TENSORIRTOLLVM_VECTORPARTS_H
#define GC_LIB_CONVERSION_TENSORIRTOLLVM_VECTORPARTS_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Sequence.h"

namespace gc::tir {

/// What `apply` makes of each part of `lanes` elements, as one vector. The
/// vectors in `values` have the same number of elements, a power of two of
/// parts.
inline mlir::Value
mapParts(mlir::OpBuilder &builder, mlir::Location loc,
         llvm::ArrayRef<mlir::Value> values, int64_t lanes,
         llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)> apply) {
  auto type = mlir::cast<mlir::VectorType>(values.front().getType());
  int64_t count = type.getNumElements();
  if (count == lanes)
    return apply(values);
  auto shuffle = [&](mlir::Value a, mlir::Value b, int64_t first,
                     int64_t size) -> mlir::Value {
    auto mask = llvm::to_vector(llvm::seq<int64_t>(first, first + size));
    return mlir::vector::ShuffleOp::create(builder, loc, a, b, mask);
  };
  int64_t half = count / 2;
  llvm::SmallVector<mlir::Value> low, high;
  for (mlir::Value value : values) {
    low.push_back(shuffle(value, value, 0, half));
    high.push_back(shuffle(value, value, half, half));
  }
  mlir::Value first = mapParts(builder, loc, low, lanes, apply);
  mlir::Value second = mapParts(builder, loc, high, lanes, apply);
  return shuffle(first, second, 0, count);
}

/// Whether a vector consists of parts of `lanes` elements as `mapParts` wants
/// them.
inline bool hasParts(mlir::Type type, int64_t lanes) {
  auto vector = mlir::dyn_cast<mlir::VectorType>(type);
  return vector && vector.getRank() == 1 &&
         vector.getNumElements() % lanes == 0 &&
         llvm::isPowerOf2_64(vector.getNumElements() / lanes);
}

} // namespace gc::tir

#endif // GC_LIB_CONVERSION_TENSORIRTOLLVM_VECTORPARTS_H
