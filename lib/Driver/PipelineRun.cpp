// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PipelineRun.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "Driver/Codegen.h"
#include "Transforms/PhaseVerifiers.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace gc;

llvm::Expected<std::unique_ptr<CpuPipelineOptions>>
gc::getPipelineOptions(const CompileOptions &options) {
  auto result = std::make_unique<CpuPipelineOptions>();
  std::string message;
  llvm::raw_string_ostream os(message);
  if (failed(result->parseFromString(options.pipeline, os)))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "bad pipeline options: " +
                                       llvm::StringRef(message).trim());
  if (options.threads != 0)
    result->threads = options.threads;
  if (options.trace)
    result->trace = true;
  return result;
}

namespace {

/// Counts ops where phases end.
class PhaseCounter : public PassInstrumentation {
public:
  PhaseCounter(StringRef entry, PipelineRun &run) : entry(entry), run(run) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    if (!module || pass->getArgument() != "gc-verify-phase")
      return;
    auto function = module.lookupSymbol<func::FuncOp>(entry);
    if (!function)
      return;
    int64_t fused = 0, parallel = 0;
    function.walk([&](Operation *inner) {
      fused += isa<graph::FusedOp>(inner);
      parallel += isa<tir::ParallelOp>(inner);
    });
    run.fusedOps = std::max(run.fusedOps, fused);
    run.parallelRegions = std::max(run.parallelRegions, parallel);
  }

private:
  std::string entry;
  PipelineRun &run;
};

} // namespace

llvm::Expected<PipelineRun> gc::runPipeline(ModuleOp module, StringRef entry,
                                            const CompileOptions &options) {
  auto pipeline = getPipelineOptions(options);
  if (!pipeline)
    return pipeline.takeError();
  auto machine = createTargetMachine(options.cpu, options.features);
  if (!machine)
    return machine.takeError();
  if ((*pipeline)->features.empty())
    (*pipeline)->features = getRequiredFeatures(**machine);

  DiagnosticCollector diagnostics(module.getContext());
  PipelineRun run;
  run.module = module.clone();
  run.machine = std::move(*machine);
  run.stoppedAfter = (*pipeline)->stopAfter;
  if (failed(verifyTensorSizes(*run.module)))
    return diagnostics.takeError("a tensor is too large");
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  // The phases end with verifiers of their own.
  manager.enableVerifier(false);
  manager.addInstrumentation(std::make_unique<PhaseCounter>(entry, run));
  buildCpuPipeline(manager, **pipeline);
  if (failed(manager.run(*run.module)))
    return diagnostics.takeError("the pipeline failed without a reason");
  run.remarks = diagnostics.takeRemarks();
  return run;
}

llvm::Expected<std::string> gc::printPipeline(const CompileOptions &options) {
  auto pipeline = getPipelineOptions(options);
  if (!pipeline)
    return pipeline.takeError();
  OpPassManager manager(ModuleOp::getOperationName());
  buildCpuPipeline(manager, **pipeline);
  std::string text;
  llvm::raw_string_ostream os(text);
  manager.printAsTextualPipeline(os, /*pretty=*/true);
  return os.str();
}
