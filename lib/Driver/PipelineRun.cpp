// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PipelineRun.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "Driver/Codegen.h"
#include "Transforms/PhaseVerifiers.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace gc;

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

/// Tells the collector of remarks where it is.
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

/// Tells the passes, which ask the host otherwise, about the vectors of the
/// processor that the code is for.
void describeTarget(ModuleOp module, const llvm::TargetMachine &machine) {
  if (module->hasAttr(DLTIDialect::kTargetSystemDescAttrName))
    return;
  const llvm::MCSubtargetInfo *info = machine.getMCSubtargetInfo();
  bool avx512 = info->checkFeatures("+avx512f");
  int64_t bits = avx512 ? 512 : info->checkFeatures("+avx") ? 256 : 128;
  module.getContext()->getOrLoadDialect<DLTIDialect>();
  Builder b(module.getContext());
  auto entry = [&](StringRef name, int64_t value) {
    return DataLayoutEntryAttr::get(b.getStringAttr(name),
                                    b.getI64IntegerAttr(value));
  };
  auto device = TargetDeviceSpecAttr::get(
      b.getContext(), {entry("max_vector_op_width", bits),
                       entry("num_vector_registers", avx512 ? 32 : 16)});
  module->setAttr(DLTIDialect::kTargetSystemDescAttrName,
                  TargetSystemSpecAttr::get(
                      b.getContext(), {DataLayoutEntryAttr::get(
                                          b.getStringAttr("CPU"), device)}));
}

} // namespace

llvm::Expected<PipelineRun> gc::runPipeline(ModuleOp module, StringRef entry,
                                            const CompileOptions &options) {
  auto machine = createTargetMachine(options.cpu, options.features);
  if (!machine)
    return machine.takeError();
  CpuPipelineOptions pipeline = options.pipeline;
  if (pipeline.features.empty())
    pipeline.features = getRequiredFeatures(**machine);

  DiagnosticCollector diagnostics(module.getContext());
  RemarkCollector remarks(module.getContext());
  PipelineRun run;
  run.module = module.clone();
  run.machine = std::move(*machine);
  run.stoppedAfter = pipeline.stopAfter;
  if (!options.cpu.empty() || !options.features.empty())
    describeTarget(*run.module, *run.machine);
  if (failed(verifyTensorSizes(*run.module)))
    return diagnostics.takeError("a tensor is too large");
  // Where all ops fold away, the results still have to be copied.
  if (auto function = run.module->lookupSymbol<func::FuncOp>(entry);
      function && isGraphOnly(function))
    function->setAttr(graph::GraphDialect::kEntryAttr,
                      UnitAttr::get(module.getContext()));
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.addInstrumentation(std::make_unique<PhaseCounter>(entry, run));
  manager.addInstrumentation(std::make_unique<PassTracker>(remarks));
  // Every phase ends with a verification; one behind every pass would take as
  // long as the passes.
  manager.enableVerifier(false);
  buildCpuPipeline(manager, pipeline);
  if (failed(manager.run(*run.module)))
    return diagnostics.takeError("the pipeline failed without a reason");
  run.remarks = remarks.take();
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
