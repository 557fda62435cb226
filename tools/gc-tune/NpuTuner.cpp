// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Database.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Driver/Diagnostics.h"
#include "Measure.h"
#include "Sampler.h"
#include "Search.h"
#include "Tuners.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace gc;
using namespace gc::tune;

namespace {

Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

json::Object getChoices(const poly::KernelPlan &plan) {
  json::Object choices;
  for (const poly::Choice &choice : plan.choices)
    choices[choice.name] = choice.value;
  return choices;
}

/// For each plan that is to be measured.
constexpr uint64_t kMostRefused = 2;

/// A kernel, the plans that are known before, and the fastest one so far.
class KernelTuner {
public:
  KernelTuner(Measurer &measurer, poly::ScopOp scop, const TuneOptions &options)
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
  /// Choices of the plan that were not known are added to the space.
  void addSample(Sampler &sampler, const Point &point, const Attempt &attempt,
                 int64_t limit);
  void consider(const Attempt &attempt) {
    if (attempt.cycles && *attempt.cycles < *best.cycles)
      best = attempt;
  }

  Measurer &measurer;
  poly::ScopOp scop;
  const TuneOptions &options;
  std::optional<Space> space;
  Attempt first, best;
  /// Of the database's plan.
  std::optional<int64_t> before;
  /// Of samples, and of all legal plans if these were visited.
  uint64_t measured = 0, refused = 0;
  int64_t sampled = 0;
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

void KernelTuner::addSample(Sampler &sampler, const Point &point,
                            const Attempt &attempt, int64_t limit) {
  if (!attempt.isLegal())
    return sampler.add(point, std::nullopt, 0);
  space->addChoices(attempt.plan);
  sampler.add(point, space->getPoint(attempt.plan),
              attempt.cycles.value_or(limit));
}

void KernelTuner::sample() {
  Sampler sampler(*space, uint64_t(options.seed));
  addSample(sampler, space->getOrigin(), first, 0);
  sampler.endRound();
  Attempt own = first;
  // Plans that are refused are not measured, but their number has a limit, too.
  uint64_t wanted =
      llvm::SaturatingMultiply<uint64_t>(options.rounds, options.samples);
  uint64_t most = llvm::SaturatingMultiply(kMostRefused, wanted);
  while (measured < wanted && refused < most) {
    std::vector<Point> points =
        sampler.sample(std::min<uint64_t>(options.samples, wanted - measured));
    if (points.empty())
      break;
    for (const Point &point : points) {
      // Slower ones teach the model nothing.
      int64_t limit = 4 * *own.cycles;
      Attempt attempt = measurer.measure(space->getPlan(point), limit);
      addSample(sampler, point, attempt, limit);
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
                      {"samples", int64_t(measured + refused)}};
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

} // namespace

/// Adds a measured plan. One of its problem that takes fewer cycles stays.
/// Kernels are found by their problem, but names in a file are different. Plans
/// of several cores are not what is tuned here: they stay.
static void addPlan(poly::PlanFile &file, poly::KernelPlan plan) {
  const poly::KernelPlan *known = file.findProblem(plan.problem);
  if (known && known->cycles > 0 && known->cycles < plan.cycles)
    return;
  erase_if(file.kernels, [&](const poly::KernelPlan &other) {
    return other.problem == plan.problem && other.beside.empty() &&
           !other.find(poly::kCoresChoice);
  });
  if (file.findKernel(plan.kernel))
    plan.kernel += "_" + plan.problem;
  file.kernels.push_back(std::move(plan));
}

static Error tuneKernel(mlir::ModuleOp kernel, StringRef machine,
                        const TuneOptions &options) {
  auto file = readDatabase<poly::PlanFile>(options.database, machine);
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
  return changeDatabase<poly::PlanFile>(
      options.database, machine,
      [&](poly::PlanFile &file) { addPlan(file, std::move(*plan)); });
}

Error tune::tuneForNpu(mlir::ModuleOp module, const TuneOptions &options) {
  DiagnosticCollector diagnostics(module.getContext());
  mlir::FailureOr<npu::Machine> machine = npu::getMachine(module);
  if (failed(machine))
    return diagnostics.takeError("the machine is wrong");
  std::string fingerprint = poly::getFingerprint(*machine);
  if (Error error = readDatabase<poly::PlanFile>(options.database, fingerprint)
                        .takeError())
    return error;
  Expected<std::vector<Kernel>> kernels = extractKernels(module);
  if (!kernels)
    return kernels.takeError();
  if (kernels->empty())
    return makeError(options.file + " has no graphs");
  for (Kernel &kernel : *kernels)
    if (Error error = tuneKernel(*kernel, fingerprint, options))
      return error;
  return Error::success();
}
