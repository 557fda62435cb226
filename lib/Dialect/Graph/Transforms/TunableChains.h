// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tunable ops that follow each other row by row: the second reads as its rows
// what the first has made of its own. Their outer loops can become one, if
// their templates are chosen together.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_TUNABLECHAINS_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_TUNABLECHAINS_H

#include "Dialect/Graph/Templates/ChainChoice.h"

namespace gc::graph {

/// A tunable op and what the fusible ops after it do with the rows of its
/// result.
struct ChainLink {
  TunableOpInterface op;
  /// They are reduced.
  bool needsWholeRows = false;
};

/// The tunable ops of a block in chains: every op is in one of them, in program
/// order, and each but the first reads the rows of its predecessor.
llvm::SmallVector<llvm::SmallVector<ChainLink>>
getTunableChains(mlir::Block &block);

/// What a caller of the choice fixes for a function, from the options of
/// graph-select-template. `forced` lives as long as the result.
TemplateOptions getTemplateOptions(mlir::func::FuncOp function, int64_t threads,
                                   KernelPreference kernels, bool fixedPoint,
                                   llvm::ArrayRef<std::string> forced);

/// The links as items of a ChainChooser, which lives no longer than `machine`
/// and `options`. Fails if an op has no template, and reports it.
mlir::FailureOr<llvm::SmallVector<ChainItem>>
getChainItems(llvm::ArrayRef<ChainLink> links, const Machine &machine,
              const TemplateOptions &options);

/// Chooses the templates of a chain: the cheapest way to cut it into groups of
/// neighbours that share the split of rows among the cores, or stand alone.
/// Existing templates stay. Fails if an op has no template, and reports it.
llvm::LogicalResult chooseTemplates(llvm::ArrayRef<ChainLink> chain,
                                    const Machine &machine,
                                    const TemplateOptions &options);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_TUNABLECHAINS_H
