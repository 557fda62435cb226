// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Running the pipeline on a module, with diagnostics as errors and numbers
// about the outcome.

#ifndef GC_LIB_DRIVER_PIPELINERUN_H
#define GC_LIB_DRIVER_PIPELINERUN_H

#include "Driver/Diagnostics.h"
#include "Driver/Driver.h"
#include "Driver/Regions.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace gc {

/// The code generator for the machine, or for the processor that the options
/// name instead of the machine's.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const Machine &machine, const CompileOptions &options);

struct PipelineRun {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The machine that decisions were made for.
  Machine description;
  std::unique_ptr<llvm::TargetMachine> machine;
  CpuPhase stoppedAfter = CpuPhase::machine;
  std::vector<Remark> remarks;
  /// Filled in with CompileOptions::explain.
  CompiledFacts facts;
  /// Of the functions named `entry`, without their fold functions.
  int64_t fusedOps = 0;
  int64_t parallelRegions = 0;
  /// The same function's regions with their predicted times, and its own.
  std::vector<RegionInfo> regions;
  std::optional<double> predictedMs;
  /// Inputs and outputs of that function that may be the same memory.
  std::vector<std::pair<int64_t, int64_t>> inPlace;
};

/// A module of the function and of what it refers to: the other functions of
/// its module need not compile.
mlir::OwningOpRef<mlir::ModuleOp> cloneReachable(mlir::func::FuncOp entry);

/// Runs the pipeline on a copy of the module.
llvm::Expected<PipelineRun> runPipeline(mlir::ModuleOp module,
                                        llvm::StringRef entry,
                                        const CompileOptions &options);

} // namespace gc

#endif // GC_LIB_DRIVER_PIPELINERUN_H
