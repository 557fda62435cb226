// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Interfaces through which passes handle ops: tunable, fusible and complex ops,
// and templates as attributes.

#ifndef GC_DIALECT_GRAPH_IR_GRAPHINTERFACES_H
#define GC_DIALECT_GRAPH_IR_GRAPHINTERFACES_H

#include "Dialect/Graph/IR/GraphTypes.h"
#include "Dialect/Graph/Templates/TemplateRegistry.h"
#include "Machine/CostModel.h"
#include "Machine/KernelSpec.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>
#include <optional>
#include <string>

#include "Dialect/Graph/IR/GraphEnums.h.inc"

namespace gc::graph {

struct TemplateOptions;

/// A closed interval of numbers; by default all numbers.
struct Interval {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
};

/// How an op reads an operand if its map may give indices at which there is no
/// element.
struct Gaps {
  /// Per dimension of the operand: there is an element at multiples of this,
  /// from 0 on. 0 for dimensions without gaps, whose indices are in range.
  llvm::SmallVector<int64_t> spacing;
  /// What is read where there is no element, in the compute type; null if it is
  /// the nearest element before that index, or the first one.
  mlir::TypedAttr fill;
};

/// Windows of an image that are the rows of a matrix (see #graph.window), one
/// element of each list for each spatial dimension.
struct RowWindow {
  llvm::ArrayRef<int64_t> kernel, strides, dilations, padsBegin;
  int64_t groups;
  /// The dimensions that count the windows, if not those of the image.
  llvm::ArrayRef<int64_t> rows;
};

/// Whether ops of this kind compute each element of a result from the operands'
/// elements at the same place, or at a broadcast one.
inline bool isPointwise(FusibleKind kind) {
  return kind == FusibleKind::elementwise || kind == FusibleKind::broadcast ||
         kind == FusibleKind::cast;
}

/// One anchor of an instantiated template with the cost columns of the paper's
/// figure 3. Sizes count tensor elements on one core.
struct AnchorInfo {
  /// The name of the anchor, as in `#graph.anchor<kind, index>`.
  AnchorKind kind;
  unsigned index;
  /// Pre-op anchors: the operand whose slice is seen; post-op anchors: 0.
  unsigned operand;
  /// Position in program order among the anchors of its kind: an op may read
  /// what is committed at anchors of the same or a lower order.
  unsigned order;
  /// How many loops of one core are open around the anchor.
  unsigned depth;
  /// Extents of the slice, one per dimension of the operand or result.
  llvm::SmallVector<int64_t> slice;
  /// Elements of the slice.
  int64_t workingSet;
  /// How often a core passes the anchor.
  int64_t accessTimes;
  /// Total number of elements that a core touches at the anchor.
  int64_t totalAccess;
  /// Whether the template can commit an op there with its current parameters.
  bool isFeasible;
};

/// What the emission of a template supports.
struct TemplateAbilities {
  /// It can write the results of passes with non-temporal stores.
  bool streams = false;
  /// It can fetch the operands of the next batch item while it computes one.
  bool prefetches = false;
  /// It copies slices of all operands, whether or not there are pre-ops.
  bool copies = false;
};

/// What a quantization op multiplies and adds, either as numbers that are known
/// or as operands.
struct Quantization {
  /// From integers to floats, not the reverse.
  bool dequantizes;
  llvm::ArrayRef<float> scales;
  /// Empty if all are 0.
  llvm::ArrayRef<int64_t> zeroPoints;
  mlir::Value scaleOperand, zeroPointOperand;
  /// The size of a group with a scale of its own in each dimension; empty if
  /// there is one scale for all elements or each index of a dimension.
  llvm::ArrayRef<int64_t> groupShape;

  /// The zero point of all elements, if there is one and it is known.
  std::optional<int64_t> getZeroPoint() const;
};

/// The loops of an instantiated template outside of its kernels: parallel over
/// the leading dimensions of the result and over the parts of its rows and
/// columns; inside, one core runs over the blocks of rows of its part.
struct OuterLoops {
  llvm::SmallVector<int64_t> batch;
  int64_t rowParts, columnParts;
  /// Sizes of the result, and of the blocks that parts are made of.
  int64_t rows, rowBlock, columns, columnBlock;
  /// The loop over blocks of rows is the outermost one of a core.
  bool rowsOutermost;
  /// For each operand and each of its dimensions: the dimension of the result
  /// at whose index it is read, or -1 if all of it is read or only index 0.
  llvm::SmallVector<llvm::SmallVector<int64_t>> operandDims;

  /// Iterations of the parallel loops.
  int64_t getParallelism() const {
    int64_t count = rowParts * columnParts;
    for (int64_t size : batch)
      count *= size;
    return count;
  }
};

} // namespace gc::graph

#include "Dialect/Graph/IR/GraphAttrInterfaces.h.inc"
#include "Dialect/Graph/IR/GraphOpInterfaces.h.inc"

#endif // GC_DIALECT_GRAPH_IR_GRAPHINTERFACES_H
