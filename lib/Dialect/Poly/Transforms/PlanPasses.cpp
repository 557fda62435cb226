// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plans of all scops of a module, to and from a file.

#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

namespace gc::poly {
#define GEN_PASS_DEF_POLYEXPORTPLAN
#define GEN_PASS_DEF_POLYIMPORTPLAN
#include "Dialect/Poly/Transforms/Passes.h.inc"
} // namespace gc::poly

namespace {

struct PolyExportPlanPass
    : gc::poly::impl::PolyExportPlanBase<PolyExportPlanPass> {
  using PolyExportPlanBase::PolyExportPlanBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(write()))
      signalPassFailure();
  }

  LogicalResult write() {
    ModuleOp module = getOperation();
    FailureOr<npu::Machine> machine = npu::getMachine(module);
    if (failed(machine))
      return failure();
    PlanFile plans;
    plans.machine = getFingerprint(*machine);
    for (auto scop : module.getOps<ScopOp>()) {
      if (scop.countAllCores() > 1)
        return scop.emitOpError("runs on ")
               << scop.countAllCores()
               << " cores; a plan is of a kernel on one core";
      FailureOr<KernelPlan> plan = KernelPlan::get(scop);
      if (failed(plan))
        return failure();
      plan->problem = getProblem(scop);
      plans.kernels.push_back(std::move(*plan));
    }
    std::string message;
    auto output = openOutputFile(file, &message);
    if (!output)
      return module.emitError("the plan cannot be written: ") << message;
    output->os() << plans.str();
    output->os().flush();
    if (output->os().has_error()) {
      message = output->os().error().message();
      output->os().clear_error();
      return module.emitError("the plan cannot be written to '")
             << file << "': " << message;
    }
    output->keep();
    return success();
  }
};

struct PolyImportPlanPass
    : gc::poly::impl::PolyImportPlanBase<PolyImportPlanPass> {
  using PolyImportPlanBase::PolyImportPlanBase;

  void runOnOperation() override {
    if (failed(read()))
      signalPassFailure();
  }

  InFlightDiagnostic error() {
    return getOperation().emitError("plan '") << file << "': ";
  }

  LogicalResult read() {
    std::string message;
    auto buffer = openInputFile(file, &message);
    if (!buffer)
      return getOperation().emitError("the plan cannot be read: ") << message;
    llvm::Expected<PlanFile> plans = PlanFile::parse(buffer->getBuffer());
    if (!plans)
      return error() << llvm::toString(plans.takeError());
    FailureOr<npu::Machine> machine = npu::getMachine(getOperation());
    if (failed(machine))
      return failure();
    std::string own = getFingerprint(*machine);
    if (plans->machine != own) {
      if (!database)
        return error() << "it is for the machine " << plans->machine
                       << ", but this one is " << own;
      emitRemark(getOperation().getLoc())
          << "plans of '" << file << "' are not used: they are for the machine "
          << plans->machine << ", but this one is " << own;
      return success();
    }
    for (auto scop : getOperation().getOps<ScopOp>())
      if (failed(apply(*plans, scop)))
        return failure();
    return success();
  }

  LogicalResult apply(const PlanFile &plans, ScopOp scop) {
    std::string problem = getProblem(scop);
    const KernelPlan *plan = database ? plans.findProblem(problem)
                                      : plans.findKernel(scop.getSymName());
    if (plan && plan->problem == problem) {
      plan->set(scop);
      return success();
    }
    if (database) {
      emitRemark(scop.getLoc()) << "no plan of '" << file << "' is for @"
                                << scop.getSymName() << ": it is chosen anew";
      return success();
    }
    if (!plan)
      return error() << "it has no plan for the kernel '" << scop.getSymName()
                     << "'";
    return error() << "its plan for the kernel '" << scop.getSymName()
                   << "' is for another problem";
  }
};

} // namespace
