// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops of other dialects that become statements of scops, next to graph ops.

#ifndef GC_CONVERSION_GRAPHTOPOLY_STATEMENTS_H
#define GC_CONVERSION_GRAPHTOPOLY_STATEMENTS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include <optional>
#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace gc {

enum class StatementKind {
  /// Computes elements of the results, each at one point.
  elementwise,
  /// Combines terms at several points.
  reduction,
  /// Adds up products of two numbers of f16, as the cube unit does. The last
  /// two dimensions of the result are a row and a column, and the last one of
  /// the space counts the terms.
  contraction
};

/// Lets structured ops of linalg become statements.
void registerLinalgStatements(mlir::DialectRegistry &registry);

/// Whether the NPU pipeline compiles ops like this one: those of the graph
/// dialect, and those that become statements.
bool isCompiledForNpu(mlir::Operation *op);

} // namespace gc

#include "Conversion/GraphToPoly/StatementInterface.h.inc"

#endif // GC_CONVERSION_GRAPHTOPOLY_STATEMENTS_H
