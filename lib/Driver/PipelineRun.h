// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Running the pipeline on a module, with diagnostics as errors and numbers about
// what came of it.

#ifndef GC_LIB_DRIVER_PIPELINERUN_H
#define GC_LIB_DRIVER_PIPELINERUN_H

#include "Driver/Driver.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace gc {

/// Collects the diagnostics of a context while it lives: errors with their notes
/// apart from remarks and warnings.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  /// The errors so far, or `fallback` when there was none.
  llvm::Error takeError(const llvm::Twine &fallback);
  std::vector<std::string> takeRemarks() { return std::move(remarks); }

private:
  std::string errors;
  std::vector<std::string> remarks;
  mlir::ScopedDiagnosticHandler handler;
};

/// The pipeline options that the compile options stand for.
llvm::Expected<std::unique_ptr<CpuPipelineOptions>>
getPipelineOptions(const CompileOptions &options);

struct PipelineRun {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<llvm::TargetMachine> machine;
  CpuPhase stoppedAfter = CpuPhase::machine;
  std::vector<std::string> remarks;
  /// Of the functions named `entry`, without their fold functions.
  int64_t fusedOps = 0;
  int64_t parallelRegions = 0;
};

/// Runs the pipeline on a copy of the module.
llvm::Expected<PipelineRun> runPipeline(mlir::ModuleOp module,
                                        llvm::StringRef entry,
                                        const CompileOptions &options);

} // namespace gc

#endif // GC_LIB_DRIVER_PIPELINERUN_H
