// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the vector unit computes, for those who have to know it before there are
// tiles: bodies of statements, operations of arith and math on scalars.

#ifndef GC_DIALECT_POLY_TRANSFORMS_VECTORUNIT_H
#define GC_DIALECT_POLY_TRANSFORMS_VECTORUNIT_H

#include "Dialect/Npu/IR/NpuOps.h"

#include <optional>
#include <string>

namespace gc::poly {

/// Replaces functions that the vector unit does not have (tanh, erf, powers …)
/// by those that it has, in f32.
void expandFunctions(mlir::Block &body);

/// Why the vector unit does not compute an operation of a body whose functions
/// are expanded, as the rest of a sentence about the body; or nothing.
std::optional<std::string> findVectorObstacle(mlir::Operation *op);
/// The same for what a body needs; expands its functions.
std::optional<std::string> findVectorObstacle(mlir::Block &body);

/// The reduction that combines two elements by `op`, which may be null: an
/// addition, or the larger or smaller one of them. Nothing for others.
std::optional<npu::ReduceKind> getReduceKind(mlir::Operation *op);

/// What `value` is the conversion of that the drain of the cube unit does with
/// the sums of a product: f32 to f16, i32 to i8 with saturation. Null for
/// others.
mlir::Value getDrained(mlir::Value value);

} // namespace gc::poly

#endif // GC_DIALECT_POLY_TRANSFORMS_VECTORUNIT_H
