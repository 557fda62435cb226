// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bounds of the values that fusible ops compute within a box of indices, as
// code of a few scalar instructions: they show which blocks are masked out
// entirely.

#ifndef GC_DIALECT_GRAPH_IR_ELEMENTBOUNDS_H
#define GC_DIALECT_GRAPH_IR_ELEMENTBOUNDS_H

#include "Dialect/Graph/IR/GraphInterfaces.h"

namespace gc::graph {

/// The lowest and the highest number among some elements, as scalars of the
/// compute type; one value if all are known to be equal integers, null if
/// nothing is known.
struct ElementBounds {
  mlir::Value low, high;

  explicit operator bool() const { return static_cast<bool>(low); }
  bool isExact() const { return low && low == high; }
};

/// Builds the bounds of values of one block from the bounds of the values that
/// the block reads, from the ops' bodies and the way these depend on their
/// operands (ScalarBodyOpInterface). Elements that are NaN are not ordered: a
/// floating-point bound that is itself NaN becomes an infinity, and nothing is
/// known of comparisons of floating-point numbers and of integers that are
/// computed from them.
class BoundsBuilder {
public:
  /// `indices` are the bounds of the index in each dimension of the ops'
  /// iteration space, as i32; `getOuter` returns the bounds of a value that no
  /// op of the block computes.
  BoundsBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::Block *block, llvm::ArrayRef<ElementBounds> indices,
                llvm::function_ref<ElementBounds(mlir::Value)> getOuter)
      : builder(builder), loc(loc), block(block), indices(indices),
        getOuter(getOuter) {}

  /// The bounds of a value's elements; null if nothing is known of them.
  ElementBounds get(mlir::Value value);

private:
  ElementBounds compute(mlir::Operation *op);
  /// The least or the greatest result for operands within the given bounds.
  mlir::Value getExtreme(ScalarBodyOpInterface op,
                         llvm::ArrayRef<ElementBounds> operands, bool greatest);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Block *block;
  llvm::ArrayRef<ElementBounds> indices;
  llvm::function_ref<ElementBounds(mlir::Value)> getOuter;
  llvm::DenseMap<mlir::Value, ElementBounds> known;
};

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_ELEMENTBOUNDS_H
