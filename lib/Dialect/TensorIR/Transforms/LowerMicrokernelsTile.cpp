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
                    int64_t ahead, int64_t rows, ArrayRef<int64_t> vectors,
                    const TileTerms &terms, Value batch, TilePointers at) {
  TileBuilder t(b, spec, plan.lanes, plan.valid, ahead);
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
      Value passing =
          holdB ? operands.getA(a, i, isCut) : operands.getB(bp, i, isCut);
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

namespace {

/// What a dot product starts from: what the products of the row lack, in the
/// first lane of a sum whose lanes are added at the end. `sumsColumns`: zero
/// points of both operands matter, and so does their product.
Value getFirstSum(TileBuilder &t, const MultiplyAdd &multiplyAdd,
                  const KernelSpec &spec, bool sumsColumns, Value batch,
                  Value rowTerm) {
  ImplicitLocOpBuilder &b = t.b;
  Value term = t.loadElement(rowTerm);
  if (sumsColumns) {
    auto product = static_cast<uint64_t>(spec.k * multiplyAdd.getExcessA() *
                                         multiplyAdd.getExcessB());
    Value ofBlock = arith::ConstantOp::create(
        b,
        b.getIntegerAttr(b.getI32Type(), APInt(32, product, /*isSigned=*/false,
                                               /*implicitTrunc=*/true)));
    Value blocks = arith::TruncIOp::create(b, b.getI32Type(), batch);
    term = t.add(term, arith::MulIOp::create(b, blocks, ofBlock));
  }
  return vector::InsertOp::create(b, term, t.getZero(), ArrayRef<int64_t>{0});
}

} // namespace

void emitDotTile(ImplicitLocOpBuilder &b, const VectorPlan &plan,
                 const Machine &machine, const KernelSpec &spec, int64_t ahead,
                 int64_t rows, int64_t columns, Value rowTerms, Value batch,
                 TilePointers at) {
  int64_t group = getGroupSize(spec.a), elements = plan.lanes * group;
  int64_t steps = spec.k / elements, rest = spec.k % elements;
  int64_t count = rows * columns;
  TileBuilder t(b, spec, plan.lanes, rest / group, ahead);
  MultiplyAdd multiplyAdd(b, machine, spec, t.getGroups());
  int64_t splits = getSplits(count, std::max<int64_t>(steps, 1));
  Walk walk{spec,
            batch,
            at,
            steps,
            elements,
            elements,
            getUnroll(count, splits, steps),
            splits};

  // Sums of the columns of B, which the zero point of A is multiplied with,
  // follow those of the products.
  bool sumsColumns = multiplyAdd.getExcessA() != 0;
  int64_t firstColumn = count * splits;
  SmallVector<Value> sums(firstColumn + (sumsColumns ? columns : 0),
                          t.getZero());
  for (int64_t i = 0; rowTerms && i < count; ++i)
    sums[i] = getFirstSum(t, multiplyAdd, spec, sumsColumns, batch,
                          t.at(rowTerms, i / columns, DataType::s32));
  auto add = [&](Value a, Value bp, int64_t split, bool whole) {
    auto load = [&](Value address) {
      return whole ? t.load(address) : t.loadPartial(address);
    };
    auto loadA = [&](int64_t i) {
      return multiplyAdd.prepareA(load(t.at(a, i * spec.lda, spec.a)));
    };
    auto loadB = [&](int64_t i) {
      Value address = t.at(bp, i * spec.ldb, spec.b);
      if (whole)
        t.fetchColumnAhead(address);
      if (spec.widensB())
        return t.loadWidened(address, whole);
      Value prepared = multiplyAdd.prepareB(load(address));
      if (sumsColumns) {
        Value &sum = sums[firstColumn + i];
        // Lanes past the end are zero only before they are prepared.
        Value valid = whole ? prepared : t.keepValid(prepared);
        sum = multiplyAdd.addElementsOfB(valid, sum);
      }
      return prepared;
    };
    // The fewer of both are held in registers.
    bool holdA = rows <= columns;
    SmallVector<Value> held;
    for (int64_t i = 0, e = holdA ? rows : columns; i < e; ++i)
      held.push_back(holdA ? loadA(i) : loadB(i));
    for (int64_t i = 0, e = holdA ? columns : rows; i < e; ++i) {
      Value passing = holdA ? loadB(i) : loadA(i);
      for (int64_t j = 0, f = held.size(); j < f; ++j) {
        int64_t row = holdA ? j : i, column = holdA ? i : j;
        Value &sum = sums[split * count + row * columns + column];
        sum = multiplyAdd.add(holdA ? held[j] : passing,
                              holdA ? passing : held[j], sum);
      }
    }
  };
  walk.emit(
      t, sums,
      [&](Value a, Value bp, int64_t split) { add(a, bp, split, true); },
      [&](Value a, Value bp) {
        if (rest)
          add(t.at(a, steps * elements, spec.a),
              t.at(bp, steps * elements, spec.b), 0, false);
      });
  SmallVector<Value> ofColumns(sums.begin() + firstColumn, sums.end());
  sums.resize(firstColumn);
  t.joinSplits(sums, count);
  for (Value &sum : ofColumns)
    sum = multiplyAdd.scale(sum, -multiplyAdd.getExcessA());
  if (sumsColumns)
    for (int64_t i = 0; i < count; ++i)
      sums[i] = t.add(sums[i], ofColumns[i % columns]);

  auto addressOfC = [&](int64_t i) {
    return t.at(at.c, i / columns * spec.ldc + i % columns, spec.c);
  };
  auto store = [&](Value sum, int64_t i) {
    Value address = addressOfC(i);
    if (spec.beta == 1)
      sum = t.add(sum, t.loadElement(address));
    t.storeElement(sum, address);
  };
  constexpr int64_t kFour = 4;
  bool isContiguous = columns % kFour == 0 || (columns == 1 && spec.ldc == 1);
  int64_t i = 0;
  for (; plan.lanes >= kFour && i + kFour <= count; i += kFour) {
    Value four = t.sumLanesOfFour(ArrayRef(sums).slice(i, kFour));
    if (!isContiguous) {
      for (int64_t j = 0; j < kFour; ++j)
        store(vector::ExtractOp::create(b, four, j), i + j);
      continue;
    }
    Value address = addressOfC(i);
    if (spec.beta == 1)
      four = t.add(four, LLVM::LoadOp::create(b, four.getType(), address,
                                              getBytes(spec.c)));
    LLVM::StoreOp::create(b, four, address, getBytes(spec.c));
  }
  for (; i < count; ++i)
    store(t.sumLanes(sums[i]), i);
}

} // namespace gc::tir
