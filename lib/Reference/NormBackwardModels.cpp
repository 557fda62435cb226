// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients of softmax and norms, and batch norm for training. The bounds
// follow the formulas step by step.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Norms.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"

using namespace gc::graph;
using namespace gc::reference;
using namespace mlir;

namespace {

using Results = SmallVectorImpl<BoundedTensor>;

Bounded get(const RowData &row, unsigned input, int64_t i) {
  return {row.values[input][i], row.errors[input][i]};
}

/// a - b, with its rounding.
Bounded subtract(Bounded a, Bounded b) {
  double difference = a.value - b.value;
  return {difference,
          a.error + b.error + 2 * kRoundoff * std::fabs(difference)};
}

Bounded divide(Bounded a, int64_t count) {
  double n = static_cast<double>(count), quotient = a.value / n;
  return {quotient, a.error / n + 2 * kRoundoff * std::fabs(quotient)};
}

void setResult(RowData &row, int64_t i, Bounded value) {
  row.result[i] = value.value;
  row.resultError[i] = value.error + 0x1p-125;
}

void setScalar(RowData &row, unsigned i, Bounded value) {
  row.scalars[i] = value.value;
  row.scalarErrors[i] = value.error;
}

/// The tensor and its bound as views of `shape`, in which the tensor's
/// dimensions are those from `first` on.
BoundedTensor spread(const BoundedTensor &tensor, ArrayRef<int64_t> shape,
                     int64_t first) {
  BoundedTensor view;
  auto apply = [&](const Tensor &part) {
    SmallVector<int64_t> strides(shape.size(), 0);
    llvm::copy(part.getStrides(), strides.begin() + first);
    return part.withView(shape, strides);
  };
  view.value = apply(tensor.value);
  if (tensor.bound)
    view.bound = apply(tensor.bound);
  return view;
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Inputs: diff, y.
void softmaxRow(RowData &row) {
  Sum sum;
  for (int64_t i = 0; i < row.length; ++i)
    sum.add(multiply(get(row, 0, i), get(row, 1, i)));
  Bounded total = sum.get(row.length);
  for (int64_t i = 0; i < row.length; ++i)
    setResult(row, i,
              multiply(get(row, 1, i), subtract(get(row, 0, i), total)));
}

void logSoftmaxRow(RowData &row) {
  Sum sum;
  for (int64_t i = 0; i < row.length; ++i)
    sum.add(get(row, 0, i));
  Bounded total = sum.get(row.length);
  for (int64_t i = 0; i < row.length; ++i) {
    Bounded y = get(row, 1, i);
    Bounded share{std::exp(y.value)};
    share.error = share.value * (std::expm1(y.error) +
                                 (18 + 19 * std::fabs(y.value)) * kRoundoff);
    if (share.value == 0)
      share.error = std::exp(y.value + y.error);
    setResult(row, i, subtract(get(row, 0, i), multiply(share, total)));
  }
}

template <typename Op>
struct SoftmaxGradientModel
    : ReferenceOpInterface::ExternalModel<SoftmaxGradientModel<Op>, Op> {
  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation, Results &results) const {
    if (failed(evaluation.allocateResults(op, results)))
      return failure();
    RowProgram program{
        RowSpace(operands[0].value.getShape(), cast<Op>(op).getDimension()),
        llvm::to_vector(operands)};
    program.result = results[0];
    constexpr bool isLog = std::is_same_v<Op, LogSoftmaxBackwardOp>;
    program.run(isLog ? logSoftmaxRow : softmaxRow);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// Inputs: x, diff, mean, variance.
Bounded getNormalized(const RowData &row, int64_t i, double epsilon) {
  Bounded x = get(row, 0, i);
  return multiply(center(x.value, x.error, get(row, 2, i)),
                  getScale(get(row, 3, i), epsilon));
}

/// The sums of diff * y and of diff.
std::pair<Bounded, Bounded> sumRow(const RowData &row, double epsilon) {
  Sum gamma, beta;
  for (int64_t i = 0; i < row.length; ++i) {
    gamma.add(multiply(get(row, 1, i), getNormalized(row, i, epsilon)));
    beta.add(get(row, 1, i));
  }
  return {gamma.get(row.length), beta.get(row.length)};
}

/// Inputs: x, diff, mean, variance, and gamma if `scales`.
void normGradientRow(RowData &row, double epsilon, bool scales) {
  auto getInner = [&](int64_t i) {
    return scales ? multiply(get(row, 1, i), get(row, 4, i)) : get(row, 1, i);
  };
  Sum products, sum;
  for (int64_t i = 0; i < row.length; ++i) {
    products.add(multiply(getInner(i), getNormalized(row, i, epsilon)));
    sum.add(getInner(i));
  }
  Bounded slope = divide(products.get(row.length), row.length);
  Bounded mean = divide(sum.get(row.length), row.length);
  for (int64_t i = 0; i < row.length; ++i) {
    Bounded inner = getInner(i);
    Bounded projected = multiply(getNormalized(row, i, epsilon), slope);
    Bounded rest = subtract(subtract(inner, mean), projected);
    rest.error += 4 * kRoundoff *
                  (std::fabs(inner.value) + std::fabs(mean.value) +
                   std::fabs(projected.value));
    setResult(row, i, multiply(rest, getScale(get(row, 3, i), epsilon)));
  }
}

LogicalResult run(LayerNormBackwardOp norm, ArrayRef<BoundedTensor> operands,
                  ArrayRef<BoundedTensor> results) {
  ArrayRef<int64_t> shape = operands[0].value.getShape();
  int64_t rank = shape.size(), begin = norm.getBeginNormAxis();
  begin += begin < 0 ? rank : 0;
  double epsilon = norm.getEpsilon().convertToDouble();
  bool scales = norm.getUseAffine();
  SmallVector<BoundedTensor> inputs = {operands[0], operands[1],
                                       spread(operands[2], shape, 0),
                                       spread(operands[3], shape, 0)};
  RowProgram sums{
      RowSpace(shape, llvm::to_vector(llvm::seq<int64_t>(0, begin))), inputs};
  if (scales)
    inputs.push_back(spread(operands[4], shape, begin));
  RowProgram program{
      RowSpace(shape, llvm::to_vector(llvm::seq<int64_t>(begin, rank))), inputs,
      results[0]};
  program.run([=](RowData &row) { normGradientRow(row, epsilon, scales); });
  if (results.size() == 1)
    return success();
  sums.scalars.append(results.begin() + 1, results.end());
  sums.run([=](RowData &row) {
    auto [gamma, beta] = sumRow(row, epsilon);
    setScalar(row, 0, gamma);
    setScalar(row, 1, beta);
  });
  return success();
}

/// A program over the channels of the first operand; operands of one dimension
/// have an element for each.
template <typename Op>
RowProgram makeChannels(Op norm, ArrayRef<BoundedTensor> operands,
                        ArrayRef<BoundedTensor> results) {
  ArrayRef<int64_t> shape = operands[0].value.getShape();
  int64_t rank = shape.size();
  int64_t channel = norm.getDataFormat() == "NXC" ? rank - 1 : 1;
  SmallVector<int64_t> reduced;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != channel)
      reduced.push_back(dim);
  RowProgram program{RowSpace(shape, reduced), {}, results[0]};
  for (const BoundedTensor &operand : operands)
    program.inputs.push_back(operand.value.getRank() == 1
                                 ? spread(operand, shape, channel)
                                 : operand);
  program.scalars.append(results.begin() + 1, results.end());
  return program;
}

LogicalResult run(BatchNormTrainingBackwardOp norm,
                  ArrayRef<BoundedTensor> operands,
                  ArrayRef<BoundedTensor> results) {
  double epsilon = norm.getEpsilon().convertToDouble();
  bool scales = norm.getGamma() && results.size() > 1;
  makeChannels(norm, operands, results).run([=](RowData &row) {
    normGradientRow(row, epsilon, scales);
    if (row.scalars.empty())
      return;
    auto [gamma, beta] = sumRow(row, epsilon);
    setScalar(row, 0, gamma);
    setScalar(row, 1, beta);
  });
  return success();
}

LogicalResult run(BatchNormForwardTrainingOp norm,
                  ArrayRef<BoundedTensor> operands,
                  ArrayRef<BoundedTensor> results) {
  double epsilon = norm.getEpsilon().convertToDouble();
  double momentum = norm.getMomentum().convertToDouble();
  bool isAffine = operands.size() > 3;
  makeChannels(norm, operands, results).run([=](RowData &row) {
    const double *x = row.values[0], *e = row.errors[0];
    Bounded mean = getMean(x, e, row.length);
    Bounded variance = getVariance(x, e, row.length, mean);
    Bounded scale = getScale(variance, epsilon);
    for (int64_t i = 0; i < row.length; ++i) {
      Bounded y = multiply(center(x[i], e[i], mean), scale);
      if (isAffine) {
        y = multiply(y, get(row, 3, i));
        y.value += row.values[4][i];
        y.error += row.errors[4][i];
      }
      setResult(row, i, y);
    }
    auto mix = [&](Bounded old, Bounded now) {
      double a = momentum * old.value, b = (1 - momentum) * now.value;
      return Bounded{a + b, momentum * old.error +
                                std::fabs(1 - momentum) * now.error +
                                4 * kRoundoff * (std::fabs(a) + std::fabs(b))};
    };
    setScalar(row, 0, mix(get(row, 1, 0), mean));
    setScalar(row, 1, mix(get(row, 2, 0), variance));
    setScalar(row, 2, mean);
    setScalar(row, 3, variance);
  });
  return success();
}

template <typename Op>
struct NormGradientModel
    : ReferenceOpInterface::ExternalModel<NormGradientModel<Op>, Op> {
  /// Variances and gamma, which follows them, are well away from 0.
  InputDomain getInputDomain(Operation *, unsigned operand) const {
    constexpr unsigned variance =
        std::is_same_v<Op, BatchNormForwardTrainingOp> ? 2 : 3;
    InputDomain domain;
    if (operand == variance || operand == variance + 1)
      domain.domain = ValueDomain::positive;
    else if (operand >= variance - 1)
      domain.scale = kBiasScale;
    return domain;
  }

  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation, Results &results) const {
    if (failed(evaluation.allocateResults(op, results)))
      return failure();
    return run(cast<Op>(op), operands, results);
  }
};

template <typename Op>
void attachNorm(MLIRContext *context) {
  Op::template attachInterface<NormGradientModel<Op>>(*context);
}

} // namespace

void gc::reference::attachNormBackwardModels(MLIRContext *context) {
  SoftmaxBackwardOp::attachInterface<SoftmaxGradientModel<SoftmaxBackwardOp>>(
      *context);
  LogSoftmaxBackwardOp::attachInterface<
      SoftmaxGradientModel<LogSoftmaxBackwardOp>>(*context);
  attachNorm<BatchNormForwardTrainingOp>(context);
  attachNorm<BatchNormTrainingBackwardOp>(context);
  attachNorm<LayerNormBackwardOp>(context);
}
