// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bodies of structured ops as bodies of statements.

#ifndef GC_LIB_CONVERSION_GRAPHTOPOLY_LINALGBODY_H
#define GC_LIB_CONVERSION_GRAPHTOPOLY_LINALGBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <string>

namespace gc {

/// The operation that combines terms with a result; null if there is none.
mlir::Operation *getCombiner(mlir::linalg::LinalgOp op, unsigned result);
/// The neutral element of a combiner.
double getNeutralNumber(mlir::Operation *combiner);
/// What is combined with a result; of ops without a combiner the result.
mlir::Value getTerm(mlir::linalg::LinalgOp op, unsigned result);

/// The operands that are the factors of each term, if these are products of f16
/// that are added up in f32; a null pair otherwise.
std::pair<mlir::OpOperand *, mlir::OpOperand *>
findFactors(mlir::linalg::LinalgOp op);

/// Why the vector unit does not compute a result as the body does, as a
/// sentence; or nothing.
std::optional<std::string> findBodyObstacle(mlir::linalg::LinalgOp op,
                                            unsigned result);

/// Builds a value of the body from elements of the operands. Numbers are f32;
/// what the body rounds to f16 is rounded.
mlir::Value buildScalar(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op,
                        mlir::Value value, mlir::ValueRange operands);

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOPOLY_LINALGBODY_H
