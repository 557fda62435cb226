// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Casts of f32 to integers of 8 bits where the machine has instructions
// that narrow integers with saturation (vpmovusdb and others of AVX-512).
// Elsewhere both limits are applied to the number, to which 1.5 * 2^23 is added
// so that its lowest bits are the integer. Here the conversion to 32 bits
// rounds, and makes what is too large the least integer: one limit is left to
// the narrowing instruction, the upper one of unsigned integers and the lower
// one of signed ones. A number that is known not to be too large
// (`tir.bounded`) needs no limit; four registers of such numbers are packed
// into one, with saturation (vpackssdw, vpackuswb).

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "TensorIRToLLVMImpl.h"
#include "VectorParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace gc::tir {

namespace {

/// A number that is replaced by a constant unless a comparison with that holds.
struct Limit {
  Value number, limit;
  APFloat value;
};

std::optional<Limit> matchLimit(Value value, arith::CmpFPredicate predicate) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  APFloat constant(0.0f);
  if (!compare || compare.getPredicate() != predicate ||
      compare.getLhs() != select.getTrueValue() ||
      compare.getRhs() != select.getFalseValue() ||
      !matchPattern(compare.getRhs(), m_ConstantFloat(&constant)))
    return std::nullopt;
  return Limit{select.getTrueValue(), select.getFalseValue(), constant};
}

struct NarrowByInstruction : OpRewritePattern<arith::TruncIOp> {
  NarrowByInstruction(MLIRContext *context, PatternBenefit benefit,
                      const Machine &machine)
      : OpRewritePattern(context, benefit), machine(machine) {}

  LogicalResult matchAndRewrite(arith::TruncIOp op,
                                PatternRewriter &rewriter) const override {
    unsigned width = getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth();
    auto cast = op.getIn().getDefiningOp<arith::BitcastOp>();
    auto sum = cast ? cast.getIn().getDefiningOp<arith::AddFOp>() : nullptr;
    APFloat shift(0.0f);
    if (width != 8 || !sum || !getElementTypeOrSelf(sum.getType()).isF32() ||
        !matchPattern(sum.getRhs(), m_ConstantFloat(&shift)) ||
        shift.convertToFloat() != 1.5f * (1 << 23))
      return rewriter.notifyMatchFailure(op, "does not round");
    int64_t lanes = getPartLanes(op.getType(), machine);
    if (!lanes)
      return rewriter.notifyMatchFailure(op, "no vectors of a register");
    auto most = matchLimit(sum.getLhs(), arith::CmpFPredicate::OLT);
    auto least = most ? matchLimit(most->number, arith::CmpFPredicate::OGT)
                      : std::nullopt;
    if (!least)
      return rewriter.notifyMatchFailure(op, "does not saturate");
    auto isLimit = [](const Limit &limit, const APInt &integer, bool isSigned) {
      return limit.value.convertToDouble() == integer.roundToDouble(isSigned);
    };
    bool isUnsigned = isLimit(*least, APInt::getZero(width), false) &&
                      isLimit(*most, APInt::getMaxValue(width), false),
         isSigned = isLimit(*least, APInt::getSignedMinValue(width), true) &&
                    isLimit(*most, APInt::getSignedMaxValue(width), true);
    if (op->hasAttr(TensorIRDialect::kBoundedAttr) &&
        (isUnsigned || isSigned)) {
      rewriter.replaceOp(
          op, narrowBounded(rewriter, op, least->number, lanes, isUnsigned));
      return success();
    }
    if (isUnsigned) {
      Value wide = convert(rewriter, op.getLoc(), most->number, lanes);
      Value limit = makeInteger(rewriter, op.getLoc(), wide,
                                APInt::getMaxValue(width).zext(32));
      rewriter.replaceOpWithNewOp<arith::TruncIOp>(
          op, op.getType(),
          arith::MinUIOp::create(rewriter, op.getLoc(), wide, limit));
      return success();
    }
    if (isSigned) {
      // NaN passes, and becomes the least integer as it does in the
      // comparisons.
      Value number = arith::SelectOp::create(
          rewriter, op.getLoc(),
          arith::CmpFOp::create(rewriter, op.getLoc(),
                                arith::CmpFPredicate::ULT, least->number,
                                most->limit),
          least->number, most->limit);
      Value wide = convert(rewriter, op.getLoc(), number, lanes);
      // The upper limit changes nothing, but names the instruction.
      Value low = makeInteger(rewriter, op.getLoc(), wide,
                              APInt::getSignedMinValue(width).sext(32));
      Value high = makeInteger(rewriter, op.getLoc(), wide,
                               APInt::getSignedMaxValue(width).sext(32));
      wide = arith::MaxSIOp::create(rewriter, op.getLoc(), wide, low);
      wide = arith::MinSIOp::create(rewriter, op.getLoc(), wide, high);
      rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op.getType(), wide);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "limits of another type");
  }

private:
  /// NaN is the least integer, and so 0 if the result is unsigned.
  Value narrowBounded(OpBuilder &builder, arith::TruncIOp op, Value number,
                      int64_t lanes, bool isUnsigned) const {
    Location loc = op.getLoc();
    int64_t count = cast<VectorType>(op.getType()).getNumElements();
    if (lanes == kPacked / 4 && count % kPacked == 0 &&
        machine.hasFeature("avx512bw"))
      return mapParts(builder, loc, number, kPacked,
                      [&](ArrayRef<Value> parts) {
                        return pack(builder, loc, parts[0], isUnsigned);
                      });
    Value wide = convert(builder, loc, number, lanes);
    unsigned width = getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth();
    auto limit = [&](const APInt &value) {
      return makeInteger(builder, loc, wide,
                         isUnsigned ? value.zext(32) : value.sext(32));
    };
    // The instruction that narrows has both limits of signed integers, and the
    // upper one of unsigned integers.
    wide = arith::MaxSIOp::create(builder, loc, wide,
                                  limit(isUnsigned
                                            ? APInt::getZero(width)
                                            : APInt::getSignedMinValue(width)));
    if (isUnsigned)
      wide = arith::MinUIOp::create(builder, loc, wide,
                                    limit(APInt::getMaxValue(width)));
    else
      wide = arith::MinSIOp::create(builder, loc, wide,
                                    limit(APInt::getSignedMaxValue(width)));
    return arith::TruncIOp::create(builder, loc, op.getType(), wide);
  }

  /// Elements of a register of 8 bits.
  static constexpr int64_t kPacked = 64;

  /// Four registers of numbers as one of integers of 8 bits. Packing keeps to
  /// parts of 128 bits, of which each then has four elements of each register.
  static Value pack(OpBuilder &builder, Location loc, Value numbers,
                    bool isUnsigned) {
    constexpr int64_t kLanes = kPacked / 4;
    SmallVector<Value> words;
    for (int64_t first = 0; first < kPacked; first += kLanes) {
      auto mask = llvm::to_vector(llvm::seq(first, first + kLanes));
      Value part =
          vector::ShuffleOp::create(builder, loc, numbers, numbers, mask);
      words.push_back(convert(builder, loc, part, kLanes));
    }
    auto call = [&](StringRef name, unsigned bits, Value a, Value b) -> Value {
      auto type = VectorType::get(512 / bits, builder.getIntegerType(bits));
      return LLVM::CallIntrinsicOp::create(
                 builder, loc, type,
                 builder.getStringAttr("llvm.x86.avx512." + name + ".512"),
                 {a, b})
          .getResults();
    };
    Value low = call("packssdw", 16, words[0], words[1]);
    Value high = call("packssdw", 16, words[2], words[3]);
    Value bytes = call(isUnsigned ? "packuswb" : "packsswb", 8, low, high);
    Value quads = vector::BitCastOp::create(
        builder, loc, VectorType::get(kLanes, builder.getI32Type()), bytes);
    SmallVector<int64_t> order;
    for (int64_t part = 0; part < 4; ++part)
      for (int64_t of = 0; of < 4; ++of)
        order.push_back(4 * of + part);
    return vector::BitCastOp::create(
        builder, loc, bytes.getType(),
        vector::ShuffleOp::create(builder, loc, quads, quads, order));
  }

  static Value makeInteger(OpBuilder &builder, Location loc, Value like,
                           const APInt &value) {
    auto type = cast<VectorType>(like.getType());
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            type, builder.getIntegerAttr(type.getElementType(), value)));
  }

  /// To integers of 32 bits, ties to even; to the least one if it is NaN or too
  /// large.
  static Value convert(OpBuilder &builder, Location loc, Value number,
                       int64_t lanes) {
    return mapParts(
        builder, loc, number, lanes, [&](ArrayRef<Value> parts) -> Value {
          auto type = VectorType::get(lanes, builder.getI32Type());
          if (lanes == 16)
            return callMasked(builder, loc, "cvtps2dq.512", type, parts);
          return LLVM::CallIntrinsicOp::create(
                     builder, loc, type,
                     builder.getStringAttr("llvm.x86.avx.cvt.ps2dq.256"), parts)
              .getResults();
        });
  }

  const Machine &machine;
};

} // namespace

void populateNarrowByInstructionPatterns(RewritePatternSet &patterns,
                                         const Machine &machine) {
  if (machine.hasFeature("avx512f"))
    patterns.add<NarrowByInstruction>(patterns.getContext(), /*benefit=*/4,
                                      machine);
}

} // namespace gc::tir
