// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatmulPrefetch.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

/// Into the L2 cache.
constexpr unsigned kLocality = 2;

Buffer MatmulPrefetch::getSource(unsigned operand) const {
  RegionEmitter &emitter = nest.emitter;
  if (!llvm::is_contained(emitter.schedule.getPrefetch(), operand))
    return {};
  return emitter.buffers.lookup(emitter.fused.getSource(operand));
}

void MatmulPrefetch::emitStart() {
  if (nest.emitter.schedule.getPrefetch().empty())
    return;
  OpBuilder &builder = nest.builder;
  Location loc = nest.loc;
  // Increments the batch dimensions like the digits of a number; the last
  // product is its own successor in the outermost dimension.
  Coord carry(1);
  nextBatch.resize(nest.batch.size());
  for (size_t i = nest.batch.size(); i-- > 0;) {
    int64_t size = nest.sizes.batch[i];
    Value next = (nest.batch[i] + carry).materialize(builder, loc);
    Value limit = nest.emitter.makeIndex(size);
    Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                        next, limit);
    Value wrapped = nest.emitter.makeIndex(i == 0 ? size - 1 : 0);
    nextBatch[i] = Coord(
        arith::SelectOp::create(builder, loc, wraps, wrapped, next), 1, size);
    carry = Coord(arith::IndexCastUIOp::create(builder, loc,
                                               builder.getIndexType(), wraps),
                  1, 2);
  }
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

void MatmulPrefetch::emitWithKernel() {
  if (nextBatch.empty() || !nest.getOpsAt(AnchorKind::post, 1).empty())
    return;
  const BlockLoop &m = nest.m, &n = nest.n;
  for (unsigned operand : {0, 1}) {
    Buffer source = getSource(operand);
    if (!source)
      continue;
    // Rows that are fetched with each kernel call.
    LineView view(source.type);
    int64_t share = llvm::divideCeil(view.rows, m.share * n.share);
    Coord call = Coord(m.index, n.share, m.share) + Coord(n.index, 1, n.share);
    emitLines(source, call * share, share, Coord(0), view.lines);
  }
}

void MatmulPrefetch::emitWithRows(const RegionEmitter::Rows &rows) {
  const BlockLoop &m = nest.m, &n = nest.n;
  for (unsigned operand : {0, 1}) {
    Buffer source = getSource(operand);
    if (!source)
      continue;
    // A pass over all columns fetches whole rows, one over a block of columns a
    // part of each.
    LineView view(source.type);
    int64_t share = llvm::divideCeil(view.rows, m.size);
    int64_t lines = llvm::divideCeil(view.lines, n.isOpen() ? n.share : 1);
    Coord line = n.isOpen() ? Coord(n.index, lines, n.share) : Coord(0);
    // Each run over the rows fetches its part.
    int64_t all = rows.count * share;
    int64_t from = all * rows.run / rows.runs;
    int64_t count = all * (rows.run + 1) / rows.runs - from;
    if (count > 0)
      emitLines(source, (m.start() + rows.first) * share + Coord(from), count,
                line, lines);
  }
}

void MatmulPrefetch::emitLines(const Buffer &source, const Coord &row,
                               int64_t rows, const Coord &line, int64_t lines) {
  OpBuilder &builder = nest.builder;
  Location loc = nest.loc;
  LineView view(source.type);
  SmallVector<Coord> coords(nextBatch);
  coords.resize(source.type.getRank());
  // Shares are rounded up: whatever is beyond the last one has already been
  // fetched.
  auto clamp = [&](const Coord &coord, int64_t size) {
    if (coord.getMax() < size)
      return coord;
    return Coord(Coord::materializeMin(builder, loc, {coord, size - 1}), 1,
                 size);
  };
  nest.emitter.emitLoop(rows, 1, [&](Value i) {
    coords[view.rowDim] = clamp(row + Coord(i, 1, rows), view.rows);
    nest.emitter.emitLoop(lines, 1, [&](Value j) {
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
