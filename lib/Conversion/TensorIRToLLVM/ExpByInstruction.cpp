// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The exponential of f32 where the machine has an instruction that multiplies
// by a power of two (vscalefps of AVX-512): the exponent need not be put
// together from bits, and results below 2^-126 need no care. The reduction and
// the polynomials are those of other machines.

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "ElementwiseBuilder.h"
#include "ExpCoefficients.h"
#include "TensorIRToLLVMImpl.h"
#include "VectorParts.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace gc::tir {

namespace {

using B = ElementwiseBuilder;

struct ExpByInstruction : OpRewritePattern<math::ExpOp> {
  ExpByInstruction(MLIRContext *context, PatternBenefit benefit,
                   const Machine &machine)
      : OpRewritePattern(context, benefit), machine(machine) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    int64_t lanes = getPartLanes(op.getType(), machine);
    if (!lanes)
      return rewriter.notifyMatchFailure(op, "no vectors of a register");
    B b(op.getLoc(), rewriter, op.getType());
    bool isAtMostOne = op->hasAttr(TensorIRDialect::kAtMostOneAttr);
    // Beyond these bounds the result is infinity or rounds to 0, and the
    // reduction of an infinite number would be NaN.
    Value x = b.atLeast(op.getOperand(), b.real(-104));
    if (!isAtMostOne)
      x = b.atMost(x, b.real(89));
    Value n = b.roundEven(b.mul(x, b.real(kLog2E)));
    Value p;
    if (isAtMostOne) {
      Value r = b.mulAdd(n, b.real(-kLn2), x);
      p = b.polynomial(r, kShortExp);
    } else {
      Value r = b.mulAdd(n, b.real(-kLn2Upper), x);
      r = b.mulAdd(n, b.real(-kLn2Lower), r);
      p = b.polynomial(r, kExp);
    }
    rewriter.replaceOp(op, scale(rewriter, op.getLoc(), p, n, lanes));
    return success();
  }

private:
  /// p 2^n
  static Value scale(OpBuilder &builder, Location loc, Value p, Value n,
                     int64_t lanes) {
    return mapParts(
        builder, loc, {p, n}, lanes, [&](ArrayRef<Value> parts) -> Value {
          Type type = parts[0].getType();
          auto makeConstant = [&](Type integer, int64_t value) -> Value {
            return LLVM::ConstantOp::create(
                builder, loc, builder.getIntegerAttr(integer, value));
          };
          SmallVector<Value> operands{
              parts[0], parts[1], LLVM::ZeroOp::create(builder, loc, type),
              makeConstant(builder.getIntegerType(lanes), -1)};
          // Rounding as the processor's state says.
          if (lanes == 16)
            operands.push_back(makeConstant(builder.getI32Type(), 4));
          auto name = builder.getStringAttr("llvm.x86.avx512.mask.scalef.ps." +
                                            Twine(lanes * 32));
          return LLVM::CallIntrinsicOp::create(builder, loc, type, name,
                                               operands)
              .getResults();
        });
  }

  const Machine &machine;
};

} // namespace

void populateExpByInstructionPatterns(RewritePatternSet &patterns,
                                      const Machine &machine) {
  // Before the expansions for every machine.
  if (machine.hasFeature("avx512f"))
    patterns.add<ExpByInstruction>(patterns.getContext(), /*benefit=*/4,
                                   machine);
}

} // namespace gc::tir
