// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a core computes one small product after another, the operands of the
// next product are fetched into its cache while the kernels of this one run:
// the rows of a head of attention lie far apart, so that the hardware does not
// foresee them.

#include "MatmulEmission.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

/// Bytes that one prefetch brings.
constexpr int64_t kLineBytes = 64;
/// Into the L2 cache.
constexpr unsigned kLocality = 2;

Buffer MatmulEmission::getPrefetchSource(unsigned operand) {
  Operation *preOp = preOps[operand].op;
  Buffer buffer = emitter.buffers.lookup(preOp ? preOp->getOperand(0)
                                               : op->getOperand(operand));
  // Temporaries are in the cache already; matrices that all products share
  // arrive there with the first one.
  if (!buffer || !isa<BlockArgument>(buffer.memref) ||
      buffer.type.getRank() - 2 != static_cast<int64_t>(sizes.batch.size()) ||
      buffer.type.getShape().drop_back(2) != ArrayRef<int64_t>(sizes.batch))
    return {};
  if (LayoutAttr layout = getLayout(buffer.type); layout && layout.isBlocked())
    return {};
  int64_t bytes = buffer.type.getNumElements() *
                  llvm::divideCeil(buffer.type.getElementTypeBitWidth(), 8);
  int64_t products = 1;
  for (int64_t size : sizes.batch)
    products *= size;
  // All of them do not fit the cache, the next one does beside the present one.
  int64_t l2Bytes = emitter.machine.l2Bytes;
  return bytes > l2Bytes && bytes / products <= l2Bytes / 2 ? buffer : Buffer{};
}

void MatmulEmission::findNextProduct() {
  bool isWorthwhile = params.getMPN() == 1 && params.getNPN() == 1 &&
                      (getPrefetchSource(0) || getPrefetchSource(1));
  if (!isWorthwhile)
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
  if (nextBatch.empty())
    return;
  for (unsigned operand : {0u, 1u})
    if (Buffer source = getPrefetchSource(operand))
      emitPrefetchOf(source);
}

void MatmulEmission::emitPrefetchOf(const Buffer &source) {
  RankedTensorType type = source.type;
  int64_t rank = type.getRank();
  bool lastIsContiguous = getOffset(type, rank - 1, 1) == 1;
  int64_t line = lastIsContiguous ? rank - 1 : rank - 2;
  int64_t row = lastIsContiguous ? rank - 2 : rank - 1;
  int64_t lineElements =
      kLineBytes / llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  // Each kernel call is accompanied by as many rows.
  int64_t rows = type.getDimSize(row);
  int64_t share = llvm::divideCeil(rows, m.share * n.share);
  Coord call = Coord(m.index, n.share, m.share) + Coord(n.index, 1, n.share);
  emitter.emitLoop(share, 1, [&](Value i) {
    Value at = (call * share + Coord(i, 1, share)).materialize(builder, loc);
    if (share * m.share * n.share > rows)
      at =
          arith::MinUIOp::create(builder, loc, at, emitter.makeIndex(rows - 1));
    SmallVector<Coord> coords(nextBatch);
    coords.resize(rank);
    coords[row] = Coord(at, 1, rows);
    int64_t lines = llvm::divideCeil(type.getDimSize(line), lineElements);
    emitter.emitLoop(lines, 1, [&](Value j) {
      coords[line] = Coord(j, lineElements, lines);
      memref::PrefetchOp::create(builder, loc, source.memref,
                                 source.getIndices(builder, loc, coords),
                                 /*isWrite=*/false, kLocality,
                                 /*isDataCache=*/true);
    });
  });
}

} // namespace gc
