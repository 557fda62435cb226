// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Math functions of f32 as arithmetic. All reductions are Cody and Waite's
// ("Software Manual for the Elementary Functions", 1980); the polynomials are
// minimax fits, made with Lawson's algorithm in double precision. Measured
// errors are in the unit test of this file.

#include "Conversion/TensorIRToLLVM/MathExpansion.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "ElementwiseBuilder.h"
#include "ExpCoefficients.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

#include <limits>

using namespace mlir;
using namespace gc;

namespace {

using arith::CmpFPredicate;
using B = ElementwiseBuilder;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// Adding 1.5 * 2^23 rounds to an integer, which the low bits then hold.
constexpr double kRound32 = 12582912.0;
constexpr int64_t kRound32Bits = 0x4b400000;

/// x = n ln2 + r with |r| <= ln2 / 2.
struct Reduced {
  Value n; // i32
  Value r;
};

Reduced reduceExp(B &b, Value x) {
  Value shifted = b.mulAdd(x, b.real(kLog2E), b.real(kRound32));
  Value n = b.sub(shifted, b.real(kRound32));
  Value r = b.mulAdd(n, b.real(-kLn2Upper), x);
  r = b.mulAdd(n, b.real(-kLn2Lower), r);
  return {b.sub(b.bitsOf(shifted), b.integer(kRound32Bits)), r};
}

/// e^r - 1 for |r| <= ln2 / 2, relative error 3e-9.
Value expMinusOneOfReduced(B &b, Value r) {
  Value q = b.polynomial(r, ArrayRef(kExp).drop_front(2));
  return b.mulAdd(b.mul(r, r), q, r);
}

/// 2^n for n in [-126, 127]; infinity for 128.
Value powerOfTwo(B &b, Value n) {
  return b.fromBits(b.shiftLeft(b.add(n, b.integer(127)), b.integer(23)));
}

/// (1 + p) 2^n. Two factors, since 2^n may be beyond what f32 holds while the
/// product is not.
Value scaleByPowerOfTwo(B &b, Value p, Value n) {
  Value half = b.shiftRight(n, b.integer(1));
  Value result = b.add(p, b.real(1));
  result = b.mul(result, powerOfTwo(b, half));
  return b.mul(result, powerOfTwo(b, b.sub(n, half)));
}

/// 18 instructions with fused multiply-add, error 0.85 ulp.
Value expandExp(B &b, Value x) {
  // Beyond these bounds the result is infinity or rounds to 0.
  x = b.atLeast(b.atMost(x, b.real(89)), b.real(-104));
  // The low bits of `shifted` are n + 254, so that each half of them is the
  // biased exponent of a factor: the product of both is 2^n. One factor would
  // not be enough, since 2^n may be beyond what f32 holds while the result is
  // not.
  constexpr double round = kRound32 + 254;
  Value shifted = b.mulAdd(x, b.real(kLog2E), b.real(round));
  Value n = b.sub(shifted, b.real(round));
  Value r = b.mulAdd(n, b.real(-kLn2Upper), x);
  r = b.mulAdd(n, b.real(-kLn2Lower), r);
  Value p = b.polynomial(r, kExp);
  Value bits = b.bitsOf(shifted);
  Value half = b.shiftRight(bits, b.integer(1));
  auto toFactor = [&](Value exponent) {
    return b.fromBits(b.shiftLeft(exponent, b.integer(23)));
  };
  p = b.mul(p, toFactor(half));
  return b.mul(p, toFactor(b.sub(bits, half)));
}

/// e^x for x <= 0, error 2.5 + 0.025 |x| ulp; 0 below 2^-126.5, so that 2^n is
/// one factor. 12 instructions.
Value expandExpAtMostOne(B &b, Value x) {
  // As kRound32, so that the low bits hold the exponent's field.
  constexpr double kRound = kRound32 + 127;
  // Here n is -127, whose field is that of 0.
  x = b.atLeast(x, b.real(-88));
  Value shifted = b.mulAdd(x, b.real(kLog2E), b.real(kRound));
  Value n = b.sub(shifted, b.real(kRound));
  // ln2 as f32 is off by 2e-9, which is n times as much in the result: little
  // for results that are not tiny themselves.
  Value r = b.mulAdd(n, b.real(-kLn2), x);
  Value scale = b.fromBits(b.shiftLeft(b.bitsOf(shifted), b.integer(23)));
  // The factor goes into the last step, which rounds as if it followed, and
  // need not wait for the polynomial.
  Value p = b.polynomial(r, ArrayRef(kShortExp).drop_front());
  return b.mulAdd(p, b.mul(r, scale), scale);
}

Value expandExp2(B &b, Value x) {
  x = b.atLeast(b.atMost(x, b.real(129)), b.real(-151));
  Value shifted = b.add(x, b.real(kRound32));
  Value r = b.mul(b.sub(x, b.sub(shifted, b.real(kRound32))), b.real(kLn2));
  Value n = b.sub(b.bitsOf(shifted), b.integer(kRound32Bits));
  return scaleByPowerOfTwo(b, expMinusOneOfReduced(b, r), n);
}

Value expandExpM1(B &b, Value x) {
  x = b.atLeast(b.atMost(x, b.real(89)), b.real(-18));
  Reduced reduced = reduceExp(b, x);
  Value p = expMinusOneOfReduced(b, reduced.r);
  // 2^n (1 + p) - 1 = 2 (2^(n-1) p + (2^(n-1) - 1/2)): 2^(n-1) is finite where
  // the result is.
  Value scale = powerOfTwo(b, b.sub(reduced.n, b.integer(1)));
  Value sum = b.mulAdd(scale, p, b.sub(scale, b.real(0.5)));
  return b.add(sum, sum);
}

/// The logarithm of x = 2^e (1 + f) is e ln2 + log(1 + f).
struct Decomposed {
  Value e; // f32
  Value f; // in [sqrt(1/2) - 1, sqrt(2) - 1]
};

Decomposed decompose(B &b, Value x) {
  Value isSmall = b.compare(CmpFPredicate::OLT, x, b.real(1.17549435e-38));
  x = b.select(isSmall, b.mul(x, b.real(8388608)), x);
  constexpr int64_t rootHalfBits = 0x3f3504f3;
  Value offset = b.sub(b.bitsOf(x), b.integer(rootHalfBits));
  Value e = b.toReal(b.shiftRight(offset, b.integer(23)));
  e = b.add(e, b.select(isSmall, b.real(-23), b.real(0)));
  Value mantissa = b.both(offset, b.integer(0x7fffff));
  Value m = b.fromBits(b.add(mantissa, b.integer(rootHalfBits)));
  return {e, b.sub(m, b.real(1))};
}

/// log(1 + f) - f + f^2 / 2, where log(1 + f) has a relative error of 6e-9.
Value logRest(B &b, Value f) {
  Value p = b.polynomial(f, {0.3333333134651184, -0.250008225440979,
                             0.20001228153705597, -0.1662333458662033,
                             0.1420172154903412, -0.13160380721092224,
                             0.12761947512626648, -0.07634426653385162});
  return b.mul(b.mul(b.mul(f, f), f), p);
}

/// The logarithm where x is not a positive finite number.
Value fixLogarithm(B &b, Value x, Value result) {
  Value infinity = b.real(kInfinity);
  result = b.select(b.compare(CmpFPredicate::UGE, x, infinity), x, result);
  result = b.select(b.equal(x, b.real(0)), b.real(-kInfinity), result);
  return b.select(b.compare(CmpFPredicate::OLT, x, b.real(0)), b.real(kNaN),
                  result);
}

Value expandLog(B &b, Value x) {
  auto [e, f] = decompose(b, x);
  Value rest = b.mulAdd(e, b.real(-2.12194440e-4), logRest(b, f));
  rest = b.mulAdd(b.mul(f, b.real(-0.5)), f, rest);
  Value result = b.mulAdd(e, b.real(0.693359375), b.add(f, rest));
  return fixLogarithm(b, x, result);
}

/// log of x in the base whose e is 2^(1 / log2): log(1 + f) scale + e log2.
Value expandScaledLog(B &b, Value x, double scale, double log2) {
  auto [e, f] = decompose(b, x);
  Value rest = b.mulAdd(b.mul(f, b.real(-0.5)), f, logRest(b, f));
  Value result =
      b.mulAdd(b.add(f, rest), b.real(scale), b.mul(e, b.real(log2)));
  return fixLogarithm(b, x, result);
}

Value expandLog2(B &b, Value x) { return expandScaledLog(b, x, kLog2E, 1); }

Value expandLog10(B &b, Value x) {
  return expandScaledLog(b, x, 0.4342944819032518, 0.3010299956639812);
}

Value expandLog1p(B &b, Value x) {
  // log(u) plus what rounding u = 1 + x has lost.
  Value u = b.add(x, b.real(1));
  Value lost = b.div(b.sub(x, b.sub(u, b.real(1))), u);
  Value log = expandLog(b, u);
  Value isExact =
      b.either(b.equal(u, b.real(0)), b.equal(u, b.real(kInfinity)));
  return b.select(isExact, log, b.add(log, lost));
}

Value expandTanh(B &b, Value x) {
  // With t = e^(2|x|) - 1 it is t / (t + 2); 1 from 10 on.
  Value a = b.atMost(b.abs(x), b.real(10));
  Value t = expandExpM1(b, b.add(a, a));
  return b.copySign(b.div(t, b.add(t, b.real(2))), x);
}

/// x P(x^2) / Q(x^2), a fit of relative error 1.4e-8 up to 3.84, that exceeds 1
/// from there on and is cut off at 1. 17 instructions, one of them a division;
/// error 5.8 ulp near 1, 3.9 below 0.99 (without fused
/// multiply-add 7.4 and 4.5).
Value expandErf(B &b, Value x) {
  Value a = b.atLeast(b.atMost(x, b.real(4.25)), b.real(-4.25));
  Value square = b.mul(a, a);
  Value p = b.polynomial(square, {1.80540668964386, 0.300096333026886,
                                  0.0839113667607307, 0.00585886836051941,
                                  0.000457321206340566, 3.38678842126823e-06});
  Value q = b.polynomial(square, {1.60000002384186, 0.799286067485809,
                                  0.180796921253204, 0.023616936057806,
                                  0.00182931509334594, 6.21226063231006e-05});
  Value result = b.div(b.mul(a, p), q);
  return b.atLeast(b.atMost(result, b.real(1)), b.real(-1));
}

Value expandRsqrt(B &b, Value x) { return b.div(b.real(1), b.squareRoot(x)); }

/// 2^(y log2 |x|) in f64, finite nonzero x and finite y.
Value powerOfMagnitude(B &b, Value magnitude, Value y) {
  constexpr int64_t rootHalfBits = 0x3fe6a09e667f3bcd;
  constexpr int64_t mantissaMask = (int64_t(1) << 52) - 1;
  constexpr double round64 = 6755399441055744.0;
  constexpr int64_t round64Bits = 0x4338000000000000;
  auto integer = [&](int64_t value) { return b.integer(value, 64); };
  Value offset = b.sub(b.bitsOf(b.widen(magnitude)), integer(rootHalfBits));
  Value exponent = b.shiftRight(offset, integer(52));
  Value e = b.sub(b.fromBits(b.add(exponent, integer(round64Bits))),
                  b.real64(round64));
  Value m = b.fromBits(
      b.add(b.both(offset, integer(mantissaMask)), integer(rootHalfBits)));
  // log m = 2 artanh s with s = (m - 1) / (m + 1), |s| < 0.172.
  Value s = b.div(b.sub(m, b.real64(1)), b.add(m, b.real64(1)));
  SmallVector<double> series;
  for (int k = 0; k < 7; ++k)
    series.push_back(2 * kLog2E / (2 * k + 1));
  Value log2 = b.mulAdd(s, b.polynomial(b.mul(s, s), series), e);

  Value w = b.mul(b.widen(y), log2);
  w = b.atLeast(b.atMost(w, b.real64(160)), b.real64(-160));
  Value shifted = b.add(w, b.real64(round64));
  Value r = b.mul(b.sub(w, b.sub(shifted, b.real64(round64))), b.real64(kLn2));
  SmallVector<double> factorials;
  double factorial = 1;
  for (int k = 0; k < 9; factorial *= ++k)
    factorials.push_back(1 / factorial);
  Value n = b.sub(b.bitsOf(shifted), integer(round64Bits));
  Value scale = b.fromBits(b.shiftLeft(b.add(n, integer(1023)), integer(52)));
  return b.narrow(b.mul(b.polynomial(r, factorials), scale));
}

/// As C's pow (ISO C, F.10.4.4).
Value expandPow(B &b, Value x, Value y) {
  Value zero = b.real(0), one = b.real(1), infinity = b.real(kInfinity);
  Value magnitude = b.abs(x), absY = b.abs(y);
  Value result = powerOfMagnitude(b, magnitude, y);

  Value isLimit =
      b.either(b.equal(magnitude, zero), b.equal(magnitude, infinity));
  Value grows = b.compare(CmpFPredicate::OGT, y, zero);
  Value isLarge = b.compare(CmpFPredicate::OGT, magnitude, one);
  // Both large and growing, or neither: infinity.
  Value limit = b.select(b.differ(isLarge, grows), zero, infinity);
  isLimit =
      b.either(isLimit, b.both(b.equal(absY, infinity),
                               b.compare(CmpFPredicate::ONE, magnitude, one)));
  result = b.select(isLimit, limit, result);
  result = b.select(b.both(b.equal(absY, infinity), b.equal(magnitude, one)),
                    one, result);

  Value isInteger = b.equal(b.roundEven(y), y);
  Value halfY = b.mul(y, b.real(0.5));
  Value isOdd = b.both(
      isInteger, b.compare(CmpFPredicate::ONE, b.roundEven(halfY), halfY));
  result = b.select(isOdd, b.copySign(result, x), result);
  Value isNegative = b.both(b.compare(CmpFPredicate::OLT, x, zero),
                            b.compare(CmpFPredicate::OLT, magnitude, infinity));
  Value isFraction = b.compare(CmpFPredicate::ONE, b.roundEven(y), y);
  result = b.select(b.both(isNegative, isFraction), b.real(kNaN), result);
  result = b.select(b.either(b.isNaN(x), b.isNaN(y)), b.real(kNaN), result);
  return b.select(b.either(b.equal(x, one), b.equal(y, zero)), one, result);
}

bool isFloat32(Type type) { return getElementTypeOrSelf(type).isF32(); }

template <typename Op, Value (*expand)(B &, Value)>
struct ExpandUnary : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat32(op.getType()))
      return rewriter.notifyMatchFailure(op, "not f32");
    B builder(op.getLoc(), rewriter, op.getType());
    rewriter.replaceOp(op, expand(builder, op.getOperand()));
    return success();
  }
};

struct ExpandExpAtMostOne : public OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat32(op.getType()) ||
        !op->hasAttr(tir::TensorIRDialect::kAtMostOneAttr))
      return rewriter.notifyMatchFailure(op, "not f32 or may exceed 1");
    B builder(op.getLoc(), rewriter, op.getType());
    rewriter.replaceOp(op, expandExpAtMostOne(builder, op.getOperand()));
    return success();
  }
};

struct ExpandPow : public OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat32(op.getType()))
      return rewriter.notifyMatchFailure(op, "not f32");
    B b(op.getLoc(), rewriter, op.getType());
    Value x = op.getLhs();
    FloatAttr exponent;
    Attribute constant;
    if (matchPattern(op.getRhs(), m_Constant(&constant))) {
      exponent = dyn_cast<FloatAttr>(constant);
      if (auto splat = dyn_cast<SplatElementsAttr>(constant))
        exponent = splat.getSplatValue<FloatAttr>();
    }
    double y = exponent ? exponent.getValueAsDouble() : 0;
    Value result;
    if (y == 1)
      result = x;
    else if (y == 2)
      result = b.mul(x, x);
    else if (y == -1)
      result = b.div(b.real(1), x);
    else
      result = expandPow(b, x, op.getRhs());
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void gc::populateMathToArithPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandUnary<math::ErfOp, expandErf>,
               ExpandUnary<math::Exp2Op, expandExp2>,
               ExpandUnary<math::ExpM1Op, expandExpM1>,
               ExpandUnary<math::ExpOp, expandExp>,
               ExpandUnary<math::Log10Op, expandLog10>,
               ExpandUnary<math::Log1pOp, expandLog1p>,
               ExpandUnary<math::Log2Op, expandLog2>,
               ExpandUnary<math::LogOp, expandLog>,
               ExpandUnary<math::RsqrtOp, expandRsqrt>,
               ExpandUnary<math::TanhOp, expandTanh>, ExpandPow>(
      patterns.getContext(), /*benefit=*/2);
  patterns.add<ExpandExpAtMostOne>(patterns.getContext(), /*benefit=*/3);
  // f16 and bf16 are computed in f32; for the rest upstream's polynomials are
  // used.
  auto all = [](StringRef) { return true; };
  populateMathF32ExpansionPatterns(patterns, all);
  populateMathPolynomialApproximationPatterns(patterns, all);
  math::populateExpansionPatterns(
      patterns,
      {math::SinhOp::getOperationName(), math::CoshOp::getOperationName(),
       math::TanOp::getOperationName(), math::AsinhOp::getOperationName(),
       math::AcoshOp::getOperationName(), math::AtanhOp::getOperationName()});
}
