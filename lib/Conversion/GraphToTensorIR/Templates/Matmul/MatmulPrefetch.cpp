// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a core computes one small product after another, the operands of the
// next product are fetched into its cache while it works on this one: the rows
// of a head of attention lie far apart, so that the hardware does not foresee
// them. A few lines go along with every row of the passes over the result. Many
// at a time, before a kernel, would wait for each other, and the kernel for
// them.

#include "MatmulEmission.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

/// Into the L2 cache.
constexpr unsigned kLocality = 2;

Buffer MatmulEmission::getPrefetchSource(unsigned operand) {
  if (!llvm::is_contained(emitter.schedule.getPrefetch(), operand))
    return {};
  return emitter.buffers.lookup(emitter.fused.getSource(operand));
}

void MatmulEmission::findNextProduct() {
  if (emitter.schedule.getPrefetch().empty())
    return;
  // Counts the batch dimensions up like the digits of a number; the last
  // product is its own successor in the outermost one.
  Value carry = emitter.makeIndex(1);
  nextBatch.resize(batch.size());
  for (size_t i = batch.size(); i-- > 0;) {
    int64_t size = sizes.batch[i];
    Value next = arith::AddIOp::create(
        builder, loc, batch[i].materialize(builder, loc), carry);
    Value limit = emitter.makeIndex(size);
    Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                        next, limit);
    Value wrapped = emitter.makeIndex(i == 0 ? size - 1 : 0);
    nextBatch[i] = Coord(
        arith::SelectOp::create(builder, loc, wraps, wrapped, next), 1, size);
    carry = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                         wraps);
  }
}

void MatmulEmission::emitPrefetch() {
  if (nextBatch.empty() || !getOpsAt(AnchorKind::post, 1).empty())
    return;
  for (unsigned operand : {0u, 1u})
    if (Buffer source = getPrefetchSource(operand))
      emitPrefetchOf(source);
}

namespace {

/// A matrix as lines of the cache.
struct LineView {
  /// The dimensions that rows are counted in, and elements of a row.
  int64_t rowDim, lineDim;
  int64_t rows, lines;
  int64_t lineElements;

  explicit LineView(RankedTensorType type) {
    int64_t rank = type.getRank();
    bool lastIsContiguous = getOffset(type, rank - 1, 1) == 1;
    lineDim = lastIsContiguous ? rank - 1 : rank - 2;
    rowDim = lastIsContiguous ? rank - 2 : rank - 1;
    lineElements =
        kLineBytes / llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    rows = type.getDimSize(rowDim);
    lines = llvm::divideCeil(type.getDimSize(lineDim), lineElements);
  }
};

} // namespace

void MatmulEmission::emitPrefetchOf(const Buffer &source) {
  LineView view(source.type);
  // Each kernel call is accompanied by as many rows.
  int64_t share = llvm::divideCeil(view.rows, m.share * n.share);
  Coord call = Coord(m.index, n.share, m.share) + Coord(n.index, 1, n.share);
  emitPrefetchOfLines(source, call * share, share, Coord(0), view.lines);
}

void MatmulEmission::emitRowPrefetch(const Coord &first, int64_t rows) {
  for (unsigned operand : {0u, 1u}) {
    Buffer source = getPrefetchSource(operand);
    if (!source)
      continue;
    // A pass over all columns takes whole rows along, one over a block of them
    // a part of each.
    LineView view(source.type);
    int64_t share = llvm::divideCeil(view.rows, m.size);
    int64_t lines = llvm::divideCeil(view.lines, n.isOpen() ? n.share : 1);
    Coord line = n.isOpen() ? Coord(n.index, lines, n.share) : Coord(0);
    emitPrefetchOfLines(source, (m.start() + first) * share, rows * share, line,
                        lines);
  }
}

void MatmulEmission::emitPrefetchOfLines(const Buffer &source, const Coord &row,
                                         int64_t rows, const Coord &line,
                                         int64_t lines) {
  LineView view(source.type);
  SmallVector<Coord> coords(nextBatch);
  coords.resize(source.type.getRank());
  // Shares are rounded up: what is beyond the last one is fetched already.
  auto clamp = [&](const Coord &coord, int64_t size) {
    if (coord.getMax() < size)
      return coord;
    Value at =
        arith::MinUIOp::create(builder, loc, coord.materialize(builder, loc),
                               emitter.makeIndex(size - 1));
    return Coord(at, 1, size);
  };
  emitter.emitLoop(rows, 1, [&](Value i) {
    coords[view.rowDim] = clamp(row + Coord(i, 1, rows), view.rows);
    emitter.emitLoop(lines, 1, [&](Value j) {
      Coord at = clamp(line + Coord(j, 1, lines), view.lines);
      coords[view.lineDim] = at * view.lineElements;
      memref::PrefetchOp::create(builder, loc, source.memref,
                                 source.getIndices(builder, loc, coords),
                                 /*isWrite=*/false, kLocality,
                                 /*isDataCache=*/true);
    });
  });
}

} // namespace gc
