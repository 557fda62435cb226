// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.h"
#include "Driver/NpuDriver.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <cmath>

using namespace llvm;
using namespace gc;
using namespace gc::runner;

namespace {

Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// The options as LLVM's command line library sees them. They exist while the
/// command line is parsed only.
struct CommandLine {
  cl::OptionCategory category{"gc-runner options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("INPUT"),
                             cl::cat(category)};
  cl::opt<std::string> entry{
      "entry", cl::value_desc("name"), cl::cat(category),
      cl::desc("Function to run (default: the only public "
               "one, else main)")};
  cl::opt<Target> target{
      "target", cl::desc("What to run on"), cl::init(Target::cpu),
      cl::cat(category),
      cl::values(
          clEnumValN(Target::cpu, "cpu", "Compiled code on this machine"),
          clEnumValN(Target::npu, "npu", "The simulated NPU"),
          clEnumValN(Target::reference, "reference",
                     "The reference interpreter"))};
  cl::opt<int64_t> threads{
      "threads", cl::value_desc("n"), cl::cat(category),
      cl::desc("Threads (default: the OpenMP setting, else "
               "the machine's cores, at most the host's)")};
  cl::list<std::string> inputs{
      "input", cl::value_desc("name=file.npy"), cl::cat(category),
      cl::desc("Value of an argument: graph.name, argN or a tensor id; others "
               "are random")};
  cl::opt<uint64_t> seed{"seed", cl::init(0), cl::cat(category),
                         cl::desc("Of the random inputs")};
  cl::opt<std::string> outputDirectory{
      "output-dir", cl::value_desc("directory"), cl::cat(category),
      cl::desc("Write each result as .npy")};
  cl::opt<bool> check{"check", cl::cat(category),
                      cl::desc("Compare with the reference interpreter")};
  cl::opt<bool> strict{
      "strict", cl::ZeroOrMore, cl::cat(category),
      cl::desc("Exit with 1 where --check passes and proves little")};
  cl::opt<double> rtol{"rtol", cl::cat(category),
                       cl::desc("Relative tolerance of --check")};
  cl::opt<double> atol{"atol", cl::cat(category),
                       cl::desc("Absolute tolerance of --check")};
  cl::opt<EmitKind> emit{
      "emit", cl::desc("Write this instead of running"), cl::cat(category),
      cl::values(clEnumValN(EmitKind::mlir, "mlir",
                            "MLIR after the last phase of the pipeline"),
                 clEnumValN(EmitKind::llvm, "llvm", "LLVM IR"),
                 clEnumValN(EmitKind::assembly, "asm", "Assembly"),
                 clEnumValN(EmitKind::object, "obj", "Object file"))};
  cl::opt<std::string> output{"o", cl::value_desc("file"), cl::init("-"),
                              cl::cat(category),
                              cl::desc("Where --emit writes (default: standard "
                                       "output)")};
  cl::opt<std::string> machine{
      "machine", cl::value_desc("preset|file.json"), cl::cat(category),
      cl::desc("Machine to compile for (default: what the module describes, "
               "else GC_MACHINE's, else this one)")};
  cl::opt<std::string> cpu{
      "cpu", cl::value_desc("name|features"), cl::cat(category),
      cl::desc("Processor to compile for, or features (+avx2,-fma), or both "
               "(default: the machine's)")};
  cl::opt<bool> bench{"bench", cl::cat(category),
                      cl::desc("Repeat and report median, minimum, maximum")};
  cl::opt<int64_t> warmup{"warmup", cl::init(2), cl::cat(category),
                          cl::desc("Runs of --bench that are not counted")};
  cl::opt<double> minTime{"min-time", cl::init(1), cl::value_desc("seconds"),
                          cl::cat(category),
                          cl::desc("Least time that --bench measures")};
  cl::opt<std::string> json{"json", cl::value_desc("file|-"), cl::cat(category),
                            cl::desc("Write the report as one JSON object")};
  cl::opt<std::string> trace{
      "trace", cl::value_desc("file"), cl::cat(category),
      cl::desc("Write a Chrome/Perfetto trace of the threads, or of the NPU's "
               "pipes")};
  cl::opt<std::string> pipeline{"pipeline-options", cl::value_desc("options"),
                                cl::cat(category),
                                cl::desc("Passed to the compiler's pipeline")};
  cl::opt<bool> printPipeline{"print-pipeline", cl::cat(category),
                              cl::desc("Print the pipeline's passes")};
  cl::opt<bool> remarks{"remarks", cl::cat(category),
                        cl::desc("Print the compiler's remarks")};
  cl::opt<bool> perf{"perf-map", cl::cat(category),
                     cl::desc("Write the map file by which perf names the "
                              "generated functions (also: GC_PERF_MAP=1)")};
  cl::opt<std::string> profile{
      "profile", cl::value_desc("gm64|gm32|l2"), cl::cat(category),
      cl::desc("NPU: global memory (default: as the file says, else gm64)")};
  cl::opt<std::string> mode{
      "mode", cl::value_desc("values|cycles"), cl::cat(category),
      cl::desc("NPU: compute values (default), or count cycles only")};
  cl::opt<int64_t> cores{"cores", cl::value_desc("n"), cl::cat(category),
                         cl::desc("NPU: cores that run the program (default: "
                                  "its npu.cores, else 1)")};
  cl::opt<int64_t> maxInstructions{
      "max-instructions", cl::value_desc("n"), cl::cat(category),
      cl::desc("NPU: what ends a program that does not end (default: 10^9 "
               "instructions and iterations)")};
  cl::opt<std::string> timeline{"timeline", cl::value_desc("file.svg"),
                                cl::cat(category),
                                cl::desc("NPU: draw what each pipe does when")};
  cl::opt<std::string> window{
      "window", cl::value_desc("begin:end"), cl::cat(category),
      cl::desc("NPU: cycles that --trace and --timeline show")};
};

/// "zen3", "+avx2,-fma", "zen3,-avx2": the name and the features.
void splitCpu(StringRef text, CompileOptions &options) {
  SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  std::string features;
  for (StringRef part : parts) {
    if (part.starts_with("+") || part.starts_with("-"))
      features += (features.empty() ? "" : ",") + part.str();
    else
      options.cpu = part.str();
  }
  options.features = features;
  // A list of features alone starts from the least that there is.
  if (options.cpu.empty() && !features.empty())
    options.cpu = "x86-64";
}

/// The options of the NPU; an error for another target that has one of them.
Error readNpuOptions(CommandLine &line, Options &options) {
  bool isNpu = options.target == Target::npu;
  const cl::Option *own[] = {&line.profile,         &line.mode,
                             &line.cores,           &line.timeline,
                             &line.maxInstructions, &line.window};
  for (const cl::Option *option : own)
    if (!isNpu && option->getNumOccurrences())
      return makeError("--" + option->ArgStr + " is for --target=npu");
  const cl::Option *others[] = {
      &line.bench,         &line.warmup,  &line.minTime, &line.pipeline,
      &line.printPipeline, &line.threads, &line.machine};
  for (const cl::Option *option : others)
    if (isNpu && option->getNumOccurrences())
      return makeError("--" + option->ArgStr + " is not for --target=npu");

  NpuOptions &npu = options.npu;
  npu.profile = line.profile;
  if (line.profile.getNumOccurrences() &&
      !npu::parseProfile(std::string_view(npu.profile)))
    return makeError("--profile is gm64, gm32 or l2, not '" + npu.profile +
                     "'");
  if (line.mode.getNumOccurrences()) {
    if (line.mode != "values" && line.mode != "cycles")
      return makeError("--mode is values or cycles, not '" + line.mode + "'");
    npu.mode = line.mode == "cycles" ? npu::Mode::cycles : npu::Mode::values;
  }
  if (npu.mode == npu::Mode::cycles &&
      (options.check || !options.outputDirectory.empty() ||
       !options.inputs.empty()))
    return makeError("--check, --output-dir and --input need values, which "
                     "--mode=cycles does not compute");
  if (line.cores.getNumOccurrences()) {
    if (line.cores < 1 || line.cores > kMaxNpuCores)
      return makeError("--cores is from 1 to " + Twine(kMaxNpuCores));
    npu.cores = line.cores;
  }
  if (line.maxInstructions.getNumOccurrences()) {
    if (line.maxInstructions < 1)
      return makeError("--max-instructions is at least 1");
    npu.maxInstructions = line.maxInstructions;
  }
  npu.timeline = line.timeline;
  if (!line.window.getNumOccurrences())
    return Error::success();
  auto [begin, end] = StringRef(line.window).split(':');
  if (begin.getAsInteger(10, npu.window.begin) ||
      end.getAsInteger(10, npu.window.end) || npu.window.begin < 0 ||
      npu.window.end <= npu.window.begin)
    return makeError("--window is begin:end in cycles, not '" + line.window +
                     "'");
  if (npu.timeline.empty() && options.trace.empty())
    return makeError("--window is for --trace and --timeline");
  return Error::success();
}

} // namespace

Expected<std::optional<Options>> runner::parseOptions(int argc, char **argv) {
  // Forgets the options of LLVM's libraries, some of which have our names.
  cl::ResetCommandLineParser();
  CommandLine line;
  cl::SetVersionPrinter([](raw_ostream &os) {
    os << "gc-runner 0.1.0 with LLVM " << LLVM_VERSION_STRING << "\n";
  });
  cl::HideUnrelatedOptions(line.category);
  std::string message;
  raw_string_ostream os(message);
  // Help and version are printed, and end the process, in here.
  if (!cl::ParseCommandLineOptions(argc, argv,
                                   "Compiles a graph and runs it.\n", &os)) {
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
  options.entry = line.entry;
  options.target = line.target;
  constexpr int64_t maxThreads = 1024;
  if (line.threads.getNumOccurrences()) {
    if (line.threads < 1 || line.threads > maxThreads)
      return makeError("--threads is from 1 to " + Twine(maxThreads));
    options.threads = line.threads;
  }
  for (const std::string &text : line.inputs) {
    auto [name, file] = StringRef(text).split('=');
    if (name.empty() || file.empty())
      return makeError("--input needs name=file.npy, not '" + text + "'");
    options.inputs.emplace_back(name.str(), file.str());
  }
  options.seed = line.seed;
  options.outputDirectory = line.outputDirectory;
  options.check = line.check;
  options.strict = line.strict;
  for (auto [option, value] : {std::pair(&line.rtol, &options.rtol),
                               std::pair(&line.atol, &options.atol)}) {
    if (!option->getNumOccurrences())
      continue;
    double number = *option;
    if (!(number >= 0) || std::isinf(number))
      return makeError("--" + option->ArgStr + " is a number of 0 or more");
    *value = number;
  }
  if (line.emit.getNumOccurrences())
    options.emit = line.emit;
  options.output = line.output;
  options.bench = line.bench;
  if (line.warmup < 0)
    return makeError("--warmup is 0 or more");
  options.warmup = line.warmup;
  if (!(line.minTime >= 0) || line.minTime > 3600)
    return makeError("--min-time is from 0 to 3600 seconds");
  options.minTime = line.minTime;
  options.json = line.json;
  options.trace = line.trace;
  options.printPipeline = line.printPipeline;
  options.remarks = line.remarks;
  if (Error error = readNpuOptions(line, options))
    return std::move(error);
  if (options.target == Target::reference &&
      (options.bench || options.emit || !options.trace.empty()))
    return makeError("--bench, --emit and --trace are not for "
                     "--target=reference");

  CompileOptions &compile = options.compile;
  auto pipeline = CpuPipelineOptions::parse(line.pipeline);
  if (!pipeline)
    return pipeline.takeError();
  compile.pipeline = *pipeline;
  if (options.threads > 0)
    compile.pipeline.threads = options.threads;
  else
    options.threads = compile.pipeline.threads;
  if (line.machine.getNumOccurrences()) {
    if (line.machine.empty())
      return makeError(
          "--machine is the name of a preset or a file, not empty");
    compile.pipeline.machine = line.machine;
  }
  if (!options.trace.empty())
    compile.pipeline.trace = true;
  splitCpu(line.cpu, compile);
  compile.perfMap =
      line.perf || sys::Process::GetEnv("GC_PERF_MAP").value_or("0") != "0";
  return options;
}
