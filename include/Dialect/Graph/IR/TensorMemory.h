// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the elements of a tensor are in memory: by its type, and by what shares
// memory with it.

#ifndef GC_DIALECT_GRAPH_IR_TENSORMEMORY_H
#define GC_DIALECT_GRAPH_IR_TENSORMEMORY_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace gc::graph {

/// Bytes of a cache line.
constexpr int64_t kLineBytes = 64;

/// Elements between the tensor's origin and the element `distance` further in
/// dimension `dim`.
int64_t getOffset(mlir::RankedTensorType type, int64_t dim, int64_t distance);

/// Whether `extent` elements of a dimension that start at a multiple of
/// `extent` are equally far from each other in memory.
bool isUniform(mlir::RankedTensorType type, int64_t dim, int64_t extent);

/// Size of the runs of a dimension in which elements are adjacent in memory; 1
/// if they are not, the whole size for a contiguous dimension.
int64_t getContiguousRun(mlir::RankedTensorType type, int64_t dim);

/// Size of the innermost block of a dimension, or its size if it is not
/// blocked.
int64_t getInnermostBlock(mlir::RankedTensorType type, int64_t dim);

/// Elements of a tensor in a cache line.
int64_t getLineElements(mlir::RankedTensorType type);

/// Whether each row starts at a cache line if the first one does, and
/// its elements are adjacent: what is written with non-temporal stores line by
/// line.
bool hasRowsOfLines(mlir::RankedTensorType type);

/// Bytes of all elements, the padding of blocked layouts included; each element
/// takes whole bytes.
int64_t getMemoryBytes(mlir::RankedTensorType type);

/// The value that a chain of plain views (reshapes) of it shows; `value` itself
/// if it is not one.
mlir::Value skipViews(mlir::Value value);

/// Whether the function returns the value, or a plain view of it.
bool isReturned(mlir::Value value);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_TENSORMEMORY_H
