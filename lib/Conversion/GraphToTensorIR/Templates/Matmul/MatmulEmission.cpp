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
  init(slice, kFull, 1, params.getKPN());
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
  for (Type element :
       {op.getSrc().getType().getElementType(), op.getType().getElementType()})
    if (!element.isF32())
      return op.emitOpError("cannot be compiled for the CPU with element type ")
             << element;
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
    if (failed(addPreOp(&inner, index)))
      return failure();
  }
  return checkMerge();
}

IntegerAttr MatmulEmission::getMergeGroup() {
  return emitter.fused->getAttrOfType<IntegerAttr>(
      GraphDialect::kMergeGroupAttr);
}

LogicalResult MatmulEmission::checkMerge() {
  if (!emitter.fused->hasAttr(GraphDialect::kMergeRowsAttr))
    return success();
  // Each iteration has to be complete in itself, from A to the post-ops.
  bool isWhole =
      params.getOrder().front() == LoopDim::m &&
      (m.share == 1 || getOpsAt(AnchorKind::post, 2).empty()) &&
      !(!preOps[0].ops.empty() && preOps[0].depth == 0 && m.share > 1);
  if (isWhole)
    return success();
  return emitter.fused.emitOpError("has a loop over rows that cannot merge: it "
                                   "is not the outermost one, or an op is "
                                   "committed outside of it");
}

void MatmulEmission::markRowLoop() {
  // A single iteration has no loop.
  auto loop = dyn_cast_if_present<scf::ForOp>(
      builder.getInsertionBlock()->getParentOp());
  if (loop && loop.getInductionVar() == m.index &&
      emitter.fused->hasAttr(GraphDialect::kMergeRowsAttr))
    loop->setAttr(tir::TensorIRDialect::kMergeAttr, getMergeGroup());
}

LogicalResult MatmulEmission::emit() {
  if (failed(prepare()))
    return failure();
  a = makeOperand(0);
  b = makeOperand(1);
  placeAccumulator();
  placeIntermediates();
  if (params.getKPN() > 1) {
    emitSliced();
    return status;
  }

  SmallVector<int64_t> space(sizes.batch);
  space.append({m.parts, n.parts});
  auto parallel = tir::ParallelOp::create(
      builder, loc, space, [&](OpBuilder &inner, Location, ValueRange indices) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(inner.getInsertionBlock(),
                                  inner.getInsertionPoint());
        for (auto [i, size] : llvm::enumerate(sizes.batch))
          batch.push_back(Coord(indices[i], 1, size));
        setShare(m, indices[sizes.batch.size()]);
        setShare(n, indices[sizes.batch.size() + 1]);
        findNextProduct();
        emitLoops(0);
        emitPostOps(2);
      });
  if (auto name = emitter.fused.getNameAttr())
    parallel.setNameAttr(name);
  if (Attribute group = getMergeGroup())
    parallel->setAttr("merge", group);
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
  for (unsigned operand : {0u, 1u})
    if (!preOps[operand].ops.empty() && preOps[operand].depth == depth)
      emitPreOp(operand);
  if (depth == 3)
    return emitKernels();
  switch (params.getOrder()[depth]) {
  case LoopDim::m:
    return openLoop(m, [&] {
      if (depth == 0)
        markRowLoop();
      emitLoops(depth + 1);
    });
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
  // Leading dimensions broadcast: aligned at the last one, 0 where the size
  // is 1.
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
  int64_t whole = llvm::alignTo(columns, emitter.getLanes());
  int64_t dim = b.type.getRank() - (op.getTransposeB() ? 2 : 1);
  // What is packed is followed by zeros up to a whole vector.
  bool hasRoom = params.getPackB() && n.block % emitter.getLanes() == 0 &&
                 whole <= n.block &&
                 getInnermostBlock(b.type, dim) == n.block;
  // C has room in a temporary, or in a result that is stored in such blocks or
  // in one that is wide enough.
  bool resultHasRoom = c.isLocal;
  LayoutAttr layout = getLayout(c.type);
  if (!resultHasRoom && layout && layout.isBlocked()) {
    int64_t block = layout.getBlock(c.type.getRank() - 1);
    resultHasRoom = block % n.block == 0 || n.size - columns + whole <= block;
  }
  return hasRoom && resultHasRoom ? whole : columns;
}

void MatmulEmission::emitKernels() {
  emitPrefetch();
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
  auto start = [&](const Dim &dim, unsigned operand, const Buffer &buffer) {
    if (!buffer.isLocal)
      return dim.start();
    return preOps[operand].ofBlock ? Coord(0)
                                   : Coord(dim.index, dim.block, dim.share);
  };
  SmallVector<Coord> aCoords = getOperandCoords(a, start(m, 0, a), k, transA);
  SmallVector<Coord> bCoords = getOperandCoords(b, k, start(n, 1, b), transB);
  SmallVector<Coord> cCoords;
  if (c.isLocal) {
    cCoords = {getLocal(m), getLocal(n)};
  } else {
    if (sliceIndex)
      cCoords.push_back(Coord(sliceIndex, 1, params.getKPN()));
    cCoords.append(batch);
    cCoords.append({m.start(), n.start()});
  }
  tir::BrgemmOp::create(builder, loc, kernel, count, a.memref,
                        a.getIndices(builder, loc, aCoords), b.memref,
                        b.getIndices(builder, loc, bCoords), c.memref,
                        c.getIndices(builder, loc, cCoords));
}

} // namespace gc
