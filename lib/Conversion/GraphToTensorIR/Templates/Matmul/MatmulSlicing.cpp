// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// K-slicing: cores share the blocks of k of one matrix product. Each leaves a
// partial sum; a second parallel loop adds them up, where post-ops run.

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "MatmulEmission.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

void MatmulEmission::emitSliced() {
  // The partial sums have rows of whole vectors.
  int64_t lanes = emitter.getLanes();
  SmallVector<int64_t> shape{params.getKPN()};
  shape.append(sizes.batch);
  shape.push_back(m.size);
  shape.push_back(llvm::alignTo(n.size, lanes));
  auto type = RankedTensorType::get(shape, op.getType().getElementType());
  Buffer partial = emitter.makeScratch(type, /*perThread=*/false);
  Buffer result = c;

  auto setBatch = [&](ValueRange indices) {
    batch.clear();
    for (auto [i, size] : llvm::enumerate(sizes.batch))
      batch.push_back(Coord(indices[i], 1, size));
  };
  auto makeLoop = [&](ArrayRef<int64_t> inner, StringRef suffix,
                      function_ref<void(ValueRange)> body) {
    SmallVector<int64_t> space(sizes.batch);
    space.append(inner.begin(), inner.end());
    auto parallel = tir::ParallelOp::create(
        builder, loc, space, [&](OpBuilder &at, Location, ValueRange indices) {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPoint(at.getInsertionBlock(),
                                    at.getInsertionPoint());
          setBatch(indices);
          body(indices.drop_front(sizes.batch.size()));
        });
    if (auto name = emitter.fused.getNameAttr())
      parallel.setNameAttr(
          builder.getStringAttr(name.getValue().str() + suffix.str()));
  };

  c = partial;
  makeLoop({m.parts, n.parts, slice.parts}, " slices", [&](ValueRange indices) {
    setShare(m, indices[0]);
    setShare(n, indices[1]);
    setShare(slice, indices[2]);
    sliceIndex = indices[2];
    emitSlice(0);
  });
  sliceIndex = Value();
  c = result;
  makeLoop({m.blocks, n.blocks}, "", [&](ValueRange indices) {
    for (auto [dim, index] : {std::pair(&m, indices[0]), {&n, indices[1]}}) {
      dim->first = Coord(0);
      dim->share = dim->blocks;
      dim->index = index;
    }
    forSize(n, [&](int64_t columns) { emitSumOfSlices(partial, columns); });
    emitPostOps(1);
    m.index = n.index = Value();
  });
}

void MatmulEmission::emitSlice(unsigned depth) {
  SmallVector<LoopDim> order(params.getOrder());
  llvm::erase(order, LoopDim::k);
  if (depth < order.size())
    return openLoop(order[depth] == LoopDim::m ? m : n,
                    [&] { emitSlice(depth + 1); });
  forSize(m, [&](int64_t rows) {
    forSize(n, [&](int64_t columns) {
      int64_t whole = llvm::alignTo(columns, emitter.getLanes());
      bool hasRoom = params.getPackB() && n.block % emitter.getLanes() == 0 &&
                     whole <= n.block;
      emitSliceKernel(rows, hasRoom ? whole : columns);
    });
  });
}

void MatmulEmission::emitSliceKernel(int64_t rows, int64_t columns) {
  Value count = slice.count ? slice.count : emitter.makeIndex(slice.share);
  emitBrgemm(rows, columns, params.getKB(), count, slice.first, false);
  if (kTail == 0)
    return;
  Value isLast =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, sliceIndex,
                            emitter.makeIndex(slice.parts - 1));
  auto last = scf::IfOp::create(builder, loc, isLast, false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(last.thenBlock());
  emitTailKernel(rows, columns, true);
}

void MatmulEmission::emitSumOfSlices(const Buffer &partial, int64_t columns) {
  BoxDim rows = getRows(Coord(0));
  int64_t lanes = emitter.getLanes();
  auto emitVector = [&](const Coord &row, const Coord &column, int64_t size) {
    auto type = VectorType::get({size}, op.getType().getElementType());
    auto load = [&](int64_t index) -> Value {
      SmallVector<Coord> at{Coord(index)};
      at.append(batch);
      at.append({m.start() + row, n.start() + column});
      return vector::LoadOp::create(builder, loc, type, partial.memref,
                                    partial.getIndices(builder, loc, at));
    };
    // In the order of the slices, so that every run gives the same sum.
    Value sum = load(0);
    for (int64_t i = 1; i < params.getKPN(); ++i)
      sum = arith::AddFOp::create(builder, loc, sum, load(i));
    SmallVector<Coord> at;
    if (c.isLocal) {
      at = {row, column};
    } else {
      at = batch;
      at.append({m.start() + row, n.start() + column});
    }
    vector::StoreOp::create(builder, loc, sum, c.memref,
                            c.getIndices(builder, loc, at));
  };
  auto emitRow = [&](Value i) {
    Coord row(i, 1, m.block);
    int64_t whole = columns / lanes * lanes;
    emitter.emitLoop(whole, lanes, [&](Value j) {
      emitVector(row, Coord(j, 1, whole), lanes);
    });
    if (whole < columns)
      emitVector(row, Coord(whole), columns - whole);
  };
  if (rows.size)
    emitter.emitLoop(rows.size, emitRow);
  else
    emitter.emitLoop(rows.max, 1, emitRow);
}

} // namespace gc
