// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gc-runner: compiles a graph and runs it, checks it against the reference,
// measures it, or writes what the compiler makes of it.
//
// Exit codes: 0 fine, 1 the check failed, 2 bad input or usage.

#include "Driver/Source.h"
#include "Files.h"
#include "Inputs.h"
#include "NpuRun.h"
#include "Options.h"
#include "Reference/Interpreter.h"
#include "Report.h"
#include "Run.h"
#include "Transforms/Register.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace llvm;
using namespace gc;
using namespace gc::runner;

namespace {

constexpr int kFine = 0, kCheckFailed = 1, kBadInput = 2;

Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// LLVM's code generator cannot return every error.
void reportFatal(void *, const char *reason, bool) {
  errs() << "gc-runner: error: the code generator failed: " << reason << "\n";
  errs().flush();
  _exit(kBadInput);
}

Expected<int> run(Options options) {
  for (StringRef path :
       {StringRef(options.output), StringRef(options.json),
        StringRef(options.trace), StringRef(options.npu.timeline)})
    if (Error error = checkFolder(path))
      return std::move(error);
  mlir::DialectRegistry registry;
  registerAllGraphCompilerDialects(registry);
  reference::registerReferenceModels(registry);
  // One graph is compiled by one thread; starting more costs more than it
  // gains.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);

  if (options.printPipeline) {
    raw_ostream &os = options.json == "-" ? errs() : outs();
    os << printPipeline(options.compile) << "\n";
  }
  auto module = readGraph(options.input, &context);
  if (!module)
    return module.takeError();
  if (options.target == Target::npu)
    return runOnNpu(**module, options);
  auto machine = getMachine(**module, options.compile);
  if (!machine)
    return machine.takeError();
  if (options.threads == 0)
    options.threads = options.compile.pipeline.threads =
        getDefaultThreads(*machine, /*runsHere=*/!options.emit);
  if (options.emit) {
    if (Error error = writeFile(options.output, [&](raw_pwrite_stream &os) {
          return emit(**module, options.compile, *options.emit, os);
        }))
      return std::move(error);
    return kFine;
  }

  auto inFile = [&](Error error) {
    return makeError(options.input + ": " + toString(std::move(error)));
  };
  auto entry = findEntry(**module, options.entry);
  if (!entry)
    return inFile(entry.takeError());
  auto inputInfo = getInputInfo(*entry);
  if (!inputInfo)
    return inFile(inputInfo.takeError());
  auto outputInfo = getOutputInfo(*entry);
  if (!outputInfo)
    return inFile(outputInfo.takeError());
  if (Error error = checkMemory(*inputInfo, *outputInfo))
    return inFile(std::move(error));
  auto inputs = makeInputTensors(*entry, *inputInfo, options);
  if (!inputs)
    return inputs.takeError();

  Report report;
  report.name = sys::path::stem(options.input).str();
  report.threads = options.threads;
  std::vector<reference::Tensor> outputs;
  if (options.target == Target::reference) {
    report.target = "reference";
    report.flops = countFlops(*entry);
    auto values = runReference(*entry, *inputs);
    if (!values)
      return values.takeError();
    outputs = std::move(*values);
  } else {
    report.target = "cpu";
    auto tensors = makeOutputTensors(*outputInfo);
    if (!tensors)
      return tensors.takeError();
    outputs = std::move(*tensors);
    if (Error error = runOnCpu(*entry, options, *inputs, outputs, report))
      return std::move(error);
  }
  if (options.check)
    if (Error error = checkResults(*entry, options, *inputs, *outputInfo,
                                   outputs, report))
      return std::move(error);

  if (!options.outputDirectory.empty())
    if (Error error =
            writeOutputs(options.outputDirectory, *outputInfo, outputs))
      return std::move(error);
  if (!options.json.empty())
    if (Error error = writeFile(options.json, [&](raw_pwrite_stream &os) {
          printJson(report, os);
          return Error::success();
        }))
      return std::move(error);
  if (options.json != "-")
    printReport(report, outs());
  return isGood(report, options) ? kFine : kCheckFailed;
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  install_fatal_error_handler(reportFatal);
  auto fail = [](Error error) {
    std::string message = toString(std::move(error));
    // The command line library prints some errors itself.
    if (!message.empty())
      errs() << "gc-runner: error: " << message << "\n";
    return kBadInput;
  };
  auto options = parseOptions(argc, argv);
  if (!options)
    return fail(options.takeError());
  if (!*options)
    return kFine;
  auto code = run(**options);
  if (!code)
    return fail(code.takeError());
  return *code;
}
