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
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
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

/// The options of the pipeline and the texts of their defaults, which tell what
/// kind of value each takes.
llvm::StringMap<std::string> getDefaults() {
  std::string text;
  llvm::raw_string_ostream os(text);
  CpuPipelineOptions().print(os);
  SmallVector<StringRef> tokens;
  StringRef(text).trim().trim("{}").split(tokens, ' ');
  llvm::StringMap<std::string> defaults;
  for (StringRef token : tokens) {
    auto [name, value] = token.split('=');
    defaults[name] = value.str();
  }
  return defaults;
}

/// The words that an option takes; empty if any text will do.
StringRef getWords(StringRef name, StringRef defaultValue) {
  if (defaultValue == "true" || defaultValue == "false")
    return "true false 0 1";
  return llvm::StringSwitch<StringRef>(name)
      .Case("stop-after", "import graph layout fusion tensor machine")
      .Case("abi", "pointers memref")
      .Case("kernel", "auto libxsmm vector")
      .Case("attention", "auto always never")
      .Default("");
}

/// The text of an option's value where it is not what the option takes; LLVM's
/// parser would print that instead of returning it.
std::string findBadValue(StringRef text) {
  llvm::StringMap<std::string> defaults = getDefaults();
  SmallVector<StringRef> tokens;
  text.split(tokens, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef token : tokens) {
    auto [name, value] = token.trim("{}").split('=');
    StringRef defaultValue = defaults[name];
    StringRef words = getWords(name, defaultValue);
    int64_t number = 0;
    if (!defaultValue.getAsInteger(10, number) &&
        (value.getAsInteger(10, number) || number < 0))
      return (name + "=" + value + ": not a number of 0 or more").str();
    SmallVector<StringRef> allowed;
    words.split(allowed, ' ');
    bool isFlag = value.empty() && words.starts_with("true");
    if (!words.empty() && !isFlag && !llvm::is_contained(allowed, value))
      return (name + "=" + value + ": not one of " + words).str();
  }
  return "";
}

} // namespace

llvm::Expected<std::unique_ptr<CpuPipelineOptions>>
gc::getPipelineOptions(const CompileOptions &options) {
  if (std::string bad = findBadValue(options.pipeline); !bad.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "bad pipeline options: " + bad);
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
  RemarkCollector remarks(module.getContext());
  PipelineRun run;
  run.module = module.clone();
  run.machine = std::move(*machine);
  run.stoppedAfter = (*pipeline)->stopAfter;
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
  buildCpuPipeline(manager, **pipeline);
  if (failed(manager.run(*run.module)))
    return diagnostics.takeError("the pipeline failed without a reason");
  run.remarks = remarks.take();
  llvm::append_range(run.remarks, diagnostics.takeRemarks());
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
