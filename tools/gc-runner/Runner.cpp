// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runner.h"
#include "Driver/DynamicGraph.h"
#include "Driver/Files.h"
#include "Driver/NpuBound.h"
#include "Driver/SharedConstants.h"
#include "Driver/Source.h"
#include "Inputs.h"
#include "Reference/Interpreter.h"
#include "Report.h"
#include "Run.h"
#include "Sizes.h"
#include "Transforms/Register.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
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

/// Values of the arguments and places for the results.
struct Buffers {
  std::vector<ValueInfo> inputInfo, outputInfo;
  std::vector<reference::Tensor> inputs, outputs;
  SmallVector<void *> inputPointers, outputPointers;
};

/// `buffers` may have those of another size.
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
  auto inputs =
      makeInputTensors(graph, buffers.inputInfo, buffers.inputs, options);
  if (!inputs)
    return inputs.takeError();
  auto outputs = makeOutputTensors(buffers.outputInfo);
  if (!outputs)
    return outputs.takeError();
  buffers.inputs = std::move(*inputs);
  buffers.outputs = std::move(*outputs);
  buffers.inputPointers.clear();
  buffers.outputPointers.clear();
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
  for (const Remark &remark : remarks) {
    if (!options.remarks && !remark.isNotice)
      continue;
    errs() << (remark.kind == "warning" ? "warning: " : "remark: ")
           << remark.str() << "\n";
  }
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

/// What ran, and what came of it.
struct Outcome {
  graph::NamedSizes sizes;
  /// The graph of these sizes, if they vary.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<Executable> executable;
  Report report;
};

void writeOutcome(const Outcome &outcome, json::OStream &json) {
  if (!outcome.sizes.empty())
    json.attributeObject("size", [&] {
      for (const auto &[name, size] : outcome.sizes)
        json.attribute(name, size);
    });
  outcome.executable->writeJson(json);
  writeCheck(outcome.report, json);
}

/// One run is an object; several are in its list `runs`.
void printJson(const Options &options, ArrayRef<Outcome> outcomes,
               raw_ostream &os) {
  json::OStream json(os, /*IndentSize=*/2);
  json.objectBegin();
  json.attribute("name", options.run.name);
  json.attribute("target", options.target->getName());
  if (outcomes.size() == 1)
    writeOutcome(outcomes.front(), json);
  else
    json.attributeArray("runs", [&] {
      for (const Outcome &outcome : outcomes)
        json.object([&] { writeOutcome(outcome, json); });
    });
  json.objectEnd();
  os << "\n";
}

/// Compiles and runs a program of fixed sizes.
Error runProgram(Program program, const Options &options, Buffers &buffers,
                 StringRef outputDirectory, Outcome &outcome) {
  const Target &target = *options.target;
  if (program.graph) {
    if (Error error =
            makeBuffers(program.graph, options,
                        target.hasValues(*options.targetOptions), buffers))
      return error;
  } else if (Error error = checkGraph(program, options)) {
    return makeError(options.input + ": " + toString(std::move(error)));
  }
  auto executable =
      target.compile(program, *options.targetOptions, options.run);
  if (!executable)
    return executable.takeError();
  outcome.executable = std::move(*executable);
  printRemarks(outcome.executable->getRemarks(), options);
  if (Error error = outcome.executable->run(options.run, buffers.inputPointers,
                                            buffers.outputPointers))
    return error;
  if (options.check) {
    if (Error error =
            checkResults(program.graph, options, buffers.inputs,
                         buffers.outputInfo, buffers.outputs, outcome.report))
      return error;
    if (Error error =
            checkParts(outcome.executable->getParts(), options, outcome.report))
      return error;
  }
  if (!outputDirectory.empty())
    return writeOutputs(outputDirectory.str(), buffers.outputInfo,
                        buffers.outputs);
  return Error::success();
}

/// Runs a program for each of its sizes.
Expected<std::vector<Outcome>> runSizes(mlir::ModuleOp module,
                                        Options &options) {
  auto inFile = [&](Error error) {
    return makeError(options.input + ": " + toString(std::move(error)));
  };
  // What a target makes of the module may need its sizes.
  auto entry = findEntry(module, options.entry);
  auto all = listSizes(entry ? *entry : mlir::func::FuncOp(), options);
  std::string name = entry ? entry->getName().str() : options.entry;
  if (!entry)
    consumeError(entry.takeError());
  if (!all)
    return inFile(all.takeError());
  if (all->size() > 1)
    options.run.constants = std::make_shared<SharedConstants>();
  options.run.isLastUse = all->size() == 1 && !options.check;
  std::vector<Outcome> outcomes;
  Buffers buffers;
  for (const graph::NamedSizes &sizes : *all) {
    Outcome &outcome = outcomes.emplace_back();
    outcome.sizes = sizes;
    SmallString<128> directory(options.outputDirectory);
    if (all->size() > 1 && !directory.empty())
      sys::path::append(directory, getFolderName(sizes));
    if (!sizes.empty()) {
      outcome.module = module.clone();
      if (Error error = specializeModule(*outcome.module, sizes, name))
        return inFile(std::move(error));
    }
    auto program =
        options.target->find(sizes.empty() ? module : *outcome.module,
                             options.entry, *options.targetOptions);
    if (!program)
      return inFile(program.takeError());
    if (Error error =
            runProgram(*program, options, buffers, directory, outcome))
      return std::move(error);
    if (options.json != "-" && all->size() > 1) {
      outs() << printSizes(sizes) << "\n";
      outcome.executable->print(outs());
      printCheck(outcome.report, outs());
    }
  }
  return outcomes;
}

Expected<int> run(Options options) {
  SmallVector<StringRef> read{options.input};
  for (auto &[name, file] : options.inputs)
    read.push_back(file);
  const Target &target = *options.target;
  // Besides what is printed, which may be what --emit writes.
  SmallVector<StringRef> reports{options.json, options.explain,
                                 options.run.trace};
  append_range(reports, target.getOutputs(*options.targetOptions));
  SmallVector<StringRef> written{options.output};
  append_range(written, reports);
  for (StringRef path : written)
    if (Error error = checkOutput(path, read))
      return std::move(error);
  for (StringRef path : reports)
    if (Error error = checkNotStandardOutput(path))
      return std::move(error);
  if (Error error = checkDistinct(written))
    return std::move(error);
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
                          options.settings, FileAccess::mapped);
  if (!module)
    return module.takeError();
  auto inFile = [&](Error error) {
    return makeError(options.input + ": " + toString(std::move(error)));
  };
  if (Error error = target.chooseThreads(**module, /*runsHere=*/!options.emit,
                                         *options.targetOptions, options.run))
    return std::move(error);
  if (options.emit) {
    graph::NamedSizes sizes;
    for (const auto &[name, list] : options.sizes) {
      if (list.size() > 1)
        return makeError("--emit writes code for one size of '" + name + "'");
      sizes[name] = list.front();
    }
    if (Error error = specializeModule(**module, sizes, options.entry))
      return inFile(std::move(error));
    std::vector<Remark> remarks;
    if (Error error = writeFile(options.output, [&](raw_pwrite_stream &os) {
          return target.emit(**module, options.entry, *options.targetOptions,
                             *options.emit, os, remarks);
        }))
      return std::move(error);
    printRemarks(remarks, options);
    return kFine;
  }

  auto outcomes = runSizes(**module, options);
  if (!outcomes)
    return outcomes.takeError();
  const Outcome &first = outcomes->front();
  if (auto explanation = first.executable->getExplanation())
    if (Error error = writeExplanation(*explanation, options))
      return std::move(error);
  if (!options.json.empty())
    if (Error error = writeFile(options.json, [&](raw_pwrite_stream &os) {
          printJson(options, *outcomes, os);
          return Error::success();
        }))
      return std::move(error);
  if (options.json != "-" && outcomes->size() == 1) {
    first.executable->print(outs());
    printCheck(first.report, outs());
  }
  bool allGood = all_of(*outcomes, [&](const Outcome &outcome) {
    return isGood(outcome.report, options);
  });
  return allGood ? kFine : kCheckFailed;
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
