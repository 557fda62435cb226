// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ops of tosa by families. Each function returns nothing for ops of other
// families.

#ifndef GC_LIB_CONVERSION_TOSATOGRAPH_TOSAOPS_H
#define GC_LIB_CONVERSION_TOSATOGRAPH_TOSAOPS_H

#include "Conversion/ToGraph/GraphBuilder.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace gc {

using MaybeValue = std::optional<mlir::FailureOr<mlir::Value>>;

/// Elementwise ops, casts and reductions.
MaybeValue convertTosaElementwise(mlir::Operation *op, GraphBuilder &builder);

/// Ops that move elements.
MaybeValue convertTosaShape(mlir::Operation *op, GraphBuilder &builder);

/// Products, convolutions and pooling.
MaybeValue convertTosaWindows(mlir::Operation *op, GraphBuilder &builder);

/// The zero point that an operand gives, if it is known.
mlir::FailureOr<int64_t> getZeroPoint(mlir::Value value, GraphBuilder &builder);

} // namespace gc

#endif // GC_LIB_CONVERSION_TOSATOGRAPH_TOSAOPS_H
