// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// mlir-opt with GC's dialects, passes and pipelines in addition to the upstream
// ones, and with --machine, which sets the machine that the passes optimise
// for.

#include "Machine/MachineFile.h"
#include "Support/ParserLimits.h"
#include "Transforms/Register.h"
#include "Transforms/SetMachine.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

#include <optional>

using namespace mlir;

static int fail(const llvm::Twine &message) {
  llvm::errs() << "gc-opt: error: " << message << "\n";
  return EXIT_FAILURE;
}

/// Adds the pass that describes the machine, and then those of `config`.
static LogicalResult setupPasses(PassManager &manager, StringRef machine,
                                 const MlirOptMainConfig &config) {
  if (failed(config.setupPassPipeline(manager)))
    return failure();
  if (manager.getOpAnchorName() != ModuleOp::getOperationName()) {
    fail("--machine needs passes that run on a module");
    return failure();
  }
  // There is no way to insert a pass before others.
  std::string text;
  llvm::raw_string_ostream os(text);
  manager.printAsTextualPipeline(os);
  StringRef passes = text;
  passes.consume_front(ModuleOp::getOperationName());
  passes.consume_front("(");
  passes.consume_back(")");
  manager.clear();
  manager.addPass(gc::createSetMachinePass(machine));
  return passes.empty() ? success() : parsePassPipeline(passes, manager);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  gc::registerAllGraphCompilerDialects(registry);
  registerAllPasses();
  gc::registerAllGraphCompilerPasses();

  llvm::cl::opt<std::string> machine(
      "machine", llvm::cl::value_desc("preset|file.json"),
      llvm::cl::desc(
          "Machine that passes optimise for (default: what the module "
          "describes, else GC_MACHINE, else the host)"));
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "GC's optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (machine.getNumOccurrences()) {
    // A wrong setting is an error even if no pass uses it.
    auto description = gc::readMachine(machine);
    if (!description)
      return fail(llvm::toString(description.takeError()));
    config.setPassPipelineSetupFn(
        [machine = machine.getValue(), config](PassManager &manager) {
          return setupPasses(manager, machine, config);
        });
  }
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));

  std::string message;
  auto file = openInputFile(input, &message);
  if (!file)
    return fail(message);
  if (!isBytecode(file->getMemBufferRef()))
    if (auto limit = gc::findParserLimit(file->getBuffer()))
      return fail(file->getBufferIdentifier() + ":" + llvm::Twine(limit->line) +
                  ": " + limit->message);
  auto written = openOutputFile(output, &message);
  if (!written)
    return fail(message);
  if (failed(MlirOptMain(written->os(), std::move(file), registry, config)))
    return EXIT_FAILURE;
  written->keep();
  return EXIT_SUCCESS;
}
