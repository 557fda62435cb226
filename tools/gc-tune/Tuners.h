// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What gc-tune does for each target.

#ifndef GC_TOOLS_GC_TUNE_TUNERS_H
#define GC_TOOLS_GC_TUNE_TUNERS_H

#include "Transforms/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gc::tune {

struct TuneOptions {
  /// The graphs' file, for messages.
  std::string file;
  /// What is found is added to this file.
  std::string database;
  int64_t rounds = 8, samples = 16, seed = 1;
  /// A line of JSON for each graph or kernel.
  bool json = false;

  // Of the NPU: visit all plans, unless there are more than this many legal
  // ones.
  bool exhaustive = false;
  int64_t maxPlans = 5000;

  // Of the CPU.
  CpuPipelineOptions pipeline;
};

/// Plans of the kernels of the module's graphs, by cycles of the simulator.
llvm::Error tuneForNpu(mlir::ModuleOp module, const TuneOptions &options);

/// Templates of the module's public graph functions, by the time that they take
/// on this machine.
llvm::Error tuneForCpu(mlir::ModuleOp module, const TuneOptions &options);

} // namespace gc::tune

#endif // GC_TOOLS_GC_TUNE_TUNERS_H
