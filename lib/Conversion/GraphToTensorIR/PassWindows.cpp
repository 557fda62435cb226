// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes over windows: positions whose windows lie inside of their images have
// code without comparisons, and neighbouring positions are worked on together.

#include "PassEmission.h"
#include "llvm/Support/MathExtras.h"

#include <vector>

using namespace mlir;
using namespace gc::graph;

namespace gc {

/// Positions at one end of a dimension whose windows are partly outside have
/// code for each of them, up to this many.
constexpr int64_t kMostBorder = 3;

void PassEmission::findSliding() {
  // Values that are kept between stages have room for neighbours along the
  // vectors only.
  bool isRowwise =
      !plan.isColumnwise() && !plan.getStages()[0].reductions.empty();
  if (isRowwise || emitter.fused.getTunableOp() ||
      plan.getTransposedDim() >= 0 || !plan.getRowBuffers().empty())
    return;
  SmallVector<TensorAccess> read;
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands())
      if (!plan.isComputed(operand.get())) {
        Access access = plan.getAccess(operand);
        read.push_back({cast<RankedTensorType>(operand.get().getType()),
                        access.map, access.gaps});
      }
  SmallVector<int64_t> sizes(plan.getSpace().getSizes());
  SmallVector<unsigned> reduced;
  int64_t elements = 1;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (plan.isInner(dim) && dim != vectorDim) {
      reduced.push_back(dim);
      elements *= box[dim].max;
    }
  sliding = getSlidingDims(read, sizes, reduced);
  if (const SlidingDim *found = getSliding(vectorDim);
      found && box[vectorDim].base.getMin() == box[vectorDim].base.getMax())
    slidingVectors = *found;
  unrollsWindows = !sliding.empty() && elements <= kMostUnrolledElements;
  llvm::erase_if(
      sliding, [&](const SlidingDim &along) { return along.dim == vectorDim; });
}

void PassEmission::emitSlidingVectors(
    function_ref<void(const Coord &, int64_t)> emitPiece,
    function_ref<void(const Coord &, ArrayRef<int64_t>)> emitGroup) {
  int64_t base = box[vectorDim].base.getMin();
  int64_t begin = std::clamp<int64_t>(slidingVectors->begin - base, 0, columns);
  int64_t end = std::clamp<int64_t>(slidingVectors->end - base, begin, columns);
  // Where windows are partly outside, the lanes that are is known of vectors at
  // known positions.
  constexpr int64_t kMostKnown = 8;
  int64_t first = std::min<int64_t>(llvm::alignTo(begin, lanes), columns);
  int64_t last = std::max(first, end / lanes * lanes);
  if (first + columns - last > kMostKnown * lanes)
    return emitPiece(Coord(0), columns);
  auto emitKnown = [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i += lanes)
      emitGroup(Coord(i), {std::min(lanes, to - i)});
  };
  emitKnown(0, first);
  if (first < last)
    emitPiece(Coord(first), last - first);
  emitKnown(last, columns);
}

const SlidingDim *PassEmission::getSliding(int64_t dim) const {
  const auto *found = llvm::find_if(
      sliding, [&](const SlidingDim &along) { return along.dim == dim; });
  return found == sliding.end() ? nullptr : found;
}

void PassEmission::emitTogether(int64_t dim, const Coord &from, int64_t count) {
  together[dim] = count;
  at(dim, from, [&] { emitRows(dim + 1); });
  together[dim] = 1;
}

void PassEmission::emitPositions(const SlidingDim &along) {
  int64_t dim = along.dim, size = box[dim].max;
  int64_t block = emitter.schedule.getBlock(dim);
  // Only along the last dimension are the two ends worth code of their own.
  bool isLast = dim == sliding.back().dim;
  bool isKnown = position.coords[dim].getMin() == position.coords[dim].getMax();
  if (isLast && isKnown && !box[dim].size)
    return emitKnownPositions(along);
  if (box[dim].size)
    return emitter.emitLoop(box[dim].size, [&](Value i) {
      emitBothCases(along, Coord(i, 1, size), 1);
    });
  int64_t whole = size / block * block;
  emitter.emitLoop(whole, block, [&](Value i) {
    Coord number(i, 1, whole - block + 1);
    if (block > 1 && whole > block) {
      // In blocks, so that the position within a period is known.
      Coord blocks = number.divmod(builder, loc, block).first;
      number = Coord(blocks.materialize(builder, loc), block, whole / block);
    }
    emitBothCases(along, number, block);
  });
  if (whole < size)
    emitBothCases(along, Coord(whole), size - whole);
}

void PassEmission::emitKnownPositions(const SlidingDim &along) {
  int64_t dim = along.dim, size = box[dim].max;
  int64_t block = emitter.schedule.getBlock(dim);
  int64_t base = position.coords[dim].getMin();
  int64_t begin = std::clamp<int64_t>(along.begin - base, 0, size);
  int64_t end = std::clamp<int64_t>(along.end - base, begin, size);
  auto emitBorder = [&](int64_t first, int64_t last) {
    if (unrollsWindows && last - first <= kMostBorder) {
      for (int64_t i = first; i < last; ++i)
        emitTogether(dim, Coord(i), 1);
      return;
    }
    emitter.emitLoop(last - first, 1, [&](Value i) {
      emitTogether(dim, Coord(first) + Coord(i, 1, last - first), 1);
    });
  };
  emitBorder(0, begin);
  int64_t inside = end - begin, blocks = inside / block;
  int64_t rest = inside - blocks * block;
  if (rest > 0 && blocks > 0 && along.period == 1) {
    // The last block starts early, which is shorter than code for the rest.
    emitter.emitLoop(blocks + 1, 1, [&](Value i) {
      Value from = Coord::materializeMin(
          builder, loc, {Coord(i, block, blocks + 1), inside - block});
      emitTogether(dim, Coord(begin) + Coord(from, 1, inside - block + 1),
                   block);
    });
  } else {
    emitter.emitLoop(blocks, 1, [&](Value i) {
      emitTogether(dim, Coord(begin) + Coord(i, block, blocks), block);
    });
    if (rest > 0)
      emitTogether(dim, Coord(end - rest), rest);
  }
  emitBorder(end, size);
}

void PassEmission::emitBothCases(const SlidingDim &along, const Coord &from,
                                 int64_t count) {
  int64_t dim = along.dim, block = emitter.schedule.getBlock(dim);
  Coord first = position.coords[dim] + from;
  // Positions that are multiples of blocks stay that.
  int64_t unit = first.getAlignment() % block == 0 ? block : 1;
  int64_t begin = llvm::divideCeil(along.begin, unit);
  int64_t end = (along.end - count) / unit + 1;
  if (along.end < count || end <= begin)
    return emitTogether(dim, from, count);
  bool isInside =
      first.getMin() >= begin * unit && first.getMax() + count <= along.end;
  if (isInside)
    return emitTogether(dim, from, count);
  Value distance = (first + Coord(-begin * unit)).materialize(builder, loc);
  // Negative numbers are large unsigned ones.
  Value condition =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, distance,
                            emitter.makeIndex((end - begin) * unit));
  auto branch =
      scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  if (unit > 1)
    distance = Coord(distance, 1, (end - begin) * unit)
                   .divmod(builder, loc, unit)
                   .first.materialize(builder, loc);
  Position before = position;
  position = position.shifted(dim, from);
  position.coords[dim] =
      Coord(begin * unit) + Coord(distance, unit, end - begin);
  together[dim] = count;
  emitRows(dim + 1);
  position = before;
  builder.setInsertionPointToStart(branch.elseBlock());
  emitOutside(along, from, count);
}

void PassEmission::emitOutside(const SlidingDim &along, const Coord &from,
                               int64_t count) {
  int64_t dim = along.dim, size = plan.getSpace().getSizes()[dim];
  Coord first = position.coords[dim] + from;
  int64_t last = first.getMax();
  // Of two dimensions there are nine kinds of positions, of three 27. Blocks
  // start at multiples of their size, so only the first and the last of them
  // can be outside.
  bool isKnown = unrollsWindows && sliding.size() <= 2 &&
                 first.getMin() != last && first.getAlignment() % count == 0 &&
                 along.begin <= count && last <= along.end &&
                 last + count <= size;
  if (!isKnown)
    return emitTogether(dim, from, count);
  auto emitAt = [&](int64_t known) {
    Position before = position;
    position = position.shifted(dim, from);
    position.coords[dim] = Coord(known);
    together[dim] = count;
    emitRows(dim + 1);
    together[dim] = 1;
    position = before;
  };
  if (along.begin == 0 || first.getMin() > 0)
    return emitAt(last);
  if (last + count <= along.end)
    return emitAt(0);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        first.materialize(builder, loc),
                                        emitter.makeIndex(0));
  auto branch =
      scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitAt(0);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitAt(last);
}

std::pair<int64_t, int64_t> PassEmission::getFirstSeen(const Access &access,
                                                       int64_t dim) const {
  int64_t begin = 0, end = 1;
  for (AffineExpr expr : access.map.getResults()) {
    if (!plan.isInner(dim) || dim == vectorDim || !expr.isFunctionOfDim(dim))
      continue;
    int64_t apart = std::max<int64_t>(1, getFactor(expr, dim));
    end = box[dim].max;
    for (const SlidingDim &along : sliding) {
      if (!expr.isFunctionOfDim(along.dim))
        continue;
      int64_t fresh = llvm::divideCeil(getFactor(expr, along.dim), apart);
      if (along.dim == sliding[sliding.size() - 2].dim)
        begin = std::max<int64_t>(0, end - fresh);
      else
        end = std::min(end, fresh);
    }
  }
  return {begin, end};
}

void PassEmission::emitAhead(const Position &at) {
  int64_t rows = emitter.schedule.getAhead(), dim = plan.getUnitDim();
  if (rows == 0 || dim < 0)
    return;
  Position there = at.shifted(dim, Coord(rows));
  llvm::SmallPtrSet<Value, 4> fetched;
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands()) {
      if (plan.isComputed(operand.get()) || isSplat(operand.get()))
        continue;
      Access access = plan.getAccess(operand);
      if (!access.gaps && access.varies(dim) &&
          access.getContiguousRun(vectorDim) >= at.lanes &&
          fetched.insert(access.buffer.memref).second)
        for (int64_t first = 0; first < at.lanes; first += lanes)
          prefetchVector(builder, loc, access,
                         there.shifted(vectorDim, Coord(first)));
    }
}

void PassEmission::emitAheadOfWindows(ArrayRef<Unit> units) {
  if (emitter.schedule.getAhead() == 0 || sliding.size() < 2)
    return;
  int64_t rowDim = sliding[sliding.size() - 2].dim;
  int64_t rows = emitter.schedule.getAhead() * together[rowDim];
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands()) {
      if (plan.isComputed(operand.get()) || isSplat(operand.get()))
        continue;
      Access access = plan.getAccess(operand);
      if (!access.gaps || isSpaced(*access.gaps) || !access.varies(rowDim) ||
          access.getContiguousRun(vectorDim) < lanes)
        continue;
      std::vector<Position> places;
      for (const Unit &unit : units)
        places.push_back(unit.position.shifted(rowDim, Coord(rows)));
      for (int64_t dim = 0; dim < rank; ++dim) {
        auto [begin, end] = getFirstSeen(access, dim);
        std::vector<Position> more;
        for (const Position &place : places)
          for (int64_t i = begin; i < end; ++i)
            more.push_back(place.shifted(dim, Coord(i)));
        places = std::move(more);
      }
      for (const Position &place : places)
        prefetchVector(builder, loc, access, place);
    }
}

} // namespace gc
