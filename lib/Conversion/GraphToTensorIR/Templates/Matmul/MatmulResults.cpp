// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The result of the matmul template: where the microkernels leave it, and the
// post-ops that run on it.

#include "MatmulEmission.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

BoxDim MatmulEmission::getRows(const Coord &local) {
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

SmallVector<Operation *> MatmulEmission::getOpsAt(AnchorKind kind,
                                                  unsigned index) {
  SmallVector<Operation *> ops;
  for (Operation &inner : emitter.fused.getBody().front().without_terminator())
    if (auto anchor =
            inner.getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr))
      if (anchor.getKind() == kind && anchor.getIndex() == index)
        ops.push_back(&inner);
  return ops;
}

void MatmulEmission::emitPostOps(unsigned anchor) {
  SmallVector<Operation *> ops = getOpsAt(AnchorKind::post, anchor);
  SmallVector<Store> stores;
  // Results of the region and what a later anchor reads.
  auto addValue = [&](Value value) {
    emitter.addStores(value, stores);
    Buffer buffer = emitter.buffers.lookup(value);
    if (buffer && value != op.getResult())
      stores.push_back({value, buffer});
  };
  for (Operation *inner : ops)
    addValue(inner->getResult(0));
  if (anchor == 1) {
    emitter.addStores(op.getResult(), stores);
    // The accumulator already is where this result belongs.
    llvm::erase_if(stores, [&](const Store &store) {
      return store.value == op.getResult() && store.buffer.memref == c.memref;
    });
  }
  if (stores.empty())
    return;
  // A reduction along a row runs over the whole row in one pass. One of a
  // single element is along nothing.
  bool wholeRows = llvm::any_of(ops, [&](Operation *inner) {
    return !emitter.getSpace().getReducedDims(inner).empty();
  });
  if (wholeRows && ((n.isOpen() && n.blocks > 1) || n.parts > 1)) {
    status = ops.front()->emitOpError(
                 "is committed with a reduction at post-op anchor ")
             << anchor << ", which does not see whole rows";
    return;
  }
  emitPostOpTiles(ops, stores, wholeRows);
}

void MatmulEmission::emitPostOpTiles(ArrayRef<Operation *> ops,
                                     ArrayRef<Store> stores, bool wholeRows) {
  auto again = [&] { emitPostOpTiles(ops, stores, wholeRows); };
  if (!m.isOpen())
    return openLoop(m, again);
  if (wholeRows)
    return emitPostOpPass(ops, stores, BoxDim(Coord(0), n.size));
  if (!n.isOpen())
    return openLoop(n, again);
  forSize(n, [&](int64_t columns) {
    emitPostOpPass(ops, stores, BoxDim(n.start(), columns, getLocal(n)));
  });
}

void MatmulEmission::emitPostOpPass(ArrayRef<Operation *> ops,
                                    ArrayRef<Store> stores,
                                    const BoxDim &columns) {
  SmallVector<BoxDim> box;
  for (const Coord &coord : batch)
    box.push_back(BoxDim(coord, 1));
  box.push_back(getRows(getLocal(m)));
  box.push_back(columns);
  if (!nextBatch.empty() && ArrayRef(getOpsAt(AnchorKind::post, 1)) == ops)
    emitter.onRows = [&](const Coord &first, int64_t rows) {
      emitRowPrefetch(first, rows);
    };
  auto emit = [&](ArrayRef<Store> wanted) {
    if (failed(emitter.emitPass(ops, box, wanted)))
      status = failure();
  };
  SmallVector<Store> streams(stores);
  bool wholeLines = columns.max * sizeof(float) % kLineBytes == 0 &&
                    n.block * sizeof(float) % kLineBytes == 0;
  Value isAligned;
  for (Store &store : streams) {
    if (!wholeLines || store.buffer.memref == c.memref ||
        !emitter.isStreamed(store.buffer))
      continue;
    store.buffer.streams = true;
    Value one = emitter.emitIsAligned(store.buffer);
    isAligned =
        isAligned ? arith::AndIOp::create(builder, loc, isAligned, one) : one;
  }
  if (isAligned) {
    auto branch = scf::IfOp::create(builder, loc, isAligned,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    emit(streams);
    builder.setInsertionPointToStart(branch.elseBlock());
    emit(stores);
  } else {
    emit(stores);
  }
  emitter.onRows = nullptr;
}

void MatmulEmission::placeAccumulator() {
  auto type = cast<RankedTensorType>(op.getType());
  int64_t rank = type.getRank();
  // What anchor 2 reads has to stay until all blocks of the core are done, and
  // where ops at both anchors read C, the first must not overwrite it.
  bool early = false, late = false;
  for (Operation *user : op->getUsers())
    if (auto anchor =
            user->getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr))
      (anchor.getIndex() > 1 ? late : early) = true;
  // A result of the region can hold C if its tiles are matrices.
  for (auto [value, result] : llvm::zip_equal(emitter.fused.getYielded(),
                                              emitter.fused.getResults())) {
    auto stored = cast<RankedTensorType>(value.getType());
    if (!stored.getElementType().isF32() ||
        stored.getShape() != type.getShape() ||
        !emitter.getSpace().getValueMap(value).isIdentity())
      continue;
    Buffer buffer = emitter.buffers.lookup(result);
    bool isMatrix = (n.size == 1 || getOffset(stored, rank - 1, 1) == 1) &&
                    isUniform(stored, rank - 2, m.block) &&
                    isUniform(stored, rank - 1, n.block) &&
                    (m.size == 1 || getOffset(stored, rank - 2, 1) >=
                                        std::min(n.block, n.size));
    // Kernels that compute whole vectors would write past the rows of a plain
    // result; they are fast enough to pay for the copy from a temporary.
    int64_t lanes = emitter.getLanes();
    bool isRagged = params.getPackB() && n.size > 1 && n.size % lanes != 0 &&
                    n.block % lanes == 0 &&
                    !(getLayout(stored) && getLayout(stored).isBlocked());
    // C itself may be wanted as a result besides this one.
    bool mayOverwrite =
        !(early && late) &&
        !llvm::is_contained(emitter.fused.getYielded(), op.getResult());
    if (isMatrix && !isRagged && (value == op.getResult() || mayOverwrite)) {
      c = buffer;
      emitter.buffers[op.getResult()] = c;
      return;
    }
  }
  bool isSliced = params.getKPN() > 1;
  m.held = late || (!isSliced && !isInside(LoopDim::m, LoopDim::k));
  n.held = late || (!isSliced && !isInside(LoopDim::n, LoopDim::k));
  auto local = RankedTensorType::get({m.held ? m.share * m.block : m.block,
                                      n.held ? n.share * n.block : n.block},
                                     type.getElementType());
  c = emitter.makeScratch(local, /*perThread=*/true);
  emitter.buffers[op.getResult()] = c;
}

void MatmulEmission::placeIntermediates() {
  for (Operation *inner : getOpsAt(AnchorKind::post, 1)) {
    Value value = inner->getResult(0);
    bool readLater = llvm::any_of(value.getUsers(), [](Operation *user) {
      auto anchor = user->getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
      return anchor && anchor.getIndex() > 1;
    });
    if (readLater)
      emitter.buffers[value] = emitter.makeScratch(
          cast<RankedTensorType>(value.getType()), /*perThread=*/false);
  }
}

} // namespace gc
