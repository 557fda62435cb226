// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Selections by any comparison of floating-point numbers, built from the one
// that the Graph dialect has.

#ifndef GC_CONVERSION_TOGRAPH_COMPARISONS_H
#define GC_CONVERSION_TOGRAPH_COMPARISONS_H

#include "Conversion/ToGraph/GraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace gc {

/// Elements of `whenTrue` where the predicate holds for `lhs` and `rhs`, with
/// its meaning for NaN, and of `whenFalse` elsewhere.
mlir::FailureOr<mlir::Value> buildSelect(GraphBuilder &builder,
                                         mlir::arith::CmpFPredicate predicate,
                                         mlir::Value lhs, mlir::Value rhs,
                                         mlir::Value whenTrue,
                                         mlir::Value whenFalse);

} // namespace gc

#endif // GC_CONVERSION_TOGRAPH_COMPARISONS_H
