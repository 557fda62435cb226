// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Slots in place of buffers: the number of an iteration, and views of memrefs
// that now have an offset.

#include "DoubleBuffer.h"
#include "IndexExpression.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace gc::npu {

namespace {

SmallVector<scf::ForOp> getLoopsAround(scf::ForOp loop) {
  SmallVector<scf::ForOp> loops;
  for (; loop; loop = loop->getParentOfType<scf::ForOp>())
    loops.push_back(loop);
  return loops;
}

} // namespace

/// How often a loop runs whose bounds no loop of `outermost` changes.
static std::optional<AffineExpr> getTrips(IndexExpression &all, scf::ForOp loop,
                                          scf::ForOp outermost) {
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || !outermost.isDefinedOutsideOfLoop(lower) ||
      !outermost.isDefinedOutsideOfLoop(upper))
    return std::nullopt;
  return (all.fixed(upper) - all.fixed(lower)).ceilDiv(*step);
}

Value buildCounter(OpBuilder &builder, Location loc, scf::ForOp loop,
                   int64_t slots) {
  MLIRContext *context = builder.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  SmallVector<scf::ForOp> loops = getLoopsAround(loop);
  // Iterations of all loops that are inside the current one.
  AffineExpr inner = getAffineConstantExpr(1, context);
  IndexExpression known(context);
  AffineExpr count = zero;
  // From the point where the iterations of an inner loop are unknown, the
  // number is another value, which does not change inside.
  IndexExpression unknown(context);
  AffineExpr base = zero;
  OpBuilder outside(loop);
  bool isKnown = true;
  for (scf::ForOp current : loops) {
    if (isKnown)
      count = count + known.number(current) * inner;
    else
      base = base + unknown.number(current) * inner;
    if (std::optional<APInt> trips = current.getStaticTripCount()) {
      inner = inner * int64_t(trips->urem(slots));
      if (auto factor = dyn_cast<AffineConstantExpr>(inner))
        inner = getAffineConstantExpr(factor.getValue() % slots, context);
    } else if (auto trips = getTrips(unknown, current, loops.back())) {
      inner = inner * *trips;
      isKnown = false;
    } else {
      break;
    }
    if (inner == zero)
      break;
  }
  Value number = known.materialize(builder, loc, count);
  if (base == zero)
    return number;
  AffineMap sum = AffineMap::get(
      2, 0, builder.getAffineDimExpr(0) + builder.getAffineDimExpr(1));
  return affine::AffineApplyOp::create(
      builder, loc, sum,
      ValueRange{number, unknown.materialize(outside, loc, base)});
}

bool canReplace(Value buffer) {
  return llvm::all_of(buffer.getUsers(), [](Operation *user) {
    if (isa<memref::SubViewOp, memref::CollapseShapeOp, memref::ExpandShapeOp,
            memref::CastOp, memref::TransposeOp>(user))
      return canReplace(user->getResult(0));
    return !isa<ViewLikeOpInterface, SlotOp>(user);
  });
}

/// The same view of another memref.
static Value rebuild(OpBuilder &builder, Operation *view, Value source) {
  Location loc = view->getLoc();
  auto type = cast<MemRefType>(source.getType());
  if (auto part = dyn_cast<memref::SubViewOp>(view)) {
    MemRefType result = memref::SubViewOp::inferRankReducedResultType(
        part.getType().getShape(), type, part.getMixedOffsets(),
        part.getMixedSizes(), part.getMixedStrides());
    return memref::SubViewOp::create(
        builder, loc, result, source, part.getMixedOffsets(),
        part.getMixedSizes(), part.getMixedStrides());
  }
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(view))
    return memref::CollapseShapeOp::create(builder, loc, source,
                                           collapse.getReassociationIndices());
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(view)) {
    auto shape = expand.getResultType().getShape();
    return memref::ExpandShapeOp::create(builder, loc, shape, source,
                                         expand.getReassociationIndices(),
                                         expand.getMixedOutputShape());
  }
  if (auto transpose = dyn_cast<memref::TransposeOp>(view))
    return memref::TransposeOp::create(builder, loc, source,
                                       transpose.getPermutationAttr());
  auto cast = llvm::cast<memref::CastOp>(view);
  auto result = llvm::cast<MemRefType>(cast.getType());
  return memref::CastOp::create(
      builder, loc,
      MemRefType::get(result.getShape(), type.getElementType(),
                      type.getLayout(), type.getMemorySpace()),
      source);
}

void replaceBuffer(Value buffer, Value value) {
  for (OpOperand &use : llvm::make_early_inc_range(buffer.getUses())) {
    Operation *user = use.getOwner();
    if (!isa<ViewLikeOpInterface>(user)) {
      use.set(value);
      continue;
    }
    OpBuilder builder(user);
    replaceBuffer(user->getResult(0), rebuild(builder, user, value));
    user->erase();
  }
}

} // namespace gc::npu
