// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is slow about the passes of regions without a tunable op.

#include "Dialect/Graph/IR/TensorMemory.h"
#include "Dialect/Graph/Transforms/SlidingDims.h"
#include "Schedule.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace gc::graph {

static std::string getText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Whether the ops only move elements to other places.
static bool onlyCopies(FusedOp fused) {
  return llvm::all_of(
      fused.getBody().front().without_terminator(), [](Operation &op) {
        auto fusible = dyn_cast<FusibleOpInterface>(op);
        return fusible && llvm::is_contained(
                              {FusibleKind::transpose, FusibleKind::reorder},
                              fusible.getFusibleKind());
      });
}

void reportSlowPasses(FusedOp fused, const RegionSpace &space,
                      const PassAccesses &accesses, const PassDims &dims,
                      int64_t tasks, const ScheduleContext &context) {
  int64_t elements = ShapedType::getNumElements(space.getSizes());
  constexpr int64_t kElementsWorthRemark = 1 << 16;
  if (elements < kElementsWorthRemark)
    return;
  auto report = [&](StringRef name) {
    return remark::missed(
        fused.getLoc(),
        remark::RemarkOpts::name(name).category(context.category));
  };
  if (!context.runsOnce && onlyCopies(fused)) {
    int64_t bytes = 0;
    for (Type type : fused.getResultTypes())
      bytes += getMemoryBytes(cast<RankedTensorType>(type));
    report("Copied") << "this region only copies " + std::to_string(bytes) +
                            " bytes to other places, in every execution"
                     << remark::reason(
                            "no op that computes shares its elements");
  }
  if (tasks < context.threads && !space.getReducedDims().empty() &&
      elements >=
          CostModel(context.machine, context.threads).getElementsWorthThreads())
    report("FewRows") << "the reductions of this region leave " +
                             std::to_string(tasks) + " rows for " +
                             std::to_string(context.threads) +
                             " threads; reduce in two steps to use all of them"
                      << remark::suggest(
                             "--pipeline-options=split-elements={0}", elements);
  if (dims.vector < 0)
    return;
  int64_t size = space.getSizes()[dims.vector];
  if (2 * size <= context.getLanes())
    report("ShortVectors")
        << "vectors of " + std::to_string(context.getLanes()) + " have " +
               std::to_string(size) +
               " elements: no longer dimension is contiguous in what this "
               "region writes, or else in what it reads";
  // Of operands of one type there is one remark.
  llvm::SmallPtrSet<Type, 4> types;
  for (const TensorAccess &access : accesses.read)
    if (access.getContiguousRun(dims.vector) == 1 &&
        !isTransposed(access, dims) &&
        !readsRuns(access, dims.vector, context.getLanes()) &&
        types.insert(access.type).second)
      report("Scattered")
          << "elements of " + getText(access.type) +
                 " are loaded one by one: they are not next to each other "
                 "along the vectors";
}

} // namespace gc::graph
