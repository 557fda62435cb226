// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bodies of register tiles: accumulators stay in registers over the whole
// batch and k and are stored once.

#include "TileBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace gc::tir {

void emitMatrixTile(ImplicitLocOpBuilder &b, const VectorPlan &plan,
                    const Machine &machine, const KernelSpec &spec,
                    int64_t rows, ArrayRef<int64_t> vectors,
                    const TileTerms &terms, Value batch, TilePointers at) {
  TileBuilder t(b, spec, plan.lanes, plan.valid);
  MultiplyAdd multiplyAdd(b, machine, spec, t.getGroups());
  TileOperands operands{t, multiplyAdd, spec, vectors};
  int64_t width = vectors.size(), count = rows * width;
  int64_t splits = getSplits(count, operands.steps);

  auto addressOfC = [&](int64_t row, int64_t vector) {
    return t.at(at.c, row * spec.ldc + vectors[vector], spec.c);
  };
  SmallVector<Value> sums(count * splits, t.getZero());
  for (int64_t i = 0; i < count; ++i) {
    auto include = [&](Value term) {
      sums[i] = sums[i] == t.getZero() ? term : t.add(sums[i], term);
    };
    if (!terms.ofColumns.empty())
      include(terms.ofColumns[i % width]);
    if (terms.ofRows)
      include(t.loadBroadcast(t.at(terms.ofRows, i / width, DataType::s32)));
    if (spec.beta)
      include(t.loadSums(addressOfC(i / width, i % width)));
  }

  // Whichever of rows and vectors is fewer is held in registers, the others are
  // streamed: this is what the plan has counted registers for.
  auto step = [&](Value a, Value bp, int64_t split, bool isCut) {
    auto add = [&](int64_t row, int64_t vector, Value x, Value y) {
      Value &sum = sums[split * count + row * width + vector];
      sum = multiplyAdd.add(x, y, sum);
    };
    bool holdB = width <= rows;
    SmallVector<Value> held;
    for (int64_t i = 0, e = holdB ? width : rows; i < e; ++i)
      held.push_back(holdB ? operands.getB(bp, i, isCut)
                           : operands.getA(a, i, isCut));
    for (int64_t i = 0, e = holdB ? rows : width; i < e; ++i) {
      Value passing = holdB ? operands.getA(a, i, isCut)
                            : operands.getB(bp, i, isCut);
      for (int64_t j = 0, f = held.size(); j < f; ++j)
        holdB ? add(i, j, passing, held[j]) : add(j, i, held[j], passing);
    }
  };
  operands.forGroups(batch, at, count, splits, sums, step);
  t.joinSplits(sums, count);
  bool masked = machine.vectorBits >= 512;
  for (int64_t i = 0; i < count; ++i)
    t.storePartial(sums[i], addressOfC(i / width, i % width), masked);
}

void emitDotTile(ImplicitLocOpBuilder &b, const VectorPlan &plan,
                 const KernelSpec &spec, int64_t rows, Value batch,
                 TilePointers at) {
  int64_t steps = spec.k / plan.lanes, rest = spec.k % plan.lanes;
  TileBuilder t(b, spec, plan.lanes, rest);
  int64_t splits = getSplits(rows, std::max<int64_t>(steps, 1));
  Walk walk{spec,
            batch,
            at,
            steps,
            plan.lanes,
            plan.lanes,
            getUnroll(rows, splits, steps),
            splits};

  SmallVector<Value> sums(rows * splits, t.getZero());
  auto add = [&](Value a, Value bp, int64_t split, bool whole) {
    auto load = [&](Value address) {
      return whole ? t.load(address) : t.loadPartial(address);
    };
    Value right = load(bp);
    for (int64_t row = 0; row < rows; ++row) {
      Value left = load(t.at(a, row * spec.lda, spec.a));
      Value &sum = sums[split * rows + row];
      sum = vector::FMAOp::create(b, left, right, sum);
    }
  };
  walk.emit(
      t, sums,
      [&](Value a, Value bp, int64_t split) { add(a, bp, split, true); },
      [&](Value a, Value bp) {
        if (rest)
          add(t.at(a, steps * plan.lanes, spec.a),
              t.at(bp, steps * plan.lanes, spec.b), 0, false);
      });
  t.joinSplits(sums, rows);
  // The order of the sum is free; it is the same in every run.
  for (int64_t row = 0; row < rows; ++row) {
    Value address = t.at(at.c, row * spec.ldc, spec.c);
    Value sum =
        vector::ReductionOp::create(b, vector::CombiningKind::ADD, sums[row],
                                    arith::FastMathFlags::reassoc);
    if (spec.beta == 1)
      sum = arith::AddFOp::create(b, sum, t.loadElement(address));
    t.storeElement(sum, address);
  }
}

} // namespace gc::tir
