// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Register tiles of f32 by a narrower B. A vector of B is loaded once as groups
// of neighbours along k; each element of its groups is converted to f32 right
// before it is multiplied, so that memory sees B in its own type only. Integers
// and their differences from a zero point are exact in f32: nothing is rounded
// but products and sums. Scales are applied to the sums of a block, which has
// one for a column.

#include "FixedPointRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace gc::tir {

namespace {

class WideningTile {
public:
  WideningTile(ImplicitLocOpBuilder &b, const VectorPlan &plan,
               const Machine &machine, const KernelSpec &spec, int64_t ahead,
               int64_t rows, ArrayRef<int64_t> vectors, const TilePointers &at)
      : b(b), t(b, spec, plan.lanes, plan.valid, ahead), spec(spec), rows(rows),
        width(vectors.size()), count(rows * width), vectors(vectors), at(at),
        masked(machine.vectorBits >= 512),
        splits(std::min(getSplits(count, spec.packB), spec.packB)) {
    if (plan.fixedPoint)
      fixedPoint.emplace(t, machine, spec, rows, vectors, at.scratch);
  }

  void emit(Value batch) {
    int64_t steps = spec.k / spec.packB;
    Walk walk{spec,
              batch,
              at,
              steps,
              spec.packB,
              spec.packB * spec.ldb,
              getUnroll(count * spec.packB, 1, steps),
              /*splits=*/1};
    auto step = [&](Value a, Value bp, int64_t) {
      multiply(a, bp, spec.packB);
    };
    auto rest = [&](Value a, Value bp) {
      multiply(t.at(a, steps * spec.packB, spec.a),
               t.at(bp, steps * spec.packB * spec.ldb, spec.b),
               spec.k % spec.packB);
    };
    auto cut = spec.k % spec.packB ? Walk::Rest(rest) : Walk::Rest();

    SmallVector<Value> totals;
    for (int64_t i = 0; i < count; ++i)
      totals.push_back(spec.beta ? t.loadSums(getC(i)) : t.getZero());
    auto compute = [&](Value i) {
      sums.assign(splits * count, t.getZero());
      walk.emitBlock(t, i, sums, step, cut);
      t.joinSplits(sums, count);
    };
    if (fixedPoint) {
      emitInFixedPoint(walk, totals, compute);
    } else if (spec.ldScaleB == 0) {
      sums.assign(splits * count, t.getZero());
      walk.emit(t, sums, step, cut);
      t.joinSplits(sums, count);
      for (int64_t i = 0; i < count; ++i)
        totals[i] = spec.beta ? t.add(totals[i], sums[i]) : sums[i];
    } else {
      t.loop(batch, 1, totals, [&](Value i) {
        loadZeroPoints(i);
        compute(i);
        addSums(i, totals);
      });
    }
    for (int64_t i = 0; i < count; ++i)
      t.storePartial(totals[i], getC(i), masked);
  }

private:
  /// Adds the sums of all blocks, those whose numbers are out of range by
  /// `otherwise`.
  void emitInFixedPoint(const Walk &walk, SmallVectorImpl<Value> &totals,
                        function_ref<void(Value)> otherwise) {
    int64_t together = FixedPointRows::getNumBlocks(spec, rows);
    t.loop(walk.batch, together, totals, [&](Value first) {
      Value left = arith::SubIOp::create(b, walk.batch, first);
      Value blocks = arith::MinSIOp::create(b, left, t.constant(together));
      auto getBlock = [&](Value j) -> Value {
        return arith::AddIOp::create(b, first, j);
      };
      SmallVector<Value> none;
      t.loop(blocks, 1, none, [&](Value j) {
        fixedPoint->convert(j, walk.getA(t, getBlock(j)));
      });
      t.loop(blocks, 1, totals, [&](Value j) {
        Value i = getBlock(j);
        loadZeroPoints(i);
        auto choice = scf::IfOp::create(
            b, SmallVector<Type>(count, t.getType()), fixedPoint->isInRange(j),
            /*withElseRegion=*/true);
        {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(choice.thenBlock());
          scf::YieldOp::create(
              b, fixedPoint->multiply(j, walk.getB(t, i), zeroPoints));
          b.setInsertionPointToStart(choice.elseBlock());
          otherwise(i);
          scf::YieldOp::create(b, sums);
        }
        sums.assign(choice.result_begin(), choice.result_end());
        addSums(i, totals);
      });
    });
  }

  void loadZeroPoints(Value i) {
    if (spec.hasZeroPointsB)
      zeroPoints = loadRow(at.zps, i);
  }

  /// Adds the sums of block i, times its scales.
  void addSums(Value i, SmallVectorImpl<Value> &totals) {
    SmallVector<Value> scales;
    if (spec.ldScaleB != 0)
      scales = loadRow(at.scales, i);
    for (int64_t j = 0; j < count; ++j)
      totals[j] = scales.empty()
                      ? t.add(totals[j], sums[j])
                      : Value(vector::FMAOp::create(b, scales[j % width],
                                                    sums[j], totals[j]));
  }

  /// The tile's scales or zero points of a block.
  SmallVector<Value> loadRow(Value base, Value block) {
    Value row = t.at(base, block, spec.ldScaleB, DataType::f32);
    return llvm::map_to_vector(vectors, [&](int64_t vector) {
      return t.loadSums(t.at(row, vector, DataType::f32));
    });
  }

  /// Adds the products of the first `elements` elements of a group.
  void multiply(Value a, Value bp, int64_t elements) {
    SmallVector<Value> groups;
    for (int64_t v = 0; v < width; ++v) {
      Value address = t.at(bp, vectors[v] * spec.packB, spec.b);
      if (TileBuilder::beginsLine(vectors[v] * spec.packB, spec.b))
        t.fetchAhead(address);
      groups.push_back(spec.packB == 1 ? t.loadWidened(address, /*whole=*/false)
                                       : t.loadPartial(address));
    }
    int64_t shifted = 0;
    for (int64_t j = 0; j < elements; ++j) {
      if (isInteger(spec.b) && spec.packB > 1)
        if (int64_t shift = getShift(j); shift != shifted) {
          for (Value &group : groups)
            group = arith::ShRUIOp::create(b, group, splat(shift - shifted));
          shifted = shift;
        }
      SmallVector<Value> left;
      for (int64_t m = 0; m < rows; ++m)
        left.push_back(t.loadBroadcastSum(t.at(a, m * spec.lda + j, spec.a)));
      for (int64_t v = 0; v < width; ++v) {
        Value right = widen(groups[v], j);
        if (!zeroPoints.empty())
          right = arith::SubFOp::create(b, right, zeroPoints[v]);
        for (int64_t m = 0; m < rows; ++m) {
          Value &sum = sums[j % splits * count + m * width + v];
          sum = vector::FMAOp::create(b, left[m], right, sum);
        }
      }
    }
  }

  /// How far groups are shifted for their element j to be in the mantissa of an
  /// f32.
  int64_t getShift(int64_t j) const {
    constexpr int64_t kMantissaBits = 23, kHalf = 16;
    return (j + 1) * getBits(spec.b) > kMantissaBits ? kHalf : 0;
  }

  /// Element j of groups of integers, shifted as getShift() says, as f32 less
  /// the zero point that is a constant.
  Value widenInteger(Value groups, int64_t j) {
    constexpr int64_t kMantissaBits = 23, kBias = 127;
    int64_t bits = getBits(spec.b), place = j * bits - getShift(j);
    int64_t exponent = kMantissaBits - place;
    int64_t power = (kBias + exponent) << kMantissaBits;
    int64_t offset = (int64_t(1) << exponent) + spec.zeroPointB;
    // The sign bit counts as positive if it is flipped and half of the range is
    // subtracted.
    if (spec.b == DataType::s8 || spec.b == DataType::s4) {
      power |= int64_t(1) << (place + bits - 1);
      offset += int64_t(1) << (bits - 1);
    }
    Value field = arith::AndIOp::create(
        b, groups, splat(((int64_t(1) << bits) - 1) << place));
    Value value = vector::BitCastOp::create(
        b, t.getType(), arith::XOrIOp::create(b, field, splat(power)));
    return arith::SubFOp::create(
        b, value,
        arith::ConstantOp::create(
            b,
            DenseElementsAttr::get(t.getType(), static_cast<float>(offset))));
  }

  /// Element j of each group as f32.
  Value widen(Value groups, int64_t j) {
    if (spec.packB == 1)
      return groups;
    int64_t bits = getBits(spec.b), below = j * bits, above = 32 - bits - below;
    Value value = groups;
    switch (spec.b) {
    case DataType::s8:
    case DataType::s4:
    case DataType::u8:
    case DataType::u4:
      return widenInteger(groups, j);
    case DataType::bf16:
      // The upper half of an f32.
      value = below ? Value(arith::AndIOp::create(b, value, splat(0xffff0000)))
                    : Value(arith::ShLIOp::create(b, value, splat(above)));
      return vector::BitCastOp::create(b, t.getType(), value);
    case DataType::f16:
      if (below)
        value = arith::ShRUIOp::create(b, value, splat(below));
      value = arith::TruncIOp::create(b, t.getGroups().clone(b.getI16Type()),
                                      value);
      value = vector::BitCastOp::create(b, t.getGroups().clone(b.getF16Type()),
                                        value);
      return arith::ExtFOp::create(b, t.getType(), value);
    case DataType::f32:
    case DataType::s32:
      break;
    }
    return {};
  }

  Value splat(int64_t value) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               t.getGroups(),
               APInt(32, static_cast<uint64_t>(value), false, true)));
  }

  Value getC(int64_t i) {
    return t.at(at.c, i / width * spec.ldc + vectors[i % width], spec.c);
  }

  ImplicitLocOpBuilder &b;
  TileBuilder t;
  const KernelSpec &spec;
  int64_t rows, width, count;
  ArrayRef<int64_t> vectors;
  TilePointers at;
  bool masked;
  int64_t splits;
  /// Sums of products, and zero points of each vector that are operands.
  SmallVector<Value> sums, zeroPoints;
  std::optional<FixedPointRows> fixedPoint;
};

} // namespace

void emitWideningTile(ImplicitLocOpBuilder &b, const VectorPlan &plan,
                      const Machine &machine, const KernelSpec &spec,
                      int64_t ahead, int64_t rows, ArrayRef<int64_t> vectors,
                      Value batch, TilePointers at) {
  WideningTile(b, plan, machine, spec, ahead, rows, vectors, at).emit(batch);
}

} // namespace gc::tir
