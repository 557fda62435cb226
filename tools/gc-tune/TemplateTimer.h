// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times of a graph with given templates on this machine.

#ifndef GC_TOOLS_GC_TUNE_TEMPLATETIMER_H
#define GC_TOOLS_GC_TUNE_TEMPLATETIMER_H

#include "Dialect/Graph/Transforms/TemplateDatabase.h"
#include "Driver/Driver.h"
#include "Reference/Tensor.h"

#include <memory>

namespace gc::tune {

/// How the times of two programs are related that were measured in turn.
struct Comparison {
  /// Of their fastest runs, and the median of those of each turn. Above 1 the
  /// first program is slower.
  double best = 1, median = 1;
  /// Seconds of the fastest run of the first program.
  double seconds = 0;

  double getWorse() const { return std::max(best, median); }
};

/// How much work a comparison may be.
struct Effort {
  int64_t turns = 2;
  /// Of each program in each turn, at least.
  double seconds = 0.004;
};

class TemplateTimer {
public:
  /// With random arguments. The options name threads; `problem` is the graph's,
  /// for `machine`, a fingerprint.
  static llvm::Expected<TemplateTimer> create(mlir::func::FuncOp entry,
                                              const CompileOptions &options,
                                              graph::TunedGraph problem,
                                              llvm::StringRef machine);

  /// The graph with these templates, ready to run. They take the way through a
  /// file that those of a database take.
  llvm::Expected<std::unique_ptr<CompiledGraph>>
  compile(std::vector<std::string> templates);

  /// Runs both programs in turn. If a run of the first one takes more than
  /// `limit` seconds, that is all that is found.
  llvm::Expected<Comparison> compare(CompiledGraph &first,
                                     CompiledGraph &second, Effort effort,
                                     double limit);

private:
  TemplateTimer() = default;
  /// Seconds of one run.
  llvm::Expected<double> run(CompiledGraph &graph);
  /// Seconds of the fastest run of a turn, which begins with one that does not
  /// count.
  llvm::Expected<double> runTurn(CompiledGraph &graph, double seconds);

  mlir::func::FuncOp entry;
  CompileOptions options;
  graph::TunedGraph problem;
  std::string machine;
  std::vector<reference::Tensor> inputs, outputs;
  std::vector<void *> inputPointers, outputPointers;
};

} // namespace gc::tune

#endif // GC_TOOLS_GC_TUNE_TEMPLATETIMER_H
