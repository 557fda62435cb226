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
    mask = getMask(partial);
  }

  Value getZero() { return zero; }
  /// True in the first lanes.
  Value getMask(int64_t count) {
    SmallVector<bool> bits(groups.getNumElements(), false);
    std::fill_n(bits.begin(), count, true);
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(groups.clone(b.getI1Type()),
                                  ArrayRef<bool>(bits)));
  }
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

/// The operands of a tile, group by group.
struct TileOperands {
  TileBuilder &t;
  const MultiplyAdd &multiplyAdd;
  const KernelSpec &spec;
  ArrayRef<int64_t> vectors;
  int64_t steps = spec.k / spec.packB;
  /// Elements of a last group that k cuts. Only those are read of A, and what
  /// follows them is taken out of B: nobody has written it.
  int64_t cut = spec.k % spec.packB;

  Value getA(Value a, int64_t row, bool isCut) const {
    Value address = t.at(a, row * spec.lda, spec.a);
    return isCut ? multiplyAdd.keepFirst(
                       multiplyAdd.prepareA(t.loadCut(address, spec.a, cut)),
                       cut)
                 : multiplyAdd.prepareA(t.loadBroadcast(address));
  }
  Value getB(Value b, int64_t vector, bool isCut) const {
    Value loaded = multiplyAdd.prepareB(
        t.loadPartial(t.at(b, vectors[vector] * spec.packB, spec.b)));
    return isCut ? multiplyAdd.keepFirst(loaded, cut) : loaded;
  }

  /// step(a, b, split, isCut) for all groups of a batch. The groups are divided
  /// among `splits` sets of `count` accumulators.
  void forGroups(Value batch, const TilePointers &at, int64_t count,
                 int64_t splits, SmallVectorImpl<Value> &sums,
                 function_ref<void(Value, Value, int64_t, bool)> step) const {
    Walk walk{spec,
              batch,
              at,
              steps,
              spec.packB,
              spec.packB * spec.ldb,
              getUnroll(count, splits, steps),
              splits};
    auto rest = [&](Value a, Value b) {
      step(t.at(a, steps * spec.packB, spec.a),
           t.at(b, steps * spec.packB * spec.ldb, spec.b), 0, true);
    };
    walk.emit(
        t, sums,
        [&](Value a, Value b, int64_t split) { step(a, b, split, false); },
        cut ? function_ref<void(Value, Value)>(rest)
            : function_ref<void(Value, Value)>());
  }
};

} // namespace

SmallVector<Value> emitColumnTerms(ImplicitLocOpBuilder &b,
                                   const VectorPlan &plan,
                                   const Machine &machine,
                                   const KernelSpec &spec,
                                   ArrayRef<int64_t> vectors, Value batch,
                                   TilePointers at) {
  MultiplyAdd multiplyAdd(b, machine, spec,
                          VectorType::get(plan.lanes, b.getI32Type()));
  int64_t excessA = multiplyAdd.getExcessA(),
          excessB = multiplyAdd.getExcessB();
  if (excessA == 0)
    return {};
  TileBuilder t(b, spec, plan.lanes, plan.valid);
  TileOperands operands{t, multiplyAdd, spec, vectors};
  SmallVector<Value> sums(vectors.size(), t.getZero());
  operands.forGroups(batch, at, sums.size(), /*splits=*/1, sums,
                     [&](Value, Value bp, int64_t, bool isCut) {
                       for (auto [i, sum] : llvm::enumerate(sums))
                         sum = multiplyAdd.addElementsOfB(
                             operands.getB(bp, i, isCut), sum);
                     });
  for (Value &sum : sums)
    sum = multiplyAdd.scale(sum, -excessA);
  if (excessB == 0)
    return sums;
  Value blocks = arith::TruncIOp::create(b, b.getI32Type(), batch);
  Value both = multiplyAdd.scale(
      vector::BroadcastOp::create(b, t.getGroups(), blocks),
      spec.k * excessA * excessB);
  for (Value &sum : sums)
    sum = t.add(sum, both);
  return sums;
}

Value emitRowTerms(ImplicitLocOpBuilder &b, const VectorPlan &plan,
                   const Machine &machine, const KernelSpec &spec, Value batch,
                   BatchPointers a) {
  // Rows are read as vectors of groups, which may have a rest.
  int64_t steps = spec.k / spec.packB, cut = spec.k % spec.packB;
  int64_t whole = steps / plan.lanes * plan.lanes, rest = steps - whole;
  MultiplyAdd multiplyAdd(b, machine, spec,
                          VectorType::get(plan.lanes, b.getI32Type()));
  int64_t excess = multiplyAdd.getExcessB();
  if (excess == 0)
    return {};
  TileBuilder t(b, spec, plan.lanes, rest);
  Walk walk{spec,
            batch,
            {a, a, {}},
            whole / plan.lanes,
            spec.packB * plan.lanes,
            0,
            getUnroll(1, 1, whole / plan.lanes),
            /*splits=*/1};
  Value terms = LLVM::AllocaOp::create(b, a.base.getType(), b.getI32Type(),
                                       t.constant(spec.m));
  auto loop = scf::ForOp::create(b, t.constant(0), t.constant(spec.m),
                                 t.constant(1));
  disableUnrolling(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  SmallVector<Value, 1> sum{t.getZero()};
  auto add = [&](Value loaded, Value mask) {
    Value prepared = multiplyAdd.prepareA(loaded);
    if (mask)
      prepared = arith::SelectOp::create(b, mask, prepared, t.getZero());
    sum[0] = multiplyAdd.addElementsOfA(prepared, sum[0]);
  };
  auto inRow = [&](Value block) { return t.at(block, row, spec.lda, spec.a); };
  walk.emit(
      t, sum,
      [&](Value block, Value, int64_t) { add(t.load(inRow(block)), {}); },
      [&](Value block, Value) {
        Value end = t.at(inRow(block), whole * spec.packB, spec.a);
        if (rest)
          add(t.loadPartial(end), t.getMask(rest));
        if (cut) {
          Value group = t.loadCut(t.at(end, rest * spec.packB, spec.a), spec.a,
                                  cut);
          Value prepared = multiplyAdd.keepFirst(multiplyAdd.prepareA(group), cut);
          prepared = arith::SelectOp::create(b, t.getMask(1), prepared,
                                             t.getZero());
          sum[0] = multiplyAdd.addElementsOfA(prepared, sum[0]);
        }
      });
  Value total = vector::ReductionOp::create(b, vector::CombiningKind::ADD,
                                            multiplyAdd.scale(sum[0], -excess));
  LLVM::StoreOp::create(
      b, total,
      LLVM::GEPOp::create(b, terms.getType(), b.getI32Type(), terms,
                          LLVM::GEPArg(row), LLVM::GEPNoWrapFlags::inbounds));
  return terms;
}

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
