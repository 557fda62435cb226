// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gc-tune: looks for faster plans of the NPU kernels of graphs, by cycles of
// the simulator, and keeps them in a file that `plan-database` of
// --gc-npu-pipeline reads. Exit codes: 0 fine, 2 bad input or usage.

#include "Database.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Driver/Diagnostics.h"
#include "Measure.h"
#include "Sampler.h"
#include "Search.h"
#include "Transforms/Register.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace gc;
using namespace gc::tune;

namespace {

struct Options {
  cl::OptionCategory category{"gc-tune options"};
  cl::opt<std::string> file{cl::Positional, cl::desc("<graphs.mlir>"),
                            cl::Required, cl::cat(category)};
  cl::opt<std::string> database{
      "o", cl::Required, cl::value_desc("plans.json"), cl::cat(category),
      cl::desc("The database: plans that are faster are added to it")};
  cl::opt<int64_t> rounds{"rounds", cl::init(8), cl::cat(category),
                          cl::desc("Rounds of samples")};
  cl::opt<int64_t> samples{"samples", cl::init(16), cl::cat(category),
                           cl::desc("Samples of a round")};
  cl::opt<int64_t> seed{"seed", cl::init(1), cl::cat(category),
                        cl::desc("Seed of the samples")};
  cl::opt<bool> exhaustive{"exhaustive", cl::cat(category),
                           cl::desc("Visit all legal plans, too")};
  cl::opt<int64_t> maxPlans{
      "max-plans", cl::init(5000), cl::cat(category),
      cl::desc("Legal plans after which --exhaustive gives up")};
  cl::opt<bool> json{"json", cl::cat(category),
                     cl::desc("Print a line of JSON for each kernel")};
};

Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

json::Object getChoices(const poly::KernelPlan &plan) {
  json::Object choices;
  for (const poly::Choice &choice : plan.choices)
    choices[choice.name] = choice.value;
  return choices;
}

/// A kernel, the plans that are known before, and the fastest one so far.
class KernelTuner {
public:
  KernelTuner(Measurer &measurer, poly::ScopOp scop, const Options &options)
      : measurer(measurer), scop(scop), options(options) {}

  /// The plan of the passes and, if there is one, that of the database.
  Error start(const poly::KernelPlan *known);
  void search();
  void sample();
  /// The fastest plan, checked by the simulator.
  Expected<poly::KernelPlan> finish();
  /// A line of text or JSON.
  void print() const;

private:
  void consider(const Attempt &attempt) {
    if (attempt.cycles && *attempt.cycles < *best.cycles)
      best = attempt;
  }

  Measurer &measurer;
  poly::ScopOp scop;
  const Options &options;
  std::optional<Space> space;
  Attempt first, best;
  /// Of the database's plan.
  std::optional<int64_t> before;
  /// Of samples, and of all legal plans if these were visited.
  int64_t measured = 0, refused = 0, sampled = 0;
  bool hasSearched = false, isComplete = false;
  int64_t legal = 0, found = 0;
};

Error KernelTuner::start(const poly::KernelPlan *known) {
  first = measurer.measure({});
  if (!first.isLegal())
    return makeError(first.error);
  best = first;
  space.emplace(scop, first.plan);
  if (known) {
    Attempt attempt = measurer.measure(*known);
    before = attempt.cycles;
    consider(attempt);
  }
  return Error::success();
}

void KernelTuner::search() {
  Search search(measurer, *space, options.maxPlans);
  hasSearched = true;
  isComplete = search.run(first);
  legal = search.countLegal();
  found = *search.getBest().cycles;
  consider(search.getBest());
}

void KernelTuner::sample() {
  Sampler sampler(*space, options.seed);
  sampler.add(space->getOrigin(), first, 0);
  sampler.endRound();
  Attempt own = first;
  for (int64_t round = 0; round < options.rounds; ++round) {
    for (const Point &point : sampler.sample(options.samples)) {
      // Slower ones teach the model nothing.
      int64_t limit = 4 * *own.cycles;
      Attempt attempt = measurer.measure(space->getPlan(point), limit);
      sampler.add(point, attempt, limit);
      ++(attempt.isLegal() ? measured : refused);
      if (attempt.cycles && *attempt.cycles < *own.cycles)
        own = attempt;
    }
    sampler.endRound();
  }
  sampled = *own.cycles;
  consider(own);
}

Expected<poly::KernelPlan> KernelTuner::finish() {
  Attempt checked = measurer.check(best.plan);
  if (!checked.isLegal())
    return makeError("the fastest plan of '" + best.plan.kernel +
                     "' is wrong: " + checked.error);
  return checked.plan;
}

void KernelTuner::print() const {
  StringRef name = first.plan.kernel;
  if (!options.json) {
    outs() << formatv("{0}: {1} cycles, {2} before ({3} plans measured, {4} "
                      "refused, of {5:e1})\n",
                      name, *best.cycles, *first.cycles, measured, refused,
                      space->getSize(/*hasChoices=*/true));
    if (hasSearched)
      outs() << formatv("{0}: {1} legal plans{2}, the fastest takes {3} "
                        "cycles\n",
                        name, legal,
                        isComplete ? "" : " and more, which were not visited",
                        found);
    return;
  }
  json::Object object{{"kernel", name},
                      {"auto", *first.cycles},
                      {"best", *best.cycles},
                      {"tuned", sampled},
                      {"samples", measured + refused}};
  if (before)
    object["before"] = *before;
  if (hasSearched) {
    object["legal"] = legal;
    object["complete"] = isComplete;
    object["fastest"] = found;
  }
  object["choices"] = getChoices(best.plan);
  object["policy"] = poly::printTileSizes(best.plan.tiles);
  object["auto_choices"] = getChoices(first.plan);
  object["auto_policy"] = poly::printTileSizes(first.plan.tiles);
  outs() << json::Value(std::move(object)) << "\n";
}

Error tuneKernel(mlir::ModuleOp kernel, StringRef machine,
                 const Options &options) {
  Expected<poly::PlanFile> file = readDatabase(options.database, machine);
  if (!file)
    return file.takeError();
  Expected<Measurer> measurer = Measurer::create(kernel);
  if (!measurer)
    return measurer.takeError();
  poly::ScopOp scop = getScop(kernel);
  KernelTuner tuner(*measurer, scop, options);
  if (Error error = tuner.start(file->findProblem(poly::getProblem(scop))))
    return error;
  if (options.exhaustive)
    tuner.search();
  tuner.sample();
  Expected<poly::KernelPlan> plan = tuner.finish();
  if (!plan)
    return plan.takeError();
  tuner.print();
  outs().flush();
  return addToDatabase(options.database, machine, std::move(*plan));
}

Error run(const Options &options, mlir::MLIRContext &context) {
  DiagnosticCollector diagnostics(&context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(options.file, &context);
  if (!module)
    return diagnostics.takeError(options.file + " cannot be read");
  mlir::FailureOr<npu::Machine> machine = npu::getMachine(*module);
  if (failed(machine))
    return diagnostics.takeError("the machine is wrong");
  std::string fingerprint = poly::getFingerprint(*machine);
  if (Error error = readDatabase(options.database, fingerprint).takeError())
    return error;
  Expected<std::vector<Kernel>> kernels = extractKernels(*module);
  if (!kernels)
    return kernels.takeError();
  if (kernels->empty())
    return makeError(options.file + " has no graphs");
  for (Kernel &kernel : *kernels)
    if (Error error = tuneKernel(*kernel, fingerprint, options))
      return error;
  return Error::success();
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ResetCommandLineParser();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Looks for faster plans of NPU kernels.\n", &errs()))
    return 2;
  if (options.rounds < 0 || options.samples < 0 || options.maxPlans < 0) {
    errs() << "gc-tune: error: --rounds, --samples and --max-plans must be at "
              "least 0\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  registerAllGraphCompilerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  if (Error error = run(options, context)) {
    errs() << "gc-tune: error: " << toString(std::move(error)) << "\n";
    return 2;
  }
  return 0;
}
