// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bodies of register tiles: accumulators stay in registers over the whole
// batch and k and are stored once. Vectors are loaded through LLVM pointers,
// since a tile knows the distance of every row as a constant.

#include "LowerMicrokernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gc::tir {

namespace {

/// Accumulators in flight that hide the latency of a multiply-add.
constexpr int64_t kInFlight = 8;
/// Number of multiply-adds in a loop body that makes the loop's own cost
/// negligible.
constexpr int64_t kBodySize = 24;

/// Sums that every accumulator is split into, over neighbouring steps of k.
int64_t getSplits(int64_t accumulators, int64_t steps) {
  int64_t splits = 1;
  while (accumulators * splits < kInFlight && splits * 2 <= steps)
    splits *= 2;
  return splits;
}

/// Steps per loop iteration: a multiple of the splits; more only if it divides
/// the steps, so that no remainder has to be emitted.
int64_t getUnroll(int64_t accumulators, int64_t splits, int64_t steps) {
  int64_t unroll = splits;
  while (unroll * 2 * accumulators <= kBodySize && steps % (unroll * 2) == 0)
    unroll *= 2;
  return unroll;
}

/// Builds what both kinds of tile consist of. Operands and sums are of one
/// type.
class TileBuilder {
public:
  /// `partial` lanes are those of partial loads and stores.
  TileBuilder(ImplicitLocOpBuilder &b, const KernelSpec &spec, int64_t lanes,
              int64_t partial)
      : b(b), partial(partial), alignment(getBytes(spec.accumulator)),
        element(getStorageType(b.getContext(), spec.accumulator)),
        type(VectorType::get(lanes, element)) {
    zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    if (partial == 0 || partial == lanes)
      return;
    SmallVector<bool> bits(lanes, false);
    std::fill_n(bits.begin(), partial, true);
    mask = arith::ConstantOp::create(
        b, DenseElementsAttr::get(VectorType::get(lanes, b.getI1Type()),
                                  ArrayRef<bool>(bits)));
  }

  Value getZero() { return zero; }
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, value, 64);
  }

  /// The address `offset` elements past `base`.
  Value at(Value base, int64_t offset) {
    if (offset == 0)
      return base;
    if (llvm::isInt<31>(offset))
      return advance(base, static_cast<int32_t>(offset));
    return advance(base, constant(offset));
  }
  /// The address count * scale elements past `base`.
  Value at(Value base, Value count, int64_t scale) {
    if (scale == 0)
      return base;
    if (scale != 1)
      count = arith::MulIOp::create(b, count, constant(scale));
    return advance(base, count);
  }

  Value load(Value address) {
    return LLVM::LoadOp::create(b, type, address, alignment);
  }
  /// The other lanes are zero, and their memory is not touched.
  Value loadPartial(Value address) {
    if (!mask)
      return load(address);
    return LLVM::MaskedLoadOp::create(b, type, address, mask, zero, alignment);
  }
  Value loadBroadcast(Value address) {
    return vector::BroadcastOp::create(b, type, loadElement(address));
  }
  /// With `masked` in one instruction, else in whole pieces, which is cheaper
  /// where masked stores are slow.
  void storePartial(Value value, Value address, bool masked) {
    if (mask && masked) {
      LLVM::MaskedStoreOp::create(b, value, address, mask, alignment);
      return;
    }
    if (mask)
      value = vector::ExtractStridedSliceOp::create(
          b, value, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{partial},
          ArrayRef<int64_t>{1});
    storeElement(value, address);
  }
  /// Element `index` of an array.
  Value loadListed(Type listed, Value list, Value index) {
    Value address = LLVM::GEPOp::create(b, list.getType(), listed, list,
                                        LLVM::GEPArg(index),
                                        LLVM::GEPNoWrapFlags::inbounds);
    return LLVM::LoadOp::create(b, listed, address);
  }
  Value loadElement(Value address) {
    return LLVM::LoadOp::create(b, element, address, alignment);
  }
  void storeElement(Value value, Value address) {
    LLVM::StoreOp::create(b, value, address, alignment);
  }

  /// for (i = 0; i < count; i += step) with accumulators that the body updates
  /// in place.
  void loop(Value count, int64_t step, SmallVectorImpl<Value> &sums,
            function_ref<void(Value)> body) {
    auto op = scf::ForOp::create(b, constant(0), count, constant(step), sums);
    disableUnrolling(op);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.getBody());
    sums.assign(op.getRegionIterArgs().begin(), op.getRegionIterArgs().end());
    body(op.getInductionVar());
    scf::YieldOp::create(b, sums);
    sums.assign(op.getResults().begin(), op.getResults().end());
  }

  /// Adds up the splits of accumulators 0 .. count-1 into the first of them;
  /// accumulator i of split s is sums[s * count + i].
  void joinSplits(SmallVectorImpl<Value> &sums, int64_t count) {
    for (int64_t live = sums.size() / 2; live >= count; live /= 2)
      for (int64_t i = 0; i < live; ++i)
        sums[i] = arith::AddFOp::create(b, sums[i], sums[live + i]);
    sums.resize(count);
  }

  ImplicitLocOpBuilder &b;

private:
  Value advance(Value base, LLVM::GEPArg count) {
    return LLVM::GEPOp::create(b, base.getType(), element, base, count,
                               LLVM::GEPNoWrapFlags::inbounds);
  }

  int64_t partial;
  unsigned alignment;
  Type element;
  VectorType type;
  Value zero, mask;
};

/// Walks through the blocks of a batch and, inside each, through `steps` steps
/// of `distanceA` and `distanceB` elements.
struct Walk {
  const KernelSpec &spec;
  Value batch;
  TilePointers at;
  int64_t steps, distanceA, distanceB;
  int64_t unroll, splits;

  /// Where the tile's part of block i of an operand begins.
  Value getBlock(TileBuilder &t, Value i, const BatchPointers &operand,
                 int64_t stride) const {
    switch (spec.batch) {
    case BatchForm::stride:
      return t.at(operand.base, i, stride);
    case BatchForm::offset: {
      Value bytes = t.loadListed(t.b.getI64Type(), operand.offsets, i);
      return LLVM::GEPOp::create(t.b, operand.base.getType(), t.b.getI8Type(),
                                 operand.base, LLVM::GEPArg(bytes),
                                 LLVM::GEPNoWrapFlags::inbounds);
    }
    case BatchForm::address:
      return t.at(t.loadListed(operand.base.getType(), operand.base, i),
                  operand.start, 1);
    }
    return {};
  }

  /// step(a, b, split) once for each step, rest(a, b) after the steps of each
  /// block, with the addresses where the elements of the step begin.
  void emit(TileBuilder &t, SmallVectorImpl<Value> &sums,
            function_ref<void(Value, Value, int64_t)> step,
            function_ref<void(Value, Value)> rest) const {
    t.loop(batch, 1, sums, [&](Value i) {
      Value a = getBlock(t, i, at.a, spec.strideA);
      Value b = getBlock(t, i, at.b, spec.strideB);
      auto run = [&](Value a, Value b, int64_t from, int64_t to) {
        for (int64_t k = from; k < to; ++k)
          step(t.at(a, k * distanceA), t.at(b, k * distanceB), k % splits);
      };
      int64_t whole = steps / unroll * unroll;
      if (whole > unroll)
        t.loop(t.constant(whole), unroll, sums, [&](Value k) {
          run(t.at(a, k, distanceA), t.at(b, k, distanceB), 0, unroll);
        });
      else
        run(a, b, 0, whole);
      run(a, b, whole, steps);
      if (rest)
        rest(a, b);
    });
  }
};

} // namespace

void emitMatrixTile(ImplicitLocOpBuilder &b, const VectorPlan &plan,
                    const Machine &machine, const KernelSpec &spec,
                    int64_t rows, ArrayRef<int64_t> vectors, Value batch,
                    TilePointers at) {
  TileBuilder t(b, spec, plan.lanes, plan.valid);
  int64_t width = vectors.size(), count = rows * width;
  int64_t splits = getSplits(count, spec.k);
  Walk walk{
      spec,  batch, at, spec.k, 1, spec.ldb, getUnroll(count, splits, spec.k),
      splits};

  auto addressOfC = [&](int64_t row, int64_t vector) {
    return t.at(at.c, row * spec.ldc + vectors[vector]);
  };
  SmallVector<Value> sums(count * splits, t.getZero());
  if (spec.beta == 1)
    for (int64_t i = 0; i < count; ++i)
      sums[i] = t.loadPartial(addressOfC(i / width, i % width));

  // Whichever of rows and vectors is fewer is held in registers, the others are
  // streamed: this is what the plan has counted registers for.
  auto step = [&](Value a, Value bp, int64_t split) {
    auto left = [&](int64_t row) {
      return t.loadBroadcast(t.at(a, row * spec.lda));
    };
    auto right = [&](int64_t vector) {
      return t.loadPartial(t.at(bp, vectors[vector]));
    };
    auto add = [&](int64_t row, int64_t vector, Value x, Value y) {
      Value &sum = sums[split * count + row * width + vector];
      sum = vector::FMAOp::create(b, x, y, sum);
    };
    bool holdRight = width <= rows;
    SmallVector<Value> held;
    for (int64_t i = 0, e = holdRight ? width : rows; i < e; ++i)
      held.push_back(holdRight ? right(i) : left(i));
    for (int64_t i = 0, e = holdRight ? rows : width; i < e; ++i) {
      Value passing = holdRight ? left(i) : right(i);
      for (int64_t j = 0, f = held.size(); j < f; ++j)
        holdRight ? add(i, j, passing, held[j]) : add(j, i, held[j], passing);
    }
  };
  walk.emit(t, sums, step, {});
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
      Value left = load(t.at(a, row * spec.lda));
      Value &sum = sums[split * rows + row];
      sum = vector::FMAOp::create(b, left, right, sum);
    }
  };
  walk.emit(
      t, sums,
      [&](Value a, Value bp, int64_t split) { add(a, bp, split, true); },
      [&](Value a, Value bp) {
        if (rest)
          add(t.at(a, steps * plan.lanes), t.at(bp, steps * plan.lanes), 0,
              false);
      });
  t.joinSplits(sums, rows);
  // The order of the sum is free; it is the same in every run.
  for (int64_t row = 0; row < rows; ++row) {
    Value address = t.at(at.c, row * spec.ldc);
    Value sum =
        vector::ReductionOp::create(b, vector::CombiningKind::ADD, sums[row],
                                    arith::FastMathFlags::reassoc);
    if (spec.beta == 1)
      sum = arith::AddFOp::create(b, sum, t.loadElement(address));
    t.storeElement(sum, address);
  }
}

} // namespace gc::tir
