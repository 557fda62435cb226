// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatmulEpilogue.h"
#include "MatmulPrefetch.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

//===----------------------------------------------------------------------===//
// Post-ops
//===----------------------------------------------------------------------===//

void MatmulEpilogue::emitPostOps(unsigned anchor) {
  RegionEmitter &emitter = nest.emitter;
  MatmulOp op = nest.op;
  SmallVector<Operation *> ops = nest.getOpsAt(AnchorKind::post, anchor);
  SmallVector<Store> stores;
  // Results of the region and what a later anchor reads.
  auto addValue = [&](Value value) {
    emitter.addStores(value, stores);
    Buffer buffer = emitter.buffers.lookup(value);
    if (buffer && value != op.getResult())
      stores.push_back({value, buffer});
  };
  for (Operation *inner : ops)
    for (Value result : inner->getResults())
      addValue(result);
  if (anchor == 1) {
    emitter.addStores(op.getResult(), stores);
    // The accumulator already is where this result belongs.
    llvm::erase_if(stores, [&](const Store &store) {
      return store.value == op.getResult() && store.buffer.memref == c.memref;
    });
  }
  if (stores.empty())
    return;
  // A reduction along a row runs over the whole row in one pass. A reduction of
  // a single element is along no dimension.
  bool wholeRows = llvm::any_of(ops, [&](Operation *inner) {
    return !emitter.getSpace().getReducedDims(inner).empty();
  });
  const BlockLoop &n = nest.n;
  if (wholeRows && ((n.isOpen() && n.blocks > 1) || n.parts > 1)) {
    nest.status = ops.front()->emitOpError(
                      "is committed with a reduction at post-op anchor ")
                  << anchor << ", which does not see whole rows";
    return;
  }
  emitTiles(anchor, ops, stores, wholeRows);
}

void MatmulEpilogue::emitTiles(unsigned anchor, ArrayRef<Operation *> ops,
                               ArrayRef<Store> stores, bool wholeRows) {
  BlockLoop &n = nest.n;
  auto again = [&] { emitTiles(anchor, ops, stores, wholeRows); };
  if (!nest.m.isOpen())
    return nest.open(nest.m, again);
  if (wholeRows)
    return emitPass(anchor, ops, stores, BoxDim(Coord(0), n.size));
  if (!n.isOpen())
    return nest.open(n, again);
  nest.forSize(n, [&](int64_t columns) {
    emitPass(anchor, ops, stores,
             BoxDim(n.start(), columns, getLocal(n, holdsColumns)));
  });
}

void MatmulEpilogue::emitPass(unsigned anchor, ArrayRef<Operation *> ops,
                              ArrayRef<Store> stores, const BoxDim &columns) {
  RegionEmitter &emitter = nest.emitter;
  SmallVector<BoxDim> box;
  for (const Coord &coord : nest.batch)
    box.push_back(BoxDim(coord, 1));
  box.push_back(nest.getRows(getLocal(nest.m, holdsRows)));
  box.push_back(columns);
  if (prefetch && anchor == 1)
    emitter.onRows = [&](const RegionEmitter::Rows &rows) {
      prefetch.emitWithRows(rows);
    };
  auto areWholeLines = [&](const Store &store) {
    int64_t line = getLineElements(store.buffer.type);
    return columns.max % line == 0 && nest.n.block % line == 0 &&
           store.buffer.memref != c.memref;
  };
  auto emit = [&](ArrayRef<Store> wanted) {
    return emitter.emitPass(ops, box, wanted,
                            emitter.getDims(AnchorKind::post, anchor));
  };
  if (failed(emitter.emitStreaming(stores, areWholeLines, emit)))
    nest.status = failure();
  emitter.onRows = nullptr;
}

//===----------------------------------------------------------------------===//
// The accumulator
//===----------------------------------------------------------------------===//

/// Columns that keep the rows a kernel writes at a time out of each other's
/// places in the L1 cache, as powers of two share few of them.
static int64_t getUnusedColumns(int64_t rows, int64_t columns, Type element) {
  constexpr int64_t kFewRows = 8, kCriticalBytes = 1024;
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  bool isCritical = rows > kFewRows && columns * bytes % kCriticalBytes == 0;
  return isCritical ? kLineBytes / bytes : 0;
}

void MatmulEpilogue::allocate() {
  MatmulOp op = nest.op;
  // What anchor 2 reads must stay until all blocks of the core are done, and
  // where ops at both anchors read C, the first must not overwrite it.
  bool early = false, late = false;
  for (Operation *user : op->getUsers())
    if (auto anchor =
            user->getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr))
      (anchor.getIndex() > 1 ? late : early) = true;
  // C itself may be a result in addition to another one.
  bool mayOverwrite =
      !(early && late) &&
      !llvm::is_contained(nest.emitter.fused.getYielded(), op.getResult());
  if (!placeInResult(mayOverwrite)) {
    const BlockLoop &m = nest.m, &n = nest.n;
    holdsRows =
        late || (!nest.isSliced() && !nest.isInside(LoopDim::m, LoopDim::k));
    holdsColumns =
        late || (!nest.isSliced() && !nest.isInside(LoopDim::n, LoopDim::k));
    Type element = nest.getAccumulatorElement();
    int64_t columns = holdsColumns ? n.share * n.block : n.block;
    auto local = RankedTensorType::get(
        {holdsRows ? m.share * m.block : m.block,
         columns + getUnusedColumns(m.block, columns, element)},
        element);
    c = nest.emitter.makeScratch(local, /*perThread=*/true);
  }
  nest.emitter.buffers[op.getResult()] = c;
  placeIntermediates();
}

/// A result of the region can hold C if its tiles are matrices.
bool MatmulEpilogue::placeInResult(bool mayOverwrite) {
  RegionEmitter &emitter = nest.emitter;
  MatmulOp op = nest.op;
  const BlockLoop &m = nest.m, &n = nest.n;
  auto type = cast<RankedTensorType>(op.getType());
  int64_t rank = type.getRank();
  for (auto [value, result] : llvm::zip_equal(emitter.fused.getYielded(),
                                              emitter.fused.getResults())) {
    auto stored = cast<RankedTensorType>(value.getType());
    if (stored.getElementType() != nest.getAccumulatorElement() ||
        stored.getShape() != type.getShape() ||
        !emitter.getSpace().getValueMap(value).isIdentity())
      continue;
    bool isMatrix = (n.size == 1 || getOffset(stored, rank - 1, 1) == 1) &&
                    isUniform(stored, rank - 2, m.block) &&
                    isUniform(stored, rank - 1, n.block) &&
                    (m.size == 1 || getOffset(stored, rank - 2, 1) >=
                                        std::min(n.block, n.size));
    // Kernels that compute whole vectors would write past the rows of a plain
    // result; they are fast enough to pay for the copy from a temporary.
    int64_t lanes = emitter.getLanes();
    bool isRagged = nest.params.getPackB() && n.size > 1 &&
                    n.size % lanes != 0 && n.block % lanes == 0 &&
                    !(getLayout(stored) && getLayout(stored).isBlocked());
    if (!isMatrix || isRagged || (value != op.getResult() && !mayOverwrite))
      continue;
    c = emitter.buffers.lookup(result);
    return true;
  }
  return false;
}

void MatmulEpilogue::placeIntermediates() {
  auto isReadLater = [](Value value) {
    return llvm::any_of(value.getUsers(), [](Operation *user) {
      auto anchor = user->getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
      return anchor && anchor.getIndex() > 1;
    });
  };
  for (Operation *inner : nest.getOpsAt(AnchorKind::post, 1))
    for (Value value : inner->getResults())
      if (isReadLater(value))
        nest.emitter.buffers[value] = nest.emitter.makeScratch(
            cast<RankedTensorType>(value.getType()), /*perThread=*/false);
}

SmallVector<Value> MatmulEpilogue::getIndices(const Coord &row,
                                              const Coord &column) const {
  SmallVector<Coord> coords;
  if (c.isLocal) {
    coords = {getLocal(nest.m, holdsRows) + row,
              getLocal(nest.n, holdsColumns) + column};
  } else {
    coords = nest.batch;
    coords.append({nest.m.start() + row, nest.n.start() + column});
  }
  return c.getIndices(nest.builder, nest.loc, coords);
}

bool MatmulEpilogue::hasRoom(int64_t columns, int64_t whole) const {
  // In a temporary, or in a result that is stored in such blocks or in one that
  // is wide enough.
  if (c.isLocal)
    return true;
  LayoutAttr layout = getLayout(c.type);
  if (!layout || !layout.isBlocked())
    return false;
  int64_t block = layout.getBlock(c.type.getRank() - 1);
  return block % nest.n.block == 0 || nest.n.size - columns + whole <= block;
}

void MatmulEpilogue::store(Value vector, const Coord &row,
                           const Coord &column) const {
  SmallVector<Coord> at;
  if (c.isLocal) {
    at = {row, column};
  } else {
    at = nest.batch;
    at.append({nest.m.start() + row, nest.n.start() + column});
  }
  vector::StoreOp::create(nest.builder, nest.loc, vector, c.memref,
                          c.getIndices(nest.builder, nest.loc, at));
}

} // namespace gc
