// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Softmax and norms as elementwise ops and reductions. All of it is computed in
// f32, whatever the element type of the tensors.

#include "Decomposition.h"

#include <limits>

using namespace mlir;
using namespace gc::graph;

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// The largest element along `axis`, for an exp(x - max) whose sum is NaN in
/// rows that have one.
static Value getMaximum(Decomposition &b, Value x, int64_t axis) {
  return b.make<ReduceMaxOp>(x, axis, /*keep_dims=*/true, /*any_if_nan=*/true);
}

SoftmaxParts gc::graph::buildSoftmax(Decomposition &b, Value x, int64_t axis,
                                     SoftmaxMode mode) {
  if (mode == SoftmaxMode::unshifted) {
    Value e = b.make<ExpOp>(x);
    return {e, b.reduce<ReduceSumOp>(e, axis), nullptr};
  }
  bool infAsZero = mode == SoftmaxMode::inf_as_zero;
  Value max = getMaximum(b, x, axis);
  // A row of -infinity would be -infinity minus itself.
  if (infAsZero)
    max = b.make<MaximumOp>(
        max, b.scalar(std::numeric_limits<float>::lowest(), max));
  Value e = b.make<ExpOp>(b.subtract(x, max), /*at_most_one=*/true);
  Value sum = b.reduce<ReduceSumOp>(e, axis);
  // Any other row has an element of exp(0).
  if (infAsZero)
    sum = b.make<MaximumOp>(sum, b.scalar(1, sum));
  return {e, sum, max};
}

/// The results of a softmax from its parts.
static SmallVector<Value> finishSoftmax(Decomposition &b, SoftmaxOp op,
                                        const SoftmaxParts &parts) {
  SmallVector<Value> results =
      finish(b, b.make<DivideOp>(parts.exponentials, parts.sum),
             op.getDst().getType());
  if (!op.getStats())
    return results;
  Value stats = b.make<LogOp>(parts.sum);
  results.push_back(parts.max ? b.add(parts.max, stats) : stats);
  return results;
}

int64_t SoftmaxOp::getNormalizedDim() { return getDimension(); }

SoftmaxMode SoftmaxOp::getSoftmaxMode() {
  return *symbolizeSoftmaxMode(getMode());
}

FailureOr<SmallVector<Value>> SoftmaxOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  return finishSoftmax(
      b, *this,
      buildSoftmax(b, b.toF32(getSrc()), getDimension(), getSoftmaxMode()));
}

FailureOr<SmallVector<Value>>
SoftmaxOp::decomposeUnguarded(RewriterBase &rewriter) {
  if (getMode() != "none")
    return decompose(rewriter);
  Decomposition b(rewriter, *this);
  Value x = b.make<ClampOp>(b.toF32(getSrc()), b.f32(-kBound), b.f32(kBound));
  return finishSoftmax(
      b, *this, buildSoftmax(b, x, getDimension(), SoftmaxMode::unshifted));
}

FailureOr<SmallVector<Value>> LogSoftmaxOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  Value x = b.toF32(getSrc());
  int64_t axis = getDimension();
  Value shifted = b.subtract(x, getMaximum(b, x, axis));
  Value sum = b.reduce<ReduceSumOp>(b.make<ExpOp>(shifted, true), axis);
  return finish(b, b.subtract(shifted, b.make<LogOp>(sum)), getType());
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

Value gc::graph::rsqrt(Decomposition &b, Value x, const APFloat &epsilon) {
  return b.make<ReciprocalOp>(
      b.make<SqrtOp>(b.add(x, epsilon.convertToDouble())));
}

// Two passes: squares of differences do not cancel.
Normalized gc::graph::normalize(Decomposition &b, Value x,
                                ArrayRef<int64_t> axes,
                                const APFloat &epsilon) {
  Value mean = b.mean(x, axes);
  Value centered = b.subtract(x, mean);
  Value variance = b.mean(b.multiply(centered, centered), axes);
  return {b.multiply(centered, rsqrt(b, variance, epsilon)), mean, variance};
}

Value gc::graph::perChannel(Decomposition &b, Value value, StringRef format,
                            int64_t rank) {
  value = b.toF32(value);
  if (format == "NXC")
    return value;
  SmallVector<int64_t> shape(rank - 1, 1);
  shape[0] = cast<RankedTensorType>(value.getType()).getDimSize(0);
  return b.reshape(value, shape);
}

/// The op's results from their values in f32.
static SmallVector<Value> finishNorm(Decomposition &b, Operation *op,
                                     Value value, const Normalized &norm) {
  SmallVector<Value> results = {value, norm.mean, norm.variance};
  results.truncate(op->getNumResults());
  for (auto [result, type] : llvm::zip_equal(results, op->getResultTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    result =
        b.cast(b.reshape(result, tensor.getShape()), tensor.getElementType());
  }
  return results;
}

SmallVector<int64_t> gc::graph::getTrailingAxes(int64_t begin, int64_t rank) {
  return llvm::to_vector(
      llvm::seq<int64_t>(begin < 0 ? begin + rank : begin, rank));
}

FailureOr<SmallVector<Value>> LayerNormOp::decompose(RewriterBase &rewriter) {
  auto src = getSrc().getType();
  if (!src.hasStaticShape())
    return failure();
  Decomposition b(rewriter, *this);
  auto axes = getTrailingAxes(getBeginNormAxis(), src.getRank());
  Normalized norm = normalize(b, b.toF32(getSrc()), axes, getEpsilon());
  Value value = norm.value;
  if (getUseAffine())
    value = b.add(b.multiply(value, b.toF32(getAffine()[0])),
                  b.toF32(getAffine()[1]));
  return finishNorm(b, *this, value, norm);
}

/// Normalises groups of the last dimension of x, in f32, each over all its
/// channels and pixels. Channels are reduced first, so that vectors lie along
/// them however few a group has.
static Normalized normalizeGroups(Decomposition &b, Value x, int64_t groups,
                                  const APFloat &epsilon) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(x.getType()).getShape();
  int64_t rank = shape.size(), members = shape.back() / groups;
  auto axes = llvm::to_vector(llvm::seq<int64_t>(1, rank - 1));
  SmallVector<int64_t> ofGroups{shape[0], groups, members};
  SmallVector<int64_t> ofChannels(rank, 1);
  ofChannels.front() = shape.front();
  ofChannels.back() = shape.back();
  auto all = RankedTensorType::get({groups, members}, b.rewriter.getF32Type());
  Value ones = b.make<ConstantOp>(all, DenseElementsAttr::get(all, 1.0f));
  auto mean = [&](Value value) {
    Value ofChannel = axes.empty() ? value : b.mean(value, axes);
    return b.mean(b.reshape(ofChannel, ofGroups), 2);
  };
  auto spread = [&](Value ofGroup) {
    return b.reshape(b.multiply(ofGroup, ones), ofChannels);
  };
  Value average = mean(x);
  Value centered = b.subtract(x, spread(average));
  Value variance = mean(b.multiply(centered, centered));
  Value scale = spread(rsqrt(b, variance, epsilon));
  return {b.multiply(centered, scale), average, variance};
}

FailureOr<SmallVector<Value>> GroupNormOp::decompose(RewriterBase &rewriter) {
  auto src = getSrc().getType();
  if (!src.hasStaticShape())
    return failure();
  Decomposition b(rewriter, *this);
  int64_t rank = src.getRank(), groups = getGroups();
  Value x = b.toF32(getSrc());
  Normalized norm;
  bool isLast = getDataFormat() == "NXC";
  if (isLast) {
    norm = normalizeGroups(b, x, groups, getEpsilon());
  } else {
    // Channels and pixels of a group are a row.
    int64_t samples = src.getDimSize(0), members = src.getDimSize(1) / groups;
    SmallVector<int64_t> shape{samples, groups, members,
                               src.getNumElements() /
                                   (samples * groups * members)};
    norm = normalize(b, b.reshape(x, shape), {2, 3}, getEpsilon());
  }
  auto channel = [&](Value value) {
    value = perChannel(b, value, getDataFormat(), rank);
    return isLast ? value
                  : b.reshape(value, {groups, src.getDimSize(1) / groups, 1});
  };
  Value value = norm.value;
  if (getUseAffine())
    value = b.add(b.multiply(value, channel(getAffine()[0])),
                  channel(getAffine()[1]));
  return finishNorm(b, *this, value, norm);
}

FailureOr<SmallVector<Value>>
BatchNormInferenceOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  auto channel = [&](Value value) {
    return perChannel(b, value, getDataFormat(), getSrc().getType().getRank());
  };
  // Per channel first: these are usually constants and are then folded.
  Value scale = b.multiply(b.toF32(getGamma()),
                           rsqrt(b, b.toF32(getVariance()), getEpsilon()));
  Value centered = b.subtract(b.toF32(getSrc()), channel(getMean()));
  Value value = b.add(b.multiply(centered, channel(scale)), channel(getBeta()));
  return finish(b, value, getType());
}

FailureOr<SmallVector<Value>> RmsNormOp::decompose(RewriterBase &rewriter) {
  auto src = getSrc().getType();
  if (!src.hasStaticShape())
    return failure();
  Decomposition b(rewriter, *this);
  auto axes = getTrailingAxes(getBeginNormAxis(), src.getRank());
  Value x = b.toF32(getSrc());
  Value square = b.mean(b.multiply(x, x), axes);
  Value value = b.multiply(x, rsqrt(b, square, getEpsilon()));
  if (getGamma())
    value = b.multiply(value, b.toF32(getGamma()));
  return finish(b, value, getType());
}
