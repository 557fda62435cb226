// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients of elementwise functions as simpler ops, in f32 whatever the
// element type. Slopes of functions that level off are computed without taking
// a number close to 1 from 1.

#include "Decomposition.h"

using namespace mlir;
using namespace gc::graph;

using Values = SmallVector<Value>;

/// Decomposes an op whose only result is a function of src and diff_dst.
static FailureOr<Values> decomposeGradient(
    RewriterBase &rewriter, Operation *op,
    function_ref<Value(Decomposition &b, Value x, Value diff)> build) {
  Decomposition b(rewriter, op);
  Value x = b.toF32(op->getOperand(0)), diff = b.toF32(op->getOperand(1));
  return finish(b, build(b, x, diff), op->getResult(0).getType());
}

/// x <= limit ? low : high.
static Value selectAt(Decomposition &b, Value x, double limit, Value low,
                      Value high) {
  Value isLow = b.make<GreaterEqualOp>(b.scalar(limit, x), x);
  return b.make<SelectOp>(isLow, low, high);
}

/// low < x < high ? value : 0.
static Value selectBetween(Decomposition &b, Value x, double low, double high,
                           Value value) {
  Value zero = b.scalar(0, value);
  Value isHigh = b.make<GreaterEqualOp>(x, b.scalar(high, x));
  return selectAt(b, x, low, zero, b.make<SelectOp>(isHigh, zero, value));
}

/// (1 - x) * (1 + x).
static Value getComplement(Decomposition &b, Value x) {
  return b.multiply(b.subtract(b.scalar(1, x), x), b.add(x, 1));
}

/// The slope of sigmoid(scale * x), divided by scale: e / (1 + e)^2 with e =
/// exp(-|scale * x|).
static Value getLogisticSlope(Decomposition &b, Value x, double scale) {
  Value decay = b.make<ExpOp>(b.multiply(b.make<AbsOp>(x), -scale));
  Value sum = b.add(decay, 1);
  return b.make<DivideOp>(decay, b.multiply(sum, sum));
}

FailureOr<Values> AbsBackwardOp::decompose(RewriterBase &rewriter) {
  return decomposeGradient(
      rewriter, *this, [](Decomposition &b, Value x, Value diff) {
        Value isZero = b.make<GreaterEqualOp>(x, b.scalar(0, x));
        Value low =
            b.make<SelectOp>(isZero, b.scalar(0, diff), b.multiply(diff, -1));
        return selectAt(b, x, 0, low, diff);
      });
}

FailureOr<Values> ClampBackwardOp::decompose(RewriterBase &rewriter) {
  return decomposeGradient(
      rewriter, *this, [&](Decomposition &b, Value x, Value diff) {
        return selectBetween(b, x, getMin().convertToDouble(),
                             getMax().convertToDouble(), diff);
      });
}

FailureOr<Values> EluBackwardOp::decompose(RewriterBase &rewriter) {
  return decomposeGradient(
      rewriter, *this, [&](Decomposition &b, Value x, Value diff) {
        double alpha = getAlpha().convertToDouble();
        Value slope =
            getUseDst() ? b.add(x, alpha) : b.multiply(b.make<ExpOp>(x), alpha);
        return selectAt(b, x, 0, b.multiply(diff, slope), diff);
      });
}

/// The slope of gelu in mode gelu_erf.
static Value getErfSlope(Decomposition &b, Value x) {
  Value erf = b.make<ErfOp>(b.multiply(x, 0.70710678118654752));
  Value bell = b.make<ExpOp>(b.multiply(b.multiply(x, x), -0.5));
  return b.add(b.multiply(b.add(erf, 1), 0.5),
               b.multiply(b.multiply(x, bell), 0.39894228040143268));
}

/// The slope of gelu in mode gelu_tanh.
static Value getTanhSlope(Decomposition &b, Value x) {
  // It is 0 or 1 from there on; the square of x times 0 could be NaN.
  x = b.make<ClampOp>(x, b.f32(-8), b.f32(8));
  constexpr double factor = 0.79788456080286536;
  Value square = b.multiply(x, x);
  Value inner =
      b.multiply(x, b.add(b.multiply(square, factor * 0.044715), factor));
  Value tanh = b.make<TanhOp>(inner);
  Value growth =
      b.multiply(x, b.add(b.multiply(square, factor * 0.134145), factor));
  Value sum = b.add(b.add(tanh, 1), b.multiply(getComplement(b, tanh), growth));
  return b.multiply(sum, 0.5);
}

FailureOr<Values> GeluBackwardOp::decompose(RewriterBase &rewriter) {
  return decomposeGradient(
      rewriter, *this, [&](Decomposition &b, Value x, Value diff) {
        return b.multiply(diff, getMode() == "gelu_erf" ? getErfSlope(b, x)
                                                        : getTanhSlope(b, x));
      });
}

FailureOr<Values> HardSigmoidBackwardOp::decompose(RewriterBase &rewriter) {
  return decomposeGradient(
      rewriter, *this, [&](Decomposition &b, Value x, Value diff) {
        double alpha = getAlpha().convertToDouble();
        Value line = b.add(b.multiply(x, alpha), getBeta().convertToDouble());
        return selectBetween(b, line, 0, 1, b.multiply(diff, alpha));
      });
}

FailureOr<Values> HardSwishBackwardOp::decompose(RewriterBase &rewriter) {
  return decomposeGradient(
      rewriter, *this, [](Decomposition &b, Value x, Value diff) {
        Value slope = b.add(b.multiply(x, 1.0 / 3.0), 0.5);
        Value middle = selectAt(b, x, 3, b.multiply(diff, slope), diff);
        return selectAt(b, x, -3, b.scalar(0, diff), middle);
      });
}

FailureOr<Values> MishBackwardOp::decompose(RewriterBase &rewriter) {
  return decomposeGradient(
      rewriter, *this, [](Decomposition &b, Value x, Value diff) {
        // tanh + x * sigmoid * (1 - tanh^2) with tanh = below / (below + 2):
        // the last two factors are 4 e (1 + e) / (below + 2)^2.
        MishParts parts = buildMishParts(b, x);
        Value share = b.make<ReciprocalOp>(b.add(parts.below, 2));
        Value first = b.multiply(parts.exponential, share);
        Value second = b.multiply(b.add(parts.exponential, 1), share);
        // In this order, 4 x cannot overflow.
        Value growth =
            b.multiply(parts.x, b.multiply(b.multiply(first, 4), second));
        Value tanh = b.multiply(parts.below, share);
        return b.multiply(diff, b.add(tanh, growth));
      });
}

FailureOr<Values> ReluBackwardOp::decompose(RewriterBase &rewriter) {
  return decomposeGradient(rewriter, *this,
                           [](Decomposition &b, Value x, Value diff) {
                             return selectAt(b, x, 0, b.scalar(0, diff), diff);
                           });
}

FailureOr<Values> SigmoidBackwardOp::decompose(RewriterBase &rewriter) {
  return decomposeGradient(
      rewriter, *this, [&](Decomposition &b, Value x, Value diff) {
        Value slope = getUseDst() ? b.multiply(x, b.subtract(b.scalar(1, x), x))
                                  : getLogisticSlope(b, x, 1);
        return b.multiply(diff, slope);
      });
}

FailureOr<Values> SoftPlusBackwardOp::decompose(RewriterBase &rewriter) {
  return decomposeGradient(rewriter, *this,
                           [&](Decomposition &b, Value x, Value diff) {
                             double beta = getBeta().convertToDouble();
                             Value scaled = beta == 1 ? x : b.multiply(x, beta);
                             return b.multiply(diff, b.make<SigmoidOp>(scaled));
                           });
}

FailureOr<Values> SqrtBackwardOp::decompose(RewriterBase &rewriter) {
  return decomposeGradient(
      rewriter, *this, [&](Decomposition &b, Value x, Value diff) {
        return b.make<DivideOp>(b.multiply(diff, 0.5),
                                getUseDst() ? x : b.make<SqrtOp>(x));
      });
}

FailureOr<Values> TanhBackwardOp::decompose(RewriterBase &rewriter) {
  return decomposeGradient(
      rewriter, *this, [&](Decomposition &b, Value x, Value diff) {
        Value slope = getUseDst() ? getComplement(b, x)
                                  : b.multiply(getLogisticSlope(b, x, 2), 4);
        return b.multiply(diff, slope);
      });
}

//===----------------------------------------------------------------------===//
// PReLU, bias
//===----------------------------------------------------------------------===//

/// The slope in f32, in a shape that numpy rules broadcast to `src`; null if
/// shapes are not known.
static Value spreadSlope(Decomposition &b, RankedTensorType src, Value slope,
                         StringRef format, bool perChannel) {
  auto type = cast<RankedTensorType>(slope.getType());
  if (!src.hasStaticShape() || !type.hasStaticShape())
    return {};
  return b.reshape(
      b.toF32(slope),
      *getSlopeShape(src.getShape(), type.getShape(), format, perChannel));
}

FailureOr<Values> PreluOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  Value slope = spreadSlope(b, getSrc().getType(), getSlope(), getDataFormat(),
                            getPerChannelBroadcast());
  if (!slope)
    return failure();
  Value x = b.toF32(getSrc());
  Value isHigh = b.make<GreaterEqualOp>(x, b.scalar(0, x));
  Value value = b.make<SelectOp>(isHigh, x, b.multiply(x, slope));
  return finish(b, value, getType());
}

FailureOr<Values> PreluBackwardOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  RankedTensorType type = getSrc().getType();
  Value slope = spreadSlope(b, type, getSlope(), getDataFormat(),
                            /*perChannel=*/true);
  if (!slope)
    return failure();
  Value x = b.toF32(getSrc()), diff = b.toF32(getDiffDst());
  Value diffSrc = selectAt(b, x, 0, b.multiply(diff, slope), diff);
  Value diffSlope = selectAt(b, x, 0, b.multiply(diff, x), b.scalar(0, diff));
  auto spread = cast<RankedTensorType>(slope.getType());
  SmallVector<int64_t> axes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (spread.getDimSize(dim) != type.getDimSize(dim))
      axes.push_back(dim);
  if (!axes.empty())
    diffSlope = b.reduce<ReduceSumOp>(diffSlope, axes);
  RankedTensorType slopeType = getSlope().getType();
  diffSlope = b.cast(b.reshape(diffSlope, slopeType.getShape()),
                     slopeType.getElementType());
  return Values{b.cast(diffSrc, type.getElementType()), diffSlope};
}

FailureOr<Values> BiasAddBackwardOp::decompose(RewriterBase &rewriter) {
  RankedTensorType type = getDiffDst().getType();
  if (!type.hasStaticShape())
    return failure();
  Decomposition b(rewriter, *this);
  int64_t channel = getDataFormat() == "NXC" ? type.getRank() - 1 : 1;
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  axes.erase(axes.begin() + channel);
  if (axes.empty())
    return Values{b.make<ReorderOp>(getType(), getDiffDst())};
  Value sum = b.reduce<ReduceSumOp>(b.toF32(getDiffDst()), axes);
  return finish(b, b.reshape(sum, getType().getShape()), getType());
}
