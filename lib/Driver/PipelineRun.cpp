// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PipelineRun.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/TensorIR/IR/InPlaceAttr.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "Driver/Codegen.h"
#include "ExplainFacts.h"
#include "Machine/MachineFile.h"
#include "Support/ModuleMachine.h"
#include "Transforms/PhaseVerifiers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace gc;

namespace {

/// Counts ops where phases end.
class PhaseCounter : public PassInstrumentation {
public:
  PhaseCounter(StringRef entry, const CompileOptions &options, PipelineRun &run)
      : entry(entry), options(options), run(run) {}

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
    if (auto pairs =
            function->getAttrOfType<DenseI64ArrayAttr>(tir::kInPlaceAttr)) {
      run.inPlace.clear();
      for (int64_t i = 0; i + 1 < pairs.size(); i += 2)
        run.inPlace.push_back({pairs[i], pairs[i + 1]});
    }
    collectFacts(function, fused, parallel);
    if (!run.regions.empty() || fused == 0)
      return;
    if (auto machine = getMachine(module); succeeded(machine)) {
      run.regions = getRegions(function, *machine);
      run.predictedMs = getPredictedMs(function, *machine);
    }
  }

private:
  /// Regions exist after phase fusion only, parallel loops after phase tensor.
  void collectFacts(func::FuncOp function, int64_t fused, int64_t parallel) {
    if (!options.explain)
      return;
    if (parallel > 0)
      return collectLoops(function, run.facts);
    auto machine = getMachine(function->getParentOfType<ModuleOp>());
    if (fused > 0 && succeeded(machine))
      collectRegions(function, *machine, options.pipeline.threads, run.facts);
  }

  std::string entry;
  const CompileOptions &options;
  PipelineRun &run;
};

/// Tells the collector of remarks which pass is running.
class PassTracker : public PassInstrumentation {
public:
  explicit PassTracker(RemarkCollector &remarks) : remarks(remarks) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    auto function = dyn_cast<FunctionOpInterface>(op);
    remarks.enterPass(pass->getArgument(),
                      function ? function.getName() : StringRef());
  }

private:
  RemarkCollector &remarks;
};

/// Whether the function has nothing but graph ops and its return.
bool isGraphOnly(func::FuncOp function) {
  if (function.isDeclaration() || !function.getBody().hasOneBlock())
    return false;
  return llvm::all_of(function.getBody().front(), [](Operation &op) {
    return isa<func::ReturnOp>(op) ||
           isa_and_nonnull<graph::GraphDialect>(op.getDialect());
  });
}

/// Whether a function is visible to callers and has a graph op, or tensors that
/// it returns.
bool isPublicGraph(func::FuncOp function) {
  return function.isPublic() &&
         (llvm::any_of(function.getResultTypes(), llvm::IsaPred<TensorType>) ||
          llvm::any_of(function.getBody().front(), [](Operation &op) {
            return isa_and_nonnull<graph::GraphDialect>(op.getDialect());
          }));
}

} // namespace

llvm::Expected<Machine> gc::getMachine(ModuleOp module,
                                       const CompileOptions &options) {
  if (!options.pipeline.machine.empty())
    return readMachine(options.pipeline.machine);
  if (!module.getTargetSystemSpec())
    return getDefaultMachine();
  DiagnosticCollector diagnostics(module.getContext());
  FailureOr<Machine> machine = getMachine(module);
  if (failed(machine))
    return diagnostics.takeError("the module's machine is not known");
  return std::move(*machine);
}

int64_t gc::getDefaultThreads(const Machine &machine, bool runsHere) {
  const gc_executor *executor = gc_openmp_executor();
  int64_t threads = executor->threads(executor->context);
  if (std::getenv("OMP_NUM_THREADS"))
    return threads;
  return runsHere ? std::min(machine.cores, threads) : machine.cores;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
gc::createTargetMachine(const Machine &machine, const CompileOptions &options) {
  return options.processor.isNamed()
             ? createTargetMachine(options.processor, options.triple)
             : createTargetMachine(machine, options.triple);
}

llvm::Expected<PipelineRun> gc::runPipeline(ModuleOp module, StringRef entry,
                                            const CompileOptions &options) {
  auto description = getMachine(module, options);
  if (!description)
    return description.takeError();
  auto machine = createTargetMachine(*description, options);
  if (!machine)
    return machine.takeError();
  CpuPipelineOptions pipeline = options.pipeline;
  if (pipeline.features.empty())
    pipeline.features = getRequiredFeatures(**machine);

  DiagnosticCollector diagnostics(module.getContext());
  RemarkCollector remarks(module.getContext(), options.explain);
  PipelineRun run;
  run.module = module.clone();
  run.stoppedAfter = pipeline.stopAfter;
  if (options.processor.isNamed())
    description->setInstructionSet((*machine)->getTargetCPU(),
                                   getInstructionSets(**machine));
  // If no machine was named, the passes find the one found here.
  if (options.processor.isNamed() || !pipeline.machine.empty())
    setMachine(*run.module, *description);
  pipeline.machine = "";
  run.description = std::move(*description);
  run.machine = std::move(*machine);
  if (failed(verifyTensorSizes(*run.module)))
    return diagnostics.takeError("a tensor is too large");
  // If all ops fold away, the results still have to be copied.
  for (auto function : run.module->getOps<func::FuncOp>())
    if (isGraphOnly(function) &&
        (function.getName() == entry || isPublicGraph(function)))
      function->setAttr(graph::GraphDialect::kEntryAttr,
                        UnitAttr::get(module.getContext()));
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.addInstrumentation(
      std::make_unique<PhaseCounter>(entry, options, run));
  manager.addInstrumentation(std::make_unique<PassTracker>(remarks));
  // Every phase ends with a verification; one after every pass would take as
  // long as the passes.
  manager.enableVerifier(false);
  buildCpuPipeline(manager, pipeline);
  if (failed(manager.run(*run.module)))
    return diagnostics.takeError("the pipeline failed without a reason");
  run.remarks = remarks.take();
  run.facts.decisions = remarks.takeDecisions();
  llvm::append_range(run.remarks, diagnostics.takeRemarks());
  return run;
}

std::string gc::printPipeline(const CompileOptions &options) {
  OpPassManager manager(ModuleOp::getOperationName());
  buildCpuPipeline(manager, options.pipeline);
  std::string text;
  llvm::raw_string_ostream os(text);
  manager.printAsTextualPipeline(os, /*pretty=*/true);
  return os.str();
}
