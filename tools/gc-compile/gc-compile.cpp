// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gc-compile: a graph becomes files that a program without a compiler links or
// loads.

#include "Driver/DynamicGraph.h"
#include "Driver/Package.h"
#include "Driver/ProcessMemory.h"
#include "Driver/Source.h"
#include "Driver/SourceOptions.h"
#include "Driver/Target.h"
#include "Reference/Interpreter.h"
#include "Transforms/Register.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <pthread.h>
#include <unistd.h>

using namespace llvm;
using namespace gc;

namespace {

constexpr int kFine = 0, kBadInput = 2;
constexpr int64_t kMaxThreads = 1024;

enum class Weights { embedded, file };
enum class Form { object, c };

struct CommandLine {
  cl::OptionCategory category{"gc-compile options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("GRAPH"),
                             cl::cat(category)};
  cl::opt<std::string> output{"o", cl::value_desc("folder"), cl::cat(category),
                              cl::desc("Folder to write, whole or not at all")};
  cl::opt<std::string> name{
      "name", cl::value_desc("identifier"), cl::cat(category),
      cl::desc("What the entry point and the files are called (default: like "
               "the graph's file)")};
  cl::opt<std::string> entry{
      "entry", cl::value_desc("name"), cl::cat(category),
      cl::desc(
          "Function to compile (default: the only public one, else main)")};
  cl::opt<int64_t> threads{
      "threads", cl::value_desc("n"), cl::cat(category),
      cl::desc("Threads to divide the work among (default: the machine's "
               "cores)")};
  cl::opt<std::string> machine{
      "machine", cl::value_desc("preset|file.json"), cl::cat(category),
      cl::desc("Machine to compile for (default: what the module describes, "
               "else GC_MACHINE's, else this one)")};
  cl::opt<std::string> cpu{
      "cpu", cl::value_desc("name|features"), cl::cat(category),
      cl::desc("Processor to compile for, or features (+avx2,-fma), or both "
               "(default: the machine's)")};
  cl::opt<std::string> triple{
      "triple", cl::value_desc("triple"), cl::cat(category),
      cl::desc("System to compile for, on x86-64 and Linux (default: this "
               "one)")};
  cl::opt<std::string> pipeline{"pipeline-options", cl::value_desc("options"),
                                cl::cat(category),
                                cl::desc("Options of the compiler's pipeline")};
  cl::opt<Form> emit{
      "emit", cl::init(Form::object), cl::cat(category),
      cl::desc("What to write"),
      cl::values(clEnumValN(Form::object, "obj",
                            "An object file with header and CMake package"),
                 clEnumValN(Form::c, "c", "C11 for one thread"))};
  cl::opt<bool> shared{
      "shared", cl::cat(category),
      cl::desc("Also link a shared library with the runtime inside")};
  cl::opt<std::string> linker{
      "linker", cl::value_desc("program"), cl::cat(category),
      cl::desc("Compiler driver that links --shared (default: the first of "
               "c++, g++ and clang++ on PATH)")};
  cl::list<std::string> inputs{
      "input", cl::value_desc("name=file.npy"), cl::cat(category),
      cl::desc("Value of an argument, which becomes a constant: graph.name, "
               "argN or a tensor id")};
  SourceOptions source{category};
  cl::opt<Weights> weights{
      "weights", cl::init(Weights::embedded), cl::cat(category),
      cl::desc("Where constants go"),
      cl::values(clEnumValN(Weights::embedded, "embed", "Into the code"),
                 clEnumValN(Weights::file, "file", "Into NAME.safetensors"))};
  cl::opt<bool> prepack{
      "prepack", cl::cat(category),
      cl::desc("Bring constants into the form that the code reads now, not at "
               "the first execution")};
  cl::opt<bool> remarks{"remarks", cl::cat(category),
                        cl::desc("Print the compiler's remarks")};
};

struct Options {
  std::string input, folder, entry;
  /// What the input leaves open.
  SourceSettings settings;
  CompileOptions compile;
  PackageOptions package;
  bool remarks = false;
};

Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

sigset_t interruptions;

void *awaitInterruption(void *) {
  int number = 0;
  if (sigwait(&interruptions, &number) != 0)
    return nullptr;
  abandonPackages();
  pthread_sigmask(SIG_UNBLOCK, &interruptions, nullptr);
  raise(number);
  return nullptr;
}

/// A thread of its own takes the signals that interrupt a program, so that the
/// unfinished folder can be removed before the signal does what it would have
/// done. Called before other threads exist, which inherit what is blocked.
void removeFolderWhenInterrupted() {
  sigemptyset(&interruptions);
  for (int number : {SIGHUP, SIGINT, SIGTERM}) {
    struct sigaction action;
    // The user may have asked not to be interrupted, with nohup for instance.
    if (sigaction(number, nullptr, &action) == 0 &&
        action.sa_handler != SIG_IGN)
      sigaddset(&interruptions, number);
  }
  if (pthread_sigmask(SIG_BLOCK, &interruptions, nullptr) != 0)
    return;
  pthread_t thread;
  if (pthread_create(&thread, nullptr, awaitInterruption, nullptr) == 0)
    pthread_detach(thread);
  else
    pthread_sigmask(SIG_UNBLOCK, &interruptions, nullptr);
}

/// LLVM's code generator cannot return every error.
void reportFatal(void *, const char *reason, bool) {
  errs() << "gc-compile: error: the code generator failed: " << reason << "\n";
  errs().flush();
  _exit(kBadInput);
}

Error readPackageOptions(const CommandLine &line, PackageOptions &package) {
  StringRef stem = sys::path::stem(line.input);
  package.name =
      line.name.empty() ? makeIdentifier(stem, "g") : line.name.getValue();
  if (makeIdentifier(package.name, "g") != package.name)
    return makeError("--name: '" + package.name +
                     "' is not an identifier that C and C++ accept");
  package.source = sys::path::filename(line.input).str();
  package.emitC = line.emit == Form::c;
  if (package.emitC)
    for (auto [name, count] :
         {std::pair("shared", line.shared.getNumOccurrences()),
          std::pair("prepack", line.prepack.getNumOccurrences())})
      if (count)
        return makeError(Twine("--") + name + " does not apply to --emit=c");
  if (package.emitC && line.weights == Weights::file)
    return makeError("--weights=file does not apply to --emit=c: C code has no "
                     "runtime that could read the file; without --input the "
                     "weights are parameters, and the program reads them");
  package.shared = line.shared;
  package.linker = line.linker;
  package.weightsInFile = line.weights == Weights::file;
  package.prepack = line.prepack;
  for (const std::string &text : line.inputs) {
    auto [name, file] = StringRef(text).split('=');
    if (name.empty() || file.empty())
      return makeError("--input needs name=file.npy, not '" + text + "'");
    package.values.emplace_back(name.str(), file.str());
  }
  return Error::success();
}

Expected<std::optional<Options>> parseOptions(int argc, char **argv) {
  // Removes the options of LLVM's libraries, some of which clash with ours.
  cl::ResetCommandLineParser();
  CommandLine line;
  cl::SetVersionPrinter([](raw_ostream &os) {
    os << "gc-compile 0.1.0 with LLVM " << LLVM_VERSION_STRING << "\n";
  });
  cl::HideUnrelatedOptions(line.category);
  std::string message;
  raw_string_ostream os(message);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Compiles a graph to an object file with a C header.\n",
          &os)) {
    StringRef text = StringRef(os.str()).trim();
    text.consume_front(sys::path::filename(argv[0]));
    text.consume_front(argv[0]);
    text.consume_front(":");
    return makeError(text.trim());
  }
  Options options;
  options.input = line.input;
  if (options.input.empty())
    return makeError("no input file; see --help");
  options.folder = line.output;
  if (options.folder.empty())
    return makeError("no folder to write; give -o FOLDER");
  if (Error error = line.source.getSettings().moveInto(options.settings))
    return std::move(error);
  options.entry = line.entry;
  options.remarks = line.remarks;
  CompileOptions &compile = options.compile;
  if (!line.pipeline.empty()) {
    auto pipeline = CpuPipelineOptions::parse(line.pipeline);
    if (!pipeline)
      return pipeline.takeError();
    compile.pipeline = *pipeline;
  }
  if (line.threads.getNumOccurrences()) {
    if (line.threads < 1 || line.threads > kMaxThreads)
      return makeError("--threads must be from 1 to " + Twine(kMaxThreads));
    compile.pipeline.threads = line.threads;
  }
  if (line.machine.getNumOccurrences()) {
    if (line.machine.empty())
      return makeError("--machine must name a preset or a file");
    compile.pipeline.machine = line.machine;
  }
  if (Error error = Processor::parse(line.cpu).moveInto(compile.processor))
    return std::move(error);
  compile.triple = line.triple;
  if (Error error = readPackageOptions(line, options.package))
    return std::move(error);
  return std::move(options);
}

Error run(Options options) {
  mlir::DialectRegistry registry;
  registerAllGraphCompilerDialects(registry);
  reference::registerReferenceModels(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  auto module = readGraph(options.input, &context, UnknownKinds::Refused,
                          options.settings, FileAccess::mapped);
  if (!module)
    return module.takeError();
  auto entry = findEntry(**module, options.entry);
  if (!entry)
    return makeError(options.input + ": " + toString(entry.takeError()));
  if (!graph::getNamedDims(*entry).empty())
    return makeError(options.input + ": " + describeOpenSizes(*entry));
  auto machine = getMachine(**module, options.compile);
  if (!machine)
    return machine.takeError();
  CpuPipelineOptions &pipeline = options.compile.pipeline;
  if (pipeline.threads == 0)
    pipeline.threads = machine->cores;
  std::vector<Remark> remarks;
  if (Error error = writePackage(*entry, options.compile, options.package,
                                 options.folder, remarks))
    return error;
  if (options.remarks)
    for (const Remark &remark : remarks)
      errs() << (remark.kind == "warning" ? "warning: " : "remark: ")
             << remark.str() << "\n";
  return Error::success();
}

} // namespace

int main(int argc, char **argv) {
  prepareProcessMemory();
  removeFolderWhenInterrupted();
  InitLLVM init(argc, argv);
  install_fatal_error_handler(reportFatal);
  auto fail = [](Error error) {
    std::string message = toString(std::move(error));
    // The command line library prints some errors itself.
    if (!message.empty())
      errs() << "gc-compile: error: " << message << "\n";
    return kBadInput;
  };
  auto options = parseOptions(argc, argv);
  if (!options)
    return fail(options.takeError());
  if (!*options)
    return kFine;
  if (Error error = run(std::move(**options)))
    return fail(std::move(error));
  return kFine;
}
