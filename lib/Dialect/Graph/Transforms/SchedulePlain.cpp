// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Schedules of regions without a tunable op: the dimension of vectors, and what
// the parallel loop iterates over.

#include "Dialect/Graph/IR/TensorMemory.h"
#include "Dialect/Graph/Transforms/PassDims.h"
#include "Dialect/Graph/Transforms/RegionSpace.h"
#include "Schedule.h"
#include "Support/DecisionRecord.h"
#include "mlir/IR/Remarks.h"

#include <cmath>

using namespace mlir;

namespace gc::graph {

namespace {
/// Elements of f32 in a cache line.
constexpr int64_t kLineElements = kLineBytes / sizeof(float);

/// Chooses what the parallel loop iterates over.
class Partition {
public:
  /// Pieces of a dimension are multiples of its unit.
  Partition(const RegionSpace &space, const PassDims &dims, bool columnwise,
            ArrayRef<int64_t> units, const ScheduleContext &context)
      : sizes(space.getSizes()), units(units) {
    // So many iterations that shares differ little between threads, and not so
    // many that each one is short.
    int64_t enough = context.tasks ? context.tasks : 16 * context.threads;
    int64_t most = 4 * enough;
    ArrayRef<unsigned> reduced = space.getReducedDims();
    for (unsigned dim : reduced)
      if (int64_t part = space.getPartSize(dim))
        cut(dim, std::min(part, sizes[dim]));
    for (int64_t dim = 0; dim < static_cast<int64_t>(sizes.size()); ++dim) {
      if (dim == dims.vector || dim == dims.transposed ||
          llvm::is_contained(reduced, dim) || sizes[dim] == 1)
        continue;
      if (tasks >= enough)
        break;
      cut(dim,
          llvm::divideCeil(sizes[dim], std::max<int64_t>(1, most / tasks)));
    }
    if (dims.transposed >= 0 && tasks < enough)
      cutSquare(dims.vector, dims.transposed, enough);
    // Pieces of rows are long where each one is a loop of its own.
    constexpr int64_t kLeastRow = 2048;
    if (dims.transposed < 0 && dims.vector >= 0 && tasks < enough &&
        !llvm::is_contained(reduced, dims.vector))
      cutVectors(dims.vector, columnwise ? 4 * kLineElements : kLeastRow,
                 enough);
  }

  ArrayRef<int64_t> getDims() const { return cutDims; }
  ArrayRef<int64_t> getPieces() const { return pieces; }
  int64_t getTasks() const { return tasks; }

private:
  void cut(int64_t dim, int64_t piece) {
    piece = std::min(llvm::alignTo(piece, units[dim]),
                     llvm::alignTo(sizes[dim], units[dim]));
    if (piece >= sizes[dim] && units[dim] > 1)
      return;
    tasks *= llvm::divideCeil(sizes[dim], piece);
    cutDims.push_back(dim);
    pieces.push_back(piece);
  }

  /// Cuts a dimension of vectors into pieces of whole cache lines.
  void cutVectors(int64_t dim, int64_t least, int64_t enough) {
    if (sizes[dim] < 2 * least)
      return;
    int64_t piece =
        llvm::divideCeil(sizes[dim], llvm::divideCeil(enough, tasks));
    cut(dim, std::max<int64_t>(least, llvm::alignTo<kLineElements>(piece)));
  }

  /// Cuts what is transposed into squares: rows of operands and of results are
  /// far apart, and a page should be of use more than once.
  void cutSquare(int64_t vectors, int64_t rows, int64_t enough) {
    constexpr int64_t kLeast = 32, kMost = 256;
    double area = static_cast<double>(sizes[vectors]) * sizes[rows];
    int64_t side = llvm::alignTo<kLineElements>(static_cast<int64_t>(
        std::sqrt(area / llvm::divideCeil(enough, tasks))));
    side = std::clamp(side, kLeast, kMost);
    // One of the two may leave a rest, which takes code of its own.
    int64_t even = side;
    while (even > kLeast && sizes[vectors] % even != 0)
      even -= kLineElements;
    if (sizes[vectors] % even == 0 && sizes[vectors] > even)
      cut(vectors, even);
    if (sizes[rows] >= 2 * kLeast)
      cut(rows, std::min(side, sizes[rows]));
  }

  ArrayRef<int64_t> sizes, units;
  SmallVector<int64_t> cutDims, pieces;
  int64_t tasks = 1;
};
} // namespace

/// What the region's one pass reads and writes.
static PassAccesses getAccesses(FusedOp fused, const RegionSpace &space) {
  PassAccesses accesses;
  accesses.reduces = !space.getReducedDims().empty();
  for (Operation &op : fused.getBody().front().without_terminator())
    for (OpOperand &operand : op.getOpOperands())
      if (operand.get().getParentBlock() != op.getBlock() &&
          !isSplat(operand.get()))
        accesses.read.push_back(
            {cast<RankedTensorType>(operand.get().getType()),
             space.getOperandMap(operand), getGaps(operand)});
  for (Value value : fused.getYielded())
    accesses.written.push_back(
        {cast<RankedTensorType>(value.getType()), space.getValueMap(value)});
  return accesses;
}

static void report(FusedOp fused, const RegionSpace &space, int64_t tasks,
                   const ScheduleContext &context) {
  if (tasks >= context.threads || space.getReducedDims().empty() ||
      ShapedType::getNumElements(space.getSizes()) < kElementsWorthThreads)
    return;
  remark::missed(fused.getLoc(),
                 remark::RemarkOpts::name("FewRows").category(context.category))
      << "the reductions of this region leave " + std::to_string(tasks) +
             " rows for " + std::to_string(context.threads) +
             " threads; reduce in two steps to use all of them"
      << remark::suggest("--pipeline-options=split-elements={0}",
                         ShapedType::getNumElements(space.getSizes()));
}

FailureOr<ScheduleAttr> schedulePlain(FusedOp fused,
                                      const ScheduleContext &context) {
  FailureOr<RegionSpace> space = RegionSpace::get(fused);
  if (failed(space))
    return failure();
  auto box = llvm::map_to_vector(space->getSizes(),
                                 [](int64_t size) { return PassExtent{size}; });
  std::optional<int64_t> forced = context.vectorDim;
  if (forced && *forced >= static_cast<int64_t>(box.size()))
    forced = std::nullopt;
  PassDims dims =
      choosePassDims(box, getAccesses(fused, *space), context.lanes, forced);
  bool columnwise = !space->getReducedDims().empty() &&
                    !llvm::is_contained(space->getReducedDims(), dims.vector);
  SmallVector<int64_t> units = getPieceUnits(fused, *space);
  Partition partition(*space, dims, columnwise, units, context);
  report(fused, *space, partition.getTasks(), context);
  if (DecisionRecord record(fused, context.category, "schedule"); record) {
    record.choose(Twine(partition.getTasks()) + " tasks, vectors along dimension " +
                  Twine(dims.vector));
    record.forcedBy("--pipeline-options=tasks=N, vector-dim=N");
  }
  return ScheduleAttr::get(fused.getContext(), context.lanes, dims.vector,
                           dims.transposed, partition.getDims(),
                           partition.getPieces(),
                           KernelImplementation::library, {}, {}, {});
}

} // namespace gc::graph
