// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The numbers that random masks compare, as defined by graph.random_mask.

#ifndef GC_DIALECT_GRAPH_IR_RANDOMNUMBERS_H
#define GC_DIALECT_GRAPH_IR_RANDOMNUMBERS_H

#include "mlir/IR/Builders.h"

#include <array>

namespace gc::graph {

/// The numbers of four neighbouring indices, the first of which is `index` with
/// its two lowest bits cleared: one block of Philox4x32-10. `index` and the
/// numbers are i32 or vectors of i32; `seed` and `offset` are i64 of the same
/// shape.
std::array<mlir::Value, 4>
buildRandomNumbers(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value index, mlir::Value seed, mlir::Value offset);

/// The largest number that drops an element, as i32: the fraction `probability`
/// of 2^32 - 1, rounded down. `probability` is an f32 or a vector of f32.
mlir::Value buildDropLimit(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value probability);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_RANDOMNUMBERS_H
