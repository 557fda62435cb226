// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decomposition of complex ops into simpler ones.

#include "Decomposition.h"

using namespace mlir;
using namespace gc::graph;

FailureOr<SmallVector<Value>> SquareOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  return SmallVector<Value>{b.multiply(getSrc(), getSrc())};
}

FailureOr<SmallVector<Value>>
SquaredDifferenceOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  Value difference =
      b.make<SubtractOp>(getSrc_0(), getSrc_1(), getAutoBroadcastAttr());
  return SmallVector<Value>{
      b.cast(b.multiply(difference, difference), getType().getElementType())};
}

FailureOr<SmallVector<Value>> GeluOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  Value x = getSrc(), inner;
  if (getMode() == "gelu_erf") {
    inner = b.make<ErfOp>(b.multiply(x, 0.70710678118654752));
  } else {
    Value cube = b.multiply(b.multiply(b.multiply(x, x), x), 0.044715);
    Value sum = b.make<AddOp>(x, cube);
    inner = b.make<TanhOp>(b.multiply(sum, 0.79788456080286536));
  }
  return SmallVector<Value>{b.multiply(b.multiply(x, 0.5), b.add(inner, 1.0))};
}

FailureOr<SmallVector<Value>> HardSigmoidOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  Value line = b.add(b.multiply(getSrc(), getAlpha().convertToDouble()),
                     getBeta().convertToDouble());
  return SmallVector<Value>{b.make<ClampOp>(line, b.f32(0), b.f32(1))};
}

FailureOr<SmallVector<Value>> HardSwishOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  Value gate = b.make<ClampOp>(b.add(getSrc(), 3), b.f32(0), b.f32(6));
  // In this order, 6 * src cannot overflow.
  return SmallVector<Value>{b.multiply(getSrc(), b.multiply(gate, 1.0 / 6.0))};
}

MishParts gc::graph::buildMishParts(Decomposition &b, Value x) {
  // Beyond 20 the quotient is 1 in f32, and nothing overflows before.
  MishParts parts;
  parts.x = b.make<MinimumOp>(x, b.scalar(20, x));
  parts.exponential = b.make<ExpOp>(parts.x);
  parts.below = b.multiply(parts.exponential, b.add(parts.exponential, 2));
  return parts;
}

FailureOr<SmallVector<Value>> MishOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  Value x = b.toF32(getSrc());
  MishParts parts = buildMishParts(b, x);
  Value gate = b.make<DivideOp>(parts.below, b.add(parts.below, 2));
  return finish(b, b.multiply(x, gate), getType());
}

FailureOr<SmallVector<Value>> BiasAddOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  Value bias = getBias();
  int64_t rank = getSrc().getType().getRank();
  if (getDataFormat() == "NCX" && rank > 2) {
    SmallVector<int64_t> shape(rank - 1, 1);
    shape[0] = cast<RankedTensorType>(bias.getType()).getDimSize(0);
    bias = b.make<StaticReshapeOp>(bias, shape);
  }
  return SmallVector<Value>{b.make<AddOp>(getSrc(), bias)};
}

bool MatmulOp::isComplex() {
  return getBias() || getSrc().getType().getRank() == 1 ||
         getWeights().getType().getRank() == 1;
}

FailureOr<SmallVector<Value>> MatmulOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  // A vector becomes a matrix with one row or one column; transposing a vector
  // has no effect.
  Value src = getSrc(), weights = getWeights();
  bool transposeA = getTransposeA(), transposeB = getTransposeB();
  bool row = getSrc().getType().getRank() == 1;
  bool column = getWeights().getType().getRank() == 1;
  if (row) {
    src = b.make<StaticReshapeOp>(
        src, ArrayRef<int64_t>{1, getSrc().getType().getDimSize(0)});
    transposeA = false;
  }
  if (column) {
    weights = b.make<StaticReshapeOp>(
        weights, ArrayRef<int64_t>{getWeights().getType().getDimSize(0), 1});
    transposeB = false;
  }
  // Scales and zero points of weights stay.
  ValueRange parameters = getBias() ? ValueRange() : ValueRange(getExtras());
  Value result = b.make<MatmulOp>(
      src, weights, parameters, transposeA, transposeB, getTemplateParamsAttr(),
      getSrcZp(), getWeightsZp(), getWeightsGroup(), getWindowAttr());
  // A result in f32 of narrower operands is never rounded to their type.
  if (getType().getElementType().isF32())
    result.setType(RankedTensorType::get(
        cast<RankedTensorType>(result.getType()).getShape(),
        getType().getElementType()));
  if (row || column)
    result = b.make<StaticReshapeOp>(result, getType().getShape());
  if (getBias()) {
    result = b.make<AddOp>(result, getBias());
    // A bias in f32 is added in f32.
    if (getElementTypeOrSelf(result) != getType().getElementType())
      result = b.make<TypeCastOp>(dropLayout(getType()), result);
  }
  return SmallVector<Value>{result};
}
