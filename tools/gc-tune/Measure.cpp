// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Measure.h"
#include "Conversion/Passes.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "Driver/Diagnostics.h"
#include "Driver/NpuDriver.h"
#include "Transforms/Pipelines.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::tune;

constexpr llvm::StringLiteral kSchedule = "schedule";

poly::ScopOp tune::getScop(ModuleOp kernel) {
  return *kernel.getOps<poly::ScopOp>().begin();
}

llvm::Expected<std::vector<Kernel>> tune::extractKernels(ModuleOp module) {
  DiagnosticCollector diagnostics(module.getContext());
  PassManager manager(module.getContext());
  NpuPipelineOptions options;
  options.stopAfter = NpuPhase::extract;
  buildNpuPipeline(manager, options);
  manager.addNestedPass<poly::ScopOp>(poly::createPolyConvToFractal());
  if (failed(manager.run(module)))
    return diagnostics.takeError("no kernels can be made of the graphs");
  std::vector<Kernel> kernels;
  OpBuilder builder(module.getContext());
  for (auto scop : module.getOps<poly::ScopOp>()) {
    Kernel kernel = ModuleOp::create(builder, scop.getLoc());
    (*kernel)->setAttrs(module->getAttrDictionary());
    auto reference = module.lookupSymbol(scop.getReference());
    kernel->push_back(reference->clone());
    kernel->push_back(scop->clone());
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// Runs a pass on the scop. What it makes is not verified: the program is
/// checked when it is compiled for the simulator.
static LogicalResult runOnScop(ModuleOp module, std::unique_ptr<Pass> pass) {
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  manager.addNestedPass<poly::ScopOp>(std::move(pass));
  return manager.run(module);
}

llvm::Expected<Measurer> Measurer::create(ModuleOp kernel) {
  DiagnosticCollector diagnostics(kernel.getContext());
  Measurer measurer;
  measurer.problem = poly::getProblem(getScop(kernel));
  for (int64_t schedule : {1, 0}) {
    Kernel module = kernel.clone();
    poly::KernelPlan plan;
    plan.choices.push_back({kSchedule.str(), schedule, {}});
    plan.set(getScop(*module));
    if (failed(runOnScop(*module, poly::createPolySchedule())))
      return diagnostics.takeError("the kernel has no schedule");
    if (measurer.scheduled.empty() ||
        getScop(*measurer.scheduled.begin()->second).getSchedule() !=
            getScop(*module).getSchedule())
      measurer.scheduled[schedule] = std::move(module);
  }
  return measurer;
}

/// Appends the choices of the scop that are new.
static void findNew(poly::ScopOp scop, std::vector<std::string> &order) {
  auto made = scop->getAttrOfType<DictionaryAttr>(poly::kAlternativesAttr);
  for (NamedAttribute entry :
       made ? made.getValue() : ArrayRef<NamedAttribute>())
    if (!llvm::is_contained(order, entry.getName().getValue()))
      order.push_back(entry.getName().str());
}

static LogicalResult runOnScop(ModuleOp module, std::unique_ptr<Pass> pass,
                               std::vector<std::string> &order) {
  LogicalResult result = runOnScop(module, std::move(pass));
  findNew(getScop(module), order);
  return result;
}

/// The scheduled kernel of a plan with the plan's attributes.
static Kernel prepare(const std::map<int64_t, Kernel> &scheduled,
                      const poly::KernelPlan &plan) {
  const poly::Choice *asked = plan.find(kSchedule);
  auto found = scheduled.find(asked ? asked->value : 1);
  // Another number is an error of poly-schedule; here both are the same.
  if (found == scheduled.end())
    found = scheduled.begin();
  Kernel module = mlir::ModuleOp(*found->second).clone();
  plan.set(getScop(*module));
  SmallVector<int64_t> legal;
  for (auto &[schedule, kernel] : scheduled)
    legal.push_back(schedule);
  poly::recordChoice(getScop(*module), kSchedule, legal, found->first);
  return module;
}

/// What `asked` and `plan` ask for is the same as far as it was made.
bool Measurer::Tiled::isOf(const poly::KernelPlan &plan) const {
  if (poly::printTileSizes(plan.tiles) != poly::printTileSizes(asked.tiles) ||
      plan.hierarchy.str() != asked.hierarchy.str())
    return false;
  return llvm::all_of(made.choices, [&](const poly::Choice &choice) {
    if (choice.alternatives.empty())
      return true;
    const poly::Choice *other = plan.find(choice.name);
    return other ? other->value == choice.value : !asked.find(choice.name);
  });
}

Kernel Measurer::Tiled::get(const poly::KernelPlan &plan) const {
  Kernel copy = ModuleOp(*kernel).clone();
  poly::ScopOp scop = getScop(*copy);
  Builder builder(copy->getContext());
  NamedAttrList values;
  for (const poly::Choice &choice : plan.choices)
    values.set(choice.name, builder.getI64IntegerAttr(choice.value));
  for (const poly::Choice &choice : made.choices)
    if (!choice.alternatives.empty())
      values.set(choice.name, builder.getI64IntegerAttr(choice.value));
  scop->setAttr(poly::kChoicesAttr, values.getDictionary(copy->getContext()));
  return copy;
}

LogicalResult Measurer::tile(ModuleOp module, const poly::KernelPlan &plan,
                             std::vector<std::string> &order) {
  findNew(getScop(module), order);
  if (failed(runOnScop(module, poly::createPolyTile(), order)) ||
      failed(runOnScop(module, poly::createPolyFuse(), order)) ||
      failed(runOnScop(module, poly::createPolyMapUnits(), order)))
    return failure();
  FailureOr<poly::KernelPlan> made = poly::KernelPlan::get(getScop(module));
  if (failed(made))
    return failure();
  tiled = {module.clone(), plan, std::move(*made), order};
  return success();
}

/// From a schedule to a kernel of tiles.
Kernel Measurer::compile(const poly::KernelPlan &plan, Attempt &attempt) {
  DiagnosticCollector diagnostics(scheduled.begin()->second->getContext());
  bool isKnown = tiled && tiled->isOf(plan);
  Kernel module = isKnown ? tiled->get(plan) : prepare(scheduled, plan);
  if (isKnown)
    attempt.order = tiled->order;
  // npu-plan-memory says whether the buffers fit.
  poly::PolyPromoteOptions promote;
  promote.check = false;
  bool isFine = (isKnown || succeeded(tile(*module, plan, attempt.order))) &&
                succeeded(runOnScop(*module, poly::createPolyPromote(promote),
                                    attempt.order)) &&
                succeeded(runOnScop(*module, poly::createPolyTileStatements(),
                                    attempt.order));
  FailureOr<poly::KernelPlan> chosen = poly::KernelPlan::get(getScop(*module));
  if (succeeded(chosen)) {
    attempt.plan = std::move(*chosen);
    attempt.plan.problem = problem;
  }
  PassManager program(module->getContext());
  program.enableVerifier(false);
  program.addPass(createConvertPolyToNpu());
  if (!isFine || failed(chosen) || failed(program.run(*module)))
    attempt.error =
        llvm::toString(diagnostics.takeError("the kernel cannot be compiled"));
  return module;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

llvm::Expected<int64_t> Measurer::run(ModuleOp module, StringRef kernel,
                                      const npu::Options &options) const {
  auto program = findNpuProgram(module, kernel);
  if (!program)
    return program.takeError();
  auto machine = getNpuMachine(module, "");
  if (!machine)
    return machine.takeError();
  int64_t cycles = 0;
  for (const NpuStep &step : program->steps) {
    if (step.isOnce)
      continue;
    auto compiled = CompiledKernel::compile(step.kernel, options.mode, {},
                                            /*sync=*/options.waits);
    if (!compiled)
      return compiled.takeError();
    std::vector<NpuTensor> tensors;
    for (unsigned number : step.tensors)
      tensors.push_back({"tensor" + std::to_string(number), nullptr,
                         program->bytes[number], true});
    auto report = (*compiled)->run(*machine, options, tensors);
    if (!report)
      return report.takeError();
    cycles += report->cycles;
  }
  return cycles;
}

static npu::Options getOptions(bool check, int64_t limit = INT64_MAX) {
  npu::Options options;
  options.mode = npu::Mode::cycles;
  options.check = check;
  options.maxCycles = limit;
  return options;
}

static std::string getKey(const poly::KernelPlan &plan) {
  std::string key = poly::printTileSizes(plan.tiles);
  for (const poly::Choice &choice : plan.choices)
    key += " " + choice.name + "=" + std::to_string(choice.value);
  return key;
}

Attempt Measurer::measure(const poly::KernelPlan &plan, int64_t limit) {
  Attempt attempt;
  Kernel module = compile(plan, attempt);
  if (!attempt.isLegal())
    return attempt;
  auto [entry, isNew] =
      known.try_emplace(getKey(attempt.plan), std::nullopt, 0);
  auto &[cycles, exceeded] = entry->second;
  if (!cycles && exceeded < limit) {
    npu::Options options = getOptions(/*check=*/false, limit);
    options.waits = limit == INT64_MAX;
    llvm::Expected<int64_t> found = run(*module, attempt.plan.kernel, options);
    if (found && !options.waits) {
      options.waits = true;
      found = run(*module, attempt.plan.kernel, options);
    }
    if (found)
      cycles = *found;
    else if (std::string message = llvm::toString(found.takeError());
             StringRef(message).contains("the program is cut off after"))
      exceeded = limit;
    else
      attempt.error = message;
  }
  if (cycles && *cycles <= limit)
    attempt.cycles = attempt.plan.cycles = *cycles;
  return attempt;
}

Attempt Measurer::check(const poly::KernelPlan &plan) {
  Attempt attempt;
  Kernel module = compile(plan, attempt);
  if (!attempt.isLegal())
    return attempt;
  llvm::Expected<int64_t> found =
      run(*module, attempt.plan.kernel, getOptions(/*check=*/true));
  if (found)
    attempt.cycles = attempt.plan.cycles = *found;
  else
    attempt.error = llvm::toString(found.takeError());
  return attempt;
}
