// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MergeMember.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/Templates.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

//===----------------------------------------------------------------------===//
// What is read and written
//===----------------------------------------------------------------------===//

SmallVector<int64_t> MergeMember::getParallelSizes() const {
  SmallVector<int64_t> sizes(loops.batch);
  sizes.append({loops.rowParts, loops.columnParts});
  return sizes;
}

static TensorDims getDims(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr expr) -> int64_t {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim ? static_cast<int64_t>(dim.getPosition()) : -1;
  });
}

TensorDims MergeMember::getWrittenDims(OpResult result) const {
  Operation *yield = getBody().getTerminator();
  Value yielded = yield->getOperand(result.getResultNumber());
  return getDims(space.getValueMap(yielded));
}

std::optional<TensorDims> MergeMember::getReadDims(OpOperand &use) const {
  Operation *op = use.getOwner();
  if (op == getTunable())
    return loops.operandDims[use.getOperandNumber()];
  if (space.contains(op)) {
    TensorDims read = getDims(space.getOperandMap(use));
    // Indices with gaps are not those of the same dimension elsewhere.
    if (std::optional<Gaps> gaps = getGaps(use))
      for (auto [dim, spacing] : llvm::zip_equal(read, gaps->spacing))
        dim = spacing ? -1 : dim;
    return read;
  }
  // A pre-op reads the slice of the operand that it computes, possibly together
  // with other pre-ops after it.
  auto preOp = dyn_cast<FusibleOpInterface>(op);
  if (!preOp)
    return std::nullopt;
  AffineMap map = preOp.getOperandMap(use.getOperandNumber());
  while (op->hasOneUse()) {
    OpOperand &next = *op->use_begin();
    unsigned number = next.getOperandNumber();
    op = next.getOwner();
    if (op == getTunable()) {
      TensorDims read = getDims(map);
      for (int64_t &dim : read)
        dim = dim < 0 ? dim : loops.operandDims[number][dim];
      return read;
    }
    auto fusible = dyn_cast<FusibleOpInterface>(op);
    if (!fusible || !fusible.getOperandMap(number).isIdentity())
      return std::nullopt;
  }
  return std::nullopt;
}

bool gc::graph::isOwn(const TensorDims &written, const TensorDims &read,
                      ArrayRef<unsigned> dims) {
  return llvm::all_of(dims, [&](int64_t dim) {
    return llvm::any_of(llvm::zip_equal(written, read), [&](auto pair) {
      auto [to, from] = pair;
      return to == dim && from == dim;
    });
  });
}

//===----------------------------------------------------------------------===//
// Blocks of rows
//===----------------------------------------------------------------------===//

/// Whether the op is committed before or after the loops of a core, outermost
/// of which is the one over blocks of rows. For the ops that compute an
/// operand, the last one decides.
static bool isAroundRows(const MergeMember &member, Operation *op) {
  auto name = op->getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
  if (!name)
    return false;
  unsigned operand = 0;
  if (name.getKind() == AnchorKind::pre) {
    while (op->hasOneUse() && *op->user_begin() != member.getTunable())
      op = *op->user_begin();
    if (!op->hasOneUse())
      return true;
    operand = op->use_begin()->getOperandNumber();
  }
  auto anchor =
      findAnchor(member.tunable, name.getKind(), name.getIndex(), operand);
  return !anchor || anchor->depth == 0;
}

/// Whether an op that works on all rows of a core is committed around the loop
/// over blocks of rows. Operands without rows are the same for all blocks.
static bool hasOpsAroundRows(const MergeMember &member) {
  return llvm::any_of(member.getBody(), [&](Operation &op) {
    if (!isAroundRows(member, &op))
      return false;
    auto name = op.getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
    if (name.getKind() == AnchorKind::post)
      return true;
    return llvm::any_of(op.getUses(), [&](OpOperand &use) {
      return use.getOwner() == member.getTunable() &&
             llvm::is_contained(
                 member.loops.operandDims[use.getOperandNumber()],
                 member.getRowDim());
    });
  });
}

bool gc::graph::canMergeRows(ArrayRef<MergeMember> group,
                             const MergeMember &next) {
  const OuterLoops &loops = next.loops;
  if (hasOpsAroundRows(next))
    return false;
  for (const MergeMember &member : group) {
    const OuterLoops &other = member.loops;
    if (!loops.rowsOutermost || !other.rowsOutermost ||
        other.rows != loops.rows || other.rowBlock != loops.rowBlock)
      return false;
    if (hasOpsAroundRows(member))
      return false;
    bool ownRows = true;
    member.forEachFlow(next, [&](OpResult result, OpOperand &use) {
      auto anchor =
          use.getOwner()->getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
      // A pre-op before the loop needs the rows of all blocks.
      if (anchor && anchor.getKind() == AnchorKind::pre &&
          isAroundRows(next, use.getOwner()))
        ownRows = false;
      std::optional<TensorDims> read = next.getReadDims(use);
      ownRows &= read && isOwn(member.getWrittenDims(result), *read,
                               {next.getRowDim()});
    });
    if (!ownRows)
      return false;
  }
  return true;
}

static double getTensorBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return static_cast<double>(tensor.getNumElements()) *
         llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
}

/// Bytes per batch item of the operands that every block of rows reads again.
static double getStationaryBytes(const MergeMember &member) {
  double bytes = 0;
  for (auto [operand, dims] : llvm::zip_equal(member.tunable->getOperands(),
                                              member.loops.operandDims)) {
    if (llvm::is_contained(dims, member.getRowDim()))
      continue;
    double size = getTensorBytes(operand.getType());
    for (int64_t dim : dims)
      if (dim >= 0 && dim < static_cast<int64_t>(member.getRowDim()))
        size /= member.loops.batch[dim];
    bytes += size / member.loops.columnParts;
  }
  return bytes;
}

RowCosts gc::graph::getRowCosts(ArrayRef<MergeMember> group,
                                const MergeMember &next,
                                const CostModel &model) {
  const OuterLoops &loops = next.loops;
  int64_t blocks = llvm::divideCeil(loops.rows, loops.rowBlock);
  double share = llvm::divideCeil(blocks, loops.rowParts);
  double own = getStationaryBytes(next), all = own, between = 0;
  for (const MergeMember &member : group) {
    all += getStationaryBytes(member);
    member.forEachFlow(next, [&](OpResult result, OpOperand &) {
      between += getTensorBytes(result.getType()) / loops.getParallelism();
    });
  }
  double block = between / share;
  double others = all - own;
  // Either way, the first block finds the operands in none of the caches. The
  // others find them in L2 at best.
  auto stream = [&](double bytes, double workingSet) {
    MemoryLevel level = std::max(MemoryLevel::l2, model.getLevel(workingSet));
    return (share - 1) * model.getRead(bytes, level).getVisibleCycles();
  };
  // Values between are written once and read once: merged, right after one
  // another; apart, when all of them are there.
  auto handOver = [&](double workingSet) {
    MemoryLevel level = model.getLevel(workingSet);
    return model.getWriteCycles(between, level) +
           model.getReadCycles(between, level);
  };
  return {stream(own, own + block) + stream(others, others + block) +
              handOver(between + own),
          stream(all, all + block) + handOver(2 * block)};
}
