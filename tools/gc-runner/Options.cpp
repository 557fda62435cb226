// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.h"
#include "Driver/DynamicGraph.h"
#include "Driver/SourceOptions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace llvm;
using namespace gc;
using namespace gc::runner;

namespace {

Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// A file that may be missing, but not be an empty name.
struct OptionalFileParser : cl::parser<std::string> {
  using parser::parser;

  bool parse(cl::Option &option, StringRef name, StringRef value,
             std::string &file) {
    // Without "=" there is no text at all.
    if (value.data() && value.empty())
      return option.error("the name of the file is empty", name);
    return parser::parse(option, name, value, file);
  }
};

/// The options as LLVM's command line library sees them. They exist only while
/// the command line is parsed.
struct CommandLine {
  cl::OptionCategory category{"gc-runner options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("INPUT"),
                             cl::cat(category)};
  cl::opt<std::string> entry{
      "entry", cl::value_desc("name"), cl::cat(category),
      cl::desc("Function to run (default: the only public one, else main)")};
  cl::opt<std::string> target{"target", cl::value_desc("name"), cl::init("cpu"),
                              cl::cat(category)};
  cl::opt<int64_t> threads{
      "threads", cl::value_desc("n"), cl::cat(category),
      cl::desc("Threads (default: the OpenMP setting, else "
               "the machine's cores, at most the host's)")};
  cl::list<std::string> inputs{
      "input", cl::value_desc("name=file.npy"), cl::cat(category),
      cl::desc("Value of an argument: graph.name, argN or a tensor id; others "
               "are random")};
  SourceOptions source{category};
  cl::opt<uint64_t> seed{"seed", cl::init(0), cl::cat(category),
                         cl::desc("Seed of the random inputs")};
  cl::opt<std::string> outputDirectory{
      "output-dir", cl::value_desc("directory"), cl::cat(category),
      cl::desc("Write each result as .npy")};
  cl::opt<bool> check{"check", cl::cat(category),
                      cl::desc("Compare with the reference interpreter")};
  cl::opt<bool> strict{
      "strict", cl::ZeroOrMore, cl::cat(category),
      cl::desc("Exit with 1 if --check passes but proves little")};
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
                 clEnumValN(EmitKind::object, "obj", "Object file"),
                 clEnumValN(EmitKind::c, "c", "C11 for one thread"))};
  cl::opt<std::string> output{"o", cl::value_desc("file"), cl::init("-"),
                              cl::cat(category),
                              cl::desc("Where --emit writes (default: standard "
                                       "output)")};
  cl::opt<bool> bench{"bench", cl::cat(category),
                      cl::desc("Repeat and report median, minimum, maximum")};
  cl::opt<int64_t> warmup{"warmup", cl::init(2), cl::cat(category),
                          cl::desc("Runs of --bench that are not counted")};
  cl::opt<double> minTime{"min-time", cl::init(1), cl::value_desc("seconds"),
                          cl::cat(category),
                          cl::desc("Least time that --bench measures")};
  cl::opt<std::string, false, OptionalFileParser> explain{
      "explain", cl::value_desc("file.html"), cl::ValueOptional,
      cl::cat(category),
      cl::desc("Say where the time goes, what limits it, which decisions were "
               "taken and what to try; also as a page of HTML")};
  cl::opt<std::string> json{"json", cl::value_desc("file|-"), cl::cat(category),
                            cl::desc("Write the report as one JSON object")};
  cl::opt<std::string> trace{
      "trace", cl::value_desc("file"), cl::cat(category),
      cl::desc("Write a Chrome/Perfetto trace of the threads, or of the NPU's "
               "pipes")};
  cl::opt<bool> printPipeline{"print-pipeline", cl::cat(category),
                              cl::desc("Print the pipeline's passes")};
  cl::opt<bool> remarks{"remarks", cl::cat(category),
                        cl::desc("Print the compiler's remarks")};

  /// Flags of targets by name; targets may share one.
  struct Flag {
    std::string help;
    /// One that takes a value, or one that does not.
    std::unique_ptr<cl::opt<std::string>> option;
    std::unique_ptr<cl::opt<bool>> flag;
    /// The targets that have it.
    SmallVector<const Target *> targets;
  };
  MapVector<StringRef, Flag> flags;
  std::string targetHelp;

  explicit CommandLine(const TargetRegistry &targets);
};

CommandLine::CommandLine(const TargetRegistry &targets) {
  targetHelp = "What to run on:";
  for (const auto &target : targets.getTargets()) {
    targetHelp +=
        "\n" + target->getName().str() + ": " + target->getDescription().str();
    for (const TargetFlag &flag : target->getFlags())
      flags[flag.name].targets.push_back(target.get());
  }
  target.setDescription(targetHelp);
  for (const auto &owner : targets.getTargets())
    for (const TargetFlag &flag : owner->getFlags()) {
      Flag &entry = flags[flag.name];
      if (entry.option || entry.flag)
        continue;
      for (const Target *other : entry.targets)
        entry.help += (entry.help.empty() ? "" : ", ") + other->getName().str();
      entry.help += ": " + flag.description.str();
      if (flag.value.empty())
        entry.flag = std::make_unique<cl::opt<bool>>(
            flag.name, cl::desc(entry.help), cl::cat(category),
            cl::ValueDisallowed);
      else
        entry.option = std::make_unique<cl::opt<std::string>>(
            flag.name, cl::desc(entry.help), cl::cat(category),
            cl::value_desc(flag.value), cl::ValueRequired);
    }
}

/// "cpu, npu"
std::string getNames(ArrayRef<const Target *> targets) {
  std::string names;
  for (const Target *target : targets)
    names += (names.empty() ? "" : ", ") + target->getName().str();
  return names;
}

/// An argument as a shell reads it.
std::string quote(StringRef argument) {
  auto isPlain = [](char c) {
    return isAlnum(c) || StringRef("_@%+=:,./-").contains(c);
  };
  if (!argument.empty() && all_of(argument, isPlain))
    return argument.str();
  std::string quoted = "'";
  for (char c : argument)
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

/// What to type to use templates of a database besides what is given here.
std::string getDatabaseArgument(const CommandLine &line, StringRef database) {
  std::string options = ("template-database=" + database).str();
  auto given = line.flags.find("pipeline-options");
  if (given != line.flags.end() && given->second.option &&
      given->second.option->getNumOccurrences())
    options = given->second.option->getValue() + " " + options;
  return quote("--pipeline-options=" + options);
}

/// What to type for gc-tune to read the same graph for the same machine; empty
/// where it has no option that is given here.
std::string getTuneArguments(const CommandLine &line) {
  if (line.input == "-" || line.entry.getNumOccurrences())
    return "";
  std::vector<std::string> typed;
  for (const std::string &text : line.source.getTexts())
    typed.push_back("--" + text);
  for (const auto &[name, flag] : line.flags) {
    const cl::Option &option =
        flag.flag ? static_cast<const cl::Option &>(*flag.flag) : *flag.option;
    if (!option.getNumOccurrences() || name == "cache" || name == "perf-map")
      continue;
    if (name != "machine" && name != "pipeline-options")
      return "";
    typed.push_back(("--" + name + "=" + flag.option->getValue()).str());
  }
  typed.push_back(line.input);
  for (std::string &argument : typed)
    argument = quote(argument);
  return join(typed, " ");
}

/// Reads the flags of the target; an error for those of another one, and for
/// common options that do not apply to the target.
Error readTargetOptions(CommandLine &line, Options &options) {
  const Target &target = *options.target;
  std::pair<const cl::Option *, Ability> common[] = {
      {&line.threads, Ability::threads},
      {&line.bench, Ability::bench},
      {&line.warmup, Ability::bench},
      {&line.minTime, Ability::bench},
      {&line.trace, Ability::trace},
      {&line.explain, Ability::explain},
      {&line.emit, Ability::emit},
      {&line.check, Ability::check},
      {&line.printPipeline, Ability::pipeline}};
  for (auto [option, ability] : common)
    if (option->getNumOccurrences() && !target.has(ability))
      return makeError("--" + option->ArgStr +
                       " does not apply to --target=" + target.getName());
  options.targetOptions = target.makeOptions();
  for (auto &entry : line.flags) {
    StringRef name = entry.first;
    CommandLine::Flag &flag = entry.second;
    const cl::Option &option =
        flag.flag ? static_cast<const cl::Option &>(*flag.flag) : *flag.option;
    if (!option.getNumOccurrences())
      continue;
    auto own = find_if(target.getFlags(), [&](const TargetFlag &candidate) {
      return candidate.name == name;
    });
    if (own == target.getFlags().end())
      return makeError("--" + name +
                       " is only for --target=" + getNames(flag.targets));
    if (Error error = own->set(*options.targetOptions,
                               flag.option ? flag.option->getValue() : ""))
      return error;
  }
  return target.finishOptions(*options.targetOptions, options.run);
}

} // namespace

Expected<std::optional<Options>>
runner::parseOptions(int argc, char **argv, const TargetRegistry &targets) {
  // Removes the options of LLVM's libraries, some of which clash with ours.
  cl::ResetCommandLineParser();
  CommandLine line(targets);
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
  auto target = targets.find(line.target);
  if (!target)
    return makeError("--target: " + toString(target.takeError()));
  options.target = *target;
  constexpr int64_t maxThreads = 1024;
  if (line.threads.getNumOccurrences()) {
    if (line.threads < 1 || line.threads > maxThreads)
      return makeError("--threads must be from 1 to " + Twine(maxThreads));
    options.run.threads = line.threads;
  }
  for (const std::string &text : line.inputs) {
    auto [name, file] = StringRef(text).split('=');
    if (name.empty() || file.empty())
      return makeError("--input needs name=file.npy, not '" + text + "'");
    options.inputs.emplace_back(name.str(), file.str());
  }
  if (Error error = line.source.getSettings(/*withSizes=*/false)
                        .moveInto(options.settings))
    return std::move(error);
  for (const std::string &text : line.source.getSizes()) {
    auto sizes = parseDimSizes(text);
    if (!sizes)
      return makeError("--size: " + toString(sizes.takeError()));
    for (const auto &other : options.sizes)
      if (other.first == sizes->first)
        return makeError("--size: '" + sizes->first + "' is there twice");
    options.sizes.push_back(std::move(*sizes));
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
      return makeError("--" + option->ArgStr + " must be 0 or more");
    *value = number;
  }
  if (line.emit.getNumOccurrences())
    options.emit = line.emit;
  if (options.emit && line.explain.getNumOccurrences())
    return makeError("--explain explains a run; --emit does not run");
  for (const cl::Option *option : std::initializer_list<const cl::Option *>{
           &line.check, &line.bench, &line.json, &line.trace})
    if (options.emit && option->getNumOccurrences())
      return makeError("--" + option->ArgStr +
                       " needs a run; --emit does not run");
  options.output = line.output;
  options.run.bench = line.bench;
  if (line.warmup < 0)
    return makeError("--warmup must be 0 or more");
  options.run.warmup = line.warmup;
  if (!(line.minTime >= 0) || line.minTime > 3600)
    return makeError("--min-time must be from 0 to 3600 seconds");
  options.run.minTime = line.minTime;
  options.json = line.json;
  options.run.trace = line.trace;
  options.printPipeline = line.printPipeline;
  options.remarks = line.remarks;
  options.run.explain = line.explain.getNumOccurrences() > 0;
  options.explain = line.explain;
  options.run.name = sys::path::stem(options.input).str();
  options.run.tuneArguments = getTuneArguments(line);
  // A name that needs no quotes anywhere.
  std::string database = options.run.name + ".tuned.json";
  for (char &c : database)
    if (!isAlnum(c) && c != '.' && c != '-')
      c = '_';
  options.run.tunedDatabase = database;
  options.run.databaseArgument = getDatabaseArgument(line, database);
  options.run.needsValues = options.check || !options.inputs.empty() ||
                            !options.outputDirectory.empty();
  if (Error error = readTargetOptions(line, options))
    return std::move(error);
  return std::move(options);
}
