// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AutoTile.h"
#include "CoreSplit.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "Tree.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

namespace gc::poly {
#define GEN_PASS_DEF_POLYSPLITCORES
#include "Dialect/Poly/Transforms/Passes.h.inc"
} // namespace gc::poly

/// As many threads as the simulator has for cores.
static constexpr int64_t kMostCores = 64;
/// The choice of the loop that cores divide, by its place in the band.
static constexpr llvm::StringLiteral kLoopChoice = "core_loop";

namespace {
/// A loop in terms of one of its statements.
struct Loop {
  StatementOp statement;
  unsigned dim;
};

struct Division {
  CoreSplit split;
  CoreParts parts;
  double cycles;
  /// The number of the loop, and the cores that were asked for.
  int64_t loop, cores;
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
  void tryLoop(Loop loop, int64_t number, double single);
  LogicalResult readPlan(size_t loops);
  LogicalResult apply();
  void report(double single);

  isl::Ctx ctx;
  ScopOp scop;
  const npu::Machine &machine;
  int64_t cores;
  std::optional<Division> best;
  /// What the scop's plan says: how many cores, and which loop.
  SmallVector<int64_t> counts{1};
  std::optional<int64_t> givenCores, givenLoop;
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

void CoreSplitter::tryLoop(Loop loop, int64_t number, double single) {
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
  for (int64_t count : ArrayRef(counts).drop_front()) {
    if (givenCores && count != *givenCores)
      continue;
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
    if ((givenCores || *cycles < single * kLeastGain) &&
        (!best || *cycles < best->cycles))
      best.emplace(Division{split, parts, *cycles, number, count});
  }
  if (!least)
    reject("no tile of a part fits the buffers");
  else if (!givenCores && *least >= single * kLeastGain)
    reject(Twine(int64_t(*least)) + " cycles, " + Twine(int64_t(single)) +
           " on one core");
}

LogicalResult CoreSplitter::readPlan(size_t loops) {
  for (int64_t count = cores; count > 1; count /= 2)
    counts.push_back(count);
  FailureOr<std::optional<int64_t>> own = getChoice(scop, kCoresChoice, counts);
  if (failed(own))
    return failure();
  givenCores = *own;
  FailureOr<std::optional<int64_t>> loop = getChoice(
      scop, kLoopChoice, llvm::to_vector(llvm::seq<int64_t>(0, loops)));
  if (failed(loop))
    return failure();
  givenLoop = *loop;
  if (givenLoop && givenCores.value_or(1) == 1)
    return scop.emitOpError("has no choice '")
           << kLoopChoice << "' to make on one core, but its plan makes it";
  return success();
}

/// What the plan says about the cores beside, in place of what it says about
/// the others. What has been chosen stays.
static void takeRestPlan(ScopOp rest, DictionaryAttr plan) {
  NamedAttrList choices(plan.getAs<DictionaryAttr>(kChoicesAttr));
  auto chosen = rest->getAttrOfType<DictionaryAttr>(kChoicesAttr);
  auto lists = rest->getAttrOfType<DictionaryAttr>(kAlternativesAttr);
  for (NamedAttribute list :
       lists ? lists.getValue() : ArrayRef<NamedAttribute>())
    choices.set(list.getName(), chosen.get(list.getName()));
  for (StringRef name : {kPolicyAttr, kHierarchyAttr}) {
    rest->removeAttr(name);
    if (Attribute value = plan.get(name))
      rest->setAttr(name, value);
  }
  rest->setAttr(kChoicesAttr, choices.getDictionary(rest.getContext()));
}

LogicalResult CoreSplitter::apply() {
  const CoreParts &parts = best->parts;
  bool hasRest = parts.getRest() != parts.length;
  int64_t whole = parts.getCount() - hasRest;
  auto restPlan = scop->getAttrOfType<DictionaryAttr>(kRestPlanAttr);
  scop->removeAttr(kRestPlanAttr);
  if (restPlan && !hasRest)
    return scop.emitOpError("has parts of one size, but its plan is of two");
  if (hasRest) {
    SymbolTable symbols(scop->getParentOp());
    ScopOp rest = scop.clone();
    rest.setSymName((scop.getSymName() + "_rest").str());
    symbols.insert(rest, std::next(Block::iterator(scop)));
    rest.setBesideAttr(FlatSymbolRefAttr::get(scop.getSymNameAttr()));
    if (restPlan)
      takeRestPlan(rest, restPlan);
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
  if (failed(readPlan(loops.size())))
    return failure();
  bool isSingle = givenCores && *givenCores == 1;
  if (isSingle)
    reasons = "its plan says so";
  for (auto [number, loop] : llvm::enumerate(loops))
    if (!isSingle && (!givenLoop || int64_t(number) == *givenLoop))
      tryLoop(loop, number, *single);
  if (givenCores && !isSingle && !best)
    return scop.emitOpError("cannot be divided among ")
           << *givenCores << " cores, as its plan says: " << reasons;
  report(*single);
  recordChoice(scop, kCoresChoice, counts, best ? best->cores : 1);
  if (!best) {
    scop->removeAttr(kRestPlanAttr);
    return success();
  }
  recordChoice(scop, kLoopChoice,
               llvm::to_vector(llvm::seq<int64_t>(0, loops.size())),
               best->loop);
  return apply();
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
