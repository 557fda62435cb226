// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Batched matrix products with error bounds (see Reference/Interpreter.h for
// the bound).

#include "ContractionBound.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"

#include <cmath>

using namespace gc;
using namespace gc::reference;
using namespace mlir;

namespace {

/// A tensor operand as a batch of matrices.
struct Batch {
  MatrixView matrix;
  /// Strides of the result's batch dimensions.
  SmallVector<int64_t> strides;
};

/// Everything that the threads share.
struct Problem {
  graph::MatmulSizes sizes;
  Batch a, b, errorA, errorB, bias, biasError;
  BoundedTensor result;
  ContractionBound bound;

  int64_t getNumTiles() const;
  void computeTile(int64_t index, TileWorkspace &workspace) const;

private:
  struct Tile {
    SmallVector<int64_t> batch;
    int64_t row, rows, column, columns;
    /// Row-major index of the tile's first element in the result.
    int64_t begin;
  };
  Tile getTile(int64_t index) const;
  void finishRow(const Tile &tile, int64_t row, double *values,
                 const double *squares, const double *repeats) const;
};

struct MatmulModel
    : ReferenceOpInterface::ExternalModel<MatmulModel, graph::MatmulOp> {
  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation,
                         SmallVectorImpl<BoundedTensor> &results) const;

  /// Weights keep the spread of values from layer to layer.
  InputDomain getInputDomain(Operation *op, unsigned operand) const {
    InputDomain domain;
    auto matmul = cast<graph::MatmulOp>(op);
    if (operand >= 2 && matmul.getWeightsGroup() != 0) {
      // Scales are well away from 0, zero points small.
      domain.domain = operand == 2 ? ValueDomain::positive : ValueDomain::mask;
      return domain;
    }
    if (operand < 2)
      domain.limit =
          getFactorLimit(op->getResult(0),
                         static_cast<double>(graph::getMatmulSizes(matmul).k));
    if (operand != 1) {
      domain.scale = operand == 2 ? kBiasScale : 1;
      return domain;
    }
    domain.domain = ValueDomain::weight;
    int64_t rank = matmul.getWeights().getType().getRank();
    bool last = rank == 1 || matmul.getTransposeB();
    domain.reducedDim = rank - (last ? 1 : 2);
    double k = graph::getMatmulSizes(matmul).k;
    domain.scale = 1 / std::sqrt(std::max(k, 1.0));
    return domain;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

static int64_t ceilDiv(int64_t value, int64_t by) {
  return (value + by - 1) / by;
}

int64_t Problem::getNumTiles() const {
  int64_t count = ceilDiv(sizes.m, TileWorkspace::kRows) *
                  ceilDiv(sizes.n, TileWorkspace::kColumns);
  for (int64_t size : sizes.batch)
    count *= size;
  return count;
}

Problem::Tile Problem::getTile(int64_t index) const {
  int64_t tilesM = ceilDiv(sizes.m, TileWorkspace::kRows);
  int64_t tilesN = ceilDiv(sizes.n, TileWorkspace::kColumns);
  Tile tile;
  tile.column = index % tilesN * TileWorkspace::kColumns;
  tile.columns = std::min(TileWorkspace::kColumns, sizes.n - tile.column);
  index /= tilesN;
  tile.row = index % tilesM * TileWorkspace::kRows;
  tile.rows = std::min(TileWorkspace::kRows, sizes.m - tile.row);
  int64_t batch = index / tilesM;
  tile.begin = (batch * sizes.m + tile.row) * sizes.n + tile.column;
  tile.batch.assign(sizes.batch.size(), 0);
  for (int64_t i = int64_t(sizes.batch.size()) - 1; i >= 0; --i) {
    tile.batch[i] = batch % sizes.batch[i];
    batch /= sizes.batch[i];
  }
  return tile;
}

/// The matrix of one batch index.
static MatrixView getMatrix(const Batch &batch, ArrayRef<int64_t> index) {
  MatrixView view = batch.matrix;
  for (auto [stride, position] : llvm::zip(batch.strides, index))
    view.offset += stride * position;
  return view;
}

void Problem::computeTile(int64_t index, TileWorkspace &workspace) const {
  Tile tile = getTile(index);
  MatrixView viewA = getMatrix(a, tile.batch), viewB = getMatrix(b, tile.batch);
  double *values = workspace.getSum(0), *squares = workspace.getSum(1),
         *repeats = workspace.getSum(2);
  auto compute = [&](ArrayRef<MatrixProduct> products, double *sum,
                     double *repeats) {
    workspace.compute(products, tile.row, tile.rows, tile.column, tile.columns,
                      sizes.k, sum, repeats);
  };
  compute({MatrixProduct{{viewA, {}}, {viewB, {}}}}, values,
          result.bound ? repeats : nullptr);

  if (result.bound) {
    SmallVector<MatrixProduct, 2> products;
    bound.addProducts(viewA, getMatrix(errorA, tile.batch), viewB,
                      getMatrix(errorB, tile.batch), products);
    compute(products, squares, nullptr);
  }
  for (int64_t i = 0; i < tile.rows; ++i)
    finishRow(tile, i, values + i * TileWorkspace::kColumns,
              squares + i * TileWorkspace::kColumns,
              repeats + i * TileWorkspace::kColumns);
}

void Problem::finishRow(const Tile &tile, int64_t row, double *values,
                        const double *squares, const double *repeats) const {
  ElementType type = result.value.getType();
  int64_t begin = tile.begin + row * sizes.n;
  double addend[TileWorkspace::kColumns] = {};
  double error[TileWorkspace::kColumns] = {};
  auto load = [&](const Batch &from, double *to) {
    MatrixView view = getMatrix(from, tile.batch);
    if (view)
      loadElements(view.type, view.data,
                   view.offset + (tile.row + row) * view.rowStride +
                       tile.column * view.depthStride,
                   view.depthStride, tile.columns, to);
  };
  load(bias, addend);
  if (!result.bound) {
    for (int64_t j = 0; j < tile.columns; ++j)
      values[j] += addend[j];
    storeElements(type, result.value.getData(), begin, 1, tile.columns, values);
    return;
  }
  load(biasError, error);
  bound.finish(squares, repeats, addend, values, error, tile.columns);
  storeElements(type, result.value.getData(), begin, 1, tile.columns, values);
  storeElements(ElementType::F32, result.bound.getData(), begin, 1,
                tile.columns, error);
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

/// `tensor` as matrices: where `kept` and `summed` count from the last
/// dimension (0: there is none), the others are batch dimensions.
static Batch makeBatch(const Tensor &tensor, unsigned kept, unsigned summed,
                       size_t batchRank) {
  Batch batch;
  if (!tensor)
    return batch;
  unsigned rank = tensor.getRank();
  auto strideOf = [&](unsigned fromLast) {
    return fromLast && tensor.getShape()[rank - fromLast] != 1
               ? tensor.getStrides()[rank - fromLast]
               : 0;
  };
  batch.matrix = {tensor.getType(), tensor.getData(), 0, strideOf(kept),
                  strideOf(summed)};
  unsigned dims = (kept != 0) + (summed != 0);
  batch.strides.assign(batchRank, 0);
  for (unsigned i = 0; i < batchRank && i + dims < rank; ++i)
    batch.strides[batchRank - 1 - i] = strideOf(i + dims + 1);
  return batch;
}

/// Weights times their scales, less their zero points, in f32.
static FailureOr<BoundedTensor> scaleWeights(graph::MatmulOp op,
                                             ArrayRef<BoundedTensor> operands,
                                             Evaluation &evaluation) {
  auto shape = op.getWeights().getType().getShape();
  FailureOr<BoundedTensor> result = evaluation.allocate(
      op, RankedTensorType::get(shape, Float32Type::get(op.getContext())),
      evaluation.wantsBounds());
  if (failed(result))
    return failure();
  double roundoff = getInfo(ElementType::F32).unitRoundoff;
  for (int64_t i = 0; i < shape[0]; ++i)
    for (int64_t j = 0; j < shape[1]; ++j) {
      int64_t at[] = {i, j}, group[] = {i, j};
      if (op.getTransposeB())
        std::swap(group[0], group[1]);
      group[0] /= op.getWeightsGroup();
      double zp = op.getZps() ? operands[3].value.get(group) : 0;
      double centered = operands[1].value.get(at) - zp;
      double value = centered * operands[2].value.get(group);
      result->value.set(at, value);
      if (!result->bound)
        continue;
      double error = 2 * roundoff * std::fabs(value);
      if (operands[2].bound)
        error += std::fabs(centered) * operands[2].bound.get(group);
      result->bound.set(at, error);
    }
  return result;
}

/// The windows of an image as the rows of matrices, one after the other; `fill`
/// stands for what is in the pads.
static FailureOr<Tensor> gatherWindows(graph::MatmulOp op, const Tensor &image,
                                       double fill, Evaluation &evaluation) {
  graph::WindowAttr window = op.getWindowAttr();
  ArrayRef<int64_t> shape = image.getShape();
  size_t spatial = window.getKernel().size();
  // Integers with a wider type, since zero points need not fit theirs.
  Type element = op.getSrc().getType().getElementType();
  if (isa<IntegerType>(element))
    element = IntegerType::get(op.getContext(), 32, IntegerType::Signed);
  else if (image.getType() == ElementType::F32)
    element = Float32Type::get(op.getContext());
  SmallVector<int64_t> rows(op.getType().getShape().drop_back());
  int64_t channels = shape.back() / window.getGroups();
  rows.push_back(window.getTaps() * channels);
  FailureOr<BoundedTensor> result = evaluation.allocate(
      op, RankedTensorType::get(rows, element), /*bound=*/false);
  if (failed(result))
    return failure();
  // In row-major order: [groups, n, y..., k..., channels].
  SmallVector<int64_t> sizes{window.getGroups(), shape[0]}, index;
  llvm::append_range(sizes, window.getPositions(shape));
  llvm::append_range(sizes, window.getKernel());
  sizes.push_back(channels);
  std::vector<double> values;
  int64_t count = result->value.getNumElements();
  values.reserve(count);
  index.assign(sizes.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<int64_t> at{index[1]};
    bool isInside = true;
    for (size_t dim = 0; dim < spatial; ++dim) {
      at.push_back(index[2 + dim] * window.getStrides()[dim] +
                   index[2 + spatial + dim] * window.getDilations()[dim] -
                   window.getPadsBegin()[dim]);
      isInside &= at.back() >= 0 && at.back() < shape[1 + dim];
    }
    at.push_back(index[0] * channels + index.back());
    values.push_back(isInside ? image.get(at) : fill);
    for (size_t dim = sizes.size(); dim-- > 0;) {
      if (++index[dim] < sizes[dim])
        break;
      index[dim] = 0;
    }
  }
  result->value.setValues(values);
  return result->value;
}

LogicalResult
MatmulModel::evaluate(Operation *op, ArrayRef<BoundedTensor> given,
                      Evaluation &evaluation,
                      SmallVectorImpl<BoundedTensor> &results) const {
  auto matmul = cast<graph::MatmulOp>(op);
  SmallVector<BoundedTensor> operands(given);
  if (matmul.getScales()) {
    FailureOr<BoundedTensor> weights = scaleWeights(matmul, given, evaluation);
    if (failed(weights))
      return failure();
    operands = {given[0], std::move(*weights)};
  }
  if (matmul.getWindow()) {
    FailureOr<Tensor> value =
        gatherWindows(matmul, given[0].value, matmul.getSrcZp(), evaluation);
    if (failed(value))
      return failure();
    operands[0].value = *value;
    if (given[0].bound) {
      value = gatherWindows(matmul, given[0].bound, 0, evaluation);
      if (failed(value))
        return failure();
      operands[0].bound = *value;
    }
  }
  FailureOr<BoundedTensor> result =
      allocateContraction(op, operands, evaluation);
  if (failed(result))
    return failure();

  Problem problem;
  problem.sizes = graph::getMatmulSizes(matmul);
  problem.result = *result;
  size_t batchRank = problem.sizes.batch.size();
  bool isRow = operands[0].value.getRank() == 1;
  bool isColumn = operands[1].value.getRank() == 1;
  unsigned m = isRow ? 0 : matmul.getTransposeA() ? 1 : 2;
  unsigned n = isColumn ? 0 : matmul.getTransposeB() ? 2 : 1;
  unsigned kOfA = m == 1 ? 2 : 1, kOfB = n == 1 ? 2 : 1;
  problem.a = makeBatch(operands[0].value, m, kOfA, batchRank);
  problem.errorA = makeBatch(operands[0].bound, m, kOfA, batchRank);
  problem.b = makeBatch(operands[1].value, n, kOfB, batchRank);
  problem.errorB = makeBatch(operands[1].bound, n, kOfB, batchRank);
  problem.a.matrix.zeroPoint = matmul.getSrcZpAttr().getInt();
  problem.b.matrix.zeroPoint = matmul.getWeightsZpAttr().getInt();
  if (matmul.getBias()) {
    // In a bias, "rows" are m and "depth" is n.
    unsigned biasN = isColumn ? 0 : 1;
    unsigned biasM = isRow ? 0 : biasN + 1;
    ArrayRef<int64_t> shape = result->value.getShape();
    Tensor bias = operands[2].value.broadcastTo(shape);
    problem.bias = makeBatch(bias, biasM, biasN, batchRank);
    if (operands[2].bound)
      problem.biasError = makeBatch(operands[2].bound.broadcastTo(shape), biasM,
                                    biasN, batchRank);
  }

  problem.bound = ContractionBound(problem.sizes.k, operands[0], operands[1],
                                   result->value.getType());
  if (!runTiles(problem.getNumTiles(),
                [&](int64_t index, TileWorkspace &workspace) {
                  problem.computeTile(index, workspace);
                }))
    return op->emitOpError("cannot be evaluated: no memory for its tiles");
  results.push_back(std::move(*result));
  return success();
}

void gc::reference::attachMatmulModel(MLIRContext *context) {
  graph::MatmulOp::attachInterface<MatmulModel>(*context);
}
