// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What graph-select-template chooses for a function's tunable ops, and what
// else it could: the space in which gc-tune looks for faster templates.

#ifndef GC_DIALECT_GRAPH_TRANSFORMS_TEMPLATECHOICES_H
#define GC_DIALECT_GRAPH_TRANSFORMS_TEMPLATECHOICES_H

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gc::graph {

/// Templates for the ops of a chain together. Ops are numbers.
struct ChainAlternatives {
  llvm::SmallVector<unsigned> ops;
  /// One template per op, with its cycles outside of the chain; those that the
  /// cost model takes come first. In the others the rows are cut in another
  /// way, but in the same one for all ops, so that their loops can become one.
  llvm::SmallVector<llvm::SmallVector<TemplateCandidate>> choices;
};

struct TemplateChoices {
  /// The tunable ops in order.
  llvm::SmallVector<TunableOpInterface> ops;
  llvm::SmallVector<ChainAlternatives> chains;
  /// For each op what it could have alone: the cheapest for several ways of
  /// cutting its rows, cheapest first, with the cycles that the cost model
  /// expects.
  llvm::SmallVector<llvm::SmallVector<TemplateCandidate>> candidates;
};

/// Fails, and reports it, if an op has no template. An op that has one already
/// cannot have another. The function stays as it is.
mlir::FailureOr<TemplateChoices>
findTemplateChoices(mlir::func::FuncOp function, const Machine &machine,
                    const GraphSelectTemplateOptions &options);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TRANSFORMS_TEMPLATECHOICES_H
