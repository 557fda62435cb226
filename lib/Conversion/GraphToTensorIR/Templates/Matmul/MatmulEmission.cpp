// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatmulEmission.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

LogicalResult MatmulEmission::prepare() {
  if (op.isComplex())
    return op.emitOpError("has a bias or a vector; run graph-decompose");
  if (failed(nest.checkOperands()) || failed(nest.prepareTypes()))
    return failure();
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
    // RegionChecks has made sure that one use leads to the next.
    OpOperand *use = &*inner.use_begin();
    while (use->getOwner() != op.getOperation())
      use = &*use->getOwner()->use_begin();
    if (use->getOperandNumber() >= 2)
      return inner.emitOpError(
          "cannot be committed before scales or zero points "
          "of weights");
    MatmulOperand &operand = use->getOperandNumber() == 0 ? a : b;
    if (failed(operand.addPreOp(&inner, index)))
      return failure();
  }
  // What a pre-op writes is in blocks.
  if (!b.hasPreOps() && !nest.params.getPackB()) {
    nest.types.packB = 1;
    nest.types.transposeB = readsAlongK(op, nest.params);
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
  // Each iteration must be self-contained, from A to the post-ops.
  bool isWhole =
      nest.params.getOrder().front() == LoopDim::m &&
      (nest.m.share == 1 ||
       (nest.getOpsAt(AnchorKind::post, 2).empty() && !a.isPackedAround()));
  if (isWhole)
    return success();
  return emitter.fused.emitOpError("has a loop over rows that cannot merge: it "
                                   "is not the outermost one, or an op is "
                                   "committed outside of it");
}

void MatmulEmission::markRowLoop() {
  // A single iteration has no loop.
  auto loop =
      dyn_cast_or_null<scf::ForOp>(builder.getInsertionBlock()->getParentOp());
  if (loop && loop.getInductionVar() == nest.m.index &&
      emitter.fused->hasAttr(GraphDialect::kMergeRowsAttr))
    loop->setAttr(tir::TensorIRDialect::kMergeAttr, getMergeGroup());
}

LogicalResult MatmulEmission::emit() {
  if (failed(prepare()))
    return failure();
  a.allocate();
  b.allocate();
  epilogue.allocate();
  if (nest.isSliced()) {
    emitSliced();
    return nest.status;
  }
  auto parallel =
      nest.emitParallel({nest.m.parts, nest.n.parts}, [&](ValueRange indices) {
        nest.setShare(nest.m, indices[0]);
        nest.setShare(nest.n, indices[1]);
        prefetch.emitStart();
        emitLoops(0);
        epilogue.emitPostOps(2);
      });
  if (auto name = emitter.fused.getNameAttr())
    parallel.setNameAttr(name);
  if (Attribute group = getMergeGroup())
    parallel->setAttr("merge", group);
  return nest.status;
}

void MatmulEmission::emitLoops(unsigned depth) {
  a.packAtDepth(depth);
  b.packAtDepth(depth);
  if (depth == 3)
    return emitKernels();
  switch (nest.params.getOrder()[depth]) {
  case LoopDim::m:
    return nest.open(nest.m, [&] {
      if (depth == 0)
        markRowLoop();
      emitLoops(depth + 1);
    });
  case LoopDim::n:
    return nest.open(nest.n, [&] { emitLoops(depth + 1); });
  case LoopDim::k:
    emitter.emitLoop(nest.chunks, 1, [&](Value index) {
      nest.chunk = index;
      emitLoops(depth + 1);
    });
    return epilogue.emitPostOps(1);
  }
}

//===----------------------------------------------------------------------===//
// Microkernels
//===----------------------------------------------------------------------===//

int64_t MatmulEmission::getKernelColumns(int64_t columns) {
  int64_t whole = llvm::alignTo(columns, emitter.getLanes());
  // What is packed is followed by zeros up to a whole vector.
  bool hasRoom =
      nest.params.getPackB() && nest.n.block % emitter.getLanes() == 0 &&
      whole <= nest.n.block &&
      getInnermostBlock(b.getBuffer().type, b.getColumnDim()) == nest.n.block;
  return hasRoom && epilogue.hasRoom(columns, whole) ? whole : columns;
}

void MatmulEmission::emitKernels() {
  prefetch.emitWithKernel();
  nest.forSize(nest.m, [&](int64_t rows) {
    nest.forSize(nest.n, [&](int64_t columns) {
      emitKernel(rows, getKernelColumns(columns));
    });
  });
}

void MatmulEmission::emitKernel(int64_t rows, int64_t columns) {
  if (windows)
    return windows.emit(rows, columns);
  int64_t kb = nest.params.getKB(), bs = nest.params.getBS();
  int64_t kFull = nest.kFull, chunks = nest.chunks;
  if (chunks == 1) {
    if (kFull > 0)
      emitBrgemm(rows, columns, kb, emitter.makeIndex(kFull), Coord(0), false);
    if (nest.kTail > 0)
      emitBrgemm(rows, columns, nest.kTail, emitter.makeIndex(1), Coord(kFull),
                 kFull > 0);
    return;
  }
  // The first chunk overwrites C, the others add to it; the last one may have
  // fewer blocks and is followed by the remainder of k.
  Coord block = Coord(nest.chunk, bs, chunks);
  auto isEqual = [&](int64_t value) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                 nest.chunk, emitter.makeIndex(value));
  };
  Value count = emitter.makeIndex(bs);
  if (kFull % bs)
    count = arith::SelectOp::create(builder, loc, isEqual(chunks - 1),
                                    emitter.makeIndex(kFull % bs), count);
  emitCalls(count, [&](Value blocks, bool accumulate) {
    emitBrgemm(rows, columns, kb, blocks, block, accumulate);
  });
  if (nest.kTail == 0)
    return;
  auto last = scf::IfOp::create(builder, loc, isEqual(chunks - 1), false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(last.thenBlock());
  emitBrgemm(rows, columns, nest.kTail, emitter.makeIndex(1), Coord(kFull),
             true);
}

void MatmulEmission::emitCalls(Value count,
                               function_ref<void(Value, bool)> emit) {
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        nest.chunk, emitter.makeIndex(0));
  auto first = scf::IfOp::create(builder, loc, isFirst, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(first.thenBlock());
  emit(emitter.makeIndex(nest.params.getBS()), false);
  builder.setInsertionPointToStart(first.elseBlock());
  emit(count, true);
}

void MatmulEmission::emitBrgemm(int64_t rows, int64_t columns, int64_t reduced,
                                Value count, const Coord &kBlock,
                                bool accumulate) {
  auto getIndicesOfC = [&] { return epilogue.getIndices(); };
  emitBrgemmAt({kBlock, kBlock, epilogue.getBuffer(), getIndicesOfC}, rows,
               columns, reduced, count, accumulate);
}

void MatmulEmission::emitBrgemmAt(const Places &places, int64_t rows,
                                  int64_t columns, int64_t reduced, Value count,
                                  bool accumulate) {
  int64_t kb = nest.params.getKB();
  RankedTensorType aType = a.getBuffer().type, bType = b.getBuffer().type;
  KernelSpec spec = nest.types;
  spec.m = rows;
  spec.n = columns;
  spec.k = reduced;
  spec.lda = rows > 1 ? getOffset(aType, a.getRowDim(), 1) : spec.k;
  nest.setDistances(spec, b, places.c.type);
  if (nest.kFull > 1 || nest.kTail > 0) {
    spec.strideA = getOffset(aType, a.getColumnDim(), kb);
    spec.strideB = getOffset(bType, b.getRowDim(), kb);
  }
  spec.beta = accumulate;
  Buffer scales, zps;
  SmallVector<Value> scaleIndices;
  if (op.getScales()) {
    spec.ldScaleB = nest.params.getNB();
    scales = emitter.buffers.lookup(op.getScales());
    if (op.getZps())
      zps = emitter.buffers.lookup(op.getZps());
    // A block of k is a group.
    scaleIndices =
        scales.getIndices(builder, loc, {places.kBlock, nest.n.start()});
  }
  Value kernel = emitter.makeKernel(loc, spec);
  tir::BrgemmOp::create(
      builder, loc, kernel, count, a.getBuffer().memref,
      a.getIndices(places.kBlock, places.packedBlock), b.getBuffer().memref,
      b.getIndices(places.kBlock, places.packedBlock), places.c.memref,
      places.getIndicesOfC(), scales.memref, scaleIndices, zps.memref);
}

} // namespace gc
