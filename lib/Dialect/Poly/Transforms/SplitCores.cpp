// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AutoTile.h"
#include "CoreSplit.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "Tree.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

namespace gc::poly {
#define GEN_PASS_DEF_POLYSPLITCORES
#include "Dialect/Poly/Transforms/Passes.h.inc"
} // namespace gc::poly

/// As many threads as the simulator has for cores.
static constexpr int64_t kMostCores = 64;

namespace {
/// A loop in terms of one of its statements.
struct Loop {
  StatementOp statement;
  unsigned dim;
};

struct Choice {
  CoreSplit split;
  CoreParts parts;
  double cycles;
};

class CoreSplitter {
public:
  CoreSplitter(ScopOp scop, const npu::Machine &machine, int64_t cores)
      : scop(scop), machine(machine), cores(cores) {}

  LogicalResult run();

private:
  SmallVector<Loop> getLoops();
  FailureOr<double> predict(ScopOp part);
  std::optional<double> predict(const CoreSplit &split, const CoreParts &parts);
  void tryLoop(Loop loop, double single);
  LogicalResult apply();
  void report(double single);

  isl::Ctx ctx;
  ScopOp scop;
  const npu::Machine &machine;
  int64_t cores;
  std::optional<Choice> best;
  /// Why loops are not divided.
  std::string reasons;
};
} // namespace

/// The parallel loops of the outermost band that computes an output.
SmallVector<Loop> CoreSplitter::getLoops() {
  isl::Schedule schedule = getSchedule(ctx, scop);
  SmallVector<Loop> loops;
  for (int number : getParts(schedule)) {
    isl::Node part = getPart(schedule, number);
    isl::UnionSet instances(isl_schedule_node_get_domain(part.get()));
    SmallVector<StatementOp> statements = getStatements(scop, instances);
    if (!isLiveOut(scop, statements) ||
        isl_schedule_node_get_type(part.get()) != isl_schedule_node_band)
      continue;
    StatementOp last = statements.back();
    for (auto [i, dim] : llvm::enumerate(getBandDims(part, last)))
      if (dim && isl_schedule_node_band_member_get_coincident(part.get(), i) ==
                     isl_bool_true)
        loops.push_back({last, *dim});
    break;
  }
  return loops;
}

/// Cycles of a core that runs `part`, which need not be in a module.
FailureOr<double> CoreSplitter::predict(ScopOp part) {
  isl::Ctx own;
  FailureOr<Policy> policy = getPolicy(part);
  if (failed(policy))
    return failure();
  return completePolicy(own, part, machine, *policy);
}

/// Of the core that takes longest; nothing if Auto Tiling has no tile for one.
std::optional<double> CoreSplitter::predict(const CoreSplit &split,
                                            const CoreParts &parts) {
  // What does not fit is not an error here: another loop may.
  ScopedDiagnosticHandler quiet(scop.getContext(),
                                [](Diagnostic &) { return success(); });
  double cycles = 0;
  for (int64_t length : {parts.length, parts.getRest()}) {
    OwningOpRef<ScopOp> part(scop.clone());
    if (failed(split.apply(*part, parts, 0, 1, length)))
      return std::nullopt;
    FailureOr<double> own = predict(*part);
    if (failed(own))
      return std::nullopt;
    cycles = std::max(cycles, *own);
    if (parts.getRest() == parts.length)
      break;
  }
  return cycles;
}

void CoreSplitter::tryLoop(Loop loop, double single) {
  // A gain that is less than the error of the prediction is none.
  constexpr double kLeastGain = 0.95;
  CoreSplit split(ctx, scop, loop.statement, loop.dim);
  auto reject = [&](const Twine &why) {
    reasons += (reasons.empty() ? "" : "; ") +
               ("loop " + Twine(loop.dim) + " of @" +
                loop.statement.getSymName() + ": " + why)
                   .str();
  };
  if (split.getExtent() < 2)
    return reject("has one iteration");
  if (!split.getReason().empty())
    return reject(split.getReason());
  std::optional<double> least;
  for (int64_t count = cores; count > 1; count /= 2) {
    CoreParts parts = split.getParts(count);
    if (parts.getCount() < 2)
      continue;
    std::optional<double> cycles = predict(split, parts);
    if (!cycles)
      continue;
    // Fewer cores are better up to the number that global memory feeds.
    if (least && *cycles > *least)
      break;
    least = cycles;
    if (*cycles < single * kLeastGain && (!best || *cycles < best->cycles))
      best.emplace(Choice{split, parts, *cycles});
  }
  if (!least)
    reject("no tile of a part fits the buffers");
  else if (*least >= single * kLeastGain)
    reject(Twine(int64_t(*least)) + " cycles, " + Twine(int64_t(single)) +
           " on one core");
}

LogicalResult CoreSplitter::apply() {
  const CoreParts &parts = best->parts;
  bool hasRest = parts.getRest() != parts.length;
  int64_t whole = parts.getCount() - hasRest;
  if (hasRest) {
    SymbolTable symbols(scop->getParentOp());
    ScopOp rest = scop.clone();
    rest.setSymName((scop.getSymName() + "_rest").str());
    symbols.insert(rest, std::next(Block::iterator(scop)));
    rest.setBesideAttr(FlatSymbolRefAttr::get(scop.getSymNameAttr()));
    if (failed(best->split.apply(rest, parts, whole, 1, parts.getRest())))
      return failure();
  }
  return best->split.apply(scop, parts, 0, whole, parts.length);
}

void CoreSplitter::report(double single) {
  auto options =
      remark::RemarkOpts::name("CoreSplit").category("poly-split-cores");
  if (!best) {
    remark::missed(scop.getLoc(), options)
        << remark::add("@{0} runs on one core", scop.getSymName())
        << remark::reason("{0}", reasons);
    return;
  }
  const CoreParts &parts = best->parts;
  std::string sizes = std::to_string(parts.length);
  if (parts.getRest() != parts.length)
    sizes += ", the last one of " + std::to_string(parts.getRest());
  remark::passed(scop.getLoc(), options)
      << remark::add("@{0} runs on {1} cores: {2} iterations in parts of {3}",
                     scop.getSymName(), parts.getCount(), parts.extent, sizes)
      << remark::reason("{0} cycles instead of {1} on one core",
                        int64_t(best->cycles), int64_t(single));
}

LogicalResult CoreSplitter::run() {
  FailureOr<double> single = predict(scop);
  if (failed(single))
    return failure();
  SmallVector<Loop> loops = getLoops();
  if (loops.empty())
    reasons = "its outermost loops are not parallel";
  for (Loop loop : loops)
    tryLoop(loop, *single);
  report(*single);
  return best ? apply() : success();
}

namespace {
struct PolySplitCoresPass
    : gc::poly::impl::PolySplitCoresBase<PolySplitCoresPass> {
  using PolySplitCoresBase::PolySplitCoresBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (cores < 1 || cores > kMostCores) {
      module.emitError() << "'cores' must be from 1 to " << kMostCores
                         << ", not " << cores.getValue();
      return signalPassFailure();
    }
    if (cores == 1)
      return;
    for (auto scop : llvm::to_vector(module.getOps<ScopOp>())) {
      // Divided already.
      if (scop.getAllCores() || !scop.getOps<TileOp>().empty())
        continue;
      FailureOr<npu::Machine> machine = npu::getMachine(scop);
      if (failed(machine) || failed(CoreSplitter(scop, *machine, cores).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
