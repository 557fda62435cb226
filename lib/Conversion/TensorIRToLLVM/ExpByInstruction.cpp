// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The exponential of f32 where the machine has an instruction that multiplies
// by a power of two (vscalefps of AVX-512): the exponent need not be put
// together from bits, and results below 2^-126 need no care. The reduction and
// the polynomials are those of other machines, except that one more instruction
// (vreduceps) reduces arguments that are at most 0.

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

/// The code for vectors that consist of registers with this many lanes.
class Expansion {
public:
  Expansion(Location loc, OpBuilder &builder, Type type, int64_t lanes)
      : loc(loc), builder(builder), lanes(lanes), b(loc, builder, type) {}

  Value expand(Value x) {
    // Beyond these bounds the result is infinity or rounds to 0, and the
    // reduction of an infinite number would be NaN.
    x = b.atMost(b.atLeast(x, b.real(-104)), b.real(89));
    Value n = b.roundEven(b.mul(x, b.real(kLog2E)));
    Value r = b.mulAdd(n, b.real(-kLn2Upper), x);
    r = b.mulAdd(n, b.real(-kLn2Lower), r);
    return scale(b.polynomial(r, kExp), n);
  }

  /// The rounding of x log2(e) is an error of up to about |x| ulp of the
  /// result, as that of the difference is which x usually comes from. What is
  /// left of an infinite number is 0.
  Value expandByReduction(Value x) {
    Value t = b.mul(x, b.real(kLog2E));
    // t - floor(t)
    constexpr int64_t floor = 1 | 8;
    Value r = apply("reduce", t, floor);
    return scale(b.polynomial(r, kShortExp2), t);
  }

private:
  /// p 2^floor(n)
  Value scale(Value p, Value n) { return apply("scalef", {p, n}); }

  /// An instruction of AVX-512, register by register.
  Value apply(StringRef name, ArrayRef<Value> operands,
              std::optional<int64_t> control = std::nullopt) {
    return mapParts(
        builder, loc, operands, lanes, [&](ArrayRef<Value> parts) -> Value {
          auto arguments = llvm::to_vector(parts);
          if (control)
            arguments.push_back(LLVM::ConstantOp::create(
                builder, loc, builder.getI32IntegerAttr(*control)));
          return callMasked(builder, loc, name + ".ps." + Twine(lanes * 32),
                            cast<VectorType>(parts[0].getType()), arguments);
        });
  }

  Location loc;
  OpBuilder &builder;
  int64_t lanes;
  ElementwiseBuilder b;
};

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
    Expansion expansion(op.getLoc(), rewriter, op.getType(), lanes);
    Value x = op.getOperand();
    bool isAtMostOne = op->hasAttr(TensorIRDialect::kAtMostOneAttr);
    rewriter.replaceOp(op, isAtMostOne && machine.hasFeature("avx512dq")
                               ? expansion.expandByReduction(x)
                               : expansion.expand(x));
    return success();
  }

private:
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
