// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gc-tune: looks for what makes graphs faster than the compiler's own
// decisions, and keeps it in a file that later compilations read. For the NPU
// these are plans of kernels, by cycles of the simulator (`plan-database` of
// --gc-npu-pipeline); for the CPU templates, by time (`template-database` of
// --gc-cpu-pipeline). With --what-if nothing is tuned: it prices another NPU.
// Exit codes: 0 fine, 2 bad input or usage.

#include "Driver/NpuBound.h"
#include "Driver/Source.h"
#include "Driver/SourceOptions.h"
#include "Reference/Interpreter.h"
#include "Transforms/Register.h"
#include "Tuners.h"
#include "WhatIf.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace llvm;
using namespace gc;
using namespace gc::tune;

namespace {

enum class TargetName { npu, cpu };

struct CommandLine {
  cl::OptionCategory category{"gc-tune options"};
  cl::opt<std::string> file{cl::Positional, cl::desc("<graphs>"), cl::Required,
                            cl::cat(category)};
  cl::opt<std::string> database{
      "o", cl::value_desc("file.json"), cl::cat(category),
      cl::desc("The database: what is faster is added to it")};
  cl::opt<TargetName> target{
      "target", cl::init(TargetName::npu), cl::cat(category),
      cl::desc("What is tuned"),
      cl::values(
          clEnumValN(TargetName::npu, "npu",
                     "Plans of kernels, on the simulator (default)"),
          clEnumValN(TargetName::cpu, "cpu", "Templates, on this machine"))};
  cl::opt<int64_t> rounds{"rounds", cl::init(8), cl::cat(category),
                          cl::desc("Rounds of samples")};
  cl::opt<int64_t> samples{"samples", cl::init(16), cl::cat(category),
                           cl::desc("Samples of a round")};
  cl::opt<int64_t> seed{"seed", cl::init(1), cl::cat(category),
                        cl::desc("Seed of the samples")};
  cl::opt<bool> exhaustive{"exhaustive", cl::cat(category),
                           cl::desc("NPU: visit all legal plans, too")};
  cl::opt<int64_t> maxPlans{
      "max-plans", cl::init(5000), cl::cat(category),
      cl::desc("NPU: legal plans after which --exhaustive gives up")};
  cl::opt<std::string> whatIf{
      "what-if", cl::value_desc("field=number[,...]"), cl::cat(category),
      cl::desc("NPU: instead of tuning, print what the kernels take on a "
               "machine with these numbers, beside the stated one")};
  cl::opt<bool> json{"json", cl::cat(category),
                     cl::desc("Print a line of JSON for each kernel or graph")};
  cl::opt<int64_t> threads{
      "threads", cl::init(0), cl::cat(category),
      cl::desc("CPU: threads to plan for and to run with (0: OMP_NUM_THREADS, "
               "else the machine's cores)")};
  cl::opt<std::string> machine{
      "machine", cl::value_desc("preset|file.json"), cl::cat(category),
      cl::desc("CPU: machine to compile for (default: what the module "
               "describes, else GC_MACHINE's, else this one)")};
  cl::opt<std::string> pipeline{"pipeline-options", cl::value_desc("options"),
                                cl::cat(category),
                                cl::desc("CPU: options of --gc-cpu-pipeline")};
  SourceOptions source{category};
};

Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// Options that the other target would ignore are errors.
Error checkTarget(const CommandLine &line) {
  bool isCpu = line.target == TargetName::cpu;
  auto refuse = [&](StringRef name) {
    return makeError("--" + name +
                     " is not for --target=" + (isCpu ? "cpu" : "npu"));
  };
  auto isGiven = [](const auto &option) {
    return option.getNumOccurrences() > 0;
  };
  if (isCpu)
    return isGiven(line.exhaustive) ? refuse("exhaustive")
           : isGiven(line.whatIf)   ? refuse("what-if")
           : isGiven(line.maxPlans) ? refuse("max-plans")
                                    : Error::success();
  return isGiven(line.threads)    ? refuse("threads")
         : isGiven(line.machine)  ? refuse("machine")
         : isGiven(line.pipeline) ? refuse("pipeline-options")
                                  : Error::success();
}

/// Options of tuning that --what-if would ignore are errors; without it a
/// database is needed.
Error checkWhatIf(const CommandLine &line) {
  if (!line.whatIf.getNumOccurrences())
    return line.database.getNumOccurrences()
               ? Error::success()
               : makeError("-o=<file.json> is needed: the database");
  const cl::Option *others[] = {&line.database,   &line.rounds,
                                &line.samples,    &line.seed,
                                &line.exhaustive, &line.maxPlans};
  for (const cl::Option *other : others)
    if (other->getNumOccurrences())
      return makeError("-" + Twine(other->ArgStr.size() > 1 ? "-" : "") +
                       other->ArgStr + " is not for --what-if");
  return Error::success();
}

Expected<TuneOptions> getOptions(const CommandLine &line) {
  if (line.rounds < 0 || line.samples < 0 || line.maxPlans < 0)
    return makeError("--rounds, --samples and --max-plans must be at least 0");
  if (Error error = checkTarget(line))
    return std::move(error);
  if (Error error = checkWhatIf(line))
    return std::move(error);
  TuneOptions options;
  options.file = line.file;
  options.database = line.database;
  options.rounds = line.rounds;
  options.samples = line.samples;
  options.seed = line.seed;
  options.json = line.json;
  options.exhaustive = line.exhaustive;
  options.maxPlans = line.maxPlans;
  auto pipeline = CpuPipelineOptions::parse(line.pipeline);
  if (!pipeline)
    return pipeline.takeError();
  options.pipeline = *pipeline;
  if (!options.pipeline.templateDatabase.empty() ||
      !options.pipeline.exportTemplates.empty())
    return makeError("--pipeline-options: -o names the database of templates");
  if (line.threads < 0 || line.threads > graph::kMostThreads)
    return makeError("--threads must be from 0 to " +
                     Twine(graph::kMostThreads));
  if (line.threads.getNumOccurrences())
    options.pipeline.threads = line.threads.getValue();
  if (line.machine.getNumOccurrences()) {
    if (line.machine.empty())
      return makeError("--machine must name a preset or a file");
    options.pipeline.machine = line.machine.getValue();
  }
  return options;
}

Error run(const CommandLine &line, mlir::MLIRContext &context) {
  auto options = getOptions(line);
  if (!options)
    return options.takeError();
  std::vector<MachineChange> changes;
  if (line.whatIf.getNumOccurrences()) {
    auto parsed = parseMachineChanges(line.whatIf);
    if (!parsed)
      return parsed.takeError();
    changes = std::move(*parsed);
  }
  auto settings = line.source.getSettings();
  if (!settings)
    return settings.takeError();
  auto module = readGraph(options->file, &context, UnknownKinds::Refused,
                          *settings, FileAccess::mapped);
  if (!module)
    return module.takeError();
  if (!changes.empty())
    return priceMachine(**module, changes, options->file, options->json);
  return line.target == TargetName::cpu ? tuneForCpu(**module, *options)
                                        : tuneForNpu(**module, *options);
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ResetCommandLineParser();
  CommandLine line;
  cl::HideUnrelatedOptions(line.category);
  if (!cl::ParseCommandLineOptions(argc, argv,
                                   "Looks for faster plans of NPU kernels, or "
                                   "faster templates of graphs "
                                   "on the CPU.\n",
                                   &errs()))
    return 2;
  mlir::DialectRegistry registry;
  registerAllGraphCompilerDialects(registry);
  reference::registerReferenceModels(registry);
  registerNpuBoundModels(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  if (Error error = run(line, context)) {
    errs() << "gc-tune: error: " << toString(std::move(error)) << "\n";
    return 2;
  }
  return 0;
}
