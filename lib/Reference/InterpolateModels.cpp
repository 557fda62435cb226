// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Interpolation: each element of the result is a weighted sum of the two
// elements of the operand, along each spatial dimension, that it is between.

#include "Dialect/Graph/IR/GraphOps.h"
#include "ReferenceModels.h"
#include "WindowTaps.h"

using namespace gc::graph;
using namespace gc::reference;
using namespace mlir;

namespace {

/// The elements that element y of a result is between, from the formulas of the
/// specification.
std::vector<Tap> getNeighbours(int64_t y, int64_t input, int64_t output,
                               bool alignsCorners, bool isLinear) {
  auto clamp = [&](double index) {
    return std::clamp<int64_t>(static_cast<int64_t>(index), 0, input - 1);
  };
  // Exact where it is between two elements.
  double twice = alignsCorners
                     ? (output == 1 ? 0
                                    : static_cast<double>(2 * y * (input - 1)) /
                                          static_cast<double>(output - 1))
                     : static_cast<double>((2 * y + 1) * input) /
                               static_cast<double>(output) -
                           1;
  double position = twice / 2;
  if (!isLinear)
    return {{clamp(std::floor((twice + 1) / 2))}};
  double before = std::floor(position), weight = position - before;
  return {{clamp(before), 1 - weight}, {clamp(before + 1), weight}};
}

template <typename Op>
SmallVector<Taps> getSamples(Op op, RankedTensorType src,
                             RankedTensorType dst) {
  SmallVector<Taps> all;
  int64_t rank = src.getRank(), first = op.getDataFormat() == "NXC" ? 1 : 2;
  for (int64_t dim = first; dim < first + rank - 2; ++dim) {
    Taps &taps = all.emplace_back();
    for (int64_t y = 0; y < dst.getDimSize(dim); ++y)
      taps.push_back(
          getNeighbours(y, src.getDimSize(dim), dst.getDimSize(dim),
                        op.getCoordinateTransformationMode() == "align_corners",
                        op.getMode() != "nearest"));
  }
  return all;
}

struct InterpolateModel : SumModel<InterpolateModel, InterpolateOp, 0> {
  static SmallVector<Taps> getTaps(InterpolateOp op) {
    return getSamples(op, op.getSrc().getType(), op.getType());
  }
};

struct InterpolateBackwardModel
    : SumModel<InterpolateBackwardModel, InterpolateBackwardOp, 1> {
  static SmallVector<Taps> getTaps(InterpolateBackwardOp op) {
    auto src = op.getType();
    int64_t first = op.getDataFormat() == "NXC" ? 1 : 2;
    return reverse(getSamples(op, src, op.getDiffDst().getType()),
                   src.getShape().slice(first, src.getRank() - 2));
  }
};

} // namespace

void gc::reference::attachInterpolateModels(MLIRContext *context) {
  InterpolateOp::attachInterface<InterpolateModel>(*context);
  InterpolateBackwardOp::attachInterface<InterpolateBackwardModel>(*context);
}
