// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The operators that are imported, and the functions that do it.

#ifndef GC_LIB_TARGET_ONNX_OPS_H
#define GC_LIB_TARGET_ONNX_OPS_H

#include "NodeBuilder.h"

namespace gc::onnxio {

using OpImporter = mlir::LogicalResult (*)(NodeBuilder &);

/// The function of an operator of the standard domain; null if there is none.
OpImporter findOp(llvm::StringRef name);

using OpTable = llvm::StringMap<OpImporter>;
void addElementwiseOps(OpTable &ops);
void addMatrixOps(OpTable &ops);
void addRowOps(OpTable &ops);
void addShapeOps(OpTable &ops);
void addWindowOps(OpTable &ops);

} // namespace gc::onnxio

#endif // GC_LIB_TARGET_ONNX_OPS_H
