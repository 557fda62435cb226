// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gc-fuzz-plans: damaged tiling policies, memory hierarchies, plans, scops and
// tuning databases.
//
// Each kernel of the input is compiled once; what was chosen for it is the seed
// of mutants. A mutant must compile, or give one error. Exit codes: 0 all good,
// 1 not all, 2 bad usage.

#include "Conversion/Passes.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "Isolate.h"
#include "Support/ParserLimits.h"
#include "TextMutants.h"
#include "Transforms/Pipelines.h"
#include "Transforms/Register.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"

#include <array>

using namespace llvm;
using namespace gc;
using namespace gc::fuzz;

namespace {

enum class Kind { policy, hierarchy, plan, scop, database };
constexpr std::array<StringLiteral, 5> kKinds = {"policy", "hierarchy", "plan",
                                                 "scop", "database"};

struct Options {
  cl::OptionCategory category{"gc-fuzz-plans options"};
  cl::opt<std::string> file{cl::Positional, cl::desc("<graphs.mlir>"),
                            cl::Required, cl::cat(category)};
  cl::opt<int64_t> seed{"seed", cl::init(1), cl::cat(category),
                        cl::desc("Seed of the mutants")};
  cl::opt<int64_t> count{"count", cl::init(100), cl::cat(category),
                         cl::desc("Number of mutants")};
  cl::opt<int64_t> first{"first", cl::init(0), cl::cat(category),
                         cl::desc("Index of the first mutant")};
  cl::opt<int64_t> jobs{"jobs", cl::init(2), cl::cat(category),
                        cl::desc("Processes at a time")};
  cl::opt<int64_t> batch{"batch", cl::init(20), cl::cat(category),
                         cl::desc("Mutants of one process")};
  cl::opt<int64_t> timeLimit{"time-limit", cl::init(20), cl::cat(category),
                             cl::desc("Seconds for one mutant")};
  cl::opt<bool> print{"print", cl::cat(category),
                      cl::desc("Print the mutants instead")};
};

/// A kernel: the module with its scop, the same after poly-schedule, and what
/// was chosen for it.
struct Seed {
  std::string module, scheduled;
  std::array<std::string, kKinds.size()> texts;
};

/// Counts errors and keeps the first one.
class ErrorCounter {
public:
  explicit ErrorCounter(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error) {
            ++count;
            if (first.empty())
              first = diagnostic.str();
          }
          return mlir::success();
        }) {}

  int64_t count = 0;
  std::string first;

private:
  mlir::ScopedDiagnosticHandler handler;
};

class PlanFuzzer {
public:
  PlanFuzzer(const Options &options, mlir::MLIRContext *context)
      : options(options), context(context) {}

  /// Compiles the kernels of the file; false, with a message, if it cannot.
  bool addSeeds();
  int run();
  int print();

private:
  bool addSeed(mlir::func::FuncOp graph);
  /// The kind, the seed and the text of a mutant.
  std::tuple<Kind, const Seed *, std::string> make(int64_t index) const;
  /// What is bad about a mutant; empty if nothing is. Sets whether it compiled.
  std::string check(int64_t index, bool &compiled) const;
  mlir::LogicalResult compile(Kind kind, const Seed &seed, StringRef text,
                              ErrorCounter &errors) const;
  Outcome checkBatch(int64_t begin, int64_t end) const;

  const Options &options;
  mlir::MLIRContext *context;
  std::vector<Seed> seeds;
  /// The plans of all of them.
  poly::PlanFile database;
};

} // namespace

static std::string printModule(mlir::ModuleOp module) {
  std::string text;
  raw_string_ostream os(text);
  module.print(os);
  return text;
}

/// To a scop with a schedule, as poly-extract leaves it.
static void addSchedulePasses(mlir::PassManager &manager) {
  auto &nested = manager.nest<poly::ScopOp>();
  nested.addPass(poly::createPolyConvToFractal());
  nested.addPass(poly::createPolySchedule());
}

/// From there to a kernel on tiles.
static void addTilePasses(mlir::PassManager &manager) {
  auto &nested = manager.nest<poly::ScopOp>();
  nested.addPass(poly::createPolyTile());
  nested.addPass(poly::createPolyFuse());
  nested.addPass(poly::createPolyMapUnits());
  nested.addPass(poly::createPolyPromote());
  nested.addPass(poly::createPolyTileStatements());
}

/// Makes scops of the graphs of a module.
static mlir::LogicalResult extract(mlir::ModuleOp module) {
  mlir::PassManager manager(module.getContext());
  NpuPipelineOptions pipeline;
  pipeline.stopAfter = NpuPhase::extract;
  buildNpuPipeline(manager, pipeline);
  return manager.run(module);
}

bool PlanFuzzer::addSeed(mlir::func::FuncOp graph) {
  mlir::OpBuilder builder(context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(builder, graph.getLoc());
  module->push_back(graph->clone());
  if (failed(extract(*module)))
    return false;
  Seed seed;
  seed.module = printModule(*module);
  mlir::PassManager schedule(context);
  addSchedulePasses(schedule);
  if (failed(schedule.run(*module)))
    return false;
  seed.scheduled = printModule(*module);
  mlir::PassManager manager(context);
  addTilePasses(manager);
  if (failed(manager.run(*module)))
    return false;
  poly::PlanFile file;
  FailureOr<npu::Machine> own = npu::getMachine(*module);
  file.machine = poly::getFingerprint(*own);
  for (auto scop : module->getOps<poly::ScopOp>()) {
    FailureOr<poly::KernelPlan> plan = poly::KernelPlan::get(scop);
    if (failed(plan))
      return false;
    plan->problem = poly::getProblem(scop);
    seed.texts[size_t(Kind::policy)] = poly::printTileSizes(plan->tiles);
    seed.texts[size_t(Kind::hierarchy)] = plan->hierarchy.str();
    plan->cycles = 1000 + int64_t(seeds.size());
    file.kernels.push_back(*plan);
    database.kernels.push_back(*plan);
  }
  database.machine = file.machine;
  seed.texts[size_t(Kind::plan)] = file.str();
  seed.texts[size_t(Kind::scop)] = seed.module;
  seeds.push_back(std::move(seed));
  return true;
}

bool PlanFuzzer::addSeeds() {
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(options.file, context);
  if (!module)
    return false;
  for (auto graph : module->getOps<mlir::func::FuncOp>())
    if (!addSeed(graph)) {
      errs() << "gc-fuzz-plans: error: '" << graph.getName()
             << "' does not compile\n";
      return false;
    }
  for (Seed &seed : seeds)
    seed.texts[size_t(Kind::database)] = database.str();
  if (seeds.empty())
    errs() << "gc-fuzz-plans: error: " << options.file << " has no graph\n";
  return !seeds.empty();
}

std::tuple<Kind, const Seed *, std::string>
PlanFuzzer::make(int64_t index) const {
  Random random(options.seed, index);
  auto kind = Kind(index % kKinds.size());
  // The first kernels of the file more often than the last ones: they are
  // expected to be those that compile fast.
  size_t number =
      std::min({random.below(seeds.size()), random.below(seeds.size()),
                random.below(seeds.size())});
  const Seed &seed = seeds[number];
  const Seed &other = seeds[random.below(seeds.size())];
  return {
      kind, &seed,
      mutateText(random, seed.texts[size_t(kind)], other.texts[size_t(kind)])};
}

/// The error of reading a policy or a hierarchy; empty without one.
static std::string readText(Kind kind, StringRef text) {
  if (kind == Kind::policy) {
    auto sizes = poly::parseTileSizes(text);
    return sizes ? "" : toString(sizes.takeError());
  }
  if (kind == Kind::hierarchy) {
    auto hierarchy = poly::parseHierarchy(text);
    return hierarchy ? "" : toString(hierarchy.takeError());
  }
  return "";
}

mlir::LogicalResult PlanFuzzer::compile(Kind kind, const Seed &seed,
                                        StringRef text,
                                        ErrorCounter &errors) const {
  bool isScop = kind == Kind::scop;
  // What gc-opt refuses before it parses.
  if (std::optional<ParserLimit> limit =
          isScop ? findParserLimit(text) : std::nullopt) {
    ++errors.count;
    errors.first = limit->message;
    return mlir::failure();
  }
  // Most texts are wrong where they are read; a few of these go on to the pass.
  if (std::string error = readText(kind, text);
      !error.empty() && text.size() % 16 != 0) {
    ++errors.count;
    errors.first = error;
    return mlir::failure();
  }
  bool isAttribute = kind == Kind::policy || kind == Kind::hierarchy;
  mlir::ParserConfig config(context, /*verifyAfterParse=*/false);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      isScop        ? text
      : isAttribute ? StringRef(seed.scheduled)
                    : StringRef(seed.module),
      config);
  // MLIR gives an error for each name that it does not know, and each op that
  // is wrong.
  if (!module || (isScop && failed(mlir::verify(*module)))) {
    errors.count = std::min<int64_t>(errors.count, 1);
    return mlir::failure();
  }
  if (isAttribute)
    for (auto scop : module->getOps<poly::ScopOp>())
      scop->setAttr(kind == Kind::policy ? poly::kPolicyAttr
                                         : poly::kHierarchyAttr,
                    mlir::StringAttr::get(context, text));
  else if (!isScop && failed(poly::importPlans(*module, text, "mutant.json",
                                               kind == Kind::database)))
    return mlir::failure();
  mlir::PassManager manager(context);
  if (!isAttribute)
    addSchedulePasses(manager);
  addTilePasses(manager);
  manager.addPass(createConvertPolyToNpu());
  return manager.run(*module);
}

std::string PlanFuzzer::check(int64_t index, bool &compiled) const {
  auto [kind, seed, text] = make(index);
  ErrorCounter errors(context);
  compiled = succeeded(compile(kind, *seed, text, errors));
  if (compiled && errors.count > 0)
    return "compiles with an error: " + errors.first;
  if (!compiled && errors.count != 1)
    return formatv("{0} errors instead of one: {1}", errors.count,
                   errors.first);
  if (!compiled && errors.first.empty())
    return "an error without a text";
  return "";
}

Outcome PlanFuzzer::checkBatch(int64_t begin, int64_t end) const {
  Outcome outcome;
  for (int64_t index = begin; index < end; ++index) {
    bool compiled = false;
    std::string bad = check(index, compiled);
    outcome.features.ops += compiled;
    if (bad.empty())
      continue;
    outcome.status = Status::mismatch;
    outcome.message += formatv("mutant {0} ({1}): {2}\n", index,
                               kKinds[index % kKinds.size()], bad);
  }
  return outcome;
}

int PlanFuzzer::print() {
  for (int64_t i = options.first; i < options.first + options.count; ++i) {
    auto [kind, seed, text] = make(i);
    outs() << "// ----- mutant " << i << " (" << kKinds[size_t(kind)] << ")\n"
           << text << "\n";
  }
  return 0;
}

int PlanFuzzer::run() {
  auto [compiled, bad] = runBatches(
      {options.first, options.count, options.batch, options.jobs,
       options.timeLimit},
      [&](int64_t begin, int64_t end) { return checkBatch(begin, end); },
      [](int64_t i) {
        return formatv(" ({0})", kKinds[i % kKinds.size()]).str();
      });
  outs() << formatv("{0} kernels, {1} mutants: {2} compile, {3} are refused, "
                    "{4} are bad\n",
                    seeds.size(), options.count.getValue(), compiled,
                    options.count - compiled - bad, bad);
  return bad ? 1 : 0;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ResetCommandLineParser();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Checks the NPU compiler on damaged plans.\n", &errs()))
    return 2;
  if (options.jobs < 1 || options.timeLimit < 1 || options.batch < 1 ||
      options.count < 0) {
    errs() << "gc-fuzz-plans: error: --jobs, --batch and --time-limit must be "
              "at least 1, --count at least 0\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  registerAllGraphCompilerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  PlanFuzzer fuzzer(options, &context);
  if (!fuzzer.addSeeds())
    return 2;
  return options.print ? fuzzer.print() : fuzzer.run();
}
