// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of f16 by fewer instructions of the vector unit, all on f16: it has
// twice as many lanes of that as of f32, in which the functions that it lacks
// are computed otherwise.

#include "Conversion/Passes.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace gc {
#define GEN_PASS_DEF_POLYSHORTENFUNCTIONS
#include "Conversion/Passes.h.inc"
} // namespace gc

using namespace gc;
using namespace gc::graph;

namespace {

/// Builds arithmetic on tensors of one type and on numbers.
struct Calculator {
  OpBuilder &b;
  Location loc;

  Value number(double value) {
    Type f16 = b.getF16Type();
    auto type = RankedTensorType::get({}, f16);
    return ConstantOp::create(
        b, loc, type, DenseElementsAttr::get(type, b.getFloatAttr(f16, value)));
  }
  Value multiply(Value x, Value y) { return MultiplyOp::create(b, loc, x, y); }
  Value multiply(Value x, double y) { return multiply(x, number(y)); }
  Value add(Value x, double y) { return AddOp::create(b, loc, x, number(y)); }
  /// 1 + exp(x), at most infinity.
  Value addOneToExp(Value x) { return add(ExpOp::create(b, loc, x), 1); }
};

bool isF16(Value value) {
  return getElementTypeOrSelf(value.getType()).isF16();
}

/// gelu(x) = x * p(x), where the logit of p, the distribution function of the
/// normal distribution, is nearly x * (a + b * x^2): for mode gelu_tanh that is
/// the definition; for gelu_erf these numbers make the largest error of p
/// least, 1.43e-4, which is 0.3 * 2^-11. Where x^2 is infinite, so is the
/// logit.
struct ShortenGelu : OpRewritePattern<GeluOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GeluOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getSrc();
    if (!isF16(x))
      return failure();
    bool isTanh = op.getMode() == "gelu_tanh";
    constexpr double kTwice = 2 * 0.79788456080286536; // 2 * sqrt(2 / pi)
    double a = isTanh ? kTwice : 1.5975;
    double b = isTanh ? kTwice * 0.044715 : 0.0706;
    Calculator c{rewriter, op.getLoc()};
    Value factor = c.add(c.multiply(c.multiply(x, x), -b), -a);
    Value divisor = c.addOneToExp(c.multiply(factor, x));
    rewriter.replaceOpWithNewOp<DivideOp>(op, x, divisor);
    return success();
  }
};

struct ShortenFunctions : gc::impl::PolyShortenFunctionsBase<ShortenFunctions> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ShortenGelu>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
