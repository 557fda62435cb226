// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Regions without a tunable op: one parallel loop over what is not reduced and
// over the parts of what is reduced in parts, one pass per iteration.

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "PassPlan.h"
#include "mlir/IR/Remarks.h"

#include <cmath>
#include <functional>

using namespace mlir;
using namespace gc::graph;

namespace gc {

/// Checks the schedule's dimensions against the region's space.
static LogicalResult checkSchedule(FusedOp fused, ScheduleAttr schedule,
                                   const RegionSpace &space) {
  ArrayRef<int64_t> sizes = space.getSizes();
  int64_t rank = sizes.size();
  if (schedule.getVectorDim() >= rank || schedule.getTransposedDim() >= rank ||
      (rank > 0 && schedule.getVectorDim() < 0))
    return fused.emitOpError("has a schedule: (C7) vectors have no dimension "
                             "among the ")
           << rank << " of the region";
  for (auto [dim, piece] : llvm::zip_equal(schedule.getPartitionDims(),
                                           schedule.getPartitionPieces()))
    if (dim >= rank || piece > sizes[dim])
      return fused.emitOpError("has a schedule: (C7) pieces of ")
             << piece << " do not divide dimension " << dim
             << " of the region's space (" << sizes << ")";
  // Rows that are reduced are combined in blocks only if vectors lie across,
  // and then nothing else is.
  auto isReduced = [&](int64_t dim) {
    return llvm::is_contained(space.getReducedDims(), dim);
  };
  bool sumsRows = !isReduced(schedule.getVectorDim()) &&
                  schedule.getBlockDims().size() == 1;
  for (int64_t dim : schedule.getBlockDims())
    if (dim >= rank || (isReduced(dim) && !sumsRows))
      return fused.emitOpError("has a schedule: (C11) dimension ")
             << dim << " has no neighbours that are computed together";
  for (unsigned dim : space.getReducedDims()) {
    const auto *cut = llvm::find(schedule.getPartitionDims(), dim);
    bool isCut = cut != schedule.getPartitionDims().end();
    int64_t part = space.getPartSize(dim);
    int64_t piece =
        isCut
            ? schedule.getPartitionPieces()[cut -
                                            schedule.getPartitionDims().begin()]
            : 0;
    if (piece != (part ? std::min(part, sizes[dim]) : 0))
      return fused.emitOpError("has a schedule: (C8) dimension ")
             << dim << " is reduced "
             << (part ? "in parts of " + std::to_string(part) : "as a whole")
             << ", which the partition does not respect";
  }
  return success();
}

/// A dimension that iterations of the parallel loop divide into pieces.
namespace {
struct Cut {
  int64_t dim, piece, pieces, size;
  bool hasRest() const { return size % piece != 0; }
};
} // namespace

LogicalResult RegionEmitter::emitPlain() {
  SmallVector<Operation *> ops;
  SmallVector<Store> stores;
  for (Operation &op : fused.getBody().front().without_terminator()) {
    ops.push_back(&op);
    for (Value result : op.getResults())
      addStores(result, stores);
  }
  if (stores.empty())
    return success();
  SmallVector<BoxDim> whole;
  for (int64_t size : space->getSizes())
    whole.push_back(BoxDim(Coord(0), size));
  if (failed(checkSchedule(fused, schedule, *space)))
    return failure();
  SmallVector<Cut> cuts;
  SmallVector<int64_t> sizes;
  for (auto [dim, piece] : llvm::zip_equal(schedule.getPartitionDims(),
                                           schedule.getPartitionPieces())) {
    int64_t size = space->getSizes()[dim];
    cuts.push_back({dim, piece,
                    static_cast<int64_t>(llvm::divideCeil(size, piece)), size});
    sizes.push_back(cuts.back().pieces);
  }
  if (sizes.empty())
    sizes.push_back(1);
  SmallVector<int64_t> units = getPieceUnits(fused, *space);
  for (auto [dim, size] :
       llvm::zip_equal(schedule.getBlockDims(), schedule.getBlockSizes()))
    units[dim] = std::max(units[dim], size);
  LogicalResult status = success();
  auto parallel = tir::ParallelOp::create(
      builder, fused.getLoc(), sizes,
      [&](OpBuilder &inner, Location loc, ValueRange indices) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(inner.getInsertionBlock(),
                                  inner.getInsertionPoint());
        std::function<void(size_t, SmallVector<BoxDim>)> emitPieces =
            [&](size_t i, SmallVector<BoxDim> box) {
              if (i == cuts.size()) {
                auto areWholeLines = [&](const Store &) {
                  int64_t vector = schedule.getVectorDim();
                  return vector >= 0 &&
                         box[vector].base.getAlignment() % getLanes() == 0;
                };
                auto emit = [&](ArrayRef<Store> wanted) {
                  return emitPass(
                      ops, box, wanted,
                      {schedule.getVectorDim(), schedule.getTransposedDim()});
                };
                if (failed(emitStreaming(stores, areWholeLines, emit)))
                  status = failure();
                return;
              }
              const Cut &cut = cuts[i];
              Coord base(indices[i], cut.piece, cut.pieces);
              // Vectors, groups and reductions need to know sizes; others do
              // not.
              if (cut.hasRest() &&
                  (units[cut.dim] > 1 || cut.dim == schedule.getVectorDim() ||
                   cut.dim == schedule.getTransposedDim() ||
                   llvm::is_contained(space->getReducedDims(), cut.dim))) {
                emitLastCase(indices[i], cut.pieces, [&](bool last) {
                  box[cut.dim] =
                      BoxDim(base, last ? cut.size % cut.piece : cut.piece);
                  emitPieces(i + 1, box);
                });
                return;
              }
              box[cut.dim] = BoxDim(base, cut.piece);
              if (cut.hasRest()) {
                Value size = Coord::materializeMin(
                    builder, loc, {Coord(cut.size) + base * -1, cut.piece});
                box[cut.dim] = BoxDim(base, size, cut.piece);
              }
              emitPieces(i + 1, box);
            };
        emitPieces(0, whole);
      });
  if (auto name = fused.getNameAttr())
    parallel.setNameAttr(name);
  return status;
}

} // namespace gc
