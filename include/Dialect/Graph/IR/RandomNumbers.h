// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The numbers that random masks compare, as graph.random_mask defines them.

#ifndef GC_DIALECT_GRAPH_IR_RANDOMNUMBERS_H
#define GC_DIALECT_GRAPH_IR_RANDOMNUMBERS_H

#include "mlir/IR/Builders.h"

#include <array>

namespace gc::graph {

/// The numbers of four neighbouring indices, the first of which is `index` with
/// its last two bits cleared: one block of Philox4x32-10. `index` is an i32 or
/// a vector of them, and so are the numbers; `seed` and `offset` are i64 of the
/// same shape.
std::array<mlir::Value, 4>
buildRandomNumbers(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value index, mlir::Value seed, mlir::Value offset);

/// The largest number that drops an element, as i32: `probability`, an f32 or a
/// vector of them, of 2^32 - 1.
mlir::Value buildDropLimit(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value probability);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_RANDOMNUMBERS_H
