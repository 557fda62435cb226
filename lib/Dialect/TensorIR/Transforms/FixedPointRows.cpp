// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FixedPointRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace gc::tir {

namespace {

constexpr int64_t kMantissaBits = 23;
/// Magnitudes are below 2^22, so that the upper digit has its range even after
/// the carry of the others.
constexpr int64_t kNumberBits = 22;
/// Biased exponents of the largest number of a row: those for which the factor
/// to and from integers is a normal number, and then some.
constexpr int64_t kLeastExponent = 50, kMostExponent = 200;
/// Elements of a lane of B, those that a dot product adds up in a lane, and dot
/// products for all of them: of those with even numbers, and of the odd ones.
constexpr int64_t kGroup = 8, kPerDot = 4, kParts = 2;
constexpr int64_t kDigitBits = 8;
/// 1.5 * 2^23 as a number and as bits: added to a number of up to 2^22 it
/// leaves the number, rounded to an integer, in the mantissa.
constexpr float kMagic = 12582912.0F;
constexpr int64_t kMagicBits = 0x4B400000;
/// A digit that is a byte less 128 instead of a byte: adding 128 at each of
/// them carries, and flipping the bits afterwards takes them away again.
constexpr int64_t kSigns = 0x808080;
constexpr int64_t kOnes = 0x01010101, kHalves = 0x0f0f0f0f,
                  kSignsOfHalves = 0x08080808;

KernelSpec getByteProducts() {
  KernelSpec spec = KernelSpec::getDense(DataType::u8, 1, 1, kPerDot);
  spec.b = DataType::s8;
  return spec;
}

} // namespace

FixedPointRows::FixedPointRows(TileBuilder &t, const Machine &machine,
                               const KernelSpec &spec, int64_t rows,
                               ArrayRef<int64_t> vectors, Value scratch)
    : t(t), b(t.b), spec(spec), bytes(getByteProducts()),
      multiplyAdd(b, machine, bytes, t.getGroups()), rows(rows),
      width(vectors.size()), lanes(t.getGroups().getNumElements()),
      vectors(vectors), scratch(scratch) {}

int64_t FixedPointRows::getRowBytes(const KernelSpec &spec) {
  return 4 * spec.k + kAlignment;
}

int64_t FixedPointRows::getNumBlocks(const KernelSpec &spec, int64_t rows) {
  // The digits of a row of 4096 numbers stay in the L1 cache.
  constexpr int64_t kBytes = 20 * 1024;
  return std::max<int64_t>(1, kBytes / (rows * getRowBytes(spec)));
}

int64_t FixedPointRows::getScratchBytes(const KernelSpec &spec, int64_t rows) {
  return getNumBlocks(spec, rows) * rows * getRowBytes(spec);
}

Value FixedPointRows::getDigits(Value i) {
  return address(scratch, i, rows * getRowBytes());
}

Value FixedPointRows::splat(int64_t value) {
  return arith::ConstantOp::create(
      b,
      DenseElementsAttr::get(
          t.getGroups(), APInt(32, static_cast<uint64_t>(value), false, true)));
}

Value FixedPointRows::scalar(int64_t value) {
  return arith::ConstantIntOp::create(b, value, 32);
}

Value FixedPointRows::address(Value base, int64_t offset) {
  return LLVM::GEPOp::create(b, base.getType(), b.getI8Type(), base,
                             LLVM::GEPArg(static_cast<int32_t>(offset)),
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value FixedPointRows::address(Value base, Value count, int64_t distance) {
  Value offset = arith::MulIOp::create(b, count, t.constant(distance));
  return LLVM::GEPOp::create(b, base.getType(), b.getI8Type(), base,
                             LLVM::GEPArg(offset),
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value FixedPointRows::loadNumbers(Value address, VectorType type) {
  return LLVM::LoadOp::create(b, type, address, getBytes(spec.a));
}

void FixedPointRows::convert(Value i, Value a) {
  Value digits = getDigits(i);
  for (int64_t row = 0; row < rows; ++row)
    convertRow(t.at(a, row * spec.lda, spec.a),
               address(digits, row * getRowBytes()));
}

Value FixedPointRows::isInRange(Value i) {
  Value digits = getDigits(i), all;
  for (int64_t row = 0; row < rows; ++row) {
    Value one = LLVM::LoadOp::create(
        b, b.getI32Type(),
        address(digits,
                row * getRowBytes() + getFactsOffset() + 4 * (1 + kDigits)),
        4);
    all = all ? Value(arith::AndIOp::create(b, all, one)) : one;
  }
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, all, scalar(0));
}

Value FixedPointRows::getLargest(Value a) {
  SmallVector<Value> largest{splat(0)};
  t.loop(t.constant(spec.k), lanes, largest, [&](Value k) {
    Value magnitude = arith::AndIOp::create(
        b, loadNumbers(t.at(a, k, 1, spec.a), t.getGroups()),
        splat(0x7fffffff));
    largest[0] = arith::MaxUIOp::create(b, largest[0], magnitude);
  });
  return vector::ReductionOp::create(b, vector::CombiningKind::MAXUI,
                                     largest[0]);
}

void FixedPointRows::convertRow(Value a, Value digits) {
  // Bits of magnitudes are in the order of the numbers; infinity and NaN are
  // the largest.
  Value largest = getLargest(a);
  Value exponent = arith::ShRUIOp::create(b, largest, scalar(kMantissaBits));
  auto compare = [&](arith::CmpIPredicate predicate, Value x, int64_t y) {
    return arith::CmpIOp::create(b, predicate, x, scalar(y));
  };
  // Zeros are in range, in any unit.
  Value isZero = compare(arith::CmpIPredicate::eq, largest, 0);
  Value inRange = arith::AndIOp::create(
      b, compare(arith::CmpIPredicate::ule, exponent, kMostExponent),
      arith::OrIOp::create(
          b, isZero,
          compare(arith::CmpIPredicate::uge, exponent, kLeastExponent)));
  exponent = arith::MaxUIOp::create(b, exponent, scalar(kLeastExponent));

  // A number below 2^(exponent - 126) times 2^(148 - exponent) is below 2^22.
  constexpr int64_t kBias = 127;
  auto power = [&](Value biased) -> Value {
    return arith::BitcastOp::create(
        b, b.getF32Type(),
        arith::ShLIOp::create(b, biased, scalar(kMantissaBits)));
  };
  Value factor = vector::BroadcastOp::create(
      b, t.getType(),
      power(arith::SubIOp::create(b, scalar(2 * kBias - 1 + kNumberBits),
                                  exponent)));
  Value unit =
      power(arith::SubIOp::create(b, exponent, scalar(kNumberBits - 1)));
  Value magic =
      arith::ConstantOp::create(b, DenseElementsAttr::get(t.getType(), kMagic));

  SmallVector<Value> sums{splat(0)};
  t.loop(t.constant(spec.k), lanes, sums, [&](Value k) {
    Value rounded = vector::FMAOp::create(
        b, loadNumbers(t.at(a, k, 1, spec.a), t.getType()), factor, magic);
    Value numbers = arith::AddIOp::create(
        b, vector::BitCastOp::create(b, t.getGroups(), rounded),
        splat(kSigns - kMagicBits));
    numbers = arith::XOrIOp::create(b, numbers, splat(kSigns));
    Value arranged = arrange(numbers);
    LLVM::StoreOp::create(b, arranged, address(digits, k, 4), 4 * lanes);
    sums[0] = multiplyAdd.add(splat(kOnes), arranged, sums[0]);
  });
  auto store = [&](Value value, int64_t index) {
    LLVM::StoreOp::create(b, value,
                          address(digits, getFactsOffset() + 4 * index), 4);
  };
  store(unit, 0);
  for (auto [i, sum] : llvm::enumerate(splitSums(sums[0])))
    store(arith::SIToFPOp::create(b, b.getF32Type(), sum), 1 + i);
  store(arith::ExtUIOp::create(b, b.getI32Type(), inRange), 1 + kDigits);
}

Value FixedPointRows::arrange(Value numbers) {
  auto type = VectorType::get(4 * lanes, b.getI8Type());
  Value from = vector::BitCastOp::create(b, type, numbers);
  SmallVector<int64_t> mask;
  for (int64_t group = 0; group < lanes; group += kGroup)
    for (int64_t digit = 0; digit < kDigits; ++digit)
      for (int64_t part = 0; part < kParts; ++part)
        for (int64_t i = 0; i < kPerDot; ++i)
          mask.push_back(4 * (group + kParts * i + part) + digit);
  // A fourth of the vector is left: what is there is not read.
  mask.resize(4 * lanes, mask.back());
  return vector::BitCastOp::create(
      b, t.getGroups(), vector::ShuffleOp::create(b, from, from, mask));
}

SmallVector<Value> FixedPointRows::splitSums(Value sums) {
  SmallVector<Value> results;
  for (int64_t digit = 0; digit < kDigits; ++digit) {
    SmallVector<int64_t> mask;
    for (int64_t group = 0; group < lanes / kGroup; ++group)
      for (int64_t part = 0; part < kParts; ++part)
        mask.push_back((group * kDigits + digit) * kParts + part);
    results.push_back(vector::ReductionOp::create(
        b, vector::CombiningKind::ADD,
        vector::ShuffleOp::create(b, sums, sums, mask)));
  }
  return results;
}

SmallVector<Value> FixedPointRows::multiply(Value i, Value first,
                                            ArrayRef<Value> zeroPoints) {
  Value start = getDigits(i);
  int64_t count = rows * width;
  // Sum of a digit, row and vector: sums[digit * count + row * width + vector].
  SmallVector<Value> sums(kDigits * count, splat(0));
  // Elements are unsigned bytes: signed ones are made so by flipping the sign,
  // which adds half of the range.
  bool isSigned = spec.b == DataType::s4;
  auto getBytesOf = [&](Value groups) -> Value {
    Value half = arith::AndIOp::create(b, groups, splat(kHalves));
    return isSigned ? arith::XOrIOp::create(b, half, splat(kSignsOfHalves))
                    : half;
  };
  t.loop(t.constant(spec.k / lanes), 1, sums, [&](Value block) {
    Value digits = address(start, block, 4 * lanes);
    Value group = t.at(first, block, lanes * spec.ldb, spec.b);
    for (int64_t step = 0; step < lanes / kGroup; ++step)
      for (int64_t v = 0; v < width; ++v) {
        Value address =
            t.at(group, (step * spec.ldb + vectors[v]) * kGroup, spec.b);
        t.fetchAhead(address);
        Value loaded = t.loadPartial(address);
        Value left[kParts] = {
            getBytesOf(loaded),
            getBytesOf(arith::ShRUIOp::create(b, loaded, splat(4)))};
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t digit = 0; digit < kDigits; ++digit)
            for (int64_t part = 0; part < kParts; ++part) {
              int64_t place = (step * kDigits + digit) * kParts + part;
              Value right = t.loadBroadcast(
                  this->address(digits, row * getRowBytes() + 4 * place));
              Value &sum = sums[digit * count + row * width + v];
              sum = multiplyAdd.add(left[part], right, sum);
            }
      }
  });

  auto constant = [&](float value) -> Value {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(t.getType(), value));
  };
  int64_t excess = spec.zeroPointB + (isSigned ? 8 : 0);
  Value weight = constant(1 << kDigitBits),
        upperWeight = constant(1 << 2 * kDigitBits);
  SmallVector<Value> results;
  for (int64_t j = 0; j < count; ++j) {
    Value facts = address(start, j / width * getRowBytes() + getFactsOffset());
    auto getFact = [&](int64_t index) {
      return t.loadBroadcastSum(address(facts, 4 * index));
    };
    Value zeroPoint;
    if (!zeroPoints.empty())
      zeroPoint = zeroPoints[j % width];
    if (excess != 0)
      zeroPoint =
          zeroPoint ? t.add(zeroPoint, constant(excess)) : constant(excess);
    if (zeroPoint)
      zeroPoint = arith::NegFOp::create(b, zeroPoint);
    // Less the zero point times the sum of the digits: small integers, exact.
    auto getSum = [&](int64_t digit) -> Value {
      Value sum =
          arith::SIToFPOp::create(b, t.getType(), sums[digit * count + j]);
      return zeroPoint ? Value(vector::FMAOp::create(b, zeroPoint,
                                                     getFact(1 + digit), sum))
                       : sum;
    };
    Value sum = vector::FMAOp::create(b, getSum(1), weight, getSum(0));
    sum = vector::FMAOp::create(b, getSum(2), upperWeight, sum);
    results.push_back(arith::MulFOp::create(b, sum, getFact(0)));
  }
  return results;
}

} // namespace gc::tir
