// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops of ops, of the graph dialect and of others that become statements.

#ifndef GC_LIB_CONVERSION_GRAPHTOPOLY_OPLOOPS_H
#define GC_LIB_CONVERSION_GRAPHTOPOLY_OPLOOPS_H

#include "Conversion/GraphToPoly/Statements.h"
#include "Dialect/Graph/IR/GraphOps.h"

namespace gc {

/// Whether the op is a product for the cube unit.
bool isContraction(mlir::Operation *op);
bool isReduction(mlir::Operation *op);
/// Whether the op computes each element by itself.
bool isElementwise(mlir::Operation *op);

/// The loops of an elementwise op or a reduction.
class OpLoops {
public:
  /// Nothing for other ops.
  static std::optional<OpLoops> get(mlir::Operation *op);

  llvm::SmallVector<int64_t> getSpace();
  /// From the space to indices of an operand; null if it is not read.
  mlir::AffineMap getOperandMap(unsigned operand);
  mlir::AffineMap getResultMap(unsigned result);

private:
  explicit OpLoops(mlir::Operation *op);

  graph::FusibleOpInterface fusible;
  StatementOpInterface statement;
};

/// Whether the op reads the elements of an operand, and not only its type.
bool readsElements(mlir::Operation *op, unsigned operand);

/// Whether the op has no statements: it is a constant, or a tensor without
/// values or with a single one. Whoever reads the result has the number itself.
bool isNumber(mlir::Operation *op);

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOPOLY_OPLOOPS_H
