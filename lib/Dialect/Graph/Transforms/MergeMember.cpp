// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MergeMember.h"
#include "Dialect/Graph/IR/GraphOps.h"

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
  if (space.contains(op))
    return getDims(space.getOperandMap(use));
  // A pre-op reads the slice of the operand that it computes, maybe for others
  // that do it after it.
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

/// Whether an op that works on all rows of a core is committed in front of or
/// behind the loop over blocks of rows.
static bool hasOpsAroundRows(const MergeMember &member) {
  Operation *tunable = member.getTunable();
  return llvm::any_of(member.getBody(), [&](Operation &op) {
    auto anchor = op.getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
    if (!anchor)
      return false;
    if (anchor.getKind() == AnchorKind::post)
      return anchor.getIndex() > 1;
    return anchor.getIndex() <= 2 && tunable->getOperand(0) == op.getResult(0);
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
          anchor.getIndex() <= 2)
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

static double getBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return static_cast<double>(tensor.getNumElements()) *
         llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
}

/// Bytes per cycle at which one core reads a working set of so many bytes.
static double getBandwidth(const Machine &machine, double bytes) {
  if (bytes <= machine.l1Bytes)
    return 64;
  if (bytes <= machine.l2Bytes)
    return 24;
  return bytes <= machine.l3Bytes ? 8 : 3;
}

/// Bytes per batch item of the operands that every block of rows reads again.
static double getStationaryBytes(const MergeMember &member) {
  double bytes = 0;
  for (auto [operand, dims] : llvm::zip_equal(member.tunable->getOperands(),
                                              member.loops.operandDims)) {
    if (llvm::is_contained(dims, member.getRowDim()))
      continue;
    double size = getBytes(operand.getType());
    for (int64_t dim : dims)
      if (dim >= 0 && dim < static_cast<int64_t>(member.getRowDim()))
        size /= member.loops.batch[dim];
    bytes += size / member.loops.columnParts;
  }
  return bytes;
}

RowCosts gc::graph::getRowCosts(ArrayRef<MergeMember> group,
                                const MergeMember &next,
                                const Machine &machine) {
  const OuterLoops &loops = next.loops;
  int64_t blocks = llvm::divideCeil(loops.rows, loops.rowBlock);
  double share = llvm::divideCeil(blocks, loops.rowParts);
  double own = getStationaryBytes(next), all = own, between = 0;
  for (const MergeMember &member : group) {
    all += getStationaryBytes(member);
    member.forEachFlow(next, [&](OpResult result, OpOperand &) {
      between += getBytes(result.getType()) / loops.getParallelism();
    });
  }
  double block = between / share;
  double others = all - own;
  // The first block finds the operands in none of the caches, whichever way.
  // For the others, kernels hide most of what comes from farther than the L1
  // cache.
  constexpr double kVisible = 0.3;
  auto stream = [&](double bytes, double workingSet) {
    double bandwidth = std::min(getBandwidth(machine, workingSet),
                                getBandwidth(machine, machine.l2Bytes));
    return kVisible * (share - 1) * bytes / bandwidth;
  };
  // Values between are written once and read once: merged, right after one
  // another; apart, when all of them are there.
  return {stream(own, own + block) + stream(others, others + block) +
              2 * between / getBandwidth(machine, between + own),
          stream(all, all + block) +
              2 * between / getBandwidth(machine, 2 * block)};
}
