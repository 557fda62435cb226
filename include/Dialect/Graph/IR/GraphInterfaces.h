// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Interfaces by which ops join the passes: tunable, fusible, complex ops, and
// templates as attributes.

#ifndef GC_DIALECT_GRAPH_IR_GRAPHINTERFACES_H
#define GC_DIALECT_GRAPH_IR_GRAPHINTERFACES_H

#include "Dialect/Graph/IR/GraphTypes.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/PatternMatch.h"

#include "Dialect/Graph/IR/GraphEnums.h.inc"

namespace gc::graph {

struct Machine;
struct TemplateOptions;

/// One anchor of an instantiated template with the cost columns of the paper's
/// figure 3. Sizes count tensor elements on one core.
struct AnchorInfo {
  AnchorKind kind;
  unsigned index;
  /// Pre-op anchors: the operand whose slice is seen; post-op anchors: 0.
  unsigned operand;
  /// Extents of the slice in the tensor's logical dimensions.
  llvm::SmallVector<int64_t> slice;
  /// Elements of the slice.
  int64_t workingSet;
  /// How often a core passes the anchor.
  int64_t accessTimes;
  /// Elements that a core touches at the anchor altogether.
  int64_t totalAccess;
  /// Whether the template can commit an op there with its present parameters.
  bool isFeasible;
};

} // namespace gc::graph

#include "Dialect/Graph/IR/GraphAttrInterfaces.h.inc"
#include "Dialect/Graph/IR/GraphOpInterfaces.h.inc"

#endif // GC_DIALECT_GRAPH_IR_GRAPHINTERFACES_H
