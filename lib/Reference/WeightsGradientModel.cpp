// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients of a convolution's weights: one sum of matrix products per element
// of the kernel. Elements outside of the image are left out rather than
// multiplied as 0.

#include "ContractionBound.h"
#include "ConvolutionTaps.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"

using namespace gc;
using namespace gc::reference;
using namespace mlir;

namespace {

/// The gradient of weights, from the image and the output of a convolution: one
/// product of [input channels, elements] by [elements, output channels] per
/// line of the output, for each element of the kernel.
struct WeightsGradient {
  WeightsGradient(const graph::ConvolutionSizes &sizes,
                  const BoundedTensor &image, const BoundedTensor &output,
                  const BoundedTensor &result);

  int64_t getNumTiles() const;
  void computeTile(int64_t index, TileWorkspace &workspace) const;

private:
  graph::ConvolutionSizes sizes;
  BoundedTensor image, output, result;
  ContractionBound bound;
};

} // namespace

WeightsGradient::WeightsGradient(const graph::ConvolutionSizes &sizes,
                                 const BoundedTensor &image,
                                 const BoundedTensor &output,
                                 const BoundedTensor &result)
    : sizes(sizes), image(image), output(output), result(result) {
  int64_t terms = sizes.batch;
  for (int64_t size : sizes.output)
    terms *= size;
  bound = ContractionBound(terms, image, output, result.value.getType());
}

/// A tile: one element of the kernel, some output channels of a group, some
/// input channels.
int64_t WeightsGradient::getNumTiles() const {
  return getKernelVolume(sizes) * sizes.groups *
         ceilDiv(sizes.outputChannels, TileWorkspace::kColumns) *
         ceilDiv(sizes.inputChannels, TileWorkspace::kRows);
}

void WeightsGradient::computeTile(int64_t index,
                                  TileWorkspace &workspace) const {
  auto take = [&](int64_t size) {
    int64_t position = index % size;
    index /= size;
    return position;
  };
  constexpr int64_t kRows = TileWorkspace::kRows,
                    kColumns = TileWorkspace::kColumns;
  int64_t row = kRows * take(ceilDiv(sizes.inputChannels, kRows));
  int64_t rows = std::min(kRows, sizes.inputChannels - row);
  int64_t column = kColumns * take(ceilDiv(sizes.outputChannels, kColumns));
  int64_t columns = std::min(kColumns, sizes.outputChannels - column);
  int64_t group = take(sizes.groups);
  int64_t last = sizes.kernel.size() - 1;
  SmallVector<int64_t> kernel(last + 1);
  for (int64_t dim = last; dim >= 0; --dim)
    kernel[dim] = take(sizes.kernel[dim]);

  // The elements of the output whose windows have that element in the image.
  SmallVector<SmallVector<KernelTap>> lists(last + 1);
  for (int64_t dim = 0; dim <= last; ++dim)
    for (int64_t y = 0; y < sizes.output[dim]; ++y) {
      int64_t x = y * sizes.strides[dim] + kernel[dim] * sizes.dilations[dim] -
                  sizes.padsBegin[dim];
      if (x >= 0 && x < sizes.input[dim])
        lists[dim].push_back({y, x});
    }
  int64_t depth = lists[last].size();
  // The last dimension's elements are evenly spaced: one product.
  if (depth > 1)
    lists[last].truncate(1);
  auto view = [&](const Tensor &tensor, int64_t sample,
                  ArrayRef<KernelTap> taps, bool isImage) -> MatrixView {
    if (!tensor)
      return {};
    ArrayRef<int64_t> strides = tensor.getStrides();
    int64_t channels = isImage ? sizes.inputChannels : sizes.outputChannels;
    int64_t offset =
        sample * strides[0] + group * channels * strides[sizes.channelDim];
    for (auto [dim, tap] : llvm::enumerate(taps))
      offset += (isImage ? tap.source : tap.kernel) *
                strides[sizes.firstSpatialDim + dim];
    return {tensor.getType(), tensor.getData(), offset,
            strides[sizes.channelDim],
            (isImage ? sizes.strides[last] : 1) *
                strides[sizes.firstSpatialDim + last]};
  };
  SmallVector<MatrixProduct> products, squareProducts;
  for (int64_t sample = 0; sample < sizes.batch; ++sample)
    visitTaps(lists, [&](ArrayRef<KernelTap> taps) {
      MatrixView a = view(image.value, sample, taps, true);
      MatrixView b = view(output.value, sample, taps, false);
      products.push_back({{a, {}}, {b, {}}});
      if (result.bound)
        bound.addProducts(a, view(image.bound, sample, taps, true), b,
                          view(output.bound, sample, taps, false),
                          squareProducts);
    });
  double *values = workspace.getSum(0), *squares = workspace.getSum(1),
         *repeats = workspace.getSum(2);
  workspace.compute(products, row, rows, column, columns, depth, values,
                    result.bound ? repeats : nullptr);
  if (result.bound)
    workspace.compute(squareProducts, row, rows, column, columns, depth,
                      squares);
  ArrayRef<int64_t> strides = result.value.getStrides();
  int64_t input = strides[sizes.weightsInputDim],
          out = strides[sizes.weightsOutputDim];
  int64_t offset = row * input + (group * sizes.outputChannels + column) * out;
  for (int64_t dim = 0; dim <= last; ++dim)
    offset += kernel[dim] * strides[sizes.firstKernelDim + dim];
  for (int64_t i = 0; i < rows; ++i) {
    double *sums = values + i * kColumns;
    double addends[kColumns] = {}, errors[kColumns] = {};
    if (result.bound) {
      bound.finish(squares + i * kColumns, repeats + i * kColumns, addends,
                   sums, errors, columns);
      storeElements(result.bound.getType(), result.bound.getData(),
                    offset + i * input, out, columns, errors);
    }
    storeElements(result.value.getType(), result.value.getData(),
                  offset + i * input, out, columns, sums);
  }
}

namespace {

/// The gradient of weights, from the convolution's image and output.
template <typename Op, unsigned imageOperand>
struct WeightsModel
    : ReferenceOpInterface::ExternalModel<WeightsModel<Op, imageOperand>, Op> {
  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation,
                         SmallVectorImpl<BoundedTensor> &results) const {
    FailureOr<BoundedTensor> result =
        allocateContraction(op, operands, evaluation);
    if (failed(result))
      return failure();
    WeightsGradient gradient(graph::getConvolutionSizes(cast<Op>(op)),
                             operands[imageOperand], operands[1 - imageOperand],
                             *result);
    if (!runTiles(gradient.getNumTiles(),
                  [&](int64_t index, TileWorkspace &workspace) {
                    gradient.computeTile(index, workspace);
                  }))
      return op->emitOpError("cannot be evaluated: no memory for its tiles");
    results.push_back(std::move(*result));
    return success();
  }
};

} // namespace

void gc::reference::attachWeightsGradientModels(MLIRContext *context) {
  using namespace graph;
  ConvolutionBackwardWeightsOp::attachInterface<
      WeightsModel<ConvolutionBackwardWeightsOp, 0>>(*context);
  ConvTransposeBackwardWeightsOp::attachInterface<
      WeightsModel<ConvTransposeBackwardWeightsOp, 1>>(*context);
}
