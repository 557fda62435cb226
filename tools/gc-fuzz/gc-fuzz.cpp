// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gc-fuzz: random graphs, compiled, run and compared with the reference.
//
// Each graph is checked in a separate process. A graph that fails is written to
// a file, along with a smaller one that fails in the same way. Exit codes: 0
// all agree, 1 one or more do not, 2 bad usage.

#include "Dialect/Graph/IR/OpTable.h"
#include "Driver/Diagnostics.h"
#include "Generator.h"
#include "Isolate.h"
#include "Machine/MachineFile.h"
#include "Random.h"
#include "Reduce.h"
#include "Reference/Interpreter.h"
#include "Runtime/Runtime.h"
#include "Transforms/Register.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"

using namespace llvm;
using namespace gc::fuzz;

namespace {

struct Options {
  cl::OptionCategory category{"gc-fuzz options"};
  cl::opt<int64_t> seed{"seed", cl::init(1), cl::cat(category),
                        cl::desc("Seed of the graphs and of their inputs")};
  cl::opt<int64_t> count{"count", cl::init(100), cl::cat(category),
                         cl::desc("Number of graphs")};
  cl::opt<int64_t> first{"first", cl::init(0), cl::cat(category),
                         cl::desc("Index of the first graph")};
  cl::list<int64_t> threads{
      "threads", cl::CommaSeparated, cl::cat(category), cl::value_desc("n,..."),
      cl::desc("Threads; each graph is checked with each of these numbers (0: "
               "1 to 4, varying from graph to graph; default: 2)")};
  cl::opt<std::string> kernel{"kernel", cl::init("auto"), cl::cat(category),
                              cl::desc("auto, libxsmm or vector")};
  cl::opt<std::string> machine{
      "machine", cl::cat(category), cl::value_desc("preset|file.json"),
      cl::desc(
          "Machine to compile for (default: GC_MACHINE's, else this one)")};
  cl::list<std::string> pipelines{
      "pipeline-options", cl::cat(category), cl::value_desc("options"),
      cl::desc("Options of the pipeline; if given several times, each graph is "
               "checked with each of them")};
  cl::opt<bool> narrow{"narrow", cl::init(true), cl::cat(category),
                       cl::desc("Matmuls of bf16 and f16")};
  cl::opt<bool> rows{"rows", cl::init(true), cl::cat(category),
                     cl::desc("Softmax, norms, reductions, selection")};
  cl::opt<bool> windows{"windows", cl::init(true), cl::cat(category),
                        cl::desc("Convolutions, pooling, interpolation")};
  cl::opt<bool> backward{"backward", cl::init(true), cl::cat(category),
                         cl::desc("Gradients")};
  cl::opt<bool> quantized{"quantized", cl::init(true), cl::cat(category),
                          cl::desc("Quantisation to 8 bits and back")};
  cl::opt<int64_t> jobs{"jobs", cl::init(1), cl::cat(category),
                        cl::desc("Graphs that are checked at the same time")};
  cl::opt<int64_t> timeLimit{"time-limit", cl::init(60), cl::cat(category),
                             cl::desc("Seconds for one graph")};
  cl::opt<std::string> directory{"output-dir", cl::init("gc-fuzz-failures"),
                                 cl::cat(category),
                                 cl::desc("Where failing graphs are written")};
  cl::opt<bool> print{"print", cl::cat(category),
                      cl::desc("Print the graphs instead of checking them")};
  cl::opt<bool> countOps{
      "count-ops", cl::cat(category),
      cl::desc("Print in how many of the graphs that agree each operation is; "
               "with --print, of all graphs, which are neither checked nor "
               "printed")};
  cl::opt<bool> reduce{"reduce", cl::init(true), cl::cat(category),
                       cl::desc("Make failing graphs smaller")};
};

/// How many graphs have each row of the table of operations.
class OperationCounts {
public:
  OperationCounts() : counts(gc::graph::getOpTable().size()) {}

  void add(const Operations &operations) {
    for (size_t i = 0; i < counts.size(); ++i)
      counts[i] += operations.test(i);
  }

  /// All operations of oneDNN Graph, also those that no graph has; of the
  /// dialect's own ones those that are there.
  void print(raw_ostream &os) const {
    os << "graphs with each operation:\n";
    for (auto [spec, count] : zip_equal(gc::graph::getOpTable(), counts))
      if (count || !spec.kind.empty())
        os << formatv("{0,6} {1}\n", count, spec.opName);
  }

private:
  std::vector<int64_t> counts;
};

/// Sums over all graphs that agreed.
struct Totals {
  int64_t passed = 0, weak = 0, failed = 0;
  int64_t manyMatmuls = 0, withTails = 0, withRegions = 0,
          withMatmulRegions = 0, withMerged = 0, withFolded = 0,
          withStrided = 0, withPreOps = 0, withManyResults = 0;
  int64_t ops = 0, matmuls = 0, tails = 0, regions = 0, merged = 0;
  int64_t ranks[8] = {};
  OperationCounts operations;

  void add(const Features &features) {
    ++passed;
    manyMatmuls += features.matmuls >= 2;
    withTails += features.tails > 0;
    withRegions += features.regions > 0;
    withMatmulRegions += features.matmulRegions > 0;
    withMerged += features.merged > 0;
    withFolded += features.folded > 0;
    withStrided += features.stridedArguments > 0;
    withPreOps += features.preOps > 0;
    withManyResults += features.results > 1;
    weak += features.replaced;
    ops += features.ops;
    matmuls += features.matmuls;
    tails += features.tails;
    regions += features.regions;
    merged += features.merged;
    ++ranks[std::min<int64_t>(features.maxRank, 7)];
    operations.add(features.operations);
  }

  void print(raw_ostream &os) const {
    os << formatv("{0} graphs agree with the reference, {1} do not; {2} more "
                  "were weak and replaced\n",
                  passed, failed, weak);
    os << formatv(
        "graphs with: two or more matmuls {0}, tails {1}, fused "
        "regions {2} (around a matmul {3}), pre-ops {4}, merged loops "
        "{5}, folded constants {6}, strided arguments {7}, several "
        "results {8}\n",
        manyMatmuls, withTails, withRegions, withMatmulRegions, withPreOps,
        withMerged, withFolded, withStrided, withManyResults);
    os << formatv("in all: {0} ops, {1} matmuls ({2} with tails), {3} fused "
                  "regions, {4} loops merged into others; largest rank 0 to 5: "
                  "{5} {6} {7} {8} {9} {10}\n",
                  ops, matmuls, tails, regions, merged, ranks[0], ranks[1],
                  ranks[2], ranks[3], ranks[4], ranks[5]);
  }
};

/// The check runs on what the printed text says, as a reader of the file would.
std::string print(mlir::ModuleOp module) {
  std::string text;
  raw_string_ostream os(text);
  module.print(os);
  return text;
}

Outcome checkText(StringRef text, mlir::MLIRContext *context,
                  const CheckOptions &options) {
  auto broken = [](const Twine &message) {
    Outcome outcome;
    outcome.status = Status::broken;
    outcome.message = message.str();
    return outcome;
  };
  mlir::OwningOpRef<mlir::ModuleOp> module;
  {
    gc::DiagnosticCollector diagnostics(context);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, context);
    if (!module)
      return broken("the printed graph does not parse: " +
                    toString(diagnostics.takeError("no reason")));
  }
  if (print(*module) != text)
    return broken("the parsed graph prints differently");
  return checkGraph(module->lookupSymbol<mlir::func::FuncOp>("main"), options);
}

class Fuzzer {
public:
  Fuzzer(const Options &options, std::vector<Pipeline> pipelines,
         mlir::MLIRContext *context)
      : options(options), pipelines(std::move(pipelines)), context(context),
        isolation(options.jobs, options.timeLimit) {}

  int run() {
    isolation.run(
        options.count, [&](int64_t i) { return checkIndex(options.first + i); },
        [&](int64_t i, const Outcome &outcome) {
          return report(options.first + i, outcome);
        });
    totals.print(outs());
    if (options.countOps)
      totals.operations.print(outs());
    return totals.failed ? 1 : 0;
  }

  /// Counts operations without checking the graphs.
  int countOperations() {
    OperationCounts counts;
    for (int64_t i = 0; i < options.count; ++i)
      counts.add(
          findOperations(generate(options.first + i, /*attempt=*/0)
                             ->lookupSymbol<mlir::func::FuncOp>("main")));
    counts.print(outs());
    return 0;
  }

  int printGraphs() {
    for (int64_t i = 0; i < options.count; ++i)
      outs() << formatv("// ----- graph {0}\n", options.first + i)
             << getText(options.first + i, /*attempt=*/0);
    return 0;
  }

private:
  /// A graph whose check is weak is replaced by the next of its index.
  static constexpr int64_t kAttempts = 8;

  mlir::OwningOpRef<mlir::ModuleOp> generate(int64_t index, int64_t attempt) {
    uint64_t number = index * kAttempts + attempt;
    GeneratorOptions generator;
    generator.narrow = options.narrow;
    generator.rows = options.rows;
    generator.windows = options.windows;
    generator.backward = options.backward;
    generator.quantized = options.quantized;
    return generateGraph(context, options.seed, number, generator);
  }

  std::string getText(int64_t index, int64_t attempt) {
    return print(*generate(index, attempt));
  }

  CheckOptions getOptions(int64_t index) {
    CheckOptions check;
    check.pipelines = pipelines;
    check.seed = options.seed + index;
    for (Pipeline &pipeline : check.pipelines)
      if (pipeline.options.threads == 0)
        pipeline.options.threads = 1 + Random(options.seed, index).below(4);
    return check;
  }

  Outcome checkIndex(int64_t index) {
    Outcome outcome;
    for (int64_t attempt = 0; attempt < kAttempts; ++attempt) {
      outcome = checkText(getText(index, attempt), context, getOptions(index));
      outcome.features.replaced = attempt;
      if (outcome.status != Status::weak)
        break;
    }
    return outcome;
  }

  bool report(int64_t index, const Outcome &outcome) {
    if (outcome.status == Status::passed) {
      totals.add(outcome.features);
      return true;
    }
    ++totals.failed;
    outs() << formatv(
        "graph {0} (--seed={1} --first={0} --count=1): {2}: {3}\n", index,
        options.seed.getValue(), getName(outcome.status), outcome.message);
    if (sys::fs::create_directories(options.directory)) {
      errs() << "gc-fuzz: error: " << options.directory
             << ": cannot make the directory\n";
      return false;
    }
    writeFailure(index, outcome.status);
    outs().flush();
    return true;
  }

  void writeFailure(int64_t index, Status status) {
    CheckOptions checkOptions = getOptions(index);
    std::vector<Pipeline> all = std::move(checkOptions.pipelines);
    checkOptions.pipelines = all;
    auto check = [&](const std::string &text) {
      return isolation.run(
          [&] { return checkText(text, context, checkOptions); });
    };
    // Which attempt it was is known only in the child.
    std::string text;
    for (int64_t attempt = 0; attempt < kAttempts; ++attempt) {
      text = getText(index, attempt);
      if (check(text).status == status)
        break;
    }
    // One of the settings is enough to look for the reason, if it fails alone.
    for (const Pipeline &pipeline : all) {
      checkOptions.pipelines = {pipeline};
      if (check(text).status == status)
        break;
      checkOptions.pipelines = all;
    }
    std::string stem = formatv("{0}/seed{1}-graph{2}", options.directory,
                               options.seed.getValue(), index);
    write(stem + ".mlir", text, checkOptions);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context);
    if (!options.reduce || !module)
      return;
    Outcome last;
    auto reduced = reduceGraph(*module, [&](mlir::ModuleOp candidate) {
      Outcome outcome = check(print(candidate));
      if (outcome.status != status)
        return false;
      last = outcome;
      return true;
    });
    write(stem + "-reduced.mlir", print(*reduced), checkOptions);
    outs() << "  reduced: " << last.message << "\n" << print(*reduced);
  }

  void write(const std::string &path, StringRef text,
             const CheckOptions &options) {
    std::error_code error;
    raw_fd_ostream os(path, error);
    if (error) {
      errs() << "gc-fuzz: error: " << path << ": " << error.message() << "\n";
      return;
    }
    for (const Pipeline &pipeline : options.pipelines)
      os << formatv("// gc-runner --check --seed={0} --threads={1} "
                    "--pipeline-options=\"{2}\"\n",
                    options.seed, pipeline.options.threads.getValue(),
                    pipeline.text);
    os << text;
  }

  const Options &options;
  std::vector<Pipeline> pipelines;
  mlir::MLIRContext *context;
  Isolation isolation;
  Totals totals;
};

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  // Removes the options of LLVM's libraries, some of which clash with ours.
  cl::ResetCommandLineParser();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Checks the compiler on random graphs.\n", &errs()))
    return 2;
  std::vector<int64_t> threads(options.threads);
  if (threads.empty())
    threads = {2};
  if (options.jobs < 1 || options.timeLimit < 1 || options.count < 0 ||
      *min_element(threads) < 0) {
    errs() << "gc-fuzz: error: --jobs and --time-limit must be at least 1, "
              "--count and --threads at least 0\n";
    return 2;
  }
  if (options.machine.getNumOccurrences() && options.machine.empty()) {
    errs() << "gc-fuzz: error: --machine must name a preset or a file\n";
    return 2;
  }
  auto machine = options.machine.empty() ? gc::getDefaultMachine()
                                         : gc::readMachine(options.machine);
  if (!machine) {
    errs() << "gc-fuzz: error: " << toString(machine.takeError()) << "\n";
    return 2;
  }
  if (!options.print)
    for (const std::string &feature : machine->features)
      if (!gc_host_has_feature(feature.c_str())) {
        errs() << "gc-fuzz: error: code for the machine '" << machine->name
               << "' does not run here: this host lacks the processor feature '"
               << feature << "'\n";
        return 2;
      }
  std::vector<std::string> texts(options.pipelines);
  if (texts.empty())
    texts.emplace_back();
  std::vector<Pipeline> pipelines;
  for (const std::string &text : texts) {
    std::string all = "kernel=" + options.kernel;
    if (!text.empty())
      all += " " + text;
    auto parsed = gc::CpuPipelineOptions::parse(all);
    if (!parsed) {
      errs() << "gc-fuzz: error: " << toString(parsed.takeError()) << "\n";
      return 2;
    }
    if (!options.machine.empty())
      parsed->machine = options.machine;
    for (int64_t number : threads) {
      pipelines.push_back({all, *parsed});
      pipelines.back().options.threads = number;
    }
  }
  mlir::DialectRegistry registry;
  gc::registerAllGraphCompilerDialects(registry);
  gc::reference::registerReferenceModels(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  Fuzzer fuzzer(options, std::move(pipelines), &context);
  if (!options.print)
    return fuzzer.run();
  return options.countOps ? fuzzer.countOperations() : fuzzer.printGraphs();
}
