// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Moving the elements of a tensor in decompositions, before they are converted
// to another type: what is computed of them then still sees the conversion.

#ifndef GC_LIB_DIALECT_GRAPH_IR_MOVEMENT_H
#define GC_LIB_DIALECT_GRAPH_IR_MOVEMENT_H

#include "Windows.h"

namespace gc::graph {

/// What `move` makes of the value; of one that is converted from another type,
/// the conversion of what it makes of the source. `moveDim` finds the new
/// position of a dimension that has scales, or nothing if it does not stay one;
/// without it none does.
mlir::Value
moveBefore(Decomposition &b, mlir::Value value,
           llvm::function_ref<mlir::Value(mlir::Value)> move,
           llvm::function_ref<std::optional<int64_t>(int64_t)> moveDim = {});

mlir::Value transposeBefore(Decomposition &b, mlir::Value value,
                            llvm::ArrayRef<int64_t> order);

mlir::Value reshapeBefore(Decomposition &b, mlir::Value value,
                          llvm::ArrayRef<int64_t> shape);

/// An image of a data format with channels last.
mlir::Value toChannelsLast(Decomposition &b, mlir::Value image,
                           llvm::StringRef format);
/// The result of an op from an image with channels last.
llvm::SmallVector<mlir::Value> finishImage(Decomposition &b, mlir::Value image,
                                           llvm::StringRef format,
                                           mlir::Type wanted);

/// Weights as [k..., i, o], whatever their format.
mlir::Value toKernelFirst(Decomposition &b, mlir::Value weights,
                          const ConvolutionSizes &sizes);

/// Windows of an image [n, x..., c] whose gaps are 0.
mlir::Value makeWindowsBefore(Decomposition &b, mlir::Value image,
                              llvm::ArrayRef<Sliding> dims);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_IR_MOVEMENT_H
