// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Measure.h"
#include "Conversion/Passes.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "Driver/Diagnostics.h"
#include "Driver/NpuDriver.h"
#include "Transforms/Pipelines.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace gc;
using namespace gc::tune;

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

/// Tiles of the scop, and then a kernel.
static llvm::Expected<poly::KernelPlan> compile(ModuleOp module) {
  DiagnosticCollector diagnostics(module.getContext());
  PassManager tiles(module.getContext());
  auto &nested = tiles.nest<poly::ScopOp>();
  nested.addPass(poly::createPolySchedule());
  nested.addPass(poly::createPolyTile());
  nested.addPass(poly::createPolyFuse());
  nested.addPass(poly::createPolyMapUnits());
  nested.addPass(poly::createPolyTileStatements());
  if (failed(tiles.run(module)))
    return diagnostics.takeError("the kernel cannot be compiled");
  FailureOr<poly::KernelPlan> plan = poly::KernelPlan::get(getScop(module));
  if (failed(plan))
    return diagnostics.takeError("the plan cannot be read");
  plan->problem = poly::getProblem(getScop(module));
  PassManager program(module.getContext());
  program.addPass(createConvertPolyToNpu());
  if (failed(program.run(module)))
    return diagnostics.takeError("the kernel cannot be compiled");
  return *plan;
}

llvm::Expected<Measurement> tune::measure(ModuleOp kernel,
                                          const poly::KernelPlan &plan) {
  Kernel module = kernel.clone();
  plan.set(getScop(*module));
  llvm::Expected<poly::KernelPlan> chosen = compile(*module);
  if (!chosen)
    return chosen.takeError();
  auto program = findNpuProgram(*module, chosen->kernel);
  if (!program)
    return program.takeError();
  auto machine = getNpuMachine(*module, "");
  if (!machine)
    return machine.takeError();
  Measurement result;
  result.plan = std::move(*chosen);
  for (const NpuStep &step : program->steps) {
    auto compiled = CompiledKernel::compile(step.kernel, npu::Mode::cycles);
    if (!compiled)
      return compiled.takeError();
    std::vector<NpuTensor> tensors;
    for (unsigned number : step.tensors)
      tensors.push_back({"tensor" + std::to_string(number), nullptr,
                         program->bytes[number], true});
    npu::Options options;
    options.mode = npu::Mode::cycles;
    auto report = (*compiled)->run(*machine, options, tensors);
    if (!report)
      return report.takeError();
    result.cycles += report->cycles;
  }
  return result;
}
