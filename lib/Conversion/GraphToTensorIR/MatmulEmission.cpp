// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatmulEmission.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

MatmulEmission::MatmulEmission(RegionEmitter &emitter, MatmulOp op)
    : emitter(emitter), builder(emitter.builder), loc(op.getLoc()), op(op),
      params(op.getTemplateParamsAttr()), sizes(getMatmulSizes(op)) {
  auto init = [](Dim &dim, int64_t size, int64_t block, int64_t parts) {
    dim.size = size;
    dim.block = block;
    dim.parts = parts;
    dim.blocks = llvm::divideCeil(size, block);
    dim.share = llvm::divideCeil(dim.blocks, parts);
  };
  init(m, sizes.m, params.getMB(), params.getMPN());
  init(n, sizes.n, params.getNB(), params.getNPN());
  kFull = sizes.k / params.getKB();
  kTail = sizes.k % params.getKB();
  chunks = std::max<int64_t>(1, llvm::divideCeil(kFull, params.getBS()));
}

bool MatmulEmission::isInside(LoopDim outer, LoopDim inner) const {
  ArrayRef<LoopDim> order = params.getOrder();
  return llvm::find(order, outer) < llvm::find(order, inner);
}

LogicalResult MatmulEmission::prepare() {
  if (op.isComplex())
    return op.emitOpError("has a bias or a vector; run graph-decompose");
  for (unsigned i = 0; i < 2; ++i) {
    auto wanted = params.getOperandType(op, i);
    if (op->getOperand(i).getType() != wanted)
      return op.emitOpError("operand ")
             << i << " has the type " << op->getOperand(i).getType()
             << " but the template reads " << wanted
             << "; run graph-propagate-layout";
  }
  if (!op.getType().getElementType().isF32())
    return op.emitOpError("cannot be compiled for the CPU with element type ")
           << op.getType().getElementType();
  for (Operation &inner :
       emitter.fused.getBody().front().without_terminator()) {
    if (&inner == op)
      continue;
    auto anchor = inner.getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
    bool isPre = anchor.getKind() == AnchorKind::pre;
    unsigned index = anchor.getIndex();
    if (isPre ? index < 2 || index > 5 : index < 1 || index > 2)
      return inner.emitOpError("cannot be committed at anchor ") << anchor;
    if (!isPre)
      continue;
    // Anchor 2 is before the single-core loops, 3 to 5 inside one to three.
    preOp = &inner;
    preOpDepth = index - 2;
    for (LoopDim dim : params.getOrder().take_front(preOpDepth)) {
      preOpInsideM |= dim == LoopDim::m;
      if (dim == LoopDim::k && chunks > 1)
        return inner.emitOpError("cannot be committed at anchor ")
               << anchor << " inside the loop over k";
    }
  }
  return success();
}

LogicalResult MatmulEmission::emit() {
  if (failed(prepare()))
    return failure();
  if (preOp) {
    auto type = cast<RankedTensorType>(op.getSrc().getType());
    int64_t rows = preOpInsideM ? m.block : m.share * m.block;
    // The slice in the operand's own orientation, in blocks of MB x KB.
    int64_t row = op.getTransposeA(), column = 1 - row;
    SmallVector<int64_t> shape(2);
    shape[row] = rows;
    shape[column] = sizes.k;
    auto slice = RankedTensorType::get(
        shape, type.getElementType(),
        LayoutAttr::get(op.getContext(), {row, column}, {row, column},
                        {params.getMB(), params.getKB()}));
    a = emitter.makeScratch(slice, /*perThread=*/true);
  } else {
    a = emitter.buffers.lookup(op.getSrc());
  }
  b = emitter.buffers.lookup(op.getWeights());
  placeAccumulator();
  placeIntermediates();

  SmallVector<int64_t> space(sizes.batch);
  space.append({m.parts, n.parts});
  auto parallel = tir::ParallelOp::create(
      builder, loc, space,
      [&](OpBuilder &inner, Location, ValueRange indices) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(inner.getInsertionBlock(),
                                  inner.getInsertionPoint());
        for (auto [i, size] : llvm::enumerate(sizes.batch))
          batch.push_back(Coord(indices[i], 1, size));
        setShare(m, indices[sizes.batch.size()]);
        setShare(n, indices[sizes.batch.size() + 1]);
        emitLoops(0);
        emitPostOps(2);
      });
  if (auto name = emitter.fused.getNameAttr())
    parallel.setNameAttr(name);
  return status;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void MatmulEmission::setShare(Dim &dim, Value part) {
  if (dim.parts == 1) {
    dim.first = Coord(0);
    return;
  }
  int64_t whole = dim.blocks / dim.parts, extra = dim.blocks % dim.parts;
  if (extra == 0) {
    dim.first = Coord(part, whole, dim.parts);
    return;
  }
  // Balanced: the first `extra` parts have one block more.
  Value limit = emitter.makeIndex(extra);
  Value bonus = arith::MinUIOp::create(builder, loc, part, limit);
  dim.first = Coord(part, whole, dim.parts) + Coord(bonus, 1, extra + 1);
  Value isLonger = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, part, limit);
  dim.count = arith::SelectOp::create(builder, loc, isLonger,
                                      emitter.makeIndex(whole + 1),
                                      emitter.makeIndex(whole));
}

void MatmulEmission::openLoop(Dim &dim, function_ref<void()> body) {
  auto run = [&](Value index) {
    dim.index = index;
    body();
    dim.index = Value();
  };
  if (dim.count)
    emitter.emitLoop(dim.count, run);
  else
    emitter.emitLoop(dim.share, 1, run);
}

void MatmulEmission::forSize(Dim &dim, function_ref<void(int64_t)> body) {
  if (!dim.hasTail() || dim.blocks == 1)
    return body(dim.blocks == 1 ? dim.size : dim.block);
  emitter.emitLastCase(dim.current().materialize(builder, loc), dim.blocks,
                       [&](bool last) { body(last ? dim.tail() : dim.block); });
}

void MatmulEmission::emitLoops(unsigned depth) {
  if (preOp && depth == preOpDepth)
    emitPreOp();
  if (depth == 3)
    return emitKernels();
  switch (params.getOrder()[depth]) {
  case LoopDim::m:
    return openLoop(m, [&] { emitLoops(depth + 1); });
  case LoopDim::n:
    return openLoop(n, [&] { emitLoops(depth + 1); });
  case LoopDim::k:
    emitter.emitLoop(chunks, 1, [&](Value index) {
      chunk = index;
      emitLoops(depth + 1);
    });
    return emitPostOps(1);
  }
}

//===----------------------------------------------------------------------===//
// Microkernels
//===----------------------------------------------------------------------===//

SmallVector<Coord> MatmulEmission::getOperandCoords(const Buffer &buffer,
                                                    const Coord &row,
                                                    const Coord &column,
                                                    bool transposed) {
  SmallVector<Coord> coords;
  // Leading dimensions broadcast: aligned at the last one, 0 where the size is 1.
  int64_t leading = buffer.type.getRank() - 2;
  for (int64_t i = 0; i < leading; ++i)
    coords.push_back(buffer.type.getDimSize(i) == 1
                         ? Coord(0)
                         : batch[batch.size() - leading + i]);
  coords.push_back(transposed ? column : row);
  coords.push_back(transposed ? row : column);
  return coords;
}

Coord MatmulEmission::getLocal(const Dim &dim) const {
  return dim.held ? Coord(dim.index, dim.block, dim.share) : Coord(0);
}

int64_t MatmulEmission::getKernelColumns(int64_t columns) {
  int64_t whole = llvm::alignTo(columns, emitter.machine.getLanes(32));
  int64_t dim = b.type.getRank() - (op.getTransposeB() ? 2 : 1);
  bool hasRoom = params.getPackB() && whole <= n.block &&
                 getInnermostBlock(b.type, dim) == n.block;
  // C has room in a temporary, or in a result that is stored in such blocks.
  bool resultHasRoom =
      c.isLocal || (getLayout(c.type) && getLayout(c.type).isBlocked() &&
                    getLayout(c.type).getBlock(c.type.getRank() - 1) %
                            n.block == 0);
  return hasRoom && resultHasRoom ? whole : columns;
}

void MatmulEmission::emitKernels() {
  forSize(m, [&](int64_t rows) {
    forSize(n, [&](int64_t columns) {
      emitKernel(rows, getKernelColumns(columns));
    });
  });
}

void MatmulEmission::emitKernel(int64_t rows, int64_t columns) {
  int64_t kb = params.getKB(), bs = params.getBS();
  if (chunks == 1) {
    if (kFull > 0)
      emitBrgemm(rows, columns, kb, emitter.makeIndex(kFull), Coord(0), false);
    if (kTail > 0)
      emitTailKernel(rows, columns, kFull > 0);
    return;
  }
  // The first chunk overwrites C, the others add to it; the last one may have
  // fewer blocks and is followed by the rest of k.
  Coord block = Coord(chunk, bs, chunks);
  auto emitChunk = [&](Value count, bool accumulate) {
    emitBrgemm(rows, columns, kb, count, block, accumulate);
  };
  auto isEqual = [&](int64_t value) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, chunk,
                                 emitter.makeIndex(value));
  };
  Value count = emitter.makeIndex(bs);
  if (kFull % bs)
    count = arith::SelectOp::create(builder, loc, isEqual(chunks - 1),
                                    emitter.makeIndex(kFull % bs), count);
  auto first = scf::IfOp::create(builder, loc, isEqual(0), true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(first.thenBlock());
    emitChunk(emitter.makeIndex(bs), false);
    builder.setInsertionPointToStart(first.elseBlock());
    emitChunk(count, true);
  }
  if (kTail == 0)
    return;
  auto last = scf::IfOp::create(builder, loc, isEqual(chunks - 1), false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(last.thenBlock());
  emitTailKernel(rows, columns, true);
}

void MatmulEmission::emitTailKernel(int64_t rows, int64_t columns,
                                    bool accumulate) {
  emitBrgemm(rows, columns, kTail, emitter.makeIndex(1), Coord(kFull),
             accumulate);
}

void MatmulEmission::emitBrgemm(int64_t rows, int64_t columns, int64_t reduced,
                                Value count, const Coord &kBlock,
                                bool accumulate) {
  int64_t kb = params.getKB();
  Coord k = kBlock * kb;
  bool transA = op.getTransposeA(), transB = op.getTransposeB();
  int64_t aRank = a.type.getRank(), bRank = b.type.getRank(),
          cRank = c.type.getRank();
  auto dimOf = [](int64_t rank, bool transposed, bool isRow) {
    return rank - (transposed == isRow ? 1 : 2);
  };
  // Leading dimensions matter only where there is more than one row.
  auto leading = [](RankedTensorType type, int64_t dim, int64_t rows,
                    int64_t least) {
    return rows > 1 ? getOffset(type, dim, 1) : least;
  };
  int64_t lda = leading(a.type, dimOf(aRank, transA, true), rows, reduced);
  int64_t ldb = leading(b.type, dimOf(bRank, transB, true), reduced, columns);
  int64_t ldc = leading(c.type, cRank - 2, rows, columns);
  int64_t strideA = getOffset(a.type, dimOf(aRank, transA, false), kb);
  int64_t strideB = getOffset(b.type, dimOf(bRank, transB, true), kb);
  if (kFull == 1 && kTail == 0)
    strideA = strideB = 0;

  Value kernel = tir::BrgemmDispatchOp::create(
      builder, loc, op.getType().getElementType(), rows, columns, reduced, lda,
      ldb, ldc, strideA, strideB, accumulate);
  Coord aRow = a.isLocal ? (preOpInsideM
                                ? Coord(0)
                                : Coord(m.index, m.block, m.share))
                         : m.start();
  SmallVector<Coord> aCoords = getOperandCoords(a, aRow, k, transA);
  SmallVector<Coord> bCoords = getOperandCoords(b, k, n.start(), transB);
  SmallVector<Coord> cCoords;
  if (c.isLocal) {
    cCoords = {getLocal(m), getLocal(n)};
  } else {
    cCoords = batch;
    cCoords.append({m.start(), n.start()});
  }
  tir::BrgemmOp::create(builder, loc, kernel, count, a.memref,
                        a.getIndices(builder, loc, aCoords), b.memref,
                        b.getIndices(builder, loc, bCoords), c.memref,
                        c.getIndices(builder, loc, cCoords));
}

//===----------------------------------------------------------------------===//
// Pre-ops and post-ops
//===----------------------------------------------------------------------===//

BoxDim MatmulEmission::getRows(const Coord &local) {
  if (!m.hasTail() || m.blocks == 1)
    return BoxDim(m.start(), std::min(m.block, m.size), local);
  Value isLast = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq,
      m.current().materialize(builder, loc), emitter.makeIndex(m.blocks - 1));
  Value rows = arith::SelectOp::create(builder, loc, isLast,
                                       emitter.makeIndex(m.tail()),
                                       emitter.makeIndex(m.block));
  return BoxDim(m.start(), rows, m.block, local);
}

void MatmulEmission::emitPreOp() {
  auto emitRows = [&] {
    // The pass runs over the operand's own dimensions.
    SmallVector<BoxDim> box;
    SmallVector<Coord> at = getOperandCoords(
        Buffer{Value(), op.getSrc().getType()}, Coord(0), Coord(0), false);
    for (const Coord &coord : ArrayRef(at).drop_back(2))
      box.push_back(BoxDim(coord, 1));
    BoxDim row = getRows(preOpInsideM ? Coord(0)
                                      : Coord(m.index, m.block, m.share));
    BoxDim column(Coord(0), sizes.k);
    bool transposed = op.getTransposeA();
    if (!transposed) {
      box.append({row, column});
    } else if (row.size) {
      // The last dimension of a pass is static: one case for the last block.
      return forSize(m, [&](int64_t rows) {
        SmallVector<BoxDim> at(box);
        at.append({column, BoxDim(row.base, rows, row.local)});
        emitPreOpPass(at);
      });
    } else {
      box.append({column, row});
    }
    emitPreOpPass(box);
  };
  if (m.isOpen())
    emitRows();
  else
    openLoop(m, emitRows);
}

void MatmulEmission::emitPreOpPass(ArrayRef<BoxDim> box) {
  Buffer slice = a;
  if (failed(emitter.emitPass({preOp}, box, {{preOp->getResult(0), slice}})))
    status = failure();
}

SmallVector<Operation *> MatmulEmission::getOpsAt(AnchorKind kind,
                                                  unsigned index) {
  SmallVector<Operation *> ops;
  for (Operation &inner :
       emitter.fused.getBody().front().without_terminator())
    if (auto anchor = inner.getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr))
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
      return store.value == op.getResult() &&
             store.buffer.memref == c.memref;
    });
  }
  if (!stores.empty())
    emitPostOpTile(ops, stores);
}

void MatmulEmission::emitPostOpTile(ArrayRef<Operation *> ops,
                                    ArrayRef<Store> stores) {
  if (!m.isOpen())
    return openLoop(m, [&] { emitPostOpTile(ops, stores); });
  if (!n.isOpen())
    return openLoop(n, [&] { emitPostOpTile(ops, stores); });
  forSize(n, [&](int64_t columns) {
    SmallVector<BoxDim> box;
    for (const Coord &coord : batch)
      box.push_back(BoxDim(coord, 1));
    box.push_back(getRows(getLocal(m)));
    box.push_back(BoxDim(n.start(), columns, getLocal(n)));
    if (failed(emitter.emitPass(ops, box, stores)))
      status = failure();
  });
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
        stored.getShape() != type.getShape())
      continue;
    Buffer buffer = emitter.buffers.lookup(result);
    bool isMatrix =
        (n.size == 1 || getOffset(stored, rank - 1, 1) == 1) &&
        isUniform(stored, rank - 2, m.block) &&
        isUniform(stored, rank - 1, n.block) &&
        (m.size == 1 ||
         getOffset(stored, rank - 2, 1) >= std::min(n.block, n.size));
    // Kernels that compute whole vectors would write past the rows of a plain
    // result; they are fast enough to pay for the copy from a temporary.
    int64_t lanes = emitter.machine.getLanes(32);
    bool isRagged = params.getPackB() && n.size > 1 && n.size % lanes != 0 &&
                    n.block % lanes == 0 &&
                    !(getLayout(stored) && getLayout(stored).isBlocked());
    // C itself may be wanted as a result besides this one.
    bool mayOverwrite = !(early && late) &&
                        !llvm::is_contained(emitter.fused.getYielded(),
                                            op.getResult());
    if (isMatrix && !isRagged &&
        (value == op.getResult() || mayOverwrite)) {
      c = buffer;
      emitter.buffers[op.getResult()] = c;
      return;
    }
  }
  m.held = late || !isInside(LoopDim::m, LoopDim::k);
  n.held = late || !isInside(LoopDim::n, LoopDim::k);
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
