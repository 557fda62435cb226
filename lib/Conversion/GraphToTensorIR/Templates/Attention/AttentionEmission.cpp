// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AttentionEmission.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

AttentionEmission::AttentionEmission(RegionEmitter &emitter, AttentionOp op)
    : emitter(emitter), builder(emitter.builder), loc(op.getLoc()), op(op),
      params(cast<AttentionTemplateAttr>(op.getTemplateParamsAttr())),
      sizes(getAttentionSizes(op)), lanes(emitter.getLanes()),
      types(getAttentionKernelTypes(op.getType().getElementType())) {}

int64_t AttentionEmission::getKernelColumns(int64_t columns) const {
  return llvm::alignTo(columns, lanes);
}

LogicalResult AttentionEmission::prepare() {
  if (op.isComplex())
    return op.emitOpError("has query rows that do not consist of whole 32 "
                          "bits; run graph-decompose");
  if (failed(checkOperandTypes(op, cast<TemplateAttrInterface>(params), 3)))
    return failure();
  for (Operation &inner :
       emitter.fused.getBody().front().without_terminator()) {
    if (&inner == op)
      continue;
    auto anchor = inner.getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
    unsigned index = 1;
    if (anchor.getKind() == AnchorKind::pre) {
      // RegionChecks has made sure that one use leads to the next.
      OpOperand *use = &*inner.use_begin();
      while (use->getOwner() != op.getOperation())
        use = &*use->getOwner()->use_begin();
      unsigned operand = use->getOperandNumber();
      preOps[operand].push_back(&inner);
      index = operand == 0 ? 1 : 2;
    }
    if (anchor.getIndex() != index)
      return inner.emitOpError("cannot be committed at anchor ") << anchor;
  }
  return success();
}

void AttentionEmission::makeBuffers() {
  MLIRContext *context = op.getContext();
  Type element = op.getType().getElementType();
  auto make = [&](ArrayRef<int64_t> shape, Type type, LayoutAttr layout = {}) {
    return emitter.makeScratch(RankedTensorType::get(shape, type, layout),
                               /*perThread=*/true);
  };
  // Blocks of NB columns, each a contiguous matrix of `size` x NB in which
  // `reduced` is the dimension of the rows; groups of them are neighbours.
  auto getLayout = [&](int64_t reduced, int64_t size) {
    int64_t columns = 1 - reduced, group = types.packB, nb = params.getNB();
    if (group == 1)
      return LayoutAttr::get(context, {columns, reduced}, {columns}, {nb});
    return LayoutAttr::get(context, {columns, reduced},
                           {reduced, columns, reduced},
                           {size / group, nb, group});
  };
  Type f32 = builder.getF32Type();
  int64_t mb = params.getMB(), sb = params.getSB();
  query = make({mb, sizes.d}, element);
  key = op.getTransposeKey()
            ? make({sb, sizes.d}, element, getLayout(1, sizes.d))
            : make({sizes.d, sb}, element, getLayout(0, sizes.d));
  value = make({sb, sizes.dv}, element, getLayout(0, sb));
  scores = make({params.getRB(), sb}, f32);
  weights = element.isF32() ? scores : make({params.getRB(), sb}, element);
  result = make({mb, getKernelColumns(sizes.dv)}, f32);
  if (op.getSoftmaxMode() != SoftmaxMode::unshifted)
    max = make({mb}, f32);
  sum = make({mb}, f32);
  emitter.buffers[op.getScores()] = scores;
  emitter.buffers[op.getResult()] = result;
}

LogicalResult AttentionEmission::emit() {
  if (failed(prepare()))
    return failure();
  makeBuffers();
  SmallVector<int64_t> space(sizes.batch);
  space.push_back(params.getMPN());
  auto parallel = tir::ParallelOp::create(
      builder, loc, space, [&](OpBuilder &inner, Location, ValueRange indices) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(inner.getInsertionBlock(),
                                  inner.getInsertionPoint());
        for (auto [i, size] : llvm::enumerate(sizes.batch))
          batch.push_back(Coord(indices[i], 1, size));
        emitPanels(indices.back());
      });
  if (auto name = emitter.fused.getNameAttr())
    parallel.setNameAttr(name);
  emitter.buffers.erase(op.getScores());
  return status;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void AttentionEmission::emitPanels(Value part) {
  int64_t parts = params.getMPN();
  int64_t panels = llvm::divideCeil(sizes.m, params.getMB());
  if (params.getSkip() && parts > 1)
    return emitDealtPanels(part, panels);
  int64_t whole = panels / parts, extra = panels % parts;
  Coord first = Coord(part, whole, parts);
  int64_t share = whole + (extra != 0);
  auto body = [&](Value index) { emitPanel(first + Coord(index, 1, share)); };
  if (extra == 0)
    return emitter.emitLoop(whole, 1, body);
  // Balanced: the first `extra` parts have one panel more.
  Value more =
      Coord::materializeMin(builder, loc, {Coord(part, 1, parts), extra});
  first = first + Coord(more, 1, extra + 1);
  Value isLonger = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, part, emitter.makeIndex(extra));
  Value count = arith::SelectOp::create(builder, loc, isLonger,
                                        emitter.makeIndex(whole + 1),
                                        emitter.makeIndex(whole));
  emitter.emitLoop(count, body);
}

void AttentionEmission::emitDealtPanels(Value part, int64_t panels) {
  int64_t parts = params.getMPN();
  int64_t rounds = llvm::divideCeil(panels, parts);
  // Back and forth from the last panel, of which a causal mask leaves most.
  Value reversed =
      (Coord(parts - 1) + Coord(part, -1, parts)).materialize(builder, loc);
  emitter.emitLoop(rounds, 1, [&](Value round) {
    Value one = emitter.makeIndex(1);
    Value isOdd = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq,
        arith::AndIOp::create(builder, loc, round, one), one);
    Value place = arith::SelectOp::create(builder, loc, isOdd, reversed, part);
    Coord dealt = Coord(round, parts, rounds) + Coord(place, 1, parts);
    Value panel = dealt.materialize(builder, loc);
    Value fromLast = (Coord(panels - 1) + dealt * -1).materialize(builder, loc);
    if (panels % parts == 0)
      return emitPanel(Coord(fromLast, 1, panels));
    Value exists =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, panel,
                              emitter.makeIndex(panels));
    auto branch = scf::IfOp::create(builder, loc, exists);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    emitPanel(Coord(fromLast, 1, panels));
  });
}

void AttentionEmission::forRows(const BoxDim &rows,
                                function_ref<void(Value)> body) {
  if (rows.size)
    emitter.emitLoop(rows.size, body);
  else
    emitter.emitLoop(rows.max, 1, body);
}

AttentionRows AttentionEmission::getRows() {
  return {builder,
          loc,
          lanes,
          op.getSoftmaxMode(),
          getElementTypeOrSelf(op.getLogits().getType()),
          scores.memref,
          weights.memref,
          result.memref,
          max.memref,
          sum.memref};
}

void AttentionEmission::emitPanel(const Coord &panel) {
  int64_t mb = params.getMB(), rb = params.getRB();
  Coord start = panel * mb;
  tiles = Value();
  if (sizes.m % mb == 0 || sizes.m < mb) {
    panelRows = BoxDim(start, std::min(mb, sizes.m));
  } else {
    Value rows =
        Coord::materializeMin(builder, loc, {Coord(sizes.m) + start * -1, mb});
    panelRows = BoxDim(start, rows, mb);
    tiles = (Coord(rows, 1, mb + 1) + Coord(rb - 1))
                .divmod(builder, loc, rb)
                .first.materialize(builder, loc);
  }
  emitCopy(/*operand=*/0, query, panelRows, BoxDim(0, sizes.d));
  AttentionRows rows = getRows();
  forRows(panelRows, [&](Value row) { rows.emitStart(row); });
  forBlocks(sizes.s, params.getSB(),
            [&](const Coord &start, int64_t keys) { emitKeys(start, keys); });
  forRows(panelRows, [&](Value row) { rows.emitEnd(row); });
  emitPostOps();
}

void AttentionEmission::forBlocks(
    int64_t size, int64_t block,
    function_ref<void(const Coord &, int64_t)> body) {
  int64_t whole = size / block;
  emitter.emitLoop(whole, 1,
                   [&](Value i) { body(Coord(i, block, whole), block); });
  if (size % block)
    body(Coord(whole * block), size % block);
}

void AttentionEmission::emitKeys(const Coord &firstKey, int64_t keys) {
  forUnmasked(panelRows, 0, firstKey, keys,
              [&] { emitUnmaskedKeys(firstKey, keys); });
}

void AttentionEmission::emitUnmaskedKeys(const Coord &firstKey, int64_t keys) {
  BoxDim rows(firstKey, keys), columns(0, sizes.d);
  if (op.getTransposeKey())
    emitCopy(/*operand=*/1, key, rows, columns);
  else
    emitCopy(/*operand=*/1, key, columns, rows);
  emitValues(firstKey, keys);
  auto body = [&](Value tile) { emitTile(tile, firstKey, keys); };
  if (tiles)
    emitter.emitLoop(tiles, body);
  else
    emitter.emitLoop(llvm::divideCeil(panelRows.max, params.getRB()), 1, body);
}

void AttentionEmission::emitTile(Value tile, const Coord &firstKey,
                                 int64_t keys) {
  int64_t rb = params.getRB();
  int64_t mostTiles = llvm::divideCeil(panelRows.max, rb);
  Coord local(tile, rb, mostTiles);
  Coord start = panelRows.base + local;
  int64_t rest = sizes.m % rb;
  isRest = Value();
  if (rest == 0 || sizes.m < rb) {
    tileRows = BoxDim(start, std::min(rb, sizes.m), local);
  } else {
    isRest = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                   start.materialize(builder, loc),
                                   emitter.makeIndex(sizes.m - rest));
    Value rows = arith::SelectOp::create(
        builder, loc, isRest, emitter.makeIndex(rest), emitter.makeIndex(rb));
    tileRows = BoxDim(start, rows, rb, local);
  }
  auto body = [&] { emitUnmaskedTile(firstKey, keys); };
  // What the only tile of a panel has is known already.
  if (mostTiles == 1)
    body();
  else
    forUnmasked(tileRows, local, firstKey, keys, body);
}

void AttentionEmission::emitUnmaskedTile(const Coord &firstKey, int64_t keys) {
  forTileRows([&](int64_t rows) { emitScores(rows, keys); });
  emitLogits(firstKey, keys);
  AttentionRows softmax = getRows();
  forRows(tileRows, [&](Value row) {
    Coord inPanel = tileRows.local + Coord(row, 1, params.getRB());
    softmax.emitBlock(row, inPanel.materialize(builder, loc), keys);
  });
  forTileRows([&](int64_t rows) { emitProducts(rows, keys); });
}

void AttentionEmission::forTileRows(function_ref<void(int64_t)> body) {
  if (!isRest)
    return body(tileRows.max);
  auto branch = scf::IfOp::create(builder, loc, isRest,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body(sizes.m % params.getRB());
  builder.setInsertionPointToStart(branch.elseBlock());
  body(params.getRB());
}

//===----------------------------------------------------------------------===//
// Copies and kernels
//===----------------------------------------------------------------------===//

void AttentionEmission::emitCopy(unsigned number, const Buffer &to,
                                 const BoxDim &row, const BoxDim &column) {
  Value operand = op->getOperand(number);
  // Leading dimensions broadcast: aligned at the last one, 0 where the size
  // is 1.
  auto type = cast<RankedTensorType>(operand.getType());
  int64_t leading = type.getRank() - 2;
  SmallVector<BoxDim> box;
  for (int64_t i = 0; i < leading; ++i)
    box.push_back(BoxDim(
        type.getDimSize(i) == 1 ? Coord(0) : batch[batch.size() - leading + i],
        1));
  box.push_back(row);
  box.push_back(column);
  if (!preOps[number].empty()) {
    if (failed(emitter.emitPass(preOps[number], box, {{operand, to}},
                                emitter.getDims(AnchorKind::pre, number))))
      status = failure();
    return;
  }
  // A separate op, so that the pass can handle vectors along a different
  // dimension from the one in which the operand is contiguous.
  OpBuilder detached(op.getContext());
  auto copy = ReorderOp::create(
      detached, loc, cast<RankedTensorType>(dropLayout(type)), operand);
  if (failed(emitter.emitPass({copy}, box, {{copy.getResult(), to}},
                              emitter.getDims(AnchorKind::pre, number))))
    status = failure();
  copy->erase();
}

void AttentionEmission::emitValues(const Coord &firstKey, int64_t keys) {
  BoxDim columns(0, sizes.dv);
  int64_t group = types.packB, rest = keys % group;
  if (keys > rest)
    emitCopy(/*operand=*/2, value, BoxDim(firstKey, keys - rest), columns);
  if (!rest)
    return;
  // The weights of what is missing in the last group are 0, but the memory
  // might hold NaN.
  Coord last(keys - rest);
  emitter.emitLoop(sizes.dv, 1, [&](Value column) {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(op.getType().getElementType()));
    for (int64_t row = keys; row < keys - rest + group; ++row)
      memref::StoreOp::create(
          builder, loc, zero, value.memref,
          value.getIndices(builder, loc, {row, Coord(column, 1, sizes.dv)}));
  });
  emitCopy(/*operand=*/2, value, BoxDim(firstKey + last, rest, last), columns);
}

void AttentionEmission::emitKernel(int64_t rows, int64_t columns,
                                   int64_t reduced, const Buffer &a,
                                   ArrayRef<Coord> aCoords, const Buffer &b,
                                   ArrayRef<Coord> bCoords, const Buffer &c,
                                   ArrayRef<Coord> cCoords, bool accumulate) {
  KernelSpec spec = types;
  spec.m = rows;
  spec.n = getKernelColumns(columns);
  spec.k = llvm::alignTo(reduced, types.packB);
  spec.lda = a.type.getShape().back();
  spec.ldb = params.getNB();
  spec.ldc = c.type.getShape().back();
  spec.beta = accumulate;
  Value kernel = emitter.makeKernel(loc, spec);
  tir::BrgemmOp::create(builder, loc, kernel, emitter.makeIndex(1), a.memref,
                        a.getIndices(builder, loc, aCoords), b.memref,
                        b.getIndices(builder, loc, bCoords), c.memref,
                        c.getIndices(builder, loc, cCoords));
}

void AttentionEmission::emitScores(int64_t rows, int64_t keys) {
  forBlocks(keys, params.getNB(), [&](const Coord &column, int64_t columns) {
    SmallVector<Coord> keyCoords = {0, column};
    if (op.getTransposeKey())
      std::swap(keyCoords[0], keyCoords[1]);
    emitKernel(rows, columns, sizes.d, query, {tileRows.local, 0}, key,
               keyCoords, scores, {0, column}, /*accumulate=*/false);
  });
}

void AttentionEmission::emitLogits(const Coord &firstKey, int64_t keys) {
  if (op.getLogits() == op.getScores())
    return;
  SmallVector<Operation *> ops;
  for (Operation &inner : op.getBody().front().without_terminator())
    ops.push_back(&inner);
  SmallVector<BoxDim> box;
  for (const Coord &coord : batch)
    box.push_back(BoxDim(coord, 1));
  BoxDim rows = tileRows;
  rows.local = 0;
  box.push_back(rows);
  box.push_back(BoxDim(firstKey, keys));
  // Scores are in memory row by row.
  int64_t keysDim = box.size() - 1;
  if (failed(emitter.emitPass(ops, box, {{op.getLogits(), scores}},
                              PassDims{keysDim})))
    status = failure();
}

void AttentionEmission::emitProducts(int64_t rows, int64_t keys) {
  forBlocks(
      sizes.dv, params.getNB(), [&](const Coord &column, int64_t columns) {
        forBlocks(keys, params.getKB(), [&](const Coord &first, int64_t count) {
          emitKernel(rows, columns, count, weights, {0, first}, value,
                     {first, column}, result, {tileRows.local, column},
                     /*accumulate=*/true);
        });
      });
}

void AttentionEmission::emitPostOps() {
  SmallVector<Operation *> ops;
  SmallVector<Store> stores;
  emitter.addStores(op.getResult(), stores);
  for (Operation &inner :
       emitter.fused.getBody().front().without_terminator()) {
    auto anchor = inner.getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
    if (&inner == op || anchor.getKind() == AnchorKind::pre)
      continue;
    ops.push_back(&inner);
    for (Value result : inner.getResults())
      emitter.addStores(result, stores);
  }
  SmallVector<BoxDim> box;
  for (const Coord &coord : batch)
    box.push_back(BoxDim(coord, 1));
  box.push_back(panelRows);
  box.push_back(BoxDim(0, sizes.dv));
  if (!stores.empty() &&
      failed(emitter.emitPass(ops, box, stores,
                              emitter.getDims(AnchorKind::post, 1))))
    status = failure();
}

} // namespace gc
