// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// K-slicing: cores share the blocks of k of one matrix product. Each leaves a
// partial sum; a second parallel loop adds them up, where post-ops run.

#include "MatmulEmission.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

void MatmulEmission::emitSliced() {
  // The partial sums have rows of whole vectors.
  int64_t lanes = emitter.getLanes();
  SmallVector<int64_t> shape{nest.params.getKPN()};
  shape.append(nest.sizes.batch);
  shape.push_back(nest.m.size);
  shape.push_back(llvm::alignTo(nest.n.size, lanes));
  auto type = RankedTensorType::get(shape, nest.getAccumulatorElement());
  Buffer partial = emitter.makeScratch(type, /*perThread=*/false);

  auto slices = nest.emitParallel(
      {nest.m.parts, nest.n.parts, nest.slice.parts}, [&](ValueRange indices) {
        nest.setShare(nest.m, indices[0]);
        nest.setShare(nest.n, indices[1]);
        nest.setShare(nest.slice, indices[2]);
        nest.sliceIndex = indices[2];
        a.packSlice();
        b.packSlice();
        nest.setSliceChunks();
        emitSlice(0, partial);
      });
  nest.sliceIndex = Value();
  auto sums = nest.emitParallel(
      {nest.m.blocks, nest.n.blocks}, [&](ValueRange indices) {
        for (auto [loop, index] :
             {std::pair(&nest.m, indices[0]), std::pair(&nest.n, indices[1])}) {
          loop->first = Coord(0);
          loop->share = loop->blocks;
          loop->index = index;
        }
        nest.forSize(nest.n, [&](int64_t columns) {
          emitSumOfSlices(partial, columns);
        });
        epilogue.emitPostOps(1);
        nest.m.index = nest.n.index = Value();
      });
  if (auto name = emitter.fused.getNameAttr()) {
    slices.setNameAttr(builder.getStringAttr(name.getValue() + " slices"));
    sums.setNameAttr(name);
  }
}

void MatmulEmission::emitSlice(unsigned depth, const Buffer &partial) {
  ArrayRef<LoopDim> order = nest.params.getOrder();
  auto emitInner = [&] { emitSlice(depth + 1, partial); };
  if (depth < order.size() && order[depth] == LoopDim::k) {
    if (nest.chunks == 1)
      return emitInner();
    return emitter.emitLoop(nest.chunkCount, [&](Value index) {
      nest.chunk = index;
      emitInner();
    });
  }
  if (depth < order.size())
    return nest.open(order[depth] == LoopDim::m ? nest.m : nest.n, emitInner);
  nest.forSize(nest.m, [&](int64_t rows) {
    nest.forSize(nest.n, [&](int64_t columns) {
      int64_t whole = llvm::alignTo(columns, emitter.getLanes());
      bool hasRoom = nest.params.getPackB() &&
                     nest.n.block % emitter.getLanes() == 0 &&
                     whole <= nest.n.block;
      emitSliceKernel(rows, hasRoom ? whole : columns, partial);
    });
  });
}

void MatmulEmission::emitSliceKernel(int64_t rows, int64_t columns,
                                     const Buffer &partial) {
  auto emit = [&](const Coord &kBlock, const Coord &packedBlock,
                  int64_t reduced, Value count, bool accumulate) {
    auto getIndicesOfC = [&] {
      SmallVector<Coord> coords = {Coord(nest.sliceIndex, 1, nest.slice.parts)};
      coords.append(nest.batch);
      coords.append({nest.m.start(), nest.n.start()});
      return partial.getIndices(builder, loc, coords);
    };
    emitBrgemmAt({kBlock, packedBlock, partial, getIndicesOfC}, rows, columns,
                 reduced, count, accumulate);
  };
  int64_t kb = nest.params.getKB();
  auto emitRest = [&] {
    nest.forRestOfSlices([&] {
      emit(Coord(nest.kFull), nest.getRestBlock(), nest.kTail,
           emitter.makeIndex(1), true);
    });
  };
  Value blocks = nest.getSliceBlocks();
  if (nest.chunks == 1) {
    emit(nest.slice.first, Coord(0), kb, blocks, false);
    return emitRest();
  }
  int64_t bs = nest.params.getBS();
  Coord block(nest.chunk, bs, nest.chunks);
  Value count = emitter.makeIndex(bs);
  if (nest.slice.count || nest.slice.share % bs) {
    Coord all = nest.slice.count
                    ? Coord(nest.slice.count, 1, nest.slice.share + 1)
                    : Coord(nest.slice.share);
    count = Coord::materializeMin(builder, loc, {all + block * -1, bs});
  }
  emitCalls(count, [&](Value reduced, bool accumulate) {
    emit(nest.slice.first + block, block, kb, reduced, accumulate);
  });
  if (nest.kTail == 0)
    return;
  Value end = (Coord(nest.chunkCount, 1, nest.chunks + 1) + Coord(-1))
                  .materialize(builder, loc);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       nest.chunk, end);
  auto last = scf::IfOp::create(builder, loc, isLast, false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(last.thenBlock());
  emitRest();
}

void MatmulEmission::emitSumOfSlices(const Buffer &partial, int64_t columns) {
  BoxDim rows = nest.getRows(Coord(0));
  int64_t lanes = emitter.getLanes();
  auto emitVector = [&](const Coord &row, const Coord &column, int64_t size) {
    auto type =
        VectorType::get({size}, getStorageType(nest.getAccumulatorElement()));
    auto load = [&](int64_t index) -> Value {
      SmallVector<Coord> at{Coord(index)};
      at.append(nest.batch);
      at.append({nest.m.start() + row, nest.n.start() + column});
      return vector::LoadOp::create(builder, loc, type, partial.memref,
                                    partial.getIndices(builder, loc, at));
    };
    // In the order of the slices, so that every run gives the same sum.
    Value sum = load(0);
    for (int64_t i = 1; i < nest.params.getKPN(); ++i)
      sum = isa<FloatType>(type.getElementType())
                ? Value(arith::AddFOp::create(builder, loc, sum, load(i)))
                : Value(arith::AddIOp::create(builder, loc, sum, load(i)));
    epilogue.store(sum, row, column);
  };
  auto emitRow = [&](Value i) {
    Coord row(i, 1, nest.m.block);
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
