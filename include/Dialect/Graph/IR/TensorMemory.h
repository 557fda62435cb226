// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the elements of a tensor are in memory: according to its type, and to
// the values that share memory with it.

#ifndef GC_DIALECT_GRAPH_IR_TENSORMEMORY_H
#define GC_DIALECT_GRAPH_IR_TENSORMEMORY_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace gc::graph {

/// The size of a cache line in bytes.
constexpr int64_t kLineBytes = 64;

/// Number of elements in memory from the tensor's origin to the element with
/// index `distance` in dimension `dim` and 0 in the others.
int64_t getOffset(mlir::RankedTensorType type, int64_t dim, int64_t distance);

/// Whether `extent` elements of a dimension that start at a multiple of
/// `extent` are at equal distances in memory.
bool isUniform(mlir::RankedTensorType type, int64_t dim, int64_t extent);

/// Size of the runs of a dimension in which elements are adjacent in memory; 1
/// if they are not, the whole size for a contiguous dimension.
int64_t getContiguousRun(mlir::RankedTensorType type, int64_t dim);

/// Size of the innermost block of a dimension, or its size if it is not
/// blocked.
int64_t getInnermostBlock(mlir::RankedTensorType type, int64_t dim);

/// The number of a tensor's elements in a cache line.
int64_t getLineElements(mlir::RankedTensorType type);

/// Whether the elements of each row are adjacent, and each row starts at a
/// cache line if the first one does: such rows can be written line by line with
/// non-temporal stores.
bool hasRowsOfLines(mlir::RankedTensorType type);

/// Bytes of all elements, including the padding of blocked layouts. Each
/// element takes whole bytes, unless two share a byte (sharesBytes).
int64_t getMemoryBytes(mlir::RankedTensorType type);

/// The value that `value` shows through a chain of plain views (reshapes);
/// `value` itself if it is not a view.
mlir::Value skipViews(mlir::Value value);

/// Whether the function returns the value, or a plain view of it.
bool isReturned(mlir::Value value);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_TENSORMEMORY_H
