// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Templates of whole graphs that were found by measuring, as JSON. gc-tune
// writes such files, and graph-import-templates reads them.

#ifndef GC_DIALECT_GRAPH_TRANSFORMS_TEMPLATEDATABASE_H
#define GC_DIALECT_GRAPH_TRANSFORMS_TEMPLATEDATABASE_H

#include "Machine/KernelChoice.h"
#include "Machine/Machine.h"
#include "Support/TunedFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gc::graph {

/// The templates of a graph's tunable ops, with what they depend on.
struct TunedGraph {
  /// The function's name, and the fingerprint of its body as
  /// graph-select-template finds it, templates aside.
  std::string graph, problem;
  /// Threads, and the option `kernel` of graph-select-template.
  int64_t threads = 1;
  std::string kernel = "auto";
  /// Of the tunable ops in order; attributes as text.
  std::vector<std::string> templates;
  /// What an execution took with them; 0: that was not measured.
  int64_t nanoseconds = 0;

  /// Whether the other one is of the same graph in the same situation.
  bool isSameProblem(const TunedGraph &other) const;
};

/// A file of them.
struct TemplateDatabase : TunedFile {
  /// Changes with what templates mean.
  static constexpr int64_t kVersion = 1;

  TemplateDatabase() : TunedFile(kVersion) {}

  std::vector<TunedGraph> graphs;

  /// The entry of the same problem; null if there is none.
  const TunedGraph *find(const TunedGraph &problem) const;
  /// Adds an entry, or replaces that of its problem.
  void set(TunedGraph graph);

  std::string str() const;
  /// Reads a file's text; an error says which value is wrong, and how.
  static llvm::Expected<TemplateDatabase> parse(llvm::StringRef text);
};

/// A fingerprint of a machine's description, `zen4-2-0123456789abcdef`.
std::string getFingerprint(const Machine &machine);

/// The entry of a function right before or after graph-select-template, with
/// the templates that its ops have: as many as there are tunable ops, or none.
TunedGraph getTunedGraph(mlir::func::FuncOp function, const Machine &machine,
                         int64_t threads, KernelPreference kernel);

/// Gives the function's tunable ops the templates of the entry; those that ops
/// have already stay. An error at the function if one is not right.
llvm::LogicalResult setTemplates(mlir::func::FuncOp function,
                                 const TunedGraph &graph);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TRANSFORMS_TEMPLATEDATABASE_H
