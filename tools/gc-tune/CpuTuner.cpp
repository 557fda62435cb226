// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Database.h"
#include "Driver/Diagnostics.h"
#include "Sampler.h"
#include "Support/ModuleMachine.h"
#include "TemplateSpace.h"
#include "TemplateTimer.h"
#include "Tuners.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <map>

using namespace llvm;
using namespace gc;
using namespace gc::tune;

namespace {

Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// A graph as the compiler finds it where it chooses templates.
struct Problem {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::string machine;
  graph::TunedGraph graph;
  graph::TemplateChoices choices;

  static Expected<Problem> create(mlir::func::FuncOp entry,
                                  const CompileOptions &options);
};

/// Templates and the time that they take, as a part of that of the compiler's
/// own.
struct Timed {
  std::vector<std::string> templates;
  double ratio;
};

/// A graph, its own templates, and those that were measured.
class TemplateTuner {
public:
  TemplateTuner(const Problem &problem, TemplateTimer &timer,
                const TuneOptions &options)
      : timer(timer), options(options), space(problem.choices),
        name(problem.graph.graph), own(space.getTemplates(space.getOrigin())),
        best{own, 1} {}

  /// Compiles and times the compiler's own templates, and those of the database
  /// if there are any.
  Error start(const graph::TunedGraph *before);
  Error sample();
  /// Compares the fastest ones once more, with more patience. What is not
  /// faster without a doubt does not replace the compiler's own.
  Error finish();
  /// A line of text or JSON.
  void print() const;

  ArrayRef<std::string> getTemplates() const { return best.templates; }
  int64_t getNanoseconds() const {
    return std::max<int64_t>(1, int64_t(seconds * best.ratio * 1e9));
  }

private:
  /// Slower ones teach the model nothing, and are not timed to the end.
  static constexpr double kSlow = 3;

  /// The ratio of templates, at most kSlow; nothing if they are refused.
  Expected<std::optional<double>>
  measure(const std::vector<std::string> &templates);
  Expected<double> confirm(ArrayRef<std::string> templates);

  TemplateTimer &timer;
  const TuneOptions &options;
  TemplateSpace space;
  std::string name;
  std::vector<std::string> own;
  std::unique_ptr<CompiledGraph> reference;
  /// Of the fastest execution with the compiler's own templates.
  double seconds = 0;
  /// Of everything that was measured, and of what was refused.
  std::map<std::vector<std::string>, std::optional<double>> known;
  std::vector<Timed> timed;
  Timed best;
  int64_t measured = 0, refused = 0;
};

} // namespace

Expected<Problem> Problem::create(mlir::func::FuncOp entry,
                                  const CompileOptions &options) {
  Problem problem;
  CompileOptions prepared = options;
  prepared.pipeline.stopAfter = CpuPhase::graph;
  auto module = runPhases(entry, prepared);
  if (!module)
    return module.takeError();
  problem.module = std::move(*module);
  problem.function =
      problem.module->lookupSymbol<mlir::func::FuncOp>(entry.getName());
  DiagnosticCollector diagnostics(entry.getContext());
  mlir::FailureOr<Machine> machine = getMachine(*problem.module);
  if (failed(machine))
    return diagnostics.takeError("the machine is wrong");
  problem.machine = graph::getFingerprint(*machine);
  graph::GraphSelectTemplateOptions select =
      getSelectTemplateOptions(options.pipeline);
  problem.graph = graph::getTunedGraph(problem.function, *machine,
                                       select.threads, select.kernel);
  auto choices = graph::findTemplateChoices(problem.function, *machine, select);
  if (failed(choices))
    return diagnostics.takeError("an op has no template");
  problem.choices = std::move(*choices);
  return std::move(problem);
}

Error TemplateTuner::start(const graph::TunedGraph *before) {
  auto compiled = timer.compile(own);
  if (!compiled)
    return compiled.takeError();
  reference = std::move(*compiled);
  known[own] = 1;
  auto itself = timer.compare(*reference, *reference, Effort(), HUGE_VAL);
  if (!itself)
    return itself.takeError();
  seconds = itself->seconds;
  if (!before || before->templates == own)
    return Error::success();
  auto other = timer.compile(before->templates);
  if (!other)
    return other.takeError();
  auto comparison = timer.compare(**other, *reference, Effort(), HUGE_VAL);
  if (!comparison)
    return comparison.takeError();
  timed.push_back({before->templates, comparison->best});
  return Error::success();
}

Expected<std::optional<double>>
TemplateTuner::measure(const std::vector<std::string> &templates) {
  auto [entry, isNew] = known.try_emplace(templates);
  std::optional<double> &ratio = entry->second;
  if (!isNew)
    return ratio;
  auto compiled = timer.compile(templates);
  if (!compiled) {
    consumeError(compiled.takeError());
    ++refused;
    return ratio;
  }
  auto comparison =
      timer.compare(**compiled, *reference, Effort(), kSlow * seconds);
  if (!comparison)
    return comparison.takeError();
  ++measured;
  ratio = comparison->seconds > kSlow * seconds ? kSlow : comparison->best;
  timed.push_back({templates, *ratio});
  return ratio;
}

Error TemplateTuner::sample() {
  Sampler sampler(space, options.seed);
  // The sampler counts in integers.
  constexpr double kOwn = 1e6;
  sampler.add(space.getOrigin(), space.getOrigin(), int64_t(kOwn));
  sampler.endRound();
  for (int64_t round = 0; round < options.rounds; ++round) {
    for (const Point &point : sampler.sample(options.samples)) {
      auto ratio = measure(space.getTemplates(point));
      if (!ratio)
        return ratio.takeError();
      if (*ratio)
        sampler.add(point, point, int64_t(kOwn * **ratio));
      else
        sampler.add(point, std::nullopt, 0);
    }
    sampler.endRound();
  }
  return Error::success();
}

/// The ratio of templates that are compiled once more, and the compiler's own
/// too: where code and constants are in memory has an effect of its own.
Expected<double> TemplateTuner::confirm(ArrayRef<std::string> templates) {
  auto first = timer.compile(templates);
  if (!first)
    return first.takeError();
  auto second = timer.compile(own);
  if (!second)
    return second.takeError();
  auto comparison = timer.compare(**first, **second, {7, 0.02}, HUGE_VAL);
  if (!comparison)
    return comparison.takeError();
  return comparison->getWorse();
}

Error TemplateTuner::finish() {
  constexpr size_t kFinalists = 4;
  constexpr int kRepetitions = 2;
  constexpr double kFaster = 0.98;
  llvm::sort(timed, [](const Timed &left, const Timed &right) {
    return left.ratio < right.ratio;
  });
  for (const Timed &candidate : ArrayRef(timed).take_front(kFinalists)) {
    if (candidate.ratio > kFaster)
      break;
    double worst = 0;
    for (int i = 0; i < kRepetitions && worst < best.ratio; ++i) {
      auto ratio = confirm(candidate.templates);
      if (!ratio)
        return ratio.takeError();
      worst = std::max(worst, *ratio);
    }
    if (worst <= kFaster && worst < best.ratio)
      best = {candidate.templates, worst};
  }
  return Error::success();
}

void TemplateTuner::print() const {
  if (!options.json) {
    outs() << formatv("{0}: {1:f3} ms, {2:f3} with the compiler's own "
                      "templates ({3} points measured, {4} refused, of "
                      "{5:e1})\n",
                      name, seconds * best.ratio * 1e3, seconds * 1e3, measured,
                      refused, space.getSize());
    return;
  }
  json::Object object{{"graph", name},
                      {"own_ms", seconds * 1e3},
                      {"ratio", best.ratio},
                      {"measured", measured},
                      {"refused", refused},
                      {"own_templates", json::Array(own)},
                      {"templates", json::Array(best.templates)}};
  outs() << json::Value(std::move(object)) << "\n";
}

/// Adds what was found. If another tuner has changed the entry since `before`,
/// the faster one stays.
static void addGraph(graph::TemplateDatabase &database, graph::TunedGraph graph,
                     const graph::TunedGraph *before) {
  const graph::TunedGraph *now = database.find(graph);
  bool isNew = now && (!before || now->templates != before->templates);
  if (isNew && now->nanoseconds > 0 && now->nanoseconds < graph.nanoseconds)
    return;
  database.set(std::move(graph));
}

static Error tuneGraph(mlir::func::FuncOp entry, const CompileOptions &compile,
                       const TuneOptions &options) {
  auto problem = Problem::create(entry, compile);
  if (!problem)
    return problem.takeError();
  if (problem->choices.ops.empty()) {
    if (!options.json)
      outs() << entry.getName() << ": no op has templates to choose from\n";
    return Error::success();
  }
  auto file =
      readDatabase<graph::TemplateDatabase>(options.database, problem->machine);
  if (!file)
    return file.takeError();
  const graph::TunedGraph *known = file->find(problem->graph);
  auto timer =
      TemplateTimer::create(entry, compile, problem->graph, problem->machine);
  if (!timer)
    return timer.takeError();
  TemplateTuner tuner(*problem, *timer, options);
  if (Error error = tuner.start(known))
    return error;
  if (Error error = tuner.sample())
    return error;
  if (Error error = tuner.finish())
    return error;
  tuner.print();
  outs().flush();
  graph::TunedGraph found = problem->graph;
  found.templates = tuner.getTemplates().vec();
  found.nanoseconds = tuner.getNanoseconds();
  return changeDatabase<graph::TemplateDatabase>(
      options.database, problem->machine,
      [&](graph::TemplateDatabase &database) {
        addGraph(database, std::move(found), known);
      });
}

Error tune::tuneForCpu(mlir::ModuleOp module, const TuneOptions &options) {
  CompileOptions compile;
  compile.pipeline = options.pipeline;
  auto machine = getMachine(module, compile);
  if (!machine)
    return machine.takeError();
  if (compile.pipeline.threads == 0)
    compile.pipeline.threads = getDefaultThreads(*machine, /*runsHere=*/true);
  // An unusable file is found before the work is done.
  if (Error error = readDatabase<graph::TemplateDatabase>(
                        options.database, graph::getFingerprint(*machine))
                        .takeError())
    return error;
  bool hasGraphs = false;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (!function.isPublic() || function.isDeclaration())
      continue;
    hasGraphs = true;
    if (Error error = tuneGraph(function, compile, options))
      return error;
  }
  return hasGraphs ? Error::success()
                   : makeError(options.file + " has no graphs");
}
