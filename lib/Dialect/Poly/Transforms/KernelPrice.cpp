// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Poly/Transforms/KernelPrice.h"
#include "AutoTile.h"
#include "Capacity.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "ScopNests.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

/// The cycles of a scheduled scop with tiles that fit, which it gets a policy
/// for.
static FailureOr<double> choosePolicy(ScopOp scop) {
  isl::Ctx ctx;
  FailureOr<npu::Machine> machine = npu::getMachine(scop);
  if (failed(machine))
    return failure();
  Policy policy;
  std::optional<double> fitting = makeFit(scop, *machine, Policy(), policy);
  // If none fit, errors say why.
  FailureOr<double> cycles =
      fitting ? *fitting : completePolicy(ctx, scop, *machine, policy);
  if (succeeded(cycles))
    scop->setAttr(kPolicyAttr,
                  StringAttr::get(scop.getContext(), policy.str()));
  return cycles;
}

static FailureOr<double>
price(ModuleOp module, llvm::function_ref<void(OpPassManager &)> extract) {
  MLIRContext *context = module.getContext();
  PassManager manager(context, ModuleOp::getOperationName());
  manager.enableVerifier(false);
  extract(manager);
  manager.addNestedPass<ScopOp>(createPolyConvToFractal());
  manager.addNestedPass<ScopOp>(createPolySchedule());
  if (failed(manager.run(module)))
    return failure();
  double cycles = 0;
  for (auto scop : module.getOps<ScopOp>()) {
    FailureOr<double> own = choosePolicy(scop);
    if (failed(own))
      return failure();
    cycles += *own;
  }
  // Why tiles do not fit, if they do not.
  PassManager tiling(context, ModuleOp::getOperationName());
  tiling.enableVerifier(false);
  tiling.addNestedPass<ScopOp>(createPolyTile());
  tiling.addNestedPass<ScopOp>(createPolyFuse());
  tiling.addNestedPass<ScopOp>(createPolyMapUnits());
  PolyPromoteOptions promote;
  promote.repairs = false;
  tiling.addNestedPass<ScopOp>(createPolyPromote(promote));
  if (failed(tiling.run(module)))
    return failure();
  return cycles;
}

KernelPrice
gc::poly::priceKernels(ModuleOp module,
                       llvm::function_ref<void(OpPassManager &)> extract) {
  KernelPrice result;
  // What cannot be had is not an error.
  ScopedDiagnosticHandler handler(
      module.getContext(),
      [&, thread = llvm::get_threadid()](Diagnostic &diagnostic) {
        if (llvm::get_threadid() != thread)
          return failure();
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            result.problem.empty())
          result.problem = diagnostic.str();
        return success();
      });
  FailureOr<double> cycles = price(module, extract);
  if (succeeded(cycles))
    result.cycles = *cycles;
  return result;
}
