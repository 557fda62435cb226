// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Windows and pooling: each element of the result is computed from a list of
// elements of the operand along each spatial dimension, taken from the
// definition of the op.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Parallel.h"
#include "ReferenceModels.h"
#include "WindowTaps.h"

using namespace gc::graph;
using namespace gc::reference;
using namespace mlir;

namespace {

//===----------------------------------------------------------------------===//
// windows
//===----------------------------------------------------------------------===//

struct WindowsModel
    : ReferenceOpInterface::ExternalModel<WindowsModel, WindowsOp> {
  bool preservesZero(Operation *op) const {
    return cast<WindowsOp>(op).getFill().isZero();
  }

  LogicalResult evaluate(Operation *op, Operands operands,
                         Evaluation &evaluation, Results &results) const {
    auto windows = cast<WindowsOp>(op);
    FailureOr<BoundedTensor> result =
        evaluation.allocate(op, windows.getType(), bool(operands[0].bound));
    if (failed(result))
      return failure();
    ArrayRef<int64_t> shape = operands[0].value.getShape();
    int64_t sliding = shape.size() - 2, channels = shape.back();
    double fill = windows.getFill().convertToDouble();
    bool clamps = windows.getGaps() == "clamp";
    visitIndicesInParallel(
        result->value.getShape().drop_back(), [&](ArrayRef<int64_t> at) {
          SmallVector<int64_t> index{at[0]};
          bool isElement = true;
          for (int64_t i = 0; i < sliding; ++i) {
            double x = static_cast<double>(at[1 + i] * windows.getStrides()[i] +
                                           at[1 + sliding + i] *
                                               windows.getDilations()[i] +
                                           windows.getOffsets()[i]) /
                       static_cast<double>(windows.getSpacing()[i]);
            double last = static_cast<double>(shape[1 + i] - 1);
            isElement &= clamps || (x == std::floor(x) && x >= 0 && x <= last);
            index.push_back(
                static_cast<int64_t>(std::clamp(std::floor(x), 0.0, last)));
          }
          std::vector<Bounded> row(channels, {fill, 0});
          if (isElement)
            load(operands[0], index, 0, row);
          store(*result, at, 0, row, 0);
        });
    results.push_back(std::move(*result));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// The elements of the kernel's window at a position.
std::vector<Tap> getWindow(const PoolSizes &sizes, unsigned dim,
                           int64_t position) {
  std::vector<Tap> taps;
  for (int64_t k = 0; k < sizes.kernel[dim]; ++k) {
    int64_t x = position * sizes.strides[dim] + k * sizes.dilations[dim] -
                sizes.padsBegin[dim];
    if (x >= 0 && x < sizes.input[dim])
      taps.push_back({x});
  }
  return taps;
}

SmallVector<Taps> getWindows(const PoolSizes &sizes, bool averages = false,
                             bool excludesPads = false) {
  SmallVector<Taps> all;
  for (unsigned dim = 0; dim < sizes.kernel.size(); ++dim) {
    Taps &taps = all.emplace_back();
    for (int64_t position = 0; position < sizes.output[dim]; ++position) {
      taps.push_back(getWindow(sizes, dim, position));
      int64_t count = excludesPads ? taps.back().size() : sizes.kernel[dim];
      if (averages)
        for (Tap &tap : taps.back())
          tap.weight = 1 / static_cast<double>(count);
    }
  }
  return all;
}

struct MaxCell {
  double best = -HUGE_VAL, most = -HUGE_VAL, least = -HUGE_VAL;
  bool isNaN = false;
  void add(Bounded x, double) {
    isNaN |= std::isnan(x.value);
    best = std::fmax(best, x.value);
    most = std::fmax(most, x.value + x.error);
    least = std::fmax(least, x.value - x.error);
  }
  Bounded get() const {
    if (isNaN)
      return {std::nan(""), 0};
    if (std::isinf(best) && !(most - least > 0))
      return {best, 0};
    return {best, std::fmax(most - best, best - least)};
  }
};

struct MaxPoolModel
    : ReferenceOpInterface::ExternalModel<MaxPoolModel, MaxPoolOp> {
  bool preservesZero(Operation *) const { return true; }

  LogicalResult evaluate(Operation *op, Operands operands,
                         Evaluation &evaluation, Results &results) const {
    auto pool = cast<MaxPoolOp>(op);
    FailureOr<BoundedTensor> result =
        evaluation.allocate(op, pool.getType(), bool(operands[0].bound));
    if (failed(result))
      return failure();
    gather<MaxCell>(viewChannelsLast(operands[0], pool.getDataFormat()),
                    viewChannelsLast(*result, pool.getDataFormat()),
                    getWindows(getPoolSizes(pool)), 0);
    results.push_back(std::move(*result));
    return success();
  }
};

struct AvgPoolModel : SumModel<AvgPoolModel, AvgPoolOp, 0> {
  static SmallVector<Taps> getTaps(AvgPoolOp op) {
    return getWindows(getPoolSizes(op), true, op.getExcludePad());
  }
};

struct AvgPoolBackwardModel
    : SumModel<AvgPoolBackwardModel, AvgPoolBackwardOp, 0> {
  static SmallVector<Taps> getTaps(AvgPoolBackwardOp op) {
    PoolSizes sizes = getPoolSizes(op);
    return reverse(getWindows(sizes, true, op.getExcludePad()), sizes.input);
  }
};

struct MaxPoolBackwardModel
    : ReferenceOpInterface::ExternalModel<MaxPoolBackwardModel,
                                          MaxPoolBackwardOp> {
  LogicalResult evaluate(Operation *op, Operands operands,
                         Evaluation &evaluation, Results &results) const {
    auto pool = cast<MaxPoolBackwardOp>(op);
    if (failed(evaluation.allocateResults(op, results)))
      return failure();
    StringRef format = pool.getDataFormat();
    BoundedTensor src = viewChannelsLast(operands[0], format),
                  gradient = viewChannelsLast(operands[1], format),
                  result = viewChannelsLast(results.back(), format);
    SmallVector<Taps> windows = getWindows(getPoolSizes(pool));
    ArrayRef<int64_t> shape = result.value.getShape();
    constexpr int64_t kChannels = 4;
    int64_t parts = llvm::divideCeil(shape.back(), kChannels);
    parallelFor(shape[0] * parts, [&](int64_t task) {
      int64_t first = task % parts * kChannels;
      scatter(src, gradient, result, windows, task / parts, first,
              std::min(kChannels, shape.back() - first));
    });
    return success();
  }

private:
  /// The gradients of some channels of a sample.
  void scatter(const BoundedTensor &src, const BoundedTensor &gradient,
               const BoundedTensor &result, ArrayRef<Taps> windows,
               int64_t sample, int64_t first, int64_t channels) const {
    ArrayRef<int64_t> image = result.value.getShape().slice(1, windows.size());
    std::vector<Sum> sums(ShapedType::getNumElements(image) * channels);
    std::vector<Bounded> given(channels), row(channels);
    SmallVector<int64_t> index(windows.size() + 2), counts;
    index[0] = sample;
    int64_t most = 1;
    for (const Taps &taps : windows) {
      size_t longest = 0;
      for (const std::vector<Tap> &list : taps)
        longest = std::max(longest, list.size());
      most *= longest;
    }
    auto visitWindow = [&](ArrayRef<int64_t> position) {
      llvm::copy(position, index.begin() + 1);
      load(gradient, index, first, given);
      counts.clear();
      for (auto [taps, p] : llvm::zip_equal(windows, position))
        counts.push_back(taps[p].size());
      // The elements of the window in order, for all channels.
      std::vector<std::vector<Bounded>> elements;
      std::vector<int64_t> places;
      visitIndices(counts, [&](ArrayRef<int64_t> which) {
        int64_t place = 0;
        for (auto [dim, taps] : llvm::enumerate(windows)) {
          index[1 + dim] = taps[position[dim]][which[dim]].index;
          place = place * image[dim] + index[1 + dim];
        }
        load(src, index, first, row);
        elements.push_back(row);
        places.push_back(place);
      });
      for (int64_t c = 0; c < channels; ++c)
        addToLargest(elements, places, c, channels, given[c], sums);
    };
    visitIndices(gradient.value.getShape().slice(1, windows.size()),
                 visitWindow);
    int64_t place = 0;
    visitIndices(image, [&](ArrayRef<int64_t> at) {
      llvm::copy(at, index.begin() + 1);
      for (int64_t c = 0; c < channels; ++c)
        row[c] = sums[place * channels + c].get(most);
      store(result, index, first, row, 2);
      ++place;
    });
  }

  /// Gives the gradient to the first of the largest elements. Others that may
  /// be larger, as far as is known, may get it instead.
  static void addToLargest(const std::vector<std::vector<Bounded>> &elements,
                           ArrayRef<int64_t> places, int64_t channel,
                           int64_t channels, Bounded given,
                           std::vector<Sum> &sums) {
    std::optional<size_t> best;
    for (size_t i = 0; i < elements.size(); ++i) {
      double value = elements[i][channel].value;
      if (std::isnan(value))
        return;
      if (!best || value > elements[*best][channel].value)
        best = i;
    }
    if (!best)
      return;
    Bounded largest = elements[*best][channel];
    bool isCertain = true;
    for (size_t i = 0; i < elements.size(); ++i) {
      Bounded other = elements[i][channel];
      if (i == *best || other.error + largest.error == 0 ||
          other.value + other.error < largest.value - largest.error)
        continue;
      isCertain = false;
      sums[places[i] * channels + channel].add(0, std::fabs(given.value) +
                                                      given.error);
    }
    double doubt = isCertain ? 0 : std::fabs(given.value);
    sums[places[*best] * channels + channel].add(given.value,
                                                 given.error + doubt);
  }
};

} // namespace

void gc::reference::attachWindowModels(MLIRContext *context) {
  WindowsOp::attachInterface<WindowsModel>(*context);
  MaxPoolOp::attachInterface<MaxPoolModel>(*context);
  AvgPoolOp::attachInterface<AvgPoolModel>(*context);
  MaxPoolBackwardOp::attachInterface<MaxPoolBackwardModel>(*context);
  AvgPoolBackwardOp::attachInterface<AvgPoolBackwardModel>(*context);
}
