// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolution and its reverse: each run of evenly spaced elements that see the
// same part of the kernel is a sum of matrix products, one per element of that
// part, of [elements, channels] by [channels, channels]. Elements outside of a
// tensor are left out rather than multiplied as 0.

#include "ContractionBound.h"
#include "ConvolutionTaps.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"

#include <cmath>

using namespace gc;
using namespace gc::reference;
using namespace mlir;

namespace {

/// An op on its operands, shared by all threads: the output of a convolution
/// from its image, or in reverse the image from the output.
struct Convolution {
  Convolution(const graph::ConvolutionSizes &sizes, bool isReversed,
              ArrayRef<BoundedTensor> operands, const BoundedTensor &result);

  int64_t getNumTiles() const;
  void computeTile(int64_t index, TileWorkspace &workspace) const;

private:
  /// Elements of one line of the result, for some channels of one group.
  struct Tile {
    int64_t sample, group, column, columns;
    /// In all spatial dimensions except the last.
    SmallVector<int64_t> position;
  };

  unsigned getLast() const { return resultSizes.size() - 1; }
  Tile getTile(int64_t index) const;
  SmallVector<KernelTap> getTaps(unsigned dim, int64_t element) const;
  bool areOfOneRun(int64_t element, int64_t next) const;
  void computeRun(const Tile &tile, int64_t begin, int64_t count,
                  TileWorkspace &workspace) const;
  MatrixView viewSource(const Tensor &tensor, const Tile &tile,
                        ArrayRef<KernelTap> taps) const;
  MatrixView viewWeights(const Tensor &tensor, const Tile &tile,
                         ArrayRef<KernelTap> taps) const;

  graph::ConvolutionSizes sizes;
  bool isReversed;
  BoundedTensor source, weights, bias, result;
  ContractionBound bound;
  /// Of one group.
  int64_t sourceChannels, resultChannels;
  SmallVector<int64_t> sourceSizes, resultSizes;
  /// Runs are of every this many elements of the result, which see neighbours
  /// of the source at this distance.
  int64_t resultStep, sourceStep;
};

} // namespace

Convolution::Convolution(const graph::ConvolutionSizes &sizes, bool isReversed,
                         ArrayRef<BoundedTensor> operands,
                         const BoundedTensor &result)
    : sizes(sizes), isReversed(isReversed), source(operands[0]),
      weights(operands[1]), result(result),
      sourceChannels(isReversed ? sizes.outputChannels : sizes.inputChannels),
      resultChannels(isReversed ? sizes.inputChannels : sizes.outputChannels),
      sourceSizes(isReversed ? sizes.output : sizes.input),
      resultSizes(isReversed ? sizes.input : sizes.output),
      resultStep(isReversed ? sizes.strides.back() : 1),
      sourceStep(isReversed ? 1 : sizes.strides.back()) {
  if (operands.size() > 2)
    bias = operands[2];
  bound = ContractionBound(getKernelVolume(sizes) * sourceChannels, source,
                           weights, result.value.getType());
}

int64_t Convolution::getNumTiles() const {
  int64_t count = sizes.batch * sizes.groups *
                  ceilDiv(resultChannels, TileWorkspace::kColumns);
  for (int64_t size : ArrayRef(resultSizes).drop_back())
    count *= size;
  return count;
}

Convolution::Tile Convolution::getTile(int64_t index) const {
  auto take = [&](int64_t size) {
    int64_t position = index % size;
    index /= size;
    return position;
  };
  Tile tile;
  tile.column = TileWorkspace::kColumns *
                take(ceilDiv(resultChannels, TileWorkspace::kColumns));
  tile.columns =
      std::min(TileWorkspace::kColumns, resultChannels - tile.column);
  tile.position.assign(getLast(), 0);
  for (int64_t dim = int64_t(getLast()) - 1; dim >= 0; --dim)
    tile.position[dim] = take(resultSizes[dim]);
  tile.group = take(sizes.groups);
  tile.sample = index;
  return tile;
}

/// The elements of the kernel that meet an element of the source.
SmallVector<KernelTap> Convolution::getTaps(unsigned dim,
                                            int64_t element) const {
  SmallVector<KernelTap> taps;
  int64_t stride = sizes.strides[dim], pad = sizes.padsBegin[dim];
  for (int64_t k = 0; k < sizes.kernel[dim]; ++k) {
    int64_t distance = k * sizes.dilations[dim];
    int64_t at = isReversed ? element + pad - distance
                            : element * stride + distance - pad;
    if (isReversed && at % stride != 0)
      continue;
    at /= isReversed ? stride : 1;
    if (at >= 0 && at < sourceSizes[dim])
      taps.push_back({k, at});
  }
  return taps;
}

/// Whether the later element sees the same part of the kernel in the last
/// dimension.
bool Convolution::areOfOneRun(int64_t element, int64_t next) const {
  SmallVector<KernelTap> a = getTaps(getLast(), element),
                         b = getTaps(getLast(), next);
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return std::get<0>(pair).kernel == std::get<1>(pair).kernel;
         });
}

MatrixView Convolution::viewSource(const Tensor &tensor, const Tile &tile,
                                   ArrayRef<KernelTap> taps) const {
  if (!tensor)
    return {};
  ArrayRef<int64_t> strides = tensor.getStrides();
  int64_t offset = tile.sample * strides[0] +
                   tile.group * sourceChannels * strides[sizes.channelDim];
  for (auto [dim, tap] : llvm::enumerate(taps))
    offset += tap.source * strides[sizes.firstSpatialDim + dim];
  return {tensor.getType(), tensor.getData(), offset,
          sourceStep * strides[sizes.firstSpatialDim + getLast()],
          strides[sizes.channelDim]};
}

MatrixView Convolution::viewWeights(const Tensor &tensor, const Tile &tile,
                                    ArrayRef<KernelTap> taps) const {
  if (!tensor)
    return {};
  ArrayRef<int64_t> strides = tensor.getStrides();
  int64_t input = strides[sizes.weightsInputDim],
          output = strides[sizes.weightsOutputDim];
  int64_t offset = tile.group * sizes.outputChannels * output;
  for (auto [dim, tap] : llvm::enumerate(taps))
    offset += tap.kernel * strides[sizes.firstKernelDim + dim];
  return {tensor.getType(), tensor.getData(), offset,
          isReversed ? input : output, isReversed ? output : input};
}

/// Computes `count` elements of the line from `begin`, which all see the same
/// part of the kernel.
void Convolution::computeRun(const Tile &tile, int64_t begin, int64_t count,
                             TileWorkspace &workspace) const {
  SmallVector<int64_t> position(tile.position);
  position.push_back(begin);
  SmallVector<SmallVector<KernelTap>> lists;
  for (unsigned dim = 0; dim <= getLast(); ++dim)
    lists.push_back(getTaps(dim, position[dim]));
  SmallVector<MatrixProduct> products, squareProducts;
  visitTaps(lists, [&](ArrayRef<KernelTap> taps) {
    MatrixView a = viewSource(source.value, tile, taps);
    MatrixView b = viewWeights(weights.value, tile, taps);
    products.push_back({{a, {}}, {b, {}}});
    if (result.bound)
      bound.addProducts(a, viewSource(source.bound, tile, taps), b,
                        viewWeights(weights.bound, tile, taps), squareProducts);
  });
  double *values = workspace.getSum(0), *squares = workspace.getSum(1),
         *repeats = workspace.getSum(2);
  auto compute = [&](ArrayRef<MatrixProduct> products, double *sum,
                     double *repeats) {
    workspace.compute(products, 0, count, tile.column, tile.columns,
                      sourceChannels, sum, repeats);
  };
  compute(products, values, result.bound ? repeats : nullptr);
  if (result.bound)
    compute(squareProducts, squares, nullptr);

  int64_t channel = tile.group * resultChannels + tile.column;
  double addends[TileWorkspace::kColumns] = {};
  double addendErrors[TileWorkspace::kColumns] = {};
  auto load = [&](const Tensor &tensor, double *to) {
    if (tensor)
      loadElements(tensor.getType(), tensor.getData(),
                   channel * tensor.getStrides()[0], tensor.getStrides()[0],
                   tile.columns, to);
  };
  load(bias.value, addends);
  load(bias.bound, addendErrors);

  ArrayRef<int64_t> strides = result.value.getStrides();
  int64_t offset =
      tile.sample * strides[0] + channel * strides[sizes.channelDim];
  for (unsigned dim = 0; dim <= getLast(); ++dim)
    offset += position[dim] * strides[sizes.firstSpatialDim + dim];
  auto store = [&](const Tensor &tensor, int64_t row, const double *from) {
    storeElements(tensor.getType(), tensor.getData(),
                  offset + row * resultStep *
                               strides[sizes.firstSpatialDim + getLast()],
                  strides[sizes.channelDim], tile.columns, from);
  };
  for (int64_t row = 0; row < count; ++row) {
    double *sums = values + row * TileWorkspace::kColumns;
    if (result.bound) {
      double errors[TileWorkspace::kColumns];
      std::copy_n(addendErrors, tile.columns, errors);
      bound.finish(squares + row * TileWorkspace::kColumns,
                   repeats + row * TileWorkspace::kColumns, addends, sums,
                   errors, tile.columns);
      store(result.bound, row, errors);
    } else {
      for (int64_t j = 0; j < tile.columns; ++j)
        sums[j] += addends[j];
    }
    store(result.value, row, sums);
  }
}

void Convolution::computeTile(int64_t index, TileWorkspace &workspace) const {
  Tile tile = getTile(index);
  int64_t size = resultSizes.back();
  for (int64_t first = 0; first < std::min(resultStep, size); ++first)
    for (int64_t begin = first, end; begin < size; begin = end) {
      int64_t count = 1;
      end = begin + resultStep;
      while (end < size && count < TileWorkspace::kRows &&
             areOfOneRun(begin, end)) {
        end += resultStep;
        ++count;
      }
      computeRun(tile, begin, count, workspace);
    }
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

static LogicalResult
evaluateConvolution(Operation *op, const graph::ConvolutionSizes &sizes,
                    bool isReversed, ArrayRef<BoundedTensor> operands,
                    Evaluation &evaluation,
                    SmallVectorImpl<BoundedTensor> &results) {
  FailureOr<BoundedTensor> result =
      allocateContraction(op, operands, evaluation);
  if (failed(result))
    return failure();
  Convolution convolution(sizes, isReversed, operands, *result);
  if (!runTiles(convolution.getNumTiles(),
                [&](int64_t index, TileWorkspace &workspace) {
                  convolution.computeTile(index, workspace);
                }))
    return op->emitOpError("cannot be evaluated: no memory for its tiles");
  results.push_back(std::move(*result));
  return success();
}

/// Weights keep the spread of values from layer to layer.
static InputDomain getDomain(Operation *op,
                             const graph::ConvolutionSizes &sizes,
                             bool isReversed, unsigned operand) {
  InputDomain domain;
  int64_t channels = isReversed ? sizes.outputChannels : sizes.inputChannels;
  double terms = static_cast<double>(getKernelVolume(sizes) * channels);
  if (operand < 2)
    domain.limit = getFactorLimit(op->getResult(0), terms);
  if (operand != 1) {
    domain.scale = operand == 2 ? kBiasScale : 1;
    return domain;
  }
  domain.domain = ValueDomain::weight;
  domain.reducedDim =
      isReversed ? sizes.weightsOutputDim : sizes.weightsInputDim;
  domain.scale = 1 / std::sqrt(std::max(terms, 1.0));
  return domain;
}

namespace {

template <typename Op, bool isReversed>
struct ConvolutionModel
    : ReferenceOpInterface::ExternalModel<ConvolutionModel<Op, isReversed>,
                                          Op> {
  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation,
                         SmallVectorImpl<BoundedTensor> &results) const {
    return evaluateConvolution(op, graph::getConvolutionSizes(cast<Op>(op)),
                               isReversed, operands, evaluation, results);
  }

  InputDomain getInputDomain(Operation *op, unsigned operand) const {
    return getDomain(op, graph::getConvolutionSizes(cast<Op>(op)), isReversed,
                     operand);
  }
};

} // namespace

void gc::reference::attachConvolutionModel(MLIRContext *context) {
  using namespace graph;
  ConvolutionOp::attachInterface<ConvolutionModel<ConvolutionOp, false>>(
      *context);
  ConvTransposeOp::attachInterface<ConvolutionModel<ConvTransposeOp, true>>(
      *context);
  ConvTransposeBackwardDataOp::attachInterface<
      ConvolutionModel<ConvTransposeBackwardDataOp, false>>(*context);
  ConvolutionBackwardDataOp::attachInterface<
      ConvolutionModel<ConvolutionBackwardDataOp, true>>(*context);
}
