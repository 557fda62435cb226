// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Norms: y = gamma * (x - mean) / sqrt(variance + epsilon) + beta. The bound
// follows the formula step by step; errors of the row's elements add up in the
// worst case in mean and variance.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Norms.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"

#include <cmath>

using namespace gc::graph;
using namespace gc::reference;
using namespace mlir;

/// Mean of the terms of a sum.
static Bounded divideSum(const Sum &sum, int64_t count) {
  Bounded total = sum.get(count);
  double n = static_cast<double>(count), mean = total.value / n;
  return {mean, total.error / n + 2 * kRoundoff * std::fabs(mean)};
}

Bounded gc::reference::getMean(const double *x, const double *e,
                               int64_t count) {
  Sum sum;
  for (int64_t i = 0; i < count; ++i)
    sum.add(x[i], e[i]);
  return divideSum(sum, count);
}

Bounded gc::reference::center(double x, double e, Bounded mean) {
  double d = x - mean.value;
  return {d, e + mean.error + kRoundoff * std::fabs(d)};
}

Bounded gc::reference::getVariance(const double *x, const double *e,
                                   int64_t count, Bounded mean) {
  Sum sum;
  for (int64_t i = 0; i < count; ++i) {
    Bounded d = center(x[i], e[i], mean);
    double square = d.value * d.value;
    sum.add(square, 2 * std::fabs(d.value) * d.error + d.error * d.error +
                        2 * kRoundoff * square);
  }
  return divideSum(sum, count);
}

Bounded gc::reference::getScale(Bounded variance, double epsilon) {
  double sum = variance.value + epsilon;
  double error = variance.error + 2 * kRoundoff * sum;
  double scale = 1 / std::sqrt(sum);
  // Computed variances are not negative.
  double least = std::fmax(sum - error, epsilon * (1 - 4 * kRoundoff));
  return {scale, std::fmax(1 / std::sqrt(least) - scale,
                           scale - 1 / std::sqrt(sum + error)) +
                     12 * kRoundoff * scale};
}

namespace {

/// Writes element i of the row. gamma and beta are inputs, or -1.
void finishElement(RowData &row, int64_t i, Bounded centered, Bounded scale,
                   int gamma, int beta) {
  Bounded y = multiply(centered, scale);
  if (gamma >= 0)
    y = multiply(y, {row.values[gamma][i], row.errors[gamma][i]});
  if (beta >= 0) {
    y.value += row.values[beta][i];
    y.error += row.errors[beta][i];
  }
  row.result[i] = y.value;
  row.resultError[i] = y.error;
}

/// Inputs: x, and gamma and beta if present. Scalars, if any: mean, variance.
void normalizeRow(RowData &row, bool centers, double epsilon) {
  const double *x = row.values[0], *e = row.errors[0];
  int gamma = row.values.size() > 1 ? 1 : -1;
  int beta = row.values.size() > 2 ? 2 : -1;
  Bounded mean;
  if (centers)
    mean = getMean(x, e, row.length);
  Bounded variance = getVariance(x, e, row.length, mean);
  Bounded scale = getScale(variance, epsilon);
  for (int64_t i = 0; i < row.length; ++i)
    finishElement(row, i, center(x[i], e[i], mean), scale, gamma, beta);
  Bounded statistics[] = {mean, variance};
  for (size_t i = 0; i < row.scalars.size(); ++i) {
    row.scalars[i] = statistics[i].value;
    row.scalarErrors[i] = statistics[i].error;
  }
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

using View = function_ref<Tensor(const Tensor &)>;

BoundedTensor applyView(const BoundedTensor &tensor, View view) {
  BoundedTensor result;
  result.value = view(tensor.value);
  if (tensor.bound)
    result.bound = view(tensor.bound);
  return result;
}

/// Dimension `dim` as two, the first of size `parts`.
Tensor splitDim(const Tensor &tensor, int64_t dim, int64_t parts) {
  SmallVector<int64_t> shape(tensor.getShape()), strides(tensor.getStrides());
  shape[dim] /= parts;
  strides.insert(strides.begin() + dim, strides[dim] * shape[dim]);
  shape.insert(shape.begin() + dim, parts);
  return tensor.withView(shape, strides);
}

/// One element per channel, repeated over a shape of the tensor.
Tensor spreadChannels(const Tensor &tensor, ArrayRef<int64_t> shape,
                      int64_t dim) {
  SmallVector<int64_t> strides(shape.size(), 0);
  strides[dim] = tensor.getStrides()[0];
  return tensor.withView(shape, strides);
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

/// The operands and results of a norm.
struct Tensors {
  ArrayRef<BoundedTensor> operands, results;

  ArrayRef<int64_t> getShape() const { return operands[0].value.getShape(); }

  /// A program over rows of x, which is seen through `view`, as the first
  /// result is; the other operands are seen through `viewParameter`, in the
  /// shape of x.
  RowProgram makeProgram(ArrayRef<int64_t> reduced, View view,
                         View viewParameter) const {
    BoundedTensor src = applyView(operands[0], view);
    RowProgram program{RowSpace(src.value.getShape(), reduced), {src}};
    for (const BoundedTensor &operand : operands.drop_front())
      program.inputs.push_back(applyView(operand, viewParameter));
    program.result = applyView(results[0], view);
    program.scalars.append(results.begin() + 1, results.end());
    return program;
  }
};

Tensor keep(const Tensor &tensor) { return tensor; }

/// Norms over the dimensions from `begin`, which may count from the last.
void runTrailing(const Tensors &tensors, int64_t begin, bool centers,
                 double epsilon) {
  ArrayRef<int64_t> shape = tensors.getShape();
  int64_t rank = shape.size();
  auto reduced = llvm::to_vector(
      llvm::seq<int64_t>(begin < 0 ? begin + rank : begin, rank));
  auto broadcast = [&](const Tensor &tensor) {
    return tensor.broadcastTo(shape);
  };
  tensors.makeProgram(reduced, keep, broadcast).run([=](RowData &row) {
    normalizeRow(row, centers, epsilon);
  });
}

void run(LayerNormOp norm, const Tensors &tensors) {
  runTrailing(tensors, norm.getBeginNormAxis(), true,
              norm.getEpsilon().convertToDouble());
}

void run(RmsNormOp norm, const Tensors &tensors) {
  runTrailing(tensors, norm.getBeginNormAxis(), false,
              norm.getEpsilon().convertToDouble());
}

template <typename Op>
int64_t getChannelDim(Op norm, const Tensors &tensors) {
  return norm.getDataFormat() == "NXC" ? tensors.getShape().size() - 1 : 1;
}

void run(GroupNormOp norm, const Tensors &tensors) {
  int64_t rank = tensors.getShape().size(), groups = norm.getGroups();
  int64_t channel = getChannelDim(norm, tensors);
  // The channels become groups and channels of a group.
  SmallVector<int64_t> reduced;
  for (int64_t dim = 1; dim <= rank; ++dim)
    if (dim != channel)
      reduced.push_back(dim);
  auto split = [&](const Tensor &tensor) {
    return splitDim(tensor, channel, groups);
  };
  auto spread = [&](const Tensor &tensor) {
    return split(spreadChannels(tensor, tensors.getShape(), channel));
  };
  double epsilon = norm.getEpsilon().convertToDouble();
  tensors.makeProgram(reduced, split, spread).run([=](RowData &row) {
    normalizeRow(row, true, epsilon);
  });
}

void run(BatchNormInferenceOp norm, const Tensors &tensors) {
  int64_t rank = tensors.getShape().size();
  auto spread = [&](const Tensor &tensor) {
    return spreadChannels(tensor, tensors.getShape(),
                          getChannelDim(norm, tensors));
  };
  double epsilon = norm.getEpsilon().convertToDouble();
  tensors.makeProgram(rank - 1, keep, spread).run([=](RowData &row) {
    auto get = [&](unsigned input, int64_t i) {
      return Bounded{row.values[input][i], row.errors[input][i]};
    };
    for (int64_t i = 0; i < row.length; ++i) {
      Bounded x = get(0, i);
      finishElement(row, i, center(x.value, x.error, get(3, i)),
                    getScale(get(4, i), epsilon), 1, 2);
    }
  });
}

template <typename Op>
struct NormModel : ReferenceOpInterface::ExternalModel<NormModel<Op>, Op> {
  /// Scales and variances are well away from 0.
  InputDomain getInputDomain(Operation *, unsigned operand) const {
    InputDomain domain;
    if (operand == 1 || operand == 4)
      domain.domain = ValueDomain::positive;
    else if (operand != 0)
      domain.scale = kBiasScale;
    return domain;
  }

  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation,
                         SmallVectorImpl<BoundedTensor> &results) const {
    if (failed(evaluation.allocateResults(op, results)))
      return failure();
    run(cast<Op>(op), Tensors{operands, results});
    return success();
  }
};

} // namespace

void gc::reference::attachNormModels(MLIRContext *context) {
  BatchNormInferenceOp::attachInterface<NormModel<BatchNormInferenceOp>>(
      *context);
  GroupNormOp::attachInterface<NormModel<GroupNormOp>>(*context);
  LayerNormOp::attachInterface<NormModel<LayerNormOp>>(*context);
  RmsNormOp::attachInterface<NormModel<RmsNormOp>>(*context);
}
