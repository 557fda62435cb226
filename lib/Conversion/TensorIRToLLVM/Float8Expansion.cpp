// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conversions between f32 and the floats of 8 bits that the Open Compute
// Project specifies (OFP8: f8E5M2, f8E4M3FN), as integer arithmetic. Numbers
// below the least normal one are counted in units of the last place; no result
// depends on whether hardware flushes subnormal numbers to zero.

#include "ElementwiseBuilder.h"
#include "TensorIRToLLVMImpl.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace gc::tir {

namespace {

/// What differs between the two types.
struct Format {
  int fractionBits, bias;
  /// Codes without the sign: the least one that is not a number, the one that a
  /// number too large is rounded to, and a quiet NaN.
  int special, overflow, nan;

  /// Bits of f32's fraction that the type does not have.
  int getDropped() const { return 23 - fractionBits; }
  /// Difference of the biases, at the place of f32's exponent.
  int64_t getRebias() const { return int64_t(127 - bias) << 23; }
  /// The least number, as a power of two.
  int getLeast() const { return 1 - bias - fractionBits; }
};

std::optional<Format> getFormat(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<Float8E5M2Type>(element))
    return Format{2, 15, 0x7C, 0x7C, 0x7E};
  if (isa<Float8E4M3FNType>(element))
    return Format{3, 7, 0x7F, 0x7F, 0x7F};
  return std::nullopt;
}

Type withElement(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return vector.clone(element);
  return element;
}

constexpr int64_t kSign = int64_t(1) << 31;
constexpr int64_t kInfinity = 0x7F800000;
constexpr int64_t kNaN = 0x7FC00000;

Value isLess(PatternRewriter &rewriter, Location loc, Value x, Value y) {
  return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, x, y);
}

/// The value in f32, exactly.
Value extend(PatternRewriter &rewriter, Location loc, Value x) {
  Format format = *getFormat(x.getType());
  Type wide = withElement(x.getType(), rewriter.getF32Type());
  ElementwiseBuilder b(loc, rewriter, wide);
  Value bits = arith::BitcastOp::create(
      rewriter, loc, withElement(x.getType(), rewriter.getI8Type()), x);
  bits = arith::ExtUIOp::create(
      rewriter, loc, withElement(x.getType(), rewriter.getI32Type()), bits);
  Value code = b.both(bits, b.integer(0x7F));
  Value normal = b.add(b.shiftLeft(code, b.integer(format.getDropped())),
                       b.integer(format.getRebias()));
  Value units = b.bitsOf(
      b.mul(b.toReal(code), b.real(std::ldexp(1.0, format.getLeast()))));
  Value isSmall =
      isLess(rewriter, loc, code, b.integer(int64_t(1) << format.fractionBits));
  Value result = b.select(isSmall, units, normal);
  // Infinity has no fraction, and NaN has one.
  Value special = b.either(normal, b.integer(kInfinity));
  if (format.overflow == format.nan)
    special = b.integer(kNaN);
  Value isSpecial = isLess(rewriter, loc, b.integer(format.special - 1), code);
  result = b.select(isSpecial, special, result);
  Value sign = b.shiftLeft(b.both(bits, b.integer(0x80)), b.integer(24));
  return b.fromBits(b.either(result, sign));
}

/// A value of f32 rounded to `type`.
Value truncate(PatternRewriter &rewriter, Location loc, Value x, Type type) {
  Format format = *getFormat(type);
  ElementwiseBuilder b(loc, rewriter, x.getType());
  Value bits = b.bitsOf(x);
  Value size = b.both(bits, b.integer(kSign - 1));
  // To nearest, ties to the even neighbour: half a unit is added, minus one
  // where the last remaining bit is 0.
  int dropped = format.getDropped();
  Value rebiased =
      arith::SubIOp::create(rewriter, loc, size, b.integer(format.getRebias()));
  Value last = b.both(b.shiftRight(rebiased, b.integer(dropped)), b.integer(1));
  Value rounded = b.add(
      rebiased, b.add(last, b.integer((int64_t(1) << (dropped - 1)) - 1)));
  Value normal = b.shiftRight(rounded, b.integer(dropped));
  // The last place of this number is the least one of the type.
  Value magic = b.real(std::ldexp(1.0, 23 + format.getLeast()));
  Value units = arith::SubIOp::create(
      rewriter, loc, b.bitsOf(b.add(b.fromBits(size), magic)), b.bitsOf(magic));
  Value leastNormal = b.integer(int64_t(128 - format.bias) << 23);
  Value code =
      b.select(isLess(rewriter, loc, size, leastNormal), units, normal);
  // Also what is infinite.
  Value overflow = b.integer(format.overflow);
  code = b.select(isLess(rewriter, loc, code, overflow), code, overflow);
  code = b.select(b.isNaN(x), b.integer(format.nan), code);
  Value sign = arith::ShRUIOp::create(rewriter, loc, bits, b.integer(24));
  code = b.either(code, b.both(sign, b.integer(0x80)));
  Value narrow = arith::TruncIOp::create(
      rewriter, loc, withElement(type, rewriter.getI8Type()), code);
  return arith::BitcastOp::create(rewriter, loc, type, narrow);
}

/// A cast of f8 to any other type is one of f32. Casts by way of f32 may have
/// been folded into one cast, which is as exact.
template <typename Op>
struct ExpandCastFrom : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getFormat(op.getIn().getType()))
      return failure();
    Value wide = extend(rewriter, op.getLoc(), op.getIn());
    if (!std::is_same_v<Op, arith::ExtFOp>)
      wide = Op::create(rewriter, op.getLoc(), op.getType(), wide);
    else if (wide.getType() != op.getType())
      wide = arith::TruncFOp::create(rewriter, op.getLoc(), op.getType(), wide);
    rewriter.replaceOp(op, wide);
    return success();
  }
};

/// A cast of any other type to f8 is one of f32.
template <typename Op>
struct ExpandCastTo : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getFormat(op.getType()))
      return failure();
    Type wide = withElement(x.getType(), rewriter.getF32Type());
    if (!std::is_same_v<Op, arith::TruncFOp>)
      x = Op::create(rewriter, op.getLoc(), wide, x);
    else if (wide != x.getType())
      x = arith::ExtFOp::create(rewriter, op.getLoc(), wide, x);
    rewriter.replaceOp(op, truncate(rewriter, op.getLoc(), x, op.getType()));
    return success();
  }
};

} // namespace

void populateExpandFloat8Patterns(RewritePatternSet &patterns) {
  patterns.add<ExpandCastFrom<arith::ExtFOp>, ExpandCastFrom<arith::FPToSIOp>,
               ExpandCastFrom<arith::FPToUIOp>, ExpandCastTo<arith::TruncFOp>,
               ExpandCastTo<arith::SIToFPOp>, ExpandCastTo<arith::UIToFPOp>>(
      patterns.getContext());
}

} // namespace gc::tir
