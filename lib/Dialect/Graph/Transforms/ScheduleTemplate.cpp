// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Schedules of regions with a tunable op: where its kernels come from, which
// results bypass the caches, which operands are fetched ahead.

#include "Dialect/Graph/IR/TensorMemory.h"
#include "Dialect/Graph/Transforms/RegionSpace.h"
#include "Machine/KernelChoice.h"
#include "Machine/VectorPlan.h"
#include "Schedule.h"
#include "Support/DecisionRecord.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace gc::graph {

/// Results that are better written with non-temporal stores, where a pass
/// stores them: kernels accumulate in a result that has the order of the
/// product, unless that is wanted besides.
static SmallVector<int64_t> chooseStreams(FusedOp fused,
                                          const RegionSpace &space,
                                          const ScheduleContext &context) {
  Value product = fused.getTunableOp()->getResult(0);
  if (!fused.getTunableOp().getChosenTemplate().getAbilities().streams)
    return {};
  bool keepsProduct = llvm::is_contained(fused.getYielded(), product);
  return chooseStreams(fused, context, [&](unsigned i) {
    Value yielded = fused.getYielded()[i];
    bool holdsProduct =
        yielded == product ||
        (!keepsProduct && space.getValueMap(yielded).isIdentity());
    return !holdsProduct && isOfCaller(fused.getResult(i));
  });
}

/// Operands whose next matrix had better be fetched while the present one is
/// computed: all of them do not fit the cache, the next one does along with
/// the present one.
static SmallVector<int64_t> choosePrefetches(FusedOp fused,
                                             const ScheduleContext &context) {
  SmallVector<int64_t> operands;
  TunableOpInterface tunable = fused.getTunableOp();
  TemplateAttrInterface chosen = tunable.getChosenTemplate();
  if (context.prefetch == ScheduleSwitch::never ||
      !chosen.getAbilities().prefetches)
    return operands;
  std::optional<OuterLoops> loops = chosen.getOuterLoops(tunable);
  // One core computes whole products, one after another.
  if (!loops || loops->rowParts != 1 || loops->columnParts != 1)
    return operands;
  int64_t products = loops->getParallelism();
  for (unsigned i = 0; i < tunable->getNumOperands(); ++i) {
    Value source = fused.getSource(i);
    auto type = cast<RankedTensorType>(source.getType());
    LayoutAttr layout = getLayout(type);
    // Temporaries are in the cache already; matrices that all products share
    // arrive there with the first one.
    if (!isOfCaller(source) || products == 1 ||
        type.getRank() - 2 != static_cast<int64_t>(loops->batch.size()) ||
        type.getShape().drop_back(2) != ArrayRef<int64_t>(loops->batch) ||
        (layout && layout.isBlocked()))
      continue;
    int64_t bytes = type.getNumElements() *
                    llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    int64_t l2Bytes = context.machine.l2Bytes;
    if (context.prefetch == ScheduleSwitch::always ||
        (bytes > l2Bytes && bytes / products <= l2Bytes / 2))
      operands.push_back(i);
  }
  return operands;
}

namespace {
/// Where a region's microkernels come from.
struct Kernels {
  KernelImplementation implementation = KernelImplementation::library;
  /// Exceptions that are vector code: m, n, k of each.
  SmallVector<int64_t> vectorKernels;
  /// Those in which something else than instructions on vectors multiplies: m,
  /// n, k and the KernelForm.
  SmallVector<int64_t> forms;
  /// What vector code fetches ahead: m, n, k and bytes.
  SmallVector<int64_t> fetchAhead;
};

/// Vector kernels that read their second matrix once and in order fetch it so
/// far ahead as memory is late: those of few rows, and dot products.
bool readsOnce(const KernelSpec &spec, KernelForm form,
               const Machine &machine) {
  constexpr int64_t kFewRows = 8;
  // In fixed point there is little else to do, and prefetches are in the way of
  // those of the hardware.
  if (form != KernelForm::vector)
    return false;
  return spec.transposeB ||
         (!planVectorKernel(machine, spec, form).dot && spec.m <= kFewRows);
}
} // namespace

/// Vectors may not be what the user has hoped for.
static void remarkVector(FusedOp fused, const KernelSpec &spec,
                         const KernelChoice &choice,
                         const ScheduleContext &context) {
  auto remark = remark::missed(
      fused.getLoc(),
      remark::RemarkOpts::name("libxsmm-kernel").category(context.category));
  remark << remark::add("vectors instead of libxsmm for m={0} n={1} k={2}",
                        spec.m, spec.n, spec.k)
         << remark::reason("{0}", choice.reason.str());
  if (!choice.suggestion.empty())
    remark << remark::suggest("{0}", choice.suggestion.str());
}

static void recordKernel(FusedOp fused, const KernelSpec &spec,
                         const KernelChoice &choice, KernelForm form,
                         const ScheduleContext &context) {
  DecisionRecord record(fused.getTunableOp(), context.category, "kernel");
  if (!record)
    return;
  std::string size = " for m=" + std::to_string(spec.m) +
                     " n=" + std::to_string(spec.n) +
                     " k=" + std::to_string(spec.k);
  std::string own = getName(choice.kind).str();
  if (form != KernelForm::vector)
    own += " (" + getName(form).str() + ")";
  // Not of types that the machine has no rates of.
  auto getCycles = [&](KernelKind kind) -> std::optional<double> {
    double cycles = getKernelCycles(context.machine, spec, kind);
    return cycles > 0 ? std::optional(cycles) : std::nullopt;
  };
  record.choose(own + size, getCycles(choice.kind), choice.reason);
  KernelKind other = choice.kind == KernelKind::library ? KernelKind::vector
                                                        : KernelKind::library;
  if (StringRef refusal = getRefusal(spec, other); !refusal.empty())
    return record.reject(getName(other) + size, std::nullopt, refusal);
  record.reject(getName(other) + size, getCycles(other),
                choice.kind == KernelKind::library
                    ? "has to be compiled, which takes longer"
                    : "");
  record.forcedBy(other == KernelKind::vector
                      ? "--pipeline-options=kernel=vector"
                      : "--pipeline-options=kernel=libxsmm");
}

/// Whether a kernel of these sizes is in a list of sizes with another number.
static bool hasKernel(ArrayRef<int64_t> list, ArrayRef<int64_t> sizes) {
  for (size_t i = 0; i < list.size(); i += 4)
    if (list.slice(i, 3) == sizes)
      return true;
  return false;
}

/// How far ahead kernels fetch their second matrix: as late as memory is, or,
/// of matrices that follow each other and of which several fit the L2 cache, a
/// whole matrix. A core then also fetches the next one while it does other
/// things between their products.
static int64_t getFetchAhead(TunableOpInterface tunable,
                             const ScheduleContext &context) {
  constexpr int64_t kMatricesInL2 = 4;
  int64_t least = CostModel(context.machine).getPrefetchBytes();
  auto type = cast<RankedTensorType>(tunable->getOperand(1).getType());
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.size() < 3 || !type.hasStaticShape())
    return least;
  int64_t elements = llvm::product_of(shape.take_back(2)),
          bytes = elements * type.getElementTypeBitWidth() / 8;
  bool isOneOfSeveral = llvm::product_of(shape.drop_back(2)) > 1;
  return isOneOfSeveral && bytes <= context.machine.l2Bytes / kMatricesInL2
             ? std::max(least, bytes)
             : least;
}

/// The library where it is fast, vector code for the others.
static Kernels chooseKernels(FusedOp fused, const ScheduleContext &context) {
  TunableOpInterface tunable = fused.getTunableOp();
  Kernels kernels;
  if (context.kernel == KernelPreference::vector)
    kernels.implementation = KernelImplementation::vector;
  bool usesLibrary = false,
       isFree = context.kernel == KernelPreference::automatic;
  for (const KernelSpec &spec :
       tunable.getChosenTemplate().getKernels(tunable, context.getLanes())) {
    KernelChoice choice;
    choice.kind = context.kernel == KernelPreference::vector
                      ? KernelKind::vector
                      : KernelKind::library;
    if (isFree) {
      choice = chooseKernel(context.machine, spec);
    }
    KernelForm form =
        choice.kind == KernelKind::vector &&
                getRefusal(spec, KernelKind::vector).empty()
            ? chooseKernelForm(context.machine, spec, context.fixedPoint)
            : KernelForm::vector;
    if (isFree)
      recordKernel(fused, spec, choice, form, context);
    if (choice.kind == KernelKind::library) {
      usesLibrary = true;
      continue;
    }
    SmallVector<int64_t> sizes{spec.m, spec.n, spec.k};
    if (form != KernelForm::vector && !hasKernel(kernels.forms, sizes)) {
      kernels.forms.append(sizes);
      kernels.forms.push_back(static_cast<int64_t>(form));
    }
    if (context.prefetch != ScheduleSwitch::never &&
        readsOnce(spec, form, context.machine) &&
        !hasKernel(kernels.fetchAhead, sizes)) {
      kernels.fetchAhead.append(sizes);
      kernels.fetchAhead.push_back(getFetchAhead(tunable, context));
    }
    if (!isFree)
      continue;
    kernels.vectorKernels.append(sizes);
    remarkVector(fused, spec, choice, context);
  }
  if (!usesLibrary && !kernels.vectorKernels.empty()) {
    kernels.implementation = KernelImplementation::vector;
    kernels.vectorKernels.clear();
  }
  return kernels;
}

/// What is fetched ahead, and passes whose vectors do not lie along rows.
static void recordSchedule(FusedOp fused, ScheduleAttr schedule,
                           const ScheduleContext &context) {
  if (context.runsOnce)
    return;
  for (const ScheduleAttr::AnchorDims &dims : schedule.getAnchorDims()) {
    DecisionRecord record(fused, context.category, "schedule");
    if (!record)
      return;
    record.choose("passes at " + stringifyAnchorKind(dims.kind) + " " +
                  Twine(dims.index) + " have vectors along dimension " +
                  Twine(dims.vector));
    record.reject("along the last dimension", std::nullopt,
                  "less of what they write and read is contiguous along it");
    record.forcedBy("passes of graph.schedule on the region");
  }
  RowOrder order{schedule.getUnroll(), schedule.getRecompute(),
                 schedule.getRowBytes(), schedule.getMaxRowBytes()};
  if (std::string text = describe(order); !text.empty()) {
    DecisionRecord record(fused, context.category, "schedule");
    if (!record)
      return;
    record.choose("passes that reduce: " + text);
    record.forcedBy("--pipeline-options='unroll=N recompute=N'");
  }
  auto recordAhead = [&](const Twine &what, StringRef otherwise) {
    DecisionRecord record(fused, context.category, "schedule");
    if (!record)
      return;
    record.choose(what + " ahead");
    record.reject("fetched when it is read", std::nullopt, otherwise);
    record.forcedBy("--pipeline-options=prefetch=never");
  };
  for (int64_t operand : schedule.getPrefetch())
    recordAhead("operand " + Twine(operand) + " is fetched one batch item",
                "all of it does not fit the L2 cache");
  ArrayRef<int64_t> ahead = schedule.getFetchAhead();
  for (size_t i = 0; i < ahead.size(); i += 4)
    recordAhead("the second matrix of kernels with m=" + Twine(ahead[i]) +
                    " n=" + Twine(ahead[i + 1]) + " k=" + Twine(ahead[i + 2]) +
                    " is fetched " + Twine(ahead[i + 3]) + " bytes",
                "kernels read it once");
}

FailureOr<ScheduleAttr> scheduleTemplate(FusedOp fused,
                                         const ScheduleContext &context) {
  TunableOpInterface tunable = fused.getTunableOp();
  if (!tunable.getChosenTemplate())
    return tunable->emitOpError("has no template; run graph-select-template");
  FailureOr<RegionSpace> space = RegionSpace::get(fused);
  if (failed(space))
    return failure();
  Kernels kernels = chooseKernels(fused, context);
  AnchorPasses passes = chooseAnchorPasses(fused, *space, context);
  auto schedule = ScheduleAttr::getOfTemplate(
      fused.getContext(), context.vectorBytes, context.machine.vectorRegisters,
      passes.order.unroll, passes.order.recompute,
      chooseInterleave(fused, *space), passes.order.rowBytes,
      passes.order.maxRowBytes, passes.dims, kernels.implementation,
      kernels.vectorKernels, kernels.forms, kernels.fetchAhead,
      chooseStreams(fused, *space, context), choosePrefetches(fused, context));
  recordSchedule(fused, schedule, context);
  return schedule;
}

} // namespace gc::graph
