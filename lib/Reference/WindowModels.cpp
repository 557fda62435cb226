// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Windows, pooling and interpolation: each element of the result is computed
// from a list of elements of the operand along each spatial dimension, taken
// from the definition of the op.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Elementwise.h"
#include "Parallel.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"
#include "Sums.h"

#include <cmath>
#include <vector>

using namespace gc::graph;
using namespace gc::reference;
using namespace mlir;

namespace {

using Operands = ArrayRef<BoundedTensor>;
using Results = SmallVectorImpl<BoundedTensor>;

/// An element of the operand along a dimension, and what it is multiplied by.
struct Tap {
  int64_t index;
  double weight = 1;
};
/// For each element of the result along a dimension.
using Taps = std::vector<std::vector<Tap>>;

/// An image and its bound with channels last.
BoundedTensor viewChannelsLast(const BoundedTensor &image, StringRef format) {
  if (format == "NXC")
    return image;
  auto view = [](const Tensor &tensor) {
    if (!tensor)
      return tensor;
    SmallVector<int64_t> shape(tensor.getShape()), strides(tensor.getStrides());
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
    std::rotate(strides.begin() + 1, strides.begin() + 2, strides.end());
    return tensor.withView(shape, strides);
  };
  return {view(image.value), view(image.bound)};
}

int64_t getOffset(const Tensor &tensor, ArrayRef<int64_t> index) {
  int64_t offset = 0;
  for (auto [i, stride] : llvm::zip(index, tensor.getStrides()))
    offset += i * stride;
  return offset;
}

/// The channels from `first` on of the elements at an index of all other
/// dimensions.
void load(const BoundedTensor &from, ArrayRef<int64_t> index, int64_t first,
          MutableArrayRef<Bounded> to) {
  std::vector<double> buffer(to.size());
  auto read = [&](const Tensor &tensor) {
    int64_t stride = tensor.getStrides().back();
    loadElements(tensor.getType(), tensor.getData(),
                 getOffset(tensor, index) + first * stride, stride, to.size(),
                 buffer.data());
  };
  read(from.value);
  for (auto [element, value] : llvm::zip_equal(to, buffer))
    element = {value, 0};
  if (!from.bound)
    return;
  read(from.bound);
  for (auto [element, error] : llvm::zip_equal(to, buffer))
    element.error = error;
}

void store(const BoundedTensor &to, ArrayRef<int64_t> index, int64_t first,
           ArrayRef<Bounded> from, double roundings) {
  std::vector<double> values, errors;
  for (const Bounded &element : from) {
    values.push_back(element.value);
    errors.push_back(element.error);
  }
  auto write = [&](const Tensor &tensor, const std::vector<double> &data) {
    int64_t stride = tensor.getStrides().back();
    storeElements(tensor.getType(), tensor.getData(),
                  getOffset(tensor, index) + first * stride, stride,
                  data.size(), data.data());
  };
  if (to.bound) {
    finishErrors(to.value.getType(), roundings, values.size(), values.data(),
                 errors.data());
    write(to.bound, errors);
  }
  write(to.value, values);
}

/// Calls visit(index) for all indices below sizes, in row-major order.
void visitIndices(ArrayRef<int64_t> sizes,
                  function_ref<void(ArrayRef<int64_t>)> visit) {
  int64_t count = ShapedType::getNumElements(sizes);
  SmallVector<int64_t> index(sizes.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(index);
    for (size_t dim = sizes.size(); dim-- > 0;) {
      if (++index[dim] < sizes[dim])
        break;
      index[dim] = 0;
    }
  }
}

/// The same, shared among threads along the first dimension that is long.
void visitIndicesInParallel(ArrayRef<int64_t> sizes,
                            function_ref<void(ArrayRef<int64_t>)> visit) {
  size_t outer = 0;
  int64_t count = 1;
  while (outer < sizes.size() && count < 64)
    count *= sizes[outer++];
  parallelFor(count, [&](int64_t number) {
    SmallVector<int64_t> index(sizes.size());
    for (size_t dim = outer; dim-- > 0;) {
      index[dim] = number % sizes[dim];
      number /= sizes[dim];
    }
    visitIndices(sizes.drop_front(outer), [&](ArrayRef<int64_t> inner) {
      llvm::copy(inner, index.begin() + outer);
      visit(index);
    });
  });
}

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

/// Computes channels-last images from others: `Cell` combines what the taps of
/// an element lead to, for one channel.
template <typename Cell>
void gather(const BoundedTensor &src, const BoundedTensor &dst,
            ArrayRef<Taps> taps, double roundings) {
  int64_t channels = src.value.getShape().back();
  visitIndicesInParallel(
      dst.value.getShape().drop_back(), [&](ArrayRef<int64_t> at) {
        std::vector<Cell> cells(channels);
        std::vector<Bounded> row(channels);
        SmallVector<int64_t> counts, index(at);
        for (auto [dim, list] : llvm::enumerate(taps))
          counts.push_back(list[at[1 + dim]].size());
        visitIndices(counts, [&](ArrayRef<int64_t> which) {
          double weight = 1;
          for (auto [dim, list] : llvm::enumerate(taps)) {
            const Tap &tap = list[at[1 + dim]][which[dim]];
            index[1 + dim] = tap.index;
            weight *= tap.weight;
          }
          load(src, index, 0, row);
          for (auto [cell, element] : llvm::zip_equal(cells, row))
            cell.add(element, weight);
        });
        for (auto [cell, element] : llvm::zip_equal(cells, row))
          element = cell.get();
        store(dst, at, 0, row, roundings);
      });
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

/// A weighted sum; the weights are rounded to f32, and the products twice,
/// since weights are products too.
struct SumCell {
  Sum sum;
  int64_t count = 0;
  void add(Bounded x, double weight) {
    sum.add(x.value * weight, x.error * std::fabs(weight) +
                                  6 * kRoundoff * std::fabs(x.value * weight));
    ++count;
  }
  Bounded get() const { return sum.get(count); }
};

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

/// For each element of the operand what it is part of.
Taps reverse(const Taps &taps, int64_t size) {
  Taps reversed(size);
  for (auto [position, list] : llvm::enumerate(taps))
    for (const Tap &tap : list)
      reversed[tap.index].push_back(
          {static_cast<int64_t>(position), tap.weight});
  return reversed;
}

SmallVector<Taps> reverse(ArrayRef<Taps> taps, ArrayRef<int64_t> sizes) {
  SmallVector<Taps> all;
  for (auto [list, size] : llvm::zip_equal(taps, sizes))
    all.push_back(reverse(list, size));
  return all;
}

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

/// An op whose result is a weighted sum of its operand `number`.
template <typename Derived, typename Op, unsigned number>
struct SumModel : ReferenceOpInterface::ExternalModel<Derived, Op> {
  bool preservesZero(Operation *) const { return true; }

  LogicalResult evaluate(Operation *op, Operands operands,
                         Evaluation &evaluation, Results &results) const {
    if (failed(evaluation.allocateResults(op, results)))
      return failure();
    StringRef format = cast<Op>(op).getDataFormat();
    gather<SumCell>(viewChannelsLast(operands[number], format),
                    viewChannelsLast(results.back(), format),
                    Derived::getTaps(cast<Op>(op)), 2);
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

//===----------------------------------------------------------------------===//
// Interpolation
//===----------------------------------------------------------------------===//

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

void gc::reference::attachWindowModels(MLIRContext *context) {
  WindowsOp::attachInterface<WindowsModel>(*context);
  MaxPoolOp::attachInterface<MaxPoolModel>(*context);
  AvgPoolOp::attachInterface<AvgPoolModel>(*context);
  MaxPoolBackwardOp::attachInterface<MaxPoolBackwardModel>(*context);
  AvgPoolBackwardOp::attachInterface<AvgPoolBackwardModel>(*context);
  InterpolateOp::attachInterface<InterpolateModel>(*context);
  InterpolateBackwardOp::attachInterface<InterpolateBackwardModel>(*context);
}
