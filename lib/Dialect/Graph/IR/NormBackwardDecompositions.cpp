// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients of softmax and norms, and batch norm for training, as elementwise
// ops and reductions. All of it is computed in f32, whatever the element type
// of the tensors.

#include "Decomposition.h"

using namespace mlir;
using namespace gc::graph;

using Values = SmallVector<Value>;

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

FailureOr<Values> SoftmaxBackwardOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  Value diff = b.toF32(getDiffDst()), y = b.toF32(getDst());
  Value sum = b.reduce<ReduceSumOp>(b.multiply(diff, y), getDimension());
  return finish(b, b.multiply(y, b.subtract(diff, sum)), getType());
}

FailureOr<Values> LogSoftmaxBackwardOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  Value diff = b.toF32(getDiffDst()), y = b.toF32(getDst());
  Value sum = b.reduce<ReduceSumOp>(diff, getDimension());
  Value share = b.multiply(b.make<ExpOp>(y), sum);
  return finish(b, b.subtract(diff, share), getType());
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// The op's results, as far as it has them, from values in f32.
static Values finishAll(Decomposition &b, Operation *op, Values values) {
  values.truncate(op->getNumResults());
  for (auto [value, type] : llvm::zip_equal(values, op->getResultTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    value =
        b.cast(b.reshape(value, tensor.getShape()), tensor.getElementType());
    // An operand keeps its own type.
    if (llvm::is_contained(op->getOperands(), value))
      value = b.make<ReorderOp>(tensor, value);
  }
  return values;
}

FailureOr<Values> LayerNormBackwardOp::decompose(RewriterBase &rewriter) {
  RankedTensorType src = getSrc().getType();
  if (!src.hasStaticShape())
    return failure();
  Decomposition b(rewriter, *this);
  auto axes = getTrailingAxes(getBeginNormAxis(), src.getRank());
  // One value per row, in a shape that broadcasts to src.
  SmallVector<int64_t> rows(src.getShape());
  for (int64_t axis : axes)
    rows[axis] = 1;
  Value mean = b.reshape(b.toF32(getMean()), rows);
  Value scale = rsqrt(b, b.reshape(b.toF32(getVariance()), rows), getEpsilon());
  Value diff = b.toF32(getDiffDst());
  Value y = b.multiply(b.subtract(b.toF32(getSrc()), mean), scale);
  Value inner =
      getUseAffine() ? b.multiply(diff, b.toF32(getAffine()[0])) : diff;
  Value projected = b.multiply(y, b.mean(b.multiply(inner, y), axes));
  Value centered = b.subtract(inner, b.mean(inner, axes));
  Values results = {b.multiply(b.subtract(centered, projected), scale)};
  if (getNumResults() > 1) {
    auto others = llvm::to_vector(llvm::seq<int64_t>(0, axes.front()));
    for (Value term : {b.multiply(diff, y), diff})
      results.push_back(others.empty() ? term
                                       : b.reduce<ReduceSumOp>(term, others));
  }
  return finishAll(b, *this, std::move(results));
}

/// All dimensions but that of the channels.
static SmallVector<int64_t> getOtherAxes(StringRef format, int64_t rank) {
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  axes.erase(axes.begin() + (format == "NXC" ? rank - 1 : 1));
  return axes;
}

FailureOr<Values>
BatchNormForwardTrainingOp::decompose(RewriterBase &rewriter) {
  RankedTensorType src = getSrc().getType();
  if (!src.hasStaticShape())
    return failure();
  Decomposition b(rewriter, *this);
  auto axes = getOtherAxes(getDataFormat(), src.getRank());
  Normalized norm = normalize(b, b.toF32(getSrc()), axes, getEpsilon());
  auto channel = [&](Value value) {
    return perChannel(b, value, getDataFormat(), src.getRank());
  };
  Value value = norm.value;
  if (!getAffine().empty())
    value = b.add(b.multiply(value, channel(getAffine()[0])),
                  channel(getAffine()[1]));
  double momentum = getMomentum().convertToDouble();
  auto mix = [&](Value old, Value now) {
    now = b.reshape(now, cast<RankedTensorType>(old.getType()).getShape());
    return b.add(b.multiply(b.toF32(old), momentum),
                 b.multiply(now, 1 - momentum));
  };
  return finishAll(b, *this,
                   {value, mix(getMean(), norm.mean),
                    mix(getVariance(), norm.variance), norm.mean,
                    norm.variance});
}

FailureOr<Values>
BatchNormTrainingBackwardOp::decompose(RewriterBase &rewriter) {
  RankedTensorType src = getSrc().getType();
  if (!src.hasStaticShape())
    return failure();
  Decomposition b(rewriter, *this);
  auto axes = getOtherAxes(getDataFormat(), src.getRank());
  double count = 1;
  for (int64_t axis : axes)
    count *= src.getDimSize(axis);
  auto channel = [&](Value value) {
    return perChannel(b, value, getDataFormat(), src.getRank());
  };
  Value scale = rsqrt(b, b.toF32(getVariance()), getEpsilon());
  Value diff = b.toF32(getDiffDst());
  Value centered = b.subtract(b.toF32(getSrc()), channel(getMean()));
  Value y = b.multiply(centered, channel(scale));
  Value diffGamma = b.reduce<ReduceSumOp>(b.multiply(diff, y), axes);
  Value diffBeta = b.reduce<ReduceSumOp>(diff, axes);
  Value rest = b.subtract(b.subtract(diff, b.multiply(diffBeta, 1 / count)),
                          b.multiply(y, b.multiply(diffGamma, 1 / count)));
  if (getGamma() && getNumResults() > 1)
    scale = b.multiply(scale, b.toF32(getGamma()));
  return finishAll(b, *this,
                   {b.multiply(rest, channel(scale)), diffGamma, diffBeta});
}
