// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolution: each run of neighbouring output elements that see the same part
// of the kernel is a sum of matrix products, one per element of that part, of
// [elements, input channels] by [input channels, output channels]. Elements
// outside src are left out rather than multiplied as 0.

#include "ContractionBound.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"

#include <cmath>

using namespace gc;
using namespace gc::reference;
using namespace mlir;

namespace {

/// An op on its operands, shared by all threads.
struct Convolution {
  graph::ConvolutionSizes sizes;
  BoundedTensor src, weights, bias, result;
  ContractionBound bound;

  int64_t getNumTiles() const;
  void computeTile(int64_t index, TileWorkspace &workspace) const;

private:
  /// Half-open range of indices.
  struct Range {
    int64_t begin, end;
    bool operator==(const Range &other) const {
      return begin == other.begin && end == other.end;
    }
  };
  /// Output elements of one line, for some output channels of one group.
  struct Tile {
    int64_t sample, group, column, columns;
    /// In all spatial dimensions except the last.
    SmallVector<int64_t> position;
  };

  unsigned getLast() const { return sizes.output.size() - 1; }
  Tile getTile(int64_t index) const;
  Range getKernelRange(unsigned dim, int64_t output) const;
  void computeRun(const Tile &tile, int64_t begin, int64_t count,
                  TileWorkspace &workspace) const;
  MatrixView viewSrc(const Tensor &tensor, const Tile &tile,
                     ArrayRef<int64_t> output, ArrayRef<int64_t> kernel) const;
  MatrixView viewWeights(const Tensor &tensor, const Tile &tile,
                         ArrayRef<int64_t> kernel) const;
};

struct ConvolutionModel
    : ReferenceOpInterface::ExternalModel<ConvolutionModel,
                                          graph::ConvolutionOp> {
  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation,
                         SmallVectorImpl<BoundedTensor> &results) const;

  InputDomain getInputDomain(Operation *op, unsigned operand) const;
};

} // namespace

static int64_t ceilDiv(int64_t value, int64_t by) {
  return value <= 0 ? 0 : (value + by - 1) / by;
}

/// Elements of the kernel for one pair of channels.
static int64_t getKernelVolume(const graph::ConvolutionSizes &sizes) {
  int64_t volume = 1;
  for (int64_t size : sizes.kernel)
    volume *= size;
  return volume;
}

int64_t Convolution::getNumTiles() const {
  int64_t count = sizes.batch * sizes.groups *
                  ceilDiv(sizes.outputChannels, TileWorkspace::kColumns);
  for (int64_t size : ArrayRef(sizes.output).drop_back())
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
                take(ceilDiv(sizes.outputChannels, TileWorkspace::kColumns));
  tile.columns =
      std::min(TileWorkspace::kColumns, sizes.outputChannels - tile.column);
  tile.position.assign(getLast(), 0);
  for (int64_t dim = int64_t(getLast()) - 1; dim >= 0; --dim)
    tile.position[dim] = take(sizes.output[dim]);
  tile.group = take(sizes.groups);
  tile.sample = index;
  return tile;
}

/// The elements of the kernel that meet an element of src.
Convolution::Range Convolution::getKernelRange(unsigned dim,
                                               int64_t output) const {
  int64_t first = output * sizes.strides[dim] - sizes.padsBegin[dim];
  int64_t dilation = sizes.dilations[dim];
  int64_t begin = ceilDiv(-first, dilation);
  int64_t end =
      std::min(sizes.kernel[dim], ceilDiv(sizes.input[dim] - first, dilation));
  return {begin, std::max(begin, end)};
}

MatrixView Convolution::viewSrc(const Tensor &tensor, const Tile &tile,
                                ArrayRef<int64_t> output,
                                ArrayRef<int64_t> kernel) const {
  if (!tensor)
    return {};
  ArrayRef<int64_t> strides = tensor.getStrides();
  int64_t offset = tile.sample * strides[0] +
                   tile.group * sizes.inputChannels * strides[sizes.channelDim];
  for (unsigned dim = 0; dim <= getLast(); ++dim)
    offset += (output[dim] * sizes.strides[dim] +
               kernel[dim] * sizes.dilations[dim] - sizes.padsBegin[dim]) *
              strides[sizes.firstSpatialDim + dim];
  return {tensor.getType(), tensor.getData(), offset,
          sizes.strides.back() * strides[sizes.firstSpatialDim + getLast()],
          strides[sizes.channelDim]};
}

MatrixView Convolution::viewWeights(const Tensor &tensor, const Tile &tile,
                                    ArrayRef<int64_t> kernel) const {
  if (!tensor)
    return {};
  ArrayRef<int64_t> strides = tensor.getStrides();
  int64_t offset =
      tile.group * sizes.outputChannels * strides[sizes.weightsOutputDim];
  for (unsigned dim = 0; dim <= getLast(); ++dim)
    offset += kernel[dim] * strides[sizes.firstKernelDim + dim];
  return {tensor.getType(), tensor.getData(), offset,
          strides[sizes.weightsOutputDim], strides[sizes.weightsInputDim]};
}

/// Calls visit(index) for all indices in the ranges.
template <typename Range, typename Visit>
static void visitIndices(ArrayRef<Range> ranges, Visit visit) {
  SmallVector<int64_t> index;
  for (const Range &range : ranges) {
    if (range.begin == range.end)
      return;
    index.push_back(range.begin);
  }
  for (bool more = true; more;) {
    visit(index);
    more = false;
    for (int64_t dim = int64_t(ranges.size()) - 1; dim >= 0 && !more; --dim) {
      more = ++index[dim] < ranges[dim].end;
      if (!more)
        index[dim] = ranges[dim].begin;
    }
  }
}

/// Computes `count` elements of the line from `begin`, which all see the same
/// part of the kernel.
void Convolution::computeRun(const Tile &tile, int64_t begin, int64_t count,
                             TileWorkspace &workspace) const {
  SmallVector<int64_t> output(tile.position);
  output.push_back(begin);
  SmallVector<Range> ranges;
  for (unsigned dim = 0; dim <= getLast(); ++dim)
    ranges.push_back(getKernelRange(dim, output[dim]));
  SmallVector<MatrixProduct> products, squareProducts;
  visitIndices<Range>(ranges, [&](ArrayRef<int64_t> kernel) {
    MatrixView a = viewSrc(src.value, tile, output, kernel);
    MatrixView b = viewWeights(weights.value, tile, kernel);
    products.push_back({{a, {}}, {b, {}}});
    if (result.bound)
      bound.addProducts(a, viewSrc(src.bound, tile, output, kernel), b,
                        viewWeights(weights.bound, tile, kernel),
                        squareProducts);
  });
  double *values = workspace.getSum(0), *squares = workspace.getSum(1);
  auto compute = [&](ArrayRef<MatrixProduct> products, double *sum) {
    workspace.compute(products, 0, count, tile.column, tile.columns,
                      sizes.inputChannels, sum);
  };
  compute(products, values);
  if (result.bound)
    compute(squareProducts, squares);

  int64_t channel = tile.group * sizes.outputChannels + tile.column;
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
    offset += output[dim] * strides[sizes.firstSpatialDim + dim];
  auto store = [&](const Tensor &tensor, int64_t row, const double *from) {
    storeElements(tensor.getType(), tensor.getData(),
                  offset + row * strides[sizes.firstSpatialDim + getLast()],
                  strides[sizes.channelDim], tile.columns, from);
  };
  for (int64_t row = 0; row < count; ++row) {
    double *sums = values + row * TileWorkspace::kColumns;
    if (result.bound) {
      double errors[TileWorkspace::kColumns];
      std::copy_n(addendErrors, tile.columns, errors);
      bound.finish(squares + row * TileWorkspace::kColumns, addends, sums,
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
  for (int64_t begin = 0, end; begin < sizes.output.back(); begin = end) {
    Range range = getKernelRange(getLast(), begin);
    end = begin + 1;
    while (end < sizes.output.back() && end - begin < TileWorkspace::kRows &&
           getKernelRange(getLast(), end) == range)
      ++end;
    computeRun(tile, begin, end - begin, workspace);
  }
}

LogicalResult
ConvolutionModel::evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                           Evaluation &evaluation,
                           SmallVectorImpl<BoundedTensor> &results) const {
  FailureOr<BoundedTensor> result =
      allocateContraction(op, operands, evaluation);
  if (failed(result))
    return failure();
  Convolution convolution;
  convolution.sizes =
      graph::getConvolutionSizes(cast<graph::ConvolutionOp>(op));
  convolution.src = operands[0];
  convolution.weights = operands[1];
  if (operands.size() > 2)
    convolution.bias = operands[2];
  convolution.result = *result;
  convolution.bound = ContractionBound(
      getKernelVolume(convolution.sizes) * convolution.sizes.inputChannels,
      operands[0], operands[1], result->value.getType());
  if (!runTiles(convolution.getNumTiles(),
                [&](int64_t index, TileWorkspace &workspace) {
                  convolution.computeTile(index, workspace);
                }))
    return op->emitOpError("cannot be evaluated: no memory for its tiles");
  results.push_back(std::move(*result));
  return success();
}

/// Weights keep the spread of values from layer to layer.
InputDomain ConvolutionModel::getInputDomain(Operation *op,
                                             unsigned operand) const {
  InputDomain domain;
  graph::ConvolutionSizes sizes =
      graph::getConvolutionSizes(cast<graph::ConvolutionOp>(op));
  double terms =
      static_cast<double>(getKernelVolume(sizes) * sizes.inputChannels);
  if (operand < 2)
    domain.limit = getFactorLimit(op->getResult(0), terms);
  if (operand != 1) {
    domain.scale = operand == 2 ? kBiasScale : 1;
    return domain;
  }
  domain.domain = ValueDomain::weight;
  domain.reducedDim = sizes.weightsInputDim;
  domain.scale = 1 / std::sqrt(std::max(terms, 1.0));
  return domain;
}

void gc::reference::attachConvolutionModel(MLIRContext *context) {
  graph::ConvolutionOp::attachInterface<ConvolutionModel>(*context);
}
