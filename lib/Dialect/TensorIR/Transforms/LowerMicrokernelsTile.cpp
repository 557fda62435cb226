// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bodies of register tiles: accumulators stay in registers over the whole
// batch and k and are stored once. Vectors are loaded through LLVM pointers,
// since a tile knows the distance of every row as a constant.

#include "LowerMicrokernels.h"
#include "MultiplyAdd.h"
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

/// Builds what both kinds of tile consist of. Sums are vectors of 32-bit lanes;
/// a lane of an operand is a group of neighbours along k that fills 32 bits.
class TileBuilder {
public:
  /// `partial` lanes are those of partial loads and stores.
  TileBuilder(ImplicitLocOpBuilder &b, const KernelSpec &spec, int64_t lanes,
              int64_t partial)
      : b(b), partial(partial),
        alignment(std::min(getBytes(spec.a), getBytes(spec.b))),
        element(getStorageType(b.getContext(), spec.accumulator)),
        group(spec.packB == 1 ? element : Type(b.getI32Type())),
        type(VectorType::get(lanes, element)),
        groups(VectorType::get(lanes, group)) {
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

  /// The address `offset` elements of the type past `base`.
  Value at(Value base, int64_t offset, DataType of) {
    if (offset == 0)
      return base;
    if (llvm::isInt<31>(offset))
      return advance(base, static_cast<int32_t>(offset), of);
    return advance(base, constant(offset), of);
  }
  /// The address count * scale elements of the type past `base`.
  Value at(Value base, Value count, int64_t scale, DataType of) {
    if (scale == 0)
      return base;
    if (scale != 1)
      count = arith::MulIOp::create(b, count, constant(scale));
    return advance(base, count, of);
  }

  Value load(Value address) {
    return LLVM::LoadOp::create(b, groups, address, alignment);
  }
  /// The other lanes are zero, and their memory is not touched.
  Value loadPartial(Value address) { return loadPartial(address, groups); }
  /// The same, of sums.
  Value loadSums(Value address) { return loadPartial(address, type); }
  Value loadBroadcast(Value address) {
    return vector::BroadcastOp::create(
        b, groups, LLVM::LoadOp::create(b, group, address, alignment));
  }
  /// The first `count` elements of a group, followed by zeros, in all lanes.
  Value loadCut(Value address, DataType of, int64_t count) {
    Type narrow = getStorageType(b.getContext(), of);
    Type bits = b.getIntegerType(getBits(of));
    Value all;
    for (int64_t i = 0; i < count; ++i) {
      Value one = LLVM::LoadOp::create(b, narrow, at(address, i, of), alignment);
      if (narrow != bits)
        one = arith::BitcastOp::create(b, bits, one);
      one = arith::ExtUIOp::create(b, group, one);
      if (i)
        one = arith::ShLIOp::create(
            b, one, arith::ConstantIntOp::create(b, i * getBits(of), 32));
      all = all ? Value(arith::OrIOp::create(b, all, one)) : one;
    }
    return vector::BroadcastOp::create(b, groups, all);
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
        sums[i] = add(sums[i], sums[live + i]);
    sums.resize(count);
  }
  Value add(Value x, Value y) {
    if (isa<FloatType>(element))
      return arith::AddFOp::create(b, x, y);
    return arith::AddIOp::create(b, x, y);
  }
  VectorType getGroups() const { return groups; }

  ImplicitLocOpBuilder &b;

private:
  Value loadPartial(Value address, VectorType vector) {
    if (!mask)
      return LLVM::LoadOp::create(b, vector, address, alignment);
    Value none = arith::ConstantOp::create(b, b.getZeroAttr(vector));
    return LLVM::MaskedLoadOp::create(b, vector, address, mask, none,
                                      alignment);
  }
  Value advance(Value base, LLVM::GEPArg count, DataType of) {
    return LLVM::GEPOp::create(b, base.getType(),
                               getStorageType(b.getContext(), of), base, count,
                               LLVM::GEPNoWrapFlags::inbounds);
  }

  int64_t partial;
  unsigned alignment;
  Type element, group;
  VectorType type, groups;
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
                 int64_t stride, DataType type) const {
    switch (spec.batch) {
    case BatchForm::stride:
      return t.at(operand.base, i, stride, type);
    case BatchForm::offset: {
      Value bytes = t.loadListed(t.b.getI64Type(), operand.offsets, i);
      return LLVM::GEPOp::create(t.b, operand.base.getType(), t.b.getI8Type(),
                                 operand.base, LLVM::GEPArg(bytes),
                                 LLVM::GEPNoWrapFlags::inbounds);
    }
    case BatchForm::address:
      return t.at(t.loadListed(operand.base.getType(), operand.base, i),
                  operand.start, 1, type);
    }
    return {};
  }

  /// step(a, b, split) once for each step, rest(a, b) after the steps of each
  /// block, with the addresses where the elements of the step begin.
  void emit(TileBuilder &t, SmallVectorImpl<Value> &sums,
            function_ref<void(Value, Value, int64_t)> step,
            function_ref<void(Value, Value)> rest) const {
    t.loop(batch, 1, sums, [&](Value i) {
      Value a = getBlock(t, i, at.a, spec.strideA, spec.a);
      Value b = getBlock(t, i, at.b, spec.strideB, spec.b);
      auto run = [&](Value a, Value b, int64_t from, int64_t to) {
        for (int64_t k = from; k < to; ++k)
          step(t.at(a, k * distanceA, spec.a), t.at(b, k * distanceB, spec.b),
               k % splits);
      };
      int64_t whole = steps / unroll * unroll;
      if (whole > unroll)
        t.loop(t.constant(whole), unroll, sums, [&](Value k) {
          run(t.at(a, k, distanceA, spec.a), t.at(b, k, distanceB, spec.b), 0,
              unroll);
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
  MultiplyAdd multiplyAdd(b, machine, spec, t.getGroups());
  int64_t width = vectors.size(), count = rows * width;
  int64_t steps = spec.k / spec.packB, cut = spec.k % spec.packB;
  int64_t splits = getSplits(count, steps);
  Walk walk{spec,
            batch,
            at,
            steps,
            spec.packB,
            spec.packB * spec.ldb,
            getUnroll(count, splits, steps),
            splits};

  auto addressOfC = [&](int64_t row, int64_t vector) {
    return t.at(at.c, row * spec.ldc + vectors[vector], spec.c);
  };
  // Of a last group that k cuts, only the elements before the cut are read of
  // A, and those after it are taken out of B: nobody has written them.
  auto left = [&](Value a, int64_t row, bool isCut) {
    Value address = t.at(a, row * spec.lda, spec.a);
    return isCut ? multiplyAdd.takeOut(
                       multiplyAdd.prepareA(t.loadCut(address, spec.a, cut)),
                       cut)
                 : multiplyAdd.prepareA(t.loadBroadcast(address));
  };
  auto right = [&](Value bp, int64_t vector, bool isCut) {
    Value loaded = multiplyAdd.prepareB(
        t.loadPartial(t.at(bp, vectors[vector] * spec.packB, spec.b)));
    return isCut ? multiplyAdd.takeOut(loaded, cut) : loaded;
  };
  SmallVector<Value> sums(count * splits, t.getZero());
  if (spec.beta == 1)
    for (int64_t i = 0; i < count; ++i)
      sums[i] = t.loadSums(addressOfC(i / width, i % width));

  // What the instruction takes off or adds to every product is the same for all
  // rows, or for all columns: it is summed by itself, before the others.
  if (multiplyAdd.needsCorrection()) {
    bool ofRows = multiplyAdd.isCorrectedByRow();
    SmallVector<Value> corrections(ofRows ? rows : width, t.getZero());
    Walk single = walk;
    single.splits = 1;
    single.unroll = getUnroll(corrections.size(), 1, steps);
    auto correct = [&](Value a, Value bp, bool isCut) {
      for (auto [i, sum] : llvm::enumerate(corrections))
        sum = multiplyAdd.addCorrection(
            ofRows ? left(a, i, isCut) : right(bp, i, isCut), sum);
    };
    auto correctRest = [&](Value a, Value bp) {
      correct(t.at(a, steps * spec.packB, spec.a),
              t.at(bp, steps * spec.packB * spec.ldb, spec.b), true);
    };
    single.emit(
        t, corrections,
        [&](Value a, Value bp, int64_t) { correct(a, bp, false); },
        cut ? function_ref<void(Value, Value)>(correctRest)
            : function_ref<void(Value, Value)>());
    for (int64_t i = 0; i < count; ++i)
      sums[i] = t.add(
          sums[i], multiplyAdd.scaleCorrection(
                       corrections[ofRows ? i / width : i % width]));
  }

  // Whichever of rows and vectors is fewer is held in registers, the others are
  // streamed: this is what the plan has counted registers for.
  auto step = [&](Value a, Value bp, int64_t split, bool isCut) {
    auto add = [&](int64_t row, int64_t vector, Value x, Value y) {
      Value &sum = sums[split * count + row * width + vector];
      sum = multiplyAdd.add(x, y, sum);
    };
    bool holdRight = width <= rows;
    SmallVector<Value> held;
    for (int64_t i = 0, e = holdRight ? width : rows; i < e; ++i)
      held.push_back(holdRight ? right(bp, i, isCut) : left(a, i, isCut));
    for (int64_t i = 0, e = holdRight ? rows : width; i < e; ++i) {
      Value passing = holdRight ? left(a, i, isCut) : right(bp, i, isCut);
      for (int64_t j = 0, f = held.size(); j < f; ++j)
        holdRight ? add(i, j, passing, held[j]) : add(j, i, held[j], passing);
    }
  };
  auto rest = [&](Value a, Value bp) {
    step(t.at(a, steps * spec.packB, spec.a),
         t.at(bp, steps * spec.packB * spec.ldb, spec.b), 0, true);
  };
  walk.emit(
      t, sums,
      [&](Value a, Value bp, int64_t split) { step(a, bp, split, false); },
      cut ? function_ref<void(Value, Value)>(rest)
          : function_ref<void(Value, Value)>());
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
