// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_TENSORIR_IR_TRANSPOSEINREGISTERS_H
#define GC_DIALECT_TENSORIR_IR_TRANSPOSEINREGISTERS_H

#include "mlir/IR/Builders.h"

namespace gc {

/// Transposes a square of vectors, as many as each has lanes (4, 8 or 16), by
/// shuffles that are one instruction each.
void transposeInRegisters(mlir::OpBuilder &builder, mlir::Location loc,
                          llvm::SmallVectorImpl<mlir::Value> &rows);

} // namespace gc

#endif // GC_DIALECT_TENSORIR_IR_TRANSPOSEINREGISTERS_H
