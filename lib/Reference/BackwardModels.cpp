// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients of elementwise functions, exactly the specification's formulas in
// double, and prelu. Implementations compute them in f32 and round once to the
// tensor's type.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Elementwise.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"
#include "Sums.h"

using namespace gc::graph;
using namespace gc::reference;
using namespace mlir;

namespace {

double toDouble(const APFloat &value) { return value.convertToDouble(); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

//===----------------------------------------------------------------------===//
// Gradients: f(x, diff), optionally the largest intermediate value
//===----------------------------------------------------------------------===//

/// Defaults for what most gradients are not.
struct Gradient {
  /// As ElementwiseFunction has them.
  static constexpr double kRoundings = 2, kApproximation = 24;
  /// Gives 0 for many operands.
  bool saturates = false;
  ValueDomain domain = ValueDomain::any;
  /// As ElementwiseFunction has them.
  SmallVector<double> jumps = {};
};
/// Selects a value.
struct Selection : Gradient {
  static constexpr double kRoundings = 0, kApproximation = 0;
};

struct AbsBackward : Selection {
  explicit AbsBackward(AbsBackwardOp) {}
  double operator()(double x, double diff) const {
    return x == 0 ? 0 : x < 0 ? -diff : diff;
  }
};

struct ClampBackward : Selection {
  double min, max;
  explicit ClampBackward(ClampBackwardOp op)
      : min(toDouble(op.getMin())), max(toDouble(op.getMax())) {
    saturates = true;
  }
  double operator()(double x, double diff) const {
    return x <= min || x >= max ? 0 : diff;
  }
};

struct EluBackward : Gradient {
  double alpha;
  bool useDst;
  explicit EluBackward(EluBackwardOp op)
      : alpha(toDouble(op.getAlpha())), useDst(op.getUseDst()) {
    saturates = alpha == 0;
  }
  double operator()(double x, double diff) const {
    if (!(x <= 0))
      return diff;
    return diff * (useDst ? x + alpha : alpha * std::exp(x));
  }
  double magnitude(double x, double diff, double y) const {
    if (!(x <= 0))
      return y;
    return useDst ? diff * (alpha - x) : y * (std::isfinite(x) ? 1 - x : 1);
  }
};

struct GeluBackward : Gradient {
  bool erf;
  explicit GeluBackward(GeluBackwardOp op) : erf(op.getMode() == "gelu_erf") {}
  double operator()(double x, double diff) const {
    if (erf)
      return diff * (0.5 * std::erfc(-x * 0.70710678118654752440) +
                     x * std::exp(-0.5 * x * x) * 0.39894228040143267794);
    double c = 0.79788456080286535588;
    double t = std::tanh(c * (x + 0.044715 * x * x * x));
    double growth = c * (x + 0.134145 * x * x * x);
    if (std::fabs(t) == 1) // the growth may be infinite
      return diff * 0.5 * (1 + t);
    return diff * 0.5 * (1 + t) * (1 + (1 - t) * growth);
  }
  // 1 - t^2 cancels, next to a power of x.
  double magnitude(double x, double diff, double) const {
    return diff * std::clamp(std::fabs(x), 1.0, 8.0);
  }
};

struct HardSigmoidBackward : Gradient {
  double alpha, beta;
  explicit HardSigmoidBackward(HardSigmoidBackwardOp op)
      : alpha(toDouble(op.getAlpha())), beta(toDouble(op.getBeta())) {
    saturates = true;
  }
  double operator()(double x, double diff) const {
    double line = alpha * x + beta;
    return line <= 0 || line >= 1 ? 0 : diff * alpha;
  }
  double magnitude(double x, double diff, double y) const {
    // Either side of a limit, as far as the line's rounding decides.
    double line = alpha * x + beta;
    double rounding = 4 * kRoundoff * (std::fabs(alpha * x) + std::fabs(beta));
    bool isNear =
        std::fabs(line) <= rounding || std::fabs(line - 1) <= rounding;
    return isNear ? diff * alpha / kRoundoff : y;
  }
};

struct HardSwishBackward : Gradient {
  explicit HardSwishBackward(HardSwishBackwardOp) {
    saturates = true;
    jumps = {std::nextafter(-3.0, 0.0), 3};
  }
  double operator()(double x, double diff) const {
    return x <= -3 ? 0 : x <= 3 ? diff * (2 * x + 3) / 6 : diff;
  }
  double magnitude(double x, double diff, double y) const {
    return std::fabs(x) <= 3 ? diff : y;
  }
};

struct MishBackward : Gradient {
  explicit MishBackward(MishBackwardOp) {}
  double operator()(double x, double diff) const {
    // What e^-x is multiplied by may be infinite.
    if (x > 100)
      return diff;
    // The quotient of the specification, by e^-4x for positive x.
    if (x > 0) {
      double e = std::exp(-x);
      double omega = 1 + 4 * e + e * e * (4 * x + 6) + 4 * e * e * e * (x + 1);
      double delta = 1 + 2 * e + 2 * e * e;
      return diff * omega / (delta * delta);
    }
    double e = std::exp(x);
    double omega = e * e * e + 4 * e * e + e * (4 * x + 6) + 4 * (x + 1);
    double delta = e * e + 2 * e + 2;
    return diff * e * omega / (delta * delta);
  }
  double magnitude(double x, double diff, double) const {
    return diff * std::clamp(std::fabs(x), 1.0, 16.0);
  }
};

struct ReluBackward : Selection {
  explicit ReluBackward(ReluBackwardOp) { saturates = true; }
  double operator()(double x, double diff) const { return x <= 0 ? 0 : diff; }
};

struct SigmoidBackward : Gradient {
  bool useDst;
  explicit SigmoidBackward(SigmoidBackwardOp op) : useDst(op.getUseDst()) {}
  double operator()(double x, double diff) const {
    return diff * (useDst ? x * (1 - x) : sigmoid(x) * sigmoid(-x));
  }
  double magnitude(double x, double, double y) const {
    return useDst || !std::isfinite(x) ? y : y * (1 + std::fabs(x));
  }
};

struct SoftPlusBackward : Gradient {
  double beta;
  explicit SoftPlusBackward(SoftPlusBackwardOp op)
      : beta(toDouble(op.getBeta())) {}
  double operator()(double x, double diff) const {
    return diff * sigmoid(beta * x);
  }
  double magnitude(double x, double, double y) const {
    return std::isfinite(x) ? y * (1 + std::fmax(-beta * x, 0)) : y;
  }
};

struct SqrtBackward : Gradient {
  bool useDst;
  explicit SqrtBackward(SqrtBackwardOp op) : useDst(op.getUseDst()) {
    domain = useDst ? ValueDomain::divisor : ValueDomain::positive;
  }
  double operator()(double x, double diff) const {
    return diff / (2 * (useDst ? x : std::sqrt(x)));
  }
};

struct TanhBackward : Gradient {
  bool useDst;
  explicit TanhBackward(TanhBackwardOp op) : useDst(op.getUseDst()) {}
  double operator()(double x, double diff) const {
    if (useDst)
      return diff * (1 - x * x);
    double inverse = 1 / std::cosh(x);
    return diff * inverse * inverse;
  }
  double magnitude(double x, double, double y) const {
    return useDst || !std::isfinite(x) ? y : y * (1 + 2 * std::fabs(x));
  }
};

//===----------------------------------------------------------------------===//
// From functions of scalars to models of ops
//===----------------------------------------------------------------------===//

template <typename Function>
using MagnitudeOf = decltype(&Function::magnitude);

template <typename Function>
ElementwiseFunction makeFunction(Function f) {
  using Operands = ElementwiseFunction::Operands;
  ElementwiseFunction result;
  result.roundings = Function::kRoundings;
  result.jumps = f.jumps;
  result.approximation = Function::kApproximation;
  result.poles = {f.domain == ValueDomain::divisor, false};
  result.evaluate = [f](Operands x, double *y, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      y[i] = f(x[0][i], x[1][i]);
  };
  if constexpr (llvm::is_detected<MagnitudeOf, Function>::value)
    result.magnitude = [f](Operands x, double *y, int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        y[i] = f.magnitude(x[0][i], x[1][i], y[i]);
    };
  return result;
}

template <typename Op, typename Function>
struct GradientModel
    : ReferenceOpInterface::ExternalModel<GradientModel<Op, Function>, Op> {
  bool preservesZero(Operation *op) const {
    return Function(cast<Op>(op)).domain == ValueDomain::any;
  }
  bool saturates(Operation *op) const {
    return Function(cast<Op>(op)).saturates;
  }
  InputDomain getInputDomain(Operation *op, unsigned operand) const {
    InputDomain domain;
    if (operand == 0)
      domain.domain = Function(cast<Op>(op)).domain;
    return domain;
  }

  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation,
                         SmallVectorImpl<BoundedTensor> &results) const {
    return pushElementwise(op, operands, makeFunction(Function(cast<Op>(op))),
                           evaluation, results);
  }
};

template <typename Op, typename Function>
void attach(MLIRContext *context) {
  Op::template attachInterface<GradientModel<Op, Function>>(*context);
}

//===----------------------------------------------------------------------===//
// PReLU, bias
//===----------------------------------------------------------------------===//

/// The slope as a view that numpy rules broadcast to src.
BoundedTensor spreadSlope(const BoundedTensor &src, const BoundedTensor &slope,
                          StringRef format, bool perChannel) {
  bool isSecond = perChannel && format == "NCX" && slope.value.getRank() == 1 &&
                  src.value.getRank() > 1;
  if (!isSecond)
    return slope;
  SmallVector<int64_t> shape(src.value.getRank() - 1, 1);
  shape[0] = slope.value.getNumElements();
  return spreadAlongFirst(slope, shape);
}

struct PreluModel : ReferenceOpInterface::ExternalModel<PreluModel, PreluOp> {
  bool preservesZero(Operation *) const { return true; }

  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation,
                         SmallVectorImpl<BoundedTensor> &results) const {
    auto prelu = cast<PreluOp>(op);
    ElementwiseFunction function;
    function.evaluate = [](ElementwiseFunction::Operands x, double *y,
                           int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        y[i] = x[0][i] >= 0 ? x[0][i] : x[1][i] * x[0][i];
    };
    BoundedTensor slope =
        spreadSlope(operands[0], operands[1], prelu.getDataFormat(),
                    prelu.getPerChannelBroadcast());
    return pushElementwise(op, {operands[0], slope}, function, evaluation,
                           results);
  }
};

/// Sums over the dimensions in `reduced`, in the op's result `index`.
LogicalResult pushSum(Operation *op, unsigned index,
                      ArrayRef<BoundedTensor> inputs, ArrayRef<int64_t> reduced,
                      function_ref<Bounded(RowData &, int64_t)> term,
                      Evaluation &evaluation,
                      SmallVectorImpl<BoundedTensor> &results) {
  FailureOr<BoundedTensor> result = evaluation.allocate(
      op, op->getResult(index).getType(), evaluation.wantsBounds());
  if (failed(result))
    return failure();
  RowProgram program{RowSpace(inputs[0].value.getShape(), reduced),
                     llvm::to_vector(inputs)};
  program.scalars.push_back(*result);
  program.run([&](RowData &row) {
    Sum sum;
    for (int64_t i = 0; i < row.length; ++i)
      sum.add(term(row, i));
    Bounded value = sum.get(row.length);
    row.scalars[0] = value.value;
    row.scalarErrors[0] = value.error;
  });
  results.push_back(std::move(*result));
  return success();
}

struct PreluBackwardModel
    : ReferenceOpInterface::ExternalModel<PreluBackwardModel, PreluBackwardOp> {
  bool preservesZero(Operation *) const { return true; }

  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation,
                         SmallVectorImpl<BoundedTensor> &results) const {
    auto prelu = cast<PreluBackwardOp>(op);
    BoundedTensor src = operands[0], diff = operands[2];
    BoundedTensor slope =
        spreadSlope(src, operands[1], prelu.getDataFormat(), true);
    ElementwiseFunction function;
    function.evaluate = [](ElementwiseFunction::Operands x, double *y,
                           int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        y[i] = x[0][i] <= 0 ? x[2][i] * x[1][i] : x[2][i];
    };
    FailureOr<BoundedTensor> diffSrc =
        evaluateElementwise(op, prelu.getDiffSrc().getType(),
                            {src, slope, diff}, function, evaluation);
    if (failed(diffSrc))
      return failure();
    results.push_back(std::move(*diffSrc));

    ArrayRef<int64_t> shape = src.value.getShape();
    ArrayRef<int64_t> sizes = slope.value.getShape();
    SmallVector<int64_t> reduced;
    for (size_t dim = 0, first = shape.size() - sizes.size();
         dim < shape.size(); ++dim)
      if (dim < first || sizes[dim - first] != shape[dim])
        reduced.push_back(dim);
    return pushSum(
        op, 1, {src, diff}, reduced,
        [](RowData &row, int64_t i) {
          Bounded x{row.values[0][i], row.errors[0][i]};
          Bounded diff{row.values[1][i], row.errors[1][i]};
          Bounded term = multiply(x, diff);
          // Right of 0 it is 0, unless the operand's error reaches there.
          return x.value <= 0 ? term
                              : Bounded{0, x.error < x.value ? 0 : term.error};
        },
        evaluation, results);
  }
};

struct BiasAddBackwardModel
    : ReferenceOpInterface::ExternalModel<BiasAddBackwardModel,
                                          BiasAddBackwardOp> {
  bool preservesZero(Operation *) const { return true; }

  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation,
                         SmallVectorImpl<BoundedTensor> &results) const {
    int64_t rank = operands[0].value.getRank();
    int64_t channel =
        cast<BiasAddBackwardOp>(op).getDataFormat() == "NXC" ? rank - 1 : 1;
    SmallVector<int64_t> reduced;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (dim != channel)
        reduced.push_back(dim);
    return pushSum(
        op, 0, operands, reduced,
        [](RowData &row, int64_t i) {
          return Bounded{row.values[0][i], row.errors[0][i]};
        },
        evaluation, results);
  }
};

} // namespace

void gc::reference::attachBackwardModels(MLIRContext *context) {
  attach<AbsBackwardOp, AbsBackward>(context);
  attach<ClampBackwardOp, ClampBackward>(context);
  attach<EluBackwardOp, EluBackward>(context);
  attach<GeluBackwardOp, GeluBackward>(context);
  attach<HardSigmoidBackwardOp, HardSigmoidBackward>(context);
  attach<HardSwishBackwardOp, HardSwishBackward>(context);
  attach<MishBackwardOp, MishBackward>(context);
  attach<ReluBackwardOp, ReluBackward>(context);
  attach<SigmoidBackwardOp, SigmoidBackward>(context);
  attach<SoftPlusBackwardOp, SoftPlusBackward>(context);
  attach<SqrtBackwardOp, SqrtBackward>(context);
  attach<TanhBackwardOp, TanhBackward>(context);
  BiasAddBackwardOp::attachInterface<BiasAddBackwardModel>(*context);
  PreluBackwardOp::attachInterface<PreluBackwardModel>(*context);
  PreluOp::attachInterface<PreluModel>(*context);
}
