// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Softmax and log-softmax.
//
// Errors e of the elements of a row change y = exp(x) / sum(exp(x)) by a factor
// between exp(-e) / (1 + U) and exp(e) / (1 - D), where U and D are the means
// of exp(e) - 1 and 1 - exp(-e), weighted by y: they do not grow with the
// length of the row, and change its stats, the logarithm of the sum of exp(x),
// by no more than log(1 + U) and -log(1 - D). The op's own roundings are those
// of d = x - max, its exponential (error relative to y: that of the exponent,
// and of the approximation), the sum and the division or logarithm.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Elementwise.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"
#include "Sums.h"

#include <limits>

using namespace gc::graph;
using namespace gc::reference;
using namespace mlir;

namespace {

/// What all elements of a row share.
struct RowSums {
  double max = -HUGE_VAL, sum = 0;
  /// Relative error of the sum from its own roundings.
  double rounding = 0;
  /// The weighted means U and D, and that of the errors of the exponentials.
  double above = 0, below = 0, own = 0;

  double getLog() const { return std::log(sum); }
  /// Error of the logarithm of the sum.
  double getLogError() const {
    double divisor = 1 - below;
    double moved = divisor > 0
                       ? std::fmax(std::log1p(above), -std::log(divisor))
                       : HUGE_VAL;
    return moved + own + rounding +
           18 * kRoundoff * std::fmax(std::fabs(getLog()), 1);
  }
};

/// Relative error of exp(d), d <= 0, in f32: as ElementwiseModels has it, with
/// the rounding of d.
double getExpError(double d) { return (18 + 19 * std::fabs(d)) * kRoundoff; }

/// exp(d + e) computed from exp(d), where that is accurate enough.
double moveExp(double exponential, double d, double e) {
  if (std::fabs(e) < 0.5)
    return exponential * (1 + e + e * e);
  return std::exp(d + e);
}

/// Leaves exp(x - max) in the result.
RowSums sumRow(RowData &row) {
  RowSums sums;
  const double *x = row.values[0], *e = row.errors[0];
  for (int64_t i = 0; i < row.length; ++i)
    sums.max = std::isnan(x[i]) || x[i] > sums.max ? x[i] : sums.max;
  if (!std::isfinite(sums.max))
    return sums;
  Sum sum;
  for (int64_t i = 0; i < row.length; ++i) {
    double d = x[i] - sums.max, y = std::exp(d);
    row.result[i] = y;
    sum.add(y, 0);
    if (e[i] != 0) {
      sums.above += moveExp(y, d, e[i]) - y;
      // 1 - e is less than exp(-e) is.
      sums.below += e[i] < 0.5 ? y * e[i] : y - std::exp(d - e[i]);
    }
    if (y > 0)
      sums.own += y * getExpError(d);
  }
  sums.sum = sum.value;
  sums.rounding =
      2 * getSumFactor(row.length) + sum.getRepeatError() / sums.sum;
  sums.above /= sums.sum;
  sums.below /= sums.sum;
  sums.own /= sums.sum;
  return sums;
}

/// A row of NaN, or of zeros for rows of -infinity alone; `stats` is its own.
void fillRow(RowData &row, double value, double stats = NAN) {
  bool unknown = false;
  for (int64_t i = 0; i < row.length; ++i)
    unknown |= !(row.errors[0][i] < HUGE_VAL);
  double error = unknown ? HUGE_VAL : 0;
  std::fill_n(row.result, row.length, value);
  std::fill_n(row.resultError, row.length, error);
  for (auto [scalar, itsError] :
       llvm::zip_equal(row.scalars, row.scalarErrors)) {
    scalar = stats;
    itsError = error;
  }
}

/// The row's scalars are its stats, if they are results.
void softmaxRow(RowData &row, bool infAsZero) {
  RowSums sums = sumRow(row);
  if (sums.max == -HUGE_VAL && infAsZero)
    return fillRow(row, 0, std::numeric_limits<float>::lowest());
  if (!std::isfinite(sums.max))
    return fillRow(row, NAN);
  if (!row.scalars.empty()) {
    row.scalars[0] = sums.max + sums.getLog();
    row.scalarErrors[0] = sums.getLogError();
  }
  const double *x = row.values[0], *e = row.errors[0];
  double shared = sums.own + sums.rounding + 8 * kRoundoff;
  for (int64_t i = 0; i < row.length; ++i) {
    double d = x[i] - sums.max, exponential = row.result[i];
    double y = exponential / sums.sum, error = 0;
    if (sums.above > 0 || e[i] > 0) {
      double most = moveExp(exponential, d, e[i]) / sums.sum;
      double least = e[i] < 0.5 ? y * (1 - e[i]) : 0;
      double divisor = 1 - sums.below;
      error = std::fmax(divisor > 0 ? most / divisor - y : HUGE_VAL,
                        y - least / (1 + sums.above));
    }
    if (y > 0)
      error += y * (getExpError(d) + shared);
    row.result[i] = y;
    row.resultError[i] = error + 0x1p-125;
  }
}

void logSoftmaxRow(RowData &row) {
  RowSums sums = sumRow(row);
  if (!std::isfinite(sums.max))
    return fillRow(row, NAN);
  const double *x = row.values[0], *e = row.errors[0];
  double log = sums.getLog(), shared = sums.getLogError();
  for (int64_t i = 0; i < row.length; ++i) {
    double d = x[i] - sums.max;
    row.result[i] = d - log;
    row.resultError[i] =
        e[i] + shared + (std::isfinite(d) ? 2 * kRoundoff * std::fabs(d) : 0);
  }
}

/// Evaluates rows of the first operand; a second result has one element for
/// each.
template <typename Op, typename Function>
LogicalResult
evaluateRows(Op op, ArrayRef<BoundedTensor> operands, Evaluation &evaluation,
             SmallVectorImpl<BoundedTensor> &results, Function function) {
  // A row is read before it is written.
  bool bound = evaluation.wantsBounds();
  FailureOr<BoundedTensor> result = failure();
  if (auto reused = reuseOperand(operands[0], op.getDst().getType(), bound))
    result = std::move(*reused);
  else
    result = evaluation.allocate(op, op.getDst().getType(), bound);
  if (failed(result))
    return failure();
  RowProgram program{RowSpace(operands[0].value.getShape(), op.getDimension()),
                     {operands[0]}};
  program.result = *result;
  results.push_back(std::move(*result));
  for (Type type : llvm::drop_begin(op->getResultTypes())) {
    FailureOr<BoundedTensor> scalars = evaluation.allocate(op, type, bound);
    if (failed(scalars))
      return failure();
    program.scalars.push_back(*scalars);
    results.push_back(std::move(*scalars));
  }
  program.run(function);
  return success();
}

struct SoftmaxModel
    : ReferenceOpInterface::ExternalModel<SoftmaxModel, SoftmaxOp> {
  std::optional<unsigned> getMaskedOperand(Operation *) const { return 0; }

  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation,
                         SmallVectorImpl<BoundedTensor> &results) const {
    auto softmax = cast<SoftmaxOp>(op);
    bool infAsZero = softmax.getMode() == "inf_as_zero";
    return evaluateRows(softmax, operands, evaluation, results,
                        [=](RowData &row) { softmaxRow(row, infAsZero); });
  }
};

struct LogSoftmaxModel
    : ReferenceOpInterface::ExternalModel<LogSoftmaxModel, LogSoftmaxOp> {
  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation,
                         SmallVectorImpl<BoundedTensor> &results) const {
    return evaluateRows(cast<LogSoftmaxOp>(op), operands, evaluation, results,
                        logSoftmaxRow);
  }
};

} // namespace

void gc::reference::attachSoftmaxModels(MLIRContext *context) {
  LogSoftmaxOp::attachInterface<LogSoftmaxModel>(*context);
  SoftmaxOp::attachInterface<SoftmaxModel>(*context);
}
