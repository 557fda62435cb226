// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tile sizes that fit, for scops that do not.

#include "AutoTile.h"
#include "Capacity.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "ScopNests.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Threading.h"

#include <tuple>

using namespace mlir;
using namespace gc;
using namespace gc::poly;

/// What Auto Tiling is told that memories have, of what they have: it does not
/// count all that the instructions of a tile need.
static constexpr double kShares[] = {1, 0.75, 0.5, 0.25, 0.125};
/// Policies that an error names.
static constexpr size_t kMost = 3;

static npu::Machine getShare(npu::Machine machine, double share) {
  for (int64_t npu::Machine::*bytes :
       {&npu::Machine::l1Bytes, &npu::Machine::ubBytes, &npu::Machine::l0aBytes,
        &npu::Machine::l0bBytes, &npu::Machine::l0cBytes})
    machine.*bytes = int64_t(double(machine.*bytes) * share);
  return machine;
}

/// Without what passes have decided: only the hierarchy stays.
static void resetPlan(ScopOp scop) {
  for (StringRef name : {kPolicyAttr, kChoicesAttr, kAlternativesAttr})
    scop->removeAttr(name);
  for (StringRef name : {kPromotedAttr, kPeakBytesAttr})
    scop->removeAttr(name);
  for (auto buffer :
       llvm::make_early_inc_range(scop.getBody().getOps<BufferOp>()))
    buffer.erase();
}

/// Whether the scheduled scop fits with the policy. Fails, with an error, if it
/// cannot have it.
static FailureOr<bool> fits(ScopOp scheduled, StringRef policy,
                            bool promotes = true, bool skews = true) {
  OwningOpRef<ModuleOp> copy = isolate(scheduled);
  auto scop = *copy->getOps<ScopOp>().begin();
  scop->setAttr(kPolicyAttr, StringAttr::get(scop.getContext(), policy));
  PassManager manager(scop.getContext(), ScopOp::getOperationName());
  manager.enableVerifier(false);
  manager.addPass(createPolyTile());
  manager.addPass(createPolyFuse());
  manager.addPass(createPolyMapUnits());
  if (failed(manager.run(scop)) || failed(promoteNests(scop, promotes, skews)))
    return failure();
  return fitsCore(scop);
}

namespace {
/// Swallows the diagnostics of this thread: what cannot be had is not an error.
class Silence {
public:
  explicit Silence(MLIRContext *context)
      : handler(context, [thread = llvm::get_threadid()](Diagnostic &) {
          return success(llvm::get_threadid() == thread);
        }) {}

private:
  ScopedDiagnosticHandler handler;
};
} // namespace

SmallVector<Repair> gc::poly::findRepairs(ScopOp scop, bool promotes,
                                          bool skews) {
  SmallVector<Repair> repairs;
  FailureOr<npu::Machine> machine = npu::getMachine(scop);
  if (failed(machine))
    return repairs;
  Silence silence(scop.getContext());
  OwningOpRef<ModuleOp> module = isolate(scop);
  auto scheduled = *module->getOps<ScopOp>().begin();
  resetPlan(scheduled);
  PassManager manager(scop.getContext(), ScopOp::getOperationName());
  manager.enableVerifier(false);
  manager.addPass(createPolySchedule());
  if (failed(manager.run(scheduled)))
    return repairs;
  isl::Ctx ctx;
  SmallVector<std::string> seen;
  for (double share : kShares) {
    Policy policy;
    FailureOr<double> cycles =
        completePolicy(ctx, scheduled, getShare(*machine, share), policy);
    if (failed(cycles))
      continue;
    std::string text = policy.str();
    if (llvm::is_contained(seen, text))
      continue;
    seen.push_back(text);
    FailureOr<bool> good = fits(scheduled, text, promotes, skews);
    if (succeeded(good) && *good)
      repairs.push_back({text, *cycles});
  }
  llvm::sort(repairs, [](const Repair &left, const Repair &right) {
    return std::tie(left.cycles, left.policy) <
           std::tie(right.cycles, right.policy);
  });
  if (repairs.size() > kMost)
    repairs.resize(kMost);
  return repairs;
}

std::optional<double> gc::poly::makeFit(ScopOp scop,
                                        const npu::Machine &machine,
                                        const Policy &given, Policy &chosen) {
  Silence silence(scop.getContext());
  isl::Ctx ctx;
  SmallVector<std::string> seen;
  for (double share : kShares) {
    Policy policy = given;
    FailureOr<double> cycles =
        completePolicy(ctx, scop, getShare(machine, share), policy);
    if (failed(cycles))
      return std::nullopt;
    std::string text = policy.str();
    if (llvm::is_contained(seen, text))
      continue;
    seen.push_back(text);
    FailureOr<bool> good = fits(scop, text);
    if (failed(good))
      return std::nullopt;
    if (*good) {
      chosen = policy;
      return *cycles;
    }
  }
  return std::nullopt;
}
