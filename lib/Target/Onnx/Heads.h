// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The heads of attention, and angles that they are rotated by.

#ifndef GC_LIB_TARGET_ONNX_HEADS_H
#define GC_LIB_TARGET_ONNX_HEADS_H

#include "Compose.h"

namespace gc::onnxio {

/// [batch, rows, heads * size] as [batch, heads, rows, size], and the reverse.
mlir::Value splitHeads(NodeBuilder &node, mlir::Value x, int64_t heads);
mlir::Value joinHeads(NodeBuilder &node, mlir::Value x);

/// Pairs of the last dimension are rotated: those of its halves, or neighbours.
/// What is beyond the size of the angles stays.
mlir::Value rotate(NodeBuilder &node, mlir::Value x, mlir::Value cos,
                   mlir::Value sin, bool interleaved);
/// Angles [1, 1, rows, half] from a row of the cache on.
mlir::Value sliceAngles(NodeBuilder &node, unsigned cache, int64_t begin,
                        const SizeExpr &rows);

} // namespace gc::onnxio

#endif // GC_LIB_TARGET_ONNX_HEADS_H
