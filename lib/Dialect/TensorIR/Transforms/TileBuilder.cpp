// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gc::tir {

/// Accumulators in flight that hide the latency of a multiply-add.
constexpr int64_t kInFlight = 8;
/// Number of multiply-adds in a loop body that makes the loop's own cost
/// negligible.
constexpr int64_t kBodySize = 24;
constexpr int64_t kLineBytes = 64;

int64_t getSplits(int64_t accumulators, int64_t steps) {
  int64_t splits = 1;
  while (accumulators * splits < kInFlight && splits * 2 <= steps)
    splits *= 2;
  return splits;
}

int64_t getUnroll(int64_t accumulators, int64_t splits, int64_t steps) {
  int64_t unroll = splits;
  while (unroll * 2 * accumulators <= kBodySize && steps % (unroll * 2) == 0)
    unroll *= 2;
  return unroll;
}

TileBuilder::TileBuilder(ImplicitLocOpBuilder &b, const KernelSpec &spec,
                         int64_t lanes, int64_t partial, int64_t ahead)
    : b(b), spec(spec), partial(partial), ahead(ahead),
      alignment(std::min(getBytes(spec.a), getBytes(spec.b))),
      element(getStorageType(b.getContext(), spec.accumulator)),
      group(spec.packB == 1 && getBits(spec.a) == 32 ? element
                                                     : Type(b.getI32Type())),
      type(VectorType::get(lanes, element)),
      groups(VectorType::get(lanes, group)) {
  zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  if (partial == 0 || partial == lanes)
    return;
  mask = getMask(partial);
}

Value TileBuilder::getMask(int64_t count) {
  SmallVector<bool> bits(groups.getNumElements(), false);
  std::fill_n(bits.begin(), count, true);
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(groups.clone(b.getI1Type()),
                                ArrayRef<bool>(bits)));
}

Value TileBuilder::constant(int64_t value) {
  return arith::ConstantIntOp::create(b, value, 64);
}

/// How many elements of the storage type are `count` elements.
static int64_t getStored(int64_t count, DataType of) {
  return count * getBits(of) / (8 * getBytes(of));
}

Value TileBuilder::at(Value base, int64_t offset, DataType of) {
  offset = getStored(offset, of);
  if (offset == 0)
    return base;
  if (llvm::isInt<31>(offset))
    return advance(base, static_cast<int32_t>(offset), of);
  return advance(base, constant(offset), of);
}

Value TileBuilder::at(Value base, Value count, int64_t scale, DataType of) {
  scale = getStored(scale, of);
  if (scale == 0)
    return base;
  if (scale != 1)
    count = arith::MulIOp::create(b, count, constant(scale));
  return advance(base, count, of);
}

Value TileBuilder::load(Value address) {
  return LLVM::LoadOp::create(b, groups, address, alignment);
}

Value TileBuilder::loadInterleaved(Value address, DataType of, int64_t distance,
                                   int64_t count) {
  auto narrow = groups.clone(b.getIntegerType(getBits(of)));
  Value all;
  for (int64_t i = 0; i < count; ++i) {
    Value row = arith::ExtUIOp::create(
        b, groups, loadPartial(at(address, i * distance, of), narrow));
    if (i)
      row = arith::ShLIOp::create(
          b, row,
          arith::ConstantOp::create(
              b, DenseElementsAttr::get(groups, APInt(32, i * getBits(of)))));
    all = all ? Value(arith::OrIOp::create(b, all, row)) : row;
  }
  return all;
}

void TileBuilder::prefetch(Value address, int64_t bytes) {
  // Not inbounds, the operand may end before.
  Value line = LLVM::GEPOp::create(b, address.getType(), b.getI8Type(), address,
                                   LLVM::GEPArg(static_cast<int32_t>(bytes)));
  // More prefetches can be in flight to the L2 cache than to L1: on Zen 4
  // decoding in bf16 took 1.5 ms instead of 2.8.
  constexpr unsigned kRead = 0, kIntoL2 = 2, kData = 1;
  LLVM::Prefetch::create(b, line, kRead, kIntoL2, kData);
}

void TileBuilder::fetchAhead(Value address) {
  if (ahead == 0)
    return;
  // Rows are groups of packB neighbours along k.
  auto getRowBytes = [&](int64_t columns) {
    return columns * spec.packB * getBits(spec.b) / 8;
  };
  int64_t distance = ahead;
  if (spec.ldb != spec.n)
    distance =
        llvm::divideCeil(ahead, getRowBytes(spec.n)) * getRowBytes(spec.ldb);
  if (llvm::isInt<32>(distance))
    prefetch(address, distance);
}

void TileBuilder::fetchColumnAhead(Value address) {
  if (ahead)
    prefetch(address, ahead);
}

Value TileBuilder::loadBroadcast(Value address, VectorType vector) {
  return vector::BroadcastOp::create(
      b, vector,
      LLVM::LoadOp::create(b, vector.getElementType(), address, alignment));
}

Value TileBuilder::loadCut(Value address, DataType of, int64_t count) {
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

void TileBuilder::storePartial(Value value, Value address, bool masked) {
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

Value TileBuilder::loadListed(Type listed, Value list, Value index) {
  Value address =
      LLVM::GEPOp::create(b, list.getType(), listed, list, LLVM::GEPArg(index),
                          LLVM::GEPNoWrapFlags::inbounds);
  return LLVM::LoadOp::create(b, listed, address);
}

Value TileBuilder::loadElement(Value address) {
  return LLVM::LoadOp::create(b, element, address, alignment);
}

void TileBuilder::storeElement(Value value, Value address) {
  LLVM::StoreOp::create(b, value, address, alignment);
}

void TileBuilder::loop(Value count, int64_t step, SmallVectorImpl<Value> &sums,
                       function_ref<void(Value)> body) {
  auto op = scf::ForOp::create(b, constant(0), count, constant(step), sums);
  disableUnrolling(op);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  sums.assign(op.getRegionIterArgs().begin(), op.getRegionIterArgs().end());
  body(op.getInductionVar());
  // Without sums the loop has its terminator already.
  if (sums.empty())
    return;
  scf::YieldOp::create(b, sums);
  sums.assign(op.getResults().begin(), op.getResults().end());
}

void TileBuilder::joinSplits(SmallVectorImpl<Value> &sums, int64_t count) {
  for (int64_t live = sums.size() / 2; live >= count; live /= 2)
    for (int64_t i = 0; i < live; ++i)
      sums[i] = add(sums[i], sums[live + i]);
  sums.resize(count);
}

Value TileBuilder::sumLanes(Value sums) {
  auto anyOrder = isa<FloatType>(element) ? arith::FastMathFlags::reassoc
                                          : arith::FastMathFlags::none;
  return vector::ReductionOp::create(b, vector::CombiningKind::ADD, sums,
                                     anyOrder);
}

Value TileBuilder::sumLanesOfFour(ArrayRef<Value> sums) {
  constexpr int64_t kPart = 4;
  int64_t lanes = cast<VectorType>(sums[0].getType()).getNumElements();
  // Neighbours of x, then of y, in each part of 128 bits.
  auto pair = [&](Value x, Value y) -> Value {
    SmallVector<int64_t> even, odd;
    for (int64_t part = 0; part < lanes; part += kPart)
      for (int64_t of : {part, part + lanes})
        for (int64_t i : {0, 2}) {
          even.push_back(of + i);
          odd.push_back(of + i + 1);
        }
    return add(vector::ShuffleOp::create(b, x, y, even),
               vector::ShuffleOp::create(b, x, y, odd));
  };
  Value all = pair(pair(sums[0], sums[1]), pair(sums[2], sums[3]));
  for (int64_t half = lanes / 2; half >= kPart; half /= 2) {
    auto cut = [&](int64_t from) -> Value {
      return vector::ExtractStridedSliceOp::create(
          b, all, ArrayRef<int64_t>{from}, ArrayRef<int64_t>{half},
          ArrayRef<int64_t>{1});
    };
    all = add(cut(0), cut(half));
  }
  return all;
}

Value TileBuilder::keepValid(Value prepared) {
  return mask ? Value(arith::SelectOp::create(b, mask, prepared, zero))
              : prepared;
}

Value TileBuilder::add(Value x, Value y) {
  if (isa<FloatType>(element))
    return arith::AddFOp::create(b, x, y);
  return arith::AddIOp::create(b, x, y);
}

Value TileBuilder::loadWidened(Value address, bool whole) {
  Type narrow = spec.b == DataType::f16 ? Type(b.getF16Type())
                                        : b.getIntegerType(getBits(spec.b));
  VectorType vector = type.clone(narrow), integers = type.clone(b.getI32Type());
  Value loaded =
      whole ? Value(LLVM::LoadOp::create(b, vector, address, alignment))
            : loadPartial(address, vector);
  Value wide;
  switch (spec.b) {
  case DataType::f16:
    return arith::ExtFOp::create(b, type, loaded);
  case DataType::bf16: {
    // The upper half of an f32.
    Value half = arith::ConstantOp::create(
        b, DenseElementsAttr::get(integers, APInt(32, 16)));
    wide = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, integers, loaded),
                                 half);
    return vector::BitCastOp::create(b, type, wide);
  }
  default:
    break;
  }
  wide = spec.b == DataType::s8
             ? Value(arith::ExtSIOp::create(b, integers, loaded))
             : Value(arith::ExtUIOp::create(b, integers, loaded));
  wide = arith::SIToFPOp::create(b, type, wide);
  if (spec.zeroPointB == 0)
    return wide;
  return arith::SubFOp::create(
      b, wide,
      arith::ConstantOp::create(
          b,
          DenseElementsAttr::get(type, static_cast<float>(spec.zeroPointB))));
}

bool TileBuilder::beginsLine(int64_t elements, DataType of) {
  return elements * getBits(of) % (8 * kLineBytes) == 0;
}

Value TileBuilder::loadPartial(Value address, VectorType vector) {
  if (!mask)
    return LLVM::LoadOp::create(b, vector, address, alignment);
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(vector));
  return LLVM::MaskedLoadOp::create(b, vector, address, mask, none, alignment);
}

Value TileBuilder::advance(Value base, LLVM::GEPArg count, DataType of) {
  return LLVM::GEPOp::create(b, base.getType(),
                             getStorageType(b.getContext(), of), base, count,
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value Walk::getBlock(TileBuilder &t, Value i, const BatchPointers &operand,
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

void Walk::emitBlock(TileBuilder &t, Value i, SmallVectorImpl<Value> &sums,
                     Step step, Rest rest) const {
  Value a = getA(t, i), b = getB(t, i);
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
}

void Walk::emit(TileBuilder &t, SmallVectorImpl<Value> &sums, Step step,
                Rest rest) const {
  t.loop(batch, 1, sums, [&](Value i) { emitBlock(t, i, sums, step, rest); });
}

Value TileOperands::getA(Value a, int64_t row, bool isCut) const {
  Value address = t.at(a, row * spec.lda, spec.a);
  return isCut ? multiplyAdd.keepFirst(
                     multiplyAdd.prepareA(t.loadCut(address, spec.a, cut)), cut)
               : multiplyAdd.prepareA(t.loadBroadcast(address));
}

Value TileOperands::getB(Value b, int64_t vector, bool isCut) const {
  if (spec.packB != group) {
    Value first = t.at(b, vectors[vector], spec.b);
    int64_t count = isCut ? cut : group;
    // Several vectors of a row are in one line.
    if (TileBuilder::beginsLine(vectors[vector], spec.b))
      for (int64_t i = 0; i < count; ++i)
        t.fetchAhead(t.at(first, i * spec.ldb, spec.b));
    Value rows =
        multiplyAdd.prepareB(t.loadInterleaved(first, spec.b, spec.ldb, count));
    return isCut ? multiplyAdd.keepFirst(rows, cut) : rows;
  }
  Value address = t.at(b, vectors[vector] * spec.packB, spec.b);
  if (!isCut)
    t.fetchAhead(address);
  Value loaded = multiplyAdd.prepareB(t.loadPartial(address));
  return isCut ? multiplyAdd.keepFirst(loaded, cut) : loaded;
}

void TileOperands::forGroups(
    Value batch, const TilePointers &at, int64_t count, int64_t splits,
    SmallVectorImpl<Value> &sums,
    function_ref<void(Value, Value, int64_t, bool)> step) const {
  Walk walk{spec,
            batch,
            at,
            steps,
            group,
            group * spec.ldb,
            getUnroll(count, splits, steps),
            splits};
  auto rest = [&](Value a, Value b) {
    step(t.at(a, steps * group, spec.a),
         t.at(b, steps * group * spec.ldb, spec.b), 0, true);
  };
  walk.emit(
      t, sums,
      [&](Value a, Value b, int64_t split) { step(a, b, split, false); },
      cut ? Walk::Rest(rest) : Walk::Rest());
}

} // namespace gc::tir
