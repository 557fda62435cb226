// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plans of all scops of a module, to and from a file.

#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "Support/Notice.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

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
      FailureOr<KernelPlan> plan = KernelPlan::get(scop);
      if (failed(plan))
        return failure();
      plan->problem = getProblem(scop);
      if (scop.getBeside())
        plan->beside = scop.getBeside()->str();
      plans.kernels.push_back(std::move(*plan));
    }
    return writeText(module, file, plans.str(), "the plan");
  }
};

/// Applies a file's plans to the scops of a module.
class PlanImporter {
public:
  PlanImporter(ModuleOp module, StringRef file, bool isDatabase, int64_t cores)
      : module(module), file(file), isDatabase(isDatabase), cores(cores) {}

  LogicalResult run(StringRef text);

private:
  InFlightDiagnostic error() {
    return module.emitError("plan '") << file << "': ";
  }
  /// A database is passed over.
  LogicalResult refuse(const llvm::Twine &reason) {
    if (!isDatabase)
      return error() << reason;
    emitNotice(module.getLoc())
        << "plans of '" << file << "' are not used: " << reason;
    return success();
  }
  LogicalResult apply(const PlanFile &plans, ScopOp scop);

  ModuleOp module;
  StringRef file;
  bool isDatabase;
  int64_t cores;
};

struct PolyImportPlanPass
    : gc::poly::impl::PolyImportPlanBase<PolyImportPlanPass> {
  using PolyImportPlanBase::PolyImportPlanBase;

  void runOnOperation() override {
    std::string message;
    auto buffer = openInputFile(file, &message);
    if (!buffer) {
      getOperation().emitError("the plan cannot be read: ") << message;
      return signalPassFailure();
    }
    if (failed(importPlans(getOperation(), buffer->getBuffer(), file, database,
                           cores)))
      signalPassFailure();
  }
};

} // namespace

LogicalResult PlanImporter::run(StringRef text) {
  llvm::Expected<PlanFile> plans = PlanFile::parse(text);
  if (!plans)
    return refuse(llvm::toString(plans.takeError()));
  FailureOr<npu::Machine> machine = npu::getMachine(module);
  if (failed(machine))
    return failure();
  std::string mismatch = plans->explainMismatch(getFingerprint(*machine));
  if (!mismatch.empty())
    return refuse(mismatch);
  for (auto scop : module.getOps<ScopOp>())
    if (failed(apply(*plans, scop)))
      return failure();
  return success();
}

LogicalResult PlanImporter::apply(const PlanFile &plans, ScopOp scop) {
  std::string problem = getProblem(scop);
  const KernelPlan *plan = isDatabase ? plans.findProblem(problem, cores)
                                      : plans.findKernel(scop.getSymName());
  if (plan && plan->problem == problem) {
    plan->set(scop);
    if (const KernelPlan *rest = plans.findBeside(plan->kernel))
      rest->setRest(scop);
    return success();
  }
  if (isDatabase) {
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

LogicalResult gc::poly::importPlans(ModuleOp module, StringRef text,
                                    StringRef file, bool isDatabase,
                                    int64_t cores) {
  return PlanImporter(module, file, isDatabase, cores).run(text);
}
