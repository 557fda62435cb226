// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bounds of what fusible ops compute within a box of indices, as code of a few
// scalar instructions: which blocks a mask leaves nothing of.

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

/// Builds the bounds of values of one block from the bounds of what the block
/// reads, by the ops' bodies and how these depend on their operands
/// (ScalarBodyOpInterface). Elements that are NaN have no place in the order: a
/// floating-point bound that is itself NaN becomes an infinity, and nothing is
/// known of what is compared with floating-point numbers or rounded to
/// integers.
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
