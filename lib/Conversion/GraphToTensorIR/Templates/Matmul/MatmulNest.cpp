// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatmulNest.h"
#include "Machine/KernelChoice.h"
#include "MatmulOperand.h"
#include "Support/DataTypes.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

MatmulNest::MatmulNest(RegionEmitter &emitter, MatmulOp op)
    : emitter(emitter), builder(emitter.builder), loc(op.getLoc()), op(op),
      params(cast<MatmulTemplateAttr>(op.getTemplateParamsAttr())),
      sizes(getMatmulSizes(op)), m(sizes.m, params.getMB(), params.getMPN()),
      n(sizes.n, params.getNB(), params.getNPN()),
      kFull(sizes.k / params.getKB()), kTail(sizes.k % params.getKB()),
      slice(kFull, 1, params.getKPN()) {
  int64_t blocks = isSliced() ? slice.share : kFull;
  chunks = std::max<int64_t>(1, llvm::divideCeil(blocks, params.getBS()));
}

LogicalResult MatmulNest::checkOperands() const {
  return checkOperandTypes(op, cast<TemplateAttrInterface>(params),
                           op->getNumOperands());
}

LogicalResult MatmulNest::prepareTypes() {
  if (std::optional<KernelSpec> known = getKernelTypes(op)) {
    types = *known;
    // The smallest kernel of the types.
    KernelSpec smallest = types;
    smallest.k = smallest.lda = types.packB;
    for (KernelKind kind : {KernelKind::library, KernelKind::vector})
      if (getRefusal(smallest, kind).empty())
        return success();
  }
  return op.emitOpError("cannot be compiled for the CPU with element type ")
         << op.getSrc().getType().getElementType();
}

void MatmulNest::setDistances(KernelSpec &spec, const MatmulOperand &b,
                              RankedTensorType c) const {
  // They matter only where there is more than one row.
  auto leading = [](RankedTensorType type, int64_t dim, int64_t rows,
                    int64_t least) {
    return rows > 1 ? getOffset(type, dim, 1) : least;
  };
  RankedTensorType type = b.getBuffer().type;
  if (spec.packB > 1)
    spec.ldb = params.getNB();
  else if (spec.transposeB)
    spec.ldb = leading(type, b.getColumnDim(), spec.n, spec.k);
  else
    spec.ldb = leading(type, b.getRowDim(), spec.k, spec.n);
  spec.ldc = leading(c, c.getRank() - 2, spec.m, spec.n);
}

Type MatmulNest::getAccumulatorElement() const {
  return getElementType(builder.getContext(), types.accumulator);
}

bool MatmulNest::isInside(LoopDim outer, LoopDim inner) const {
  ArrayRef<LoopDim> order = params.getOrder();
  return llvm::find(order, outer) < llvm::find(order, inner);
}

SmallVector<Operation *> MatmulNest::getOpsAt(AnchorKind kind,
                                              unsigned index) const {
  SmallVector<Operation *> ops;
  for (Operation &inner : emitter.fused.getBody().front().without_terminator())
    if (auto anchor =
            inner.getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr))
      if (anchor.getKind() == kind && anchor.getIndex() == index)
        ops.push_back(&inner);
  return ops;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

tir::ParallelOp MatmulNest::emitParallel(ArrayRef<int64_t> inner,
                                         function_ref<void(ValueRange)> body) {
  SmallVector<int64_t> space(sizes.batch);
  space.append(inner.begin(), inner.end());
  return tir::ParallelOp::create(
      builder, loc, space, [&](OpBuilder &at, Location, ValueRange indices) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(at.getInsertionBlock(),
                                  at.getInsertionPoint());
        batch.clear();
        for (auto [i, size] : llvm::enumerate(sizes.batch))
          batch.push_back(Coord(indices[i], 1, size));
        body(indices.drop_front(sizes.batch.size()));
      });
}

void MatmulNest::setShare(BlockLoop &loop, Value part) {
  if (loop.parts == 1) {
    loop.first = Coord(0);
    return;
  }
  int64_t whole = loop.blocks / loop.parts, extra = loop.blocks % loop.parts;
  if (extra == 0) {
    loop.first = Coord(part, whole, loop.parts);
    return;
  }
  // Balanced: the first `extra` parts have one block more.
  Value bonus =
      Coord::materializeMin(builder, loc, {Coord(part, 1, loop.parts), extra});
  loop.first = Coord(part, whole, loop.parts) + Coord(bonus, 1, extra + 1);
  Value isLonger = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, part, emitter.makeIndex(extra));
  loop.count = arith::SelectOp::create(builder, loc, isLonger,
                                       emitter.makeIndex(whole + 1),
                                       emitter.makeIndex(whole));
}

void MatmulNest::forShare(const BlockLoop &loop,
                          function_ref<void(Value)> body) {
  if (loop.count)
    emitter.emitLoop(loop.count, body);
  else
    emitter.emitLoop(loop.share, 1, body);
}

void MatmulNest::open(BlockLoop &loop, function_ref<void()> body) {
  forShare(loop, [&](Value index) {
    loop.index = index;
    body();
    loop.index = Value();
  });
}

void MatmulNest::forSize(BlockLoop &loop, function_ref<void(int64_t)> body) {
  if (!loop.hasTail() || loop.blocks == 1)
    return body(loop.blocks == 1 ? loop.size : loop.block);
  emitter.emitLastCase(
      loop.current().materialize(builder, loc), loop.blocks,
      [&](bool last) { body(last ? loop.tail() : loop.block); });
}

Value MatmulNest::getSliceBlocks() {
  return slice.count ? slice.count : emitter.makeIndex(slice.share);
}

void MatmulNest::setSliceChunks() {
  int64_t bs = params.getBS();
  // Slices of different lengths.
  if (slice.count)
    chunkCount = (Coord(slice.count, 1, slice.share + 1) + Coord(bs - 1))
                     .divmod(builder, loc, bs)
                     .first.materialize(builder, loc);
  else
    chunkCount = emitter.makeIndex(chunks);
}

void MatmulNest::forRestOfSlices(function_ref<void()> body) {
  if (kTail == 0)
    return;
  Value isLast =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, sliceIndex,
                            emitter.makeIndex(slice.parts - 1));
  auto last = scf::IfOp::create(builder, loc, isLast, false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(last.thenBlock());
  body();
}

BoxDim MatmulNest::getRows(const Coord &local) {
  if (!m.hasTail() || m.blocks == 1)
    return BoxDim(m.start(), std::min(m.block, m.size), local);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       m.current().materialize(builder, loc),
                                       emitter.makeIndex(m.blocks - 1));
  Value rows =
      arith::SelectOp::create(builder, loc, isLast, emitter.makeIndex(m.tail()),
                              emitter.makeIndex(m.block));
  return BoxDim(m.start(), rows, m.block, local);
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

SmallVector<Coord> MatmulNest::getCoords(RankedTensorType type,
                                         const Coord &row, const Coord &column,
                                         bool transposed) const {
  SmallVector<Coord> coords;
  // Leading dimensions broadcast: aligned at the last one, 0 where the size
  // is 1.
  int64_t leading = type.getRank() - 2;
  for (int64_t i = 0; i < leading; ++i)
    coords.push_back(
        type.getDimSize(i) == 1 ? Coord(0) : batch[batch.size() - leading + i]);
  coords.push_back(transposed ? column : row);
  coords.push_back(transposed ? row : column);
  return coords;
}

} // namespace gc
