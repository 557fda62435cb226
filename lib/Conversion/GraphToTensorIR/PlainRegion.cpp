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

namespace {
/// A dimension that iterations of the parallel loop divide into pieces.
struct Cut {
  int64_t dim, piece, pieces, size;
  bool hasRest() const { return size % piece != 0; }
};

/// Chooses what the parallel loop iterates over.
class Partition {
public:
  Partition(const PassPlan &plan, ArrayRef<unsigned> reduced,
            const Machine &machine)
      : sizes(plan.getSpace().getSizes()) {
    // Enough iterations that shares differ little between threads, but few
    // enough that each one is not too short.
    const int64_t most = 64 * machine.cores, enough = 16 * machine.cores;
    int64_t line = 16;
    for (unsigned dim : reduced)
      if (int64_t part = plan.getSpace().getPartSize(dim))
        cut(dim, std::min(part, sizes[dim]));
    for (int64_t dim = 0; dim < static_cast<int64_t>(sizes.size()); ++dim) {
      if (dim == plan.getVectorDim() || dim == plan.getTransposedDim() ||
          llvm::is_contained(reduced, dim) || sizes[dim] == 1)
        continue;
      if (tasks >= enough)
        break;
      cut(dim,
          llvm::divideCeil(sizes[dim], std::max<int64_t>(1, most / tasks)));
    }
    if (plan.getTransposedDim() >= 0 && tasks < enough) {
      cutSquare(plan.getVectorDim(), plan.getTransposedDim(), enough);
      return;
    }
    // Pieces of rows are long if each one has its own loop.
    if (plan.getVectorDim() >= 0 && tasks < enough &&
        !llvm::is_contained(reduced, plan.getVectorDim()))
      cutVectors(plan.getVectorDim(), plan.isColumnwise() ? 4 * line : 2048,
                 enough);
  }

  ArrayRef<Cut> getCuts() const { return cuts; }
  int64_t getTasks() const { return tasks; }

private:
  void cut(int64_t dim, int64_t piece) {
    Cut result{dim, piece,
               static_cast<int64_t>(llvm::divideCeil(sizes[dim], piece)),
               sizes[dim]};
    tasks *= result.pieces;
    cuts.push_back(result);
  }
  /// Cuts a dimension of vectors into pieces of whole cache lines.
  void cutVectors(int64_t dim, int64_t least, int64_t enough) {
    if (sizes[dim] < 2 * least)
      return;
    int64_t piece =
        llvm::divideCeil(sizes[dim], llvm::divideCeil(enough, tasks));
    cut(dim, std::max<int64_t>(least, llvm::alignTo(piece, 16)));
  }

  /// Cuts what is transposed into squares: rows of operands and of results are
  /// far apart, and a page should be used more than once.
  void cutSquare(int64_t vectors, int64_t rows, int64_t enough) {
    constexpr int64_t kLeast = 32, kMost = 256;
    double area = static_cast<double>(sizes[vectors]) * sizes[rows];
    int64_t side = llvm::alignTo<16>(static_cast<int64_t>(
        std::sqrt(area / llvm::divideCeil(enough, tasks))));
    side = std::clamp(side, kLeast, kMost);
    // One of the two may leave a remainder, which needs its own code.
    int64_t even = side;
    while (even > kLeast && sizes[vectors] % even != 0)
      even -= 16;
    if (sizes[vectors] % even == 0 && sizes[vectors] > even)
      cut(vectors, even);
    if (sizes[rows] >= 2 * kLeast)
      cut(rows, std::min(side, sizes[rows]));
  }

  ArrayRef<int64_t> sizes;
  SmallVector<Cut> cuts;
  int64_t tasks = 1;
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
  PassPlan plan(*space, ops, whole, stores, buffers, machine);
  Partition partition(plan, space->getReducedDims(), machine);
  if (partition.getTasks() < machine.cores &&
      !space->getReducedDims().empty() &&
      ShapedType::getNumElements(space->getSizes()) >= kElementsWorthThreads)
    remark::missed(fused.getLoc(), remark::RemarkOpts::name("FewRows").category(
                                       "convert-graph-to-tir"))
        << "the reductions of this region leave " +
               std::to_string(partition.getTasks()) + " rows for " +
               std::to_string(machine.cores) +
               " cores; reduce in two steps to use all of them";

  SmallVector<int64_t> sizes;
  for (const Cut &cut : partition.getCuts())
    sizes.push_back(cut.pieces);
  if (sizes.empty())
    sizes.push_back(1);
  LogicalResult status = success();
  auto parallel = tir::ParallelOp::create(
      builder, fused.getLoc(), sizes,
      [&](OpBuilder &inner, Location loc, ValueRange indices) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(inner.getInsertionBlock(),
                                  inner.getInsertionPoint());
        std::function<void(size_t, SmallVector<BoxDim>)> emitPieces =
            [&](size_t i, SmallVector<BoxDim> box) {
              if (i == partition.getCuts().size()) {
                if (failed(emitPass(ops, box, stores)))
                  status = failure();
                return;
              }
              const Cut &cut = partition.getCuts()[i];
              Coord base(indices[i], cut.piece, cut.pieces);
              // Vectors and reductions need to know sizes; others do not.
              if (cut.hasRest() &&
                  (cut.dim == plan.getVectorDim() ||
                   cut.dim == plan.getTransposedDim() ||
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
                Value left =
                    arith::SubIOp::create(builder, loc, makeIndex(cut.size),
                                          base.materialize(builder, loc));
                Value size = arith::MinUIOp::create(builder, loc, left,
                                                    makeIndex(cut.piece));
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
