// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that move elements, and those of linalg that are not structured.

#ifndef GC_LIB_CONVERSION_LINALGTOGRAPH_TENSOROPS_H
#define GC_LIB_CONVERSION_LINALGTOGRAPH_TENSOROPS_H

#include "Conversion/ToGraph/GraphBuilder.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gc {

/// What a tensor.pad of static sizes puts around its operand.
struct Padding {
  llvm::SmallVector<int64_t> low, high;
  llvm::APFloat number;
};

/// Nothing if sizes are not static, or the padding is not a constant.
std::optional<Padding> getPadding(mlir::tensor::PadOp op);

/// Ops of the dialect tensor.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
convertTensorOp(mlir::Operation *op, GraphBuilder &builder);

/// linalg.softmax, linalg.pack and linalg.unpack.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
convertUnstructuredOp(mlir::Operation *op, GraphBuilder &builder);

} // namespace gc

#endif // GC_LIB_CONVERSION_LINALGTOGRAPH_TENSOROPS_H
