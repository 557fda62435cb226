// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runner.h"
#include "Driver/Files.h"
#include "Driver/NpuBound.h"
#include "Driver/Source.h"
#include "Inputs.h"
#include "Reference/Interpreter.h"
#include "Report.h"
#include "Run.h"
#include "Transforms/Register.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
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

/// Values of the arguments and places for the results.
struct Buffers {
  std::vector<ValueInfo> inputInfo, outputInfo;
  std::vector<reference::Tensor> inputs, outputs;
  SmallVector<void *> inputPointers, outputPointers;
};

Error makeBuffers(mlir::func::FuncOp graph, const Options &options,
                  bool hasValues, Buffers &buffers) {
  // Errors of --input concern other files.
  auto inFile = [&](Error error) {
    return makeError(options.input + ": " + toString(std::move(error)));
  };
  auto inputInfo = getInputInfo(graph);
  if (!inputInfo)
    return inFile(inputInfo.takeError());
  auto outputInfo = getOutputInfo(graph);
  if (!outputInfo)
    return inFile(outputInfo.takeError());
  buffers.inputInfo = std::move(*inputInfo);
  buffers.outputInfo = std::move(*outputInfo);
  if (!hasValues) {
    buffers.inputPointers.resize(buffers.inputInfo.size());
    buffers.outputPointers.resize(buffers.outputInfo.size());
    return Error::success();
  }
  if (Error error = checkMemory(buffers.inputInfo, buffers.outputInfo))
    return inFile(std::move(error));
  auto inputs = makeInputTensors(graph, buffers.inputInfo, options);
  if (!inputs)
    return inputs.takeError();
  auto outputs = makeOutputTensors(buffers.outputInfo);
  if (!outputs)
    return outputs.takeError();
  buffers.inputs = std::move(*inputs);
  buffers.outputs = std::move(*outputs);
  for (const reference::Tensor &tensor : buffers.inputs)
    buffers.inputPointers.push_back(tensor.getData());
  for (const reference::Tensor &tensor : buffers.outputs)
    buffers.outputPointers.push_back(tensor.getData());
  return Error::success();
}

/// Options that need to know inputs and results of the program.
Error checkGraph(Program program, const Options &options) {
  StringRef name = program.function.getName();
  if (options.check)
    return makeError("--check compares with the graph function that "
                     "'reference' names; '" +
                     name + "' names none");
  if (!options.inputs.empty() || !options.outputDirectory.empty())
    return makeError("--input and --output-dir need a reference, which names "
                     "inputs and outputs; '" +
                     name + "' has none");
  return Error::success();
}

void printRemarks(ArrayRef<Remark> remarks, const Options &options) {
  if (!options.remarks)
    return;
  for (const Remark &remark : remarks)
    errs() << (remark.kind == "warning" ? "warning: " : "remark: ")
           << remark.str() << "\n";
}

/// The text comes first of all that is printed.
Error writeExplanation(const Explanation &explanation, const Options &options) {
  printExplanation(explanation, options.json == "-" ? errs() : outs());
  if (options.json != "-")
    outs() << "\n";
  if (options.explain.empty())
    return Error::success();
  return writeFile(options.explain, [&](raw_pwrite_stream &os) {
    writeExplanationHtml(explanation, os);
    return Error::success();
  });
}

void printJson(const Options &options, const Executable &executable,
               const Report &report, raw_ostream &os) {
  json::OStream json(os, /*IndentSize=*/2);
  json.objectBegin();
  json.attribute("name", options.run.name);
  json.attribute("target", options.target->getName());
  executable.writeJson(json);
  writeCheck(report, json);
  json.objectEnd();
  os << "\n";
}

Expected<int> run(Options options) {
  SmallVector<StringRef> read{options.input};
  for (auto &[name, file] : options.inputs)
    read.push_back(file);
  for (StringRef path :
       {StringRef(options.output), StringRef(options.json),
        StringRef(options.explain), StringRef(options.run.trace)})
    if (Error error = checkOutput(path, read))
      return std::move(error);
  const Target &target = *options.target;
  mlir::DialectRegistry registry;
  registerAllGraphCompilerDialects(registry);
  reference::registerReferenceModels(registry);
  registerNpuBoundModels(registry);
  // A graph is compiled by one thread; starting more costs more than it gains.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);

  if (options.printPipeline) {
    raw_ostream &os = options.json == "-" ? errs() : outs();
    os << target.printPipeline(*options.targetOptions) << "\n";
  }
  auto module = readGraph(options.input, &context,
                          target.takesUnknownKinds(*options.targetOptions)
                              ? UnknownKinds::Wildcards
                              : UnknownKinds::Refused,
                          options.settings);
  if (!module)
    return module.takeError();
  auto inFile = [&](Error error) {
    return makeError(options.input + ": " + toString(std::move(error)));
  };
  if (Error error = target.chooseThreads(**module, /*runsHere=*/!options.emit,
                                         *options.targetOptions, options.run))
    return std::move(error);
  if (options.emit) {
    std::vector<Remark> remarks;
    if (Error error = writeFile(options.output, [&](raw_pwrite_stream &os) {
          return target.emit(**module, options.entry, *options.targetOptions,
                             *options.emit, os, remarks);
        }))
      return std::move(error);
    printRemarks(remarks, options);
    return kFine;
  }

  auto program = target.find(**module, options.entry, *options.targetOptions);
  if (!program)
    return inFile(program.takeError());
  Buffers buffers;
  if (program->graph) {
    if (Error error =
            makeBuffers(program->graph, options,
                        target.hasValues(*options.targetOptions), buffers))
      return std::move(error);
  } else if (Error error = checkGraph(*program, options)) {
    return inFile(std::move(error));
  }
  auto executable =
      target.compile(*program, *options.targetOptions, options.run);
  if (!executable)
    return executable.takeError();
  printRemarks((*executable)->getRemarks(), options);
  if (Error error =
          (*executable)
              ->run(options.run, buffers.inputPointers, buffers.outputPointers))
    return std::move(error);

  Report report;
  if (options.check)
    if (Error error = checkResults(program->graph, options, buffers.inputs,
                                   buffers.outputInfo, buffers.outputs, report))
      return std::move(error);
  if (options.check)
    if (Error error = checkParts((*executable)->getParts(), options, report))
      return std::move(error);
  if (!options.outputDirectory.empty())
    if (Error error = writeOutputs(options.outputDirectory, buffers.outputInfo,
                                   buffers.outputs))
      return std::move(error);
  if (auto explanation = (*executable)->getExplanation())
    if (Error error = writeExplanation(*explanation, options))
      return std::move(error);
  if (!options.json.empty())
    if (Error error = writeFile(options.json, [&](raw_pwrite_stream &os) {
          printJson(options, **executable, report, os);
          return Error::success();
        }))
      return std::move(error);
  if (options.json != "-") {
    (*executable)->print(outs());
    printCheck(report, outs());
  }
  return isGood(report, options) ? kFine : kCheckFailed;
}

} // namespace

int runner::runMain(int argc, char **argv, const TargetRegistry &targets) {
  InitLLVM init(argc, argv);
  install_fatal_error_handler(reportFatal);
  auto fail = [](Error error) {
    std::string message = toString(std::move(error));
    // The command line library prints some errors itself.
    if (!message.empty())
      errs() << "gc-runner: error: " << message << "\n";
    return kBadInput;
  };
  auto options = parseOptions(argc, argv, targets);
  if (!options)
    return fail(options.takeError());
  if (!*options)
    return kFine;
  auto code = run(std::move(**options));
  if (!code)
    return fail(code.takeError());
  return *code;
}
