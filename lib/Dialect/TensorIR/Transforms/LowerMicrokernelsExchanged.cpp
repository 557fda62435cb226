// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels of few rows and a transposed B, of which nothing has to be packed:
// C^T = B A^T is computed instead. Columns of B are read in place like the rows
// of a first operand, element by element; the rows of A are packed on the
// stack. Squares of sums are transposed in registers on their way to C.

#include "Dialect/TensorIR/IR/TransposeInRegisters.h"
#include "TileBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gc::tir {

namespace {

/// The operands of the product that is computed: A is B, B is packed.
KernelSpec exchange(const KernelSpec &spec, int64_t lanes) {
  KernelSpec result;
  result.a = spec.b;
  result.b = spec.a;
  result.c = spec.c;
  result.accumulator = spec.accumulator;
  result.packB = getGroupSize(spec.a);
  result.zeroPointA = spec.zeroPointB;
  result.zeroPointB = spec.zeroPointA;
  result.m = spec.n;
  result.n = result.ldb = lanes;
  result.k = spec.k;
  result.lda = spec.ldb;
  return result;
}

class ExchangedKernel {
public:
  ExchangedKernel(ImplicitLocOpBuilder &b, const VectorPlan &plan,
                  const Machine &machine, const KernelSpec &spec, int64_t ahead,
                  Value batch, TilePointers at)
      : b(b), plan(plan), machine(machine), original(spec), batch(batch),
        at(at), lanes(plan.lanes), group(getGroupSize(spec.a)),
        groups(spec.k / group), vectors(llvm::divideCeil(spec.m, lanes)),
        spec(exchange(spec, lanes)),
        t(b, this->spec, lanes, groups % lanes, ahead),
        multiplyAdd(b, machine, this->spec, t.getGroups()) {}

  void emit() {
    packed = allocate(vectors * groups * lanes);
    // Sums of the columns of what is packed, times the zero point of the other.
    if (multiplyAdd.getExcessA() != 0)
      columnTerms = allocate(vectors * lanes);
    SmallVector<Value> none;
    t.loop(batch, 1, none, [&](Value i) { emitBlock(i); });
  }

private:
  /// Memory on the stack for so many numbers of 32 bits.
  Value allocate(int64_t count) {
    constexpr unsigned kAlignment = 64;
    return LLVM::AllocaOp::create(b, at.c.getType(), b.getI32Type(),
                                  t.constant(count), kAlignment);
  }

  void emitBlock(Value block) {
    a = t.at(at.a.base, block, original.strideA, original.a);
    columns = t.at(at.b.base, block, original.strideB, original.b);
    isLater = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, block,
                                    t.constant(0));
    forVectors([&](Value vector, int64_t rows) { pack(vector, rows); });
    SmallVector<Value> none;
    for (const ColumnTiles &tiles : plan.columns)
      t.loop(t.constant(tiles.count), 1, none, [&](Value i) {
        Value n = arith::AddIOp::create(
            b, arith::MulIOp::create(b, i, t.constant(tiles.step)),
            t.constant(tiles.start));
        Value first = t.at(columns, n, original.ldb, original.b);
        Value rowTerms = sumColumns(first, tiles.step);
        forVectors([&](Value vector, int64_t rows) {
          emitTile(vector, rows, n, first, tiles.step, rowTerms);
        });
      });
  }

  /// body(vector, rows) for each vector of rows; the last one may have fewer
  /// rows than lanes.
  void forVectors(function_ref<void(Value, int64_t)> body) {
    int64_t whole = original.m / lanes;
    SmallVector<Value> none;
    if (whole == 1)
      body(t.constant(0), lanes);
    else if (whole > 1)
      t.loop(t.constant(whole), 1, none,
             [&](Value vector) { body(vector, lanes); });
    if (int64_t rest = original.m % lanes)
      body(t.constant(whole), rest);
  }

  /// `count` numbers of 32 bits past a place on the stack.
  Value onStack(Value base, Value count, int64_t scale) {
    return t.at(base, count, scale, DataType::s32);
  }

  /// Groups of the rows, one row in each lane, and the terms of the lanes.
  void pack(Value vector, int64_t rows) {
    Value from = t.at(a, vector, lanes * original.lda, original.a);
    Value to = onStack(packed, vector, groups * lanes);
    Value noGroups = arith::ConstantOp::create(b, b.getZeroAttr(t.getGroups()));
    SmallVector<Value> sum;
    if (columnTerms)
      sum.push_back(t.getZero());
    auto packSquare = [&](Value from, Value to, int64_t count) {
      SmallVector<Value> square;
      for (int64_t row = 0; row < rows; ++row) {
        Value address = t.at(from, row * original.lda, original.a);
        square.push_back(count == lanes ? t.load(address)
                                        : t.loadPartial(address));
      }
      square.resize(lanes, noGroups);
      transposeInRegisters(b, b.getLoc(), square);
      for (int64_t i = 0; i < count; ++i) {
        Value prepared = multiplyAdd.prepareB(square[i]);
        t.storeElement(prepared, t.at(to, i * lanes, DataType::s32));
        if (columnTerms)
          sum[0] = multiplyAdd.addElementsOfB(prepared, sum[0]);
      }
    };
    int64_t whole = groups / lanes, rest = groups % lanes;
    auto packSquareAt = [&](Value i, int64_t count) {
      packSquare(t.at(from, i, lanes * group, original.a),
                 onStack(to, i, lanes * lanes), count);
    };
    if (whole)
      t.loop(t.constant(whole), 1, sum,
             [&](Value i) { packSquareAt(i, lanes); });
    if (rest)
      packSquareAt(t.constant(whole), rest);
    if (!columnTerms)
      return;
    int64_t excessA = multiplyAdd.getExcessA(),
            excessB = multiplyAdd.getExcessB();
    Value term = multiplyAdd.scale(sum[0], -excessA);
    if (excessB != 0)
      term =
          t.add(term, getSplat(t.getGroups(), original.k * excessA * excessB));
    t.storeElement(term, onStack(columnTerms, vector, lanes));
  }

  Value getSplat(VectorType type, int64_t value) {
    APInt bits(32, static_cast<uint64_t>(value), /*isSigned=*/false,
               /*implicitTrunc=*/true);
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, bits));
  }

  /// What the products of columns lack because of the zero point of what is
  /// packed: one number for each of them, or nothing.
  Value sumColumns(Value first, int64_t count) {
    int64_t excess = multiplyAdd.getExcessB();
    if (excess == 0)
      return {};
    // Vectors along k, whose lanes are added up.
    constexpr int64_t kFour = 4;
    int64_t all = machine.getLanes(getBits(spec.accumulator));
    int64_t whole = groups / all, rest = groups % all;
    TileBuilder along(b, spec, all, rest);
    MultiplyAdd adder(b, machine, spec, along.getGroups());
    SmallVector<Value> sums;
    for (int64_t column = 0; column < count; ++column) {
      Value sum = along.getZero();
      for (int64_t i = 0; i < whole + (rest != 0); ++i) {
        Value address =
            t.at(first, column * original.ldb + i * all * group, original.b);
        // Lanes past the end are zero only before they are prepared.
        Value elements =
            i < whole
                ? adder.prepareA(along.load(address))
                : along.keepValid(adder.prepareA(along.loadPartial(address)));
        sum = adder.addElementsOfA(elements, sum);
      }
      sums.push_back(sum);
    }
    sums.resize(llvm::alignTo(count, kFour), along.getZero());
    SmallVector<Value> fours;
    for (size_t i = 0; i < sums.size(); i += kFour)
      fours.push_back(along.sumLanesOfFour(ArrayRef(sums).slice(i, kFour)));
    Value joined = resize(join(fours), count);
    return arith::MulIOp::create(
        b, joined, getSplat(cast<VectorType>(joined.getType()), -excess));
  }

  /// Vectors of one size, one after the other.
  Value join(ArrayRef<Value> parts) {
    auto part = cast<VectorType>(parts[0].getType());
    int64_t size = part.getNumElements();
    if (parts.size() == 1)
      return parts[0];
    auto type = VectorType::get(size * parts.size(), part.getElementType());
    Value all = arith::ConstantOp::create(b, b.getZeroAttr(type));
    for (auto [i, value] : llvm::enumerate(parts))
      all = vector::InsertStridedSliceOp::create(
          b, value, all, ArrayRef<int64_t>{static_cast<int64_t>(i) * size},
          ArrayRef<int64_t>{1});
    return all;
  }

  /// The first lanes of a vector.
  Value resize(Value value, int64_t count) {
    if (cast<VectorType>(value.getType()).getNumElements() == count)
      return value;
    return vector::ExtractStridedSliceOp::create(b, value, ArrayRef<int64_t>{0},
                                                 ArrayRef<int64_t>{count},
                                                 ArrayRef<int64_t>{1});
  }

  void emitTile(Value vector, int64_t rows, Value n, Value first, int64_t count,
                Value rowTerms) {
    Value held = onStack(packed, vector, groups * lanes);
    Value start =
        columnTerms ? t.load(onStack(columnTerms, vector, lanes)) : t.getZero();
    SmallVector<Value> sums(count, start);
    // Each step fetches its part of the columns that come later.
    int64_t elementsAhead = count * original.ldb / (vectors * groups);
    Value ahead = t.at(first, vector, groups * elementsAhead, original.b);
    auto step = [&](Value at, Value packedAt, Value aheadAt) {
      t.fetchColumnAhead(aheadAt);
      Value y = t.load(packedAt);
      for (int64_t i = 0; i < count; ++i) {
        Value x = multiplyAdd.prepareA(
            t.loadBroadcast(t.at(at, i * original.ldb, original.b)));
        sums[i] = isInteger(spec.a) ? multiplyAdd.add(x, y, sums[i])
                                    : multiplyAdd.add(y, x, sums[i]);
      }
    };
    int64_t unroll = groups % 2 == 0 ? 2 : 1;
    t.loop(t.constant(groups), unroll, sums, [&](Value k) {
      Value columnsAt = t.at(first, k, group, original.b),
            packedAt = onStack(held, k, lanes),
            aheadAt = t.at(ahead, k, elementsAhead, original.b);
      for (int64_t i = 0; i < unroll; ++i)
        step(t.at(columnsAt, i * group, original.b),
             t.at(packedAt, i * lanes, DataType::s32),
             t.at(aheadAt, i * elementsAhead, original.b));
    });
    store(sums, vector, rows, n, rowTerms);
  }

  void store(SmallVectorImpl<Value> &sums, Value vector, int64_t rows, Value n,
             Value rowTerms) {
    int64_t count = sums.size();
    sums.resize(llvm::alignTo(count, lanes), t.getZero());
    std::vector<SmallVector<Value>> squares;
    for (size_t i = 0; i < sums.size(); i += lanes) {
      squares.emplace_back(ArrayRef(sums).slice(i, lanes));
      transposeInRegisters(b, b.getLoc(), squares.back());
    }
    Value c = t.at(at.c, n, 1, original.c);
    c = t.at(c, vector, lanes * original.ldc, original.c);
    for (int64_t row = 0; row < rows; ++row) {
      SmallVector<Value> parts;
      for (const SmallVector<Value> &square : squares)
        parts.push_back(square[row]);
      Value result = resize(join(parts), count);
      if (rowTerms)
        result = t.add(result, rowTerms);
      Value address = t.at(c, row * original.ldc, original.c);
      t.storeElement(t.add(result, loadPrevious(address, result.getType())),
                     address);
    }
  }

  /// The sums of earlier blocks, and what C held before them; else zeros.
  Value loadPrevious(Value address, Type type) {
    unsigned alignment = getBytes(original.c);
    if (original.beta)
      return LLVM::LoadOp::create(b, type, address, alignment);
    auto mask =
        VectorType::get(cast<VectorType>(type).getShape(), b.getI1Type());
    return LLVM::MaskedLoadOp::create(
        b, type, address, vector::BroadcastOp::create(b, mask, isLater),
        arith::ConstantOp::create(b, b.getZeroAttr(type)), alignment);
  }

  ImplicitLocOpBuilder &b;
  const VectorPlan &plan;
  const Machine &machine;
  const KernelSpec &original;
  Value batch;
  TilePointers at;
  /// Lanes of a vector of rows, elements of a group, groups of k, vectors.
  int64_t lanes, group, groups, vectors;
  KernelSpec spec;
  TileBuilder t;
  MultiplyAdd multiplyAdd;
  Value packed, columnTerms;
  /// Of the block.
  Value a, columns, isLater;
};

} // namespace

void emitExchangedKernel(ImplicitLocOpBuilder &b, const VectorPlan &plan,
                         const Machine &machine, const KernelSpec &spec,
                         int64_t ahead, Value batch, TilePointers at) {
  ExchangedKernel(b, plan, machine, spec, ahead, batch, at).emit();
}

} // namespace gc::tir
