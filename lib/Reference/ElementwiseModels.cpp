// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The scalar functions of the elementwise ops, exactly the specification's
// formulas in double.
//
// NaN: every function propagates it, also relu, clamp, maximum and minimum.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Elementwise.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace gc::graph;
using namespace gc::reference;
using namespace mlir;

namespace {

//===----------------------------------------------------------------------===//
// Kinds of functions
//===----------------------------------------------------------------------===//

/// Defaults for what most functions are not.
struct Properties {
  /// f(0) or f(0, 0) is 0.
  static constexpr bool kKeepsZero = false;
  /// Gives the same for many operands.
  static constexpr bool kSaturates = false;
  static constexpr ValueDomain getDomain(unsigned) { return ValueDomain::any; }
};
/// Selects or copies: nothing is rounded.
struct Exact : Properties {
  static constexpr double kRoundings = 0, kApproximation = 0;
};
/// One correctly rounded operation.
struct Arithmetic : Properties {
  static constexpr double kRoundings = 2, kApproximation = 0;
};
/// A function that implementations approximate in f32.
struct Approximated : Properties {
  static constexpr double kRoundings = 2, kApproximation = 16;
};
/// A formula that implementations may evaluate step by step, each step rounded
/// to the element type.
struct Composite : Properties {
  static constexpr double kRoundings = 8, kApproximation = 16;
};

/// A kind whose functions of 0 are 0.
template <typename Kind>
struct KeepsZero : Kind {
  static constexpr bool kKeepsZero = true;
};
/// A kind whose functions have many operands with one result.
template <typename Kind>
struct Saturates : Kind {
  static constexpr bool kSaturates = true;
};

/// Functions onto [-1, 1] may be right to an absolute error near 0.
double limitFromBelow(double y) { return std::fmax(std::fabs(y), 0.25); }

double toDouble(const APFloat &value) { return value.convertToDouble(); }

//===----------------------------------------------------------------------===//
// Unary functions: y = f(x), optionally the largest intermediate value
//===----------------------------------------------------------------------===//

struct Clamp : Arithmetic { // the limits round to the element type
  static constexpr bool kSaturates = true;
  double min, max;
  explicit Clamp(ClampOp op)
      : min(toDouble(op.getMin())), max(toDouble(op.getMax())) {}
  double operator()(double x) const {
    return x < min ? min : x > max ? max : x;
  }
};

struct Elu : Composite {
  static constexpr bool kKeepsZero = true;
  double alpha;
  explicit Elu(EluOp op) : alpha(toDouble(op.getAlpha())) {}
  double operator()(double x) const {
    return x < 0 ? alpha * std::expm1(x) : x;
  }
  double magnitude(double x, double y) const {
    return x < 0 ? alpha : std::fabs(y);
  }
};

struct Erf : Approximated {
  static constexpr bool kKeepsZero = true;
  explicit Erf(ErfOp) {}
  double operator()(double x) const { return std::erf(x); }
  double magnitude(double, double y) const { return limitFromBelow(y); }
};

struct Exp : Approximated {
  static constexpr bool kVanishes = true;
  explicit Exp(ExpOp) {}
  double operator()(double x) const { return std::exp(x); }
  // The reduced argument loses what |x| takes.
  double magnitude(double x, double y) const {
    return std::isfinite(x) ? y * (1 + std::fabs(x)) : y;
  }
};

double softPlus(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

struct Gelu : Composite {
  static constexpr bool kKeepsZero = true;
  bool erf;
  explicit Gelu(GeluOp op) : erf(op.getMode() == "gelu_erf") {}
  double operator()(double x) const {
    if (erf)
      return 0.5 * x * std::erfc(-x * 0.70710678118654752440);
    double inner = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
    return 0.5 * x * (1 + std::tanh(inner));
  }
  // 1 + erf cancels for negative x.
  double magnitude(double x, double) const { return x; }
};

struct HardSigmoid : Composite {
  static constexpr bool kSaturates = true;
  double alpha, beta;
  explicit HardSigmoid(HardSigmoidOp op)
      : alpha(toDouble(op.getAlpha())), beta(toDouble(op.getBeta())) {}
  double operator()(double x) const {
    double line = alpha * x + beta;
    return line < 0 ? 0 : line > 1 ? 1 : line;
  }
  double magnitude(double x, double) const {
    return std::fabs(alpha * x) + std::fabs(beta);
  }
};

struct HardSwish : Composite {
  static constexpr bool kKeepsZero = true;
  static constexpr bool kSaturates = true;
  explicit HardSwish(HardSwishOp) {}
  double operator()(double x) const {
    double gate = x + 3 < 0 ? 0 : x + 3 > 6 ? 6 : x + 3;
    return x * gate / 6;
  }
  double magnitude(double x, double) const { return x; }
};

struct LeakyRelu : Arithmetic {
  static constexpr bool kKeepsZero = true;
  double alpha;
  explicit LeakyRelu(LeakyReluOp op) : alpha(toDouble(op.getAlpha())) {}
  double operator()(double x) const { return x >= 0 ? x : alpha * x; }
};

struct Log : Approximated {
  static constexpr ValueDomain getDomain(unsigned) {
    return ValueDomain::positive;
  }
  explicit Log(LogOp) {}
  double operator()(double x) const { return std::log(x); }
  // Near x = 1 the result cancels out of larger parts.
  double magnitude(double, double y) const {
    return std::fmax(std::fabs(y), 1.0);
  }
};

struct Mish : Composite {
  static constexpr bool kKeepsZero = true;
  explicit Mish(MishOp) {}
  double operator()(double x) const { return x * std::tanh(softPlus(x)); }
  double magnitude(double x, double) const { return x; }
};

struct Pow : Approximated {
  static constexpr ValueDomain getDomain(unsigned) {
    return ValueDomain::positive;
  }
  double beta;
  explicit Pow(PowOp op) : beta(toDouble(op.getBeta())) {}
  double operator()(double x) const { return std::pow(x, beta); }
  // e^(beta log x): the exponent's error is relative to the exponent.
  double magnitude(double x, double y) const {
    double exponent = std::fabs(beta * std::log(std::fabs(x)));
    return std::isfinite(exponent) ? y * (1 + exponent) : y;
  }
};

struct Reciprocal : Arithmetic {
  static constexpr ValueDomain getDomain(unsigned) {
    return ValueDomain::divisor;
  }
  static constexpr double kApproximation = 4;
  explicit Reciprocal(ReciprocalOp) {}
  double operator()(double x) const {
    // The specification has no sign for zero.
    return x == 0 ? std::numeric_limits<double>::infinity() : 1 / x;
  }
};

struct Sigmoid : Approximated {
  static constexpr bool kVanishes = true;
  explicit Sigmoid(SigmoidOp) {}
  double operator()(double x) const {
    double e = std::exp(-std::fabs(x));
    return x < 0 ? e / (1 + e) : 1 / (1 + e);
  }
  double magnitude(double x, double y) const { return x < 0 ? y * (1 - x) : y; }
};

struct SoftPlus : Composite {
  double beta;
  explicit SoftPlus(SoftPlusOp op) : beta(toDouble(op.getBeta())) {}
  double operator()(double x) const { return softPlus(beta * x) / beta; }
  // log(1 + e^z) written plainly loses what is small against 1.
  double magnitude(double, double y) const {
    return std::fabs(y) + 1 / std::fabs(beta);
  }
};

struct Sqrt : Arithmetic {
  static constexpr ValueDomain getDomain(unsigned) {
    return ValueDomain::positive;
  }
  static constexpr bool kKeepsZero = true;
  static constexpr double kApproximation = 4;
  explicit Sqrt(SqrtOp) {}
  double operator()(double x) const { return std::sqrt(x); }
};

struct Tanh : Approximated {
  static constexpr bool kKeepsZero = true;
  explicit Tanh(TanhOp) {}
  double operator()(double x) const { return std::tanh(x); }
  double magnitude(double, double y) const { return limitFromBelow(y); }
};

//===----------------------------------------------------------------------===//
// Binary functions: y = f(a, b)
//===----------------------------------------------------------------------===//

struct Add : Arithmetic {
  static constexpr bool kKeepsZero = true;
  template <typename Op>
  explicit Add(Op) {}
  double operator()(double a, double b) const { return a + b; }
};

struct Divide : Arithmetic {
  static constexpr ValueDomain getDomain(unsigned operand) {
    return operand == 1 ? ValueDomain::divisor : ValueDomain::any;
  }
  static constexpr double kApproximation = 4;
  explicit Divide(DivideOp) {}
  double operator()(double a, double b) const { return a / b; }
};

struct Maximum : Exact {
  static constexpr bool kKeepsZero = true;
  static constexpr bool kSaturates = true;
  explicit Maximum(MaximumOp) {}
  double operator()(double a, double b) const {
    return std::isnan(a) || a > b ? a : b;
  }
};

struct Minimum : Exact {
  static constexpr bool kKeepsZero = true;
  static constexpr bool kSaturates = true;
  explicit Minimum(MinimumOp) {}
  double operator()(double a, double b) const {
    return std::isnan(a) || a < b ? a : b;
  }
};

struct Multiply : Arithmetic {
  static constexpr bool kKeepsZero = true;
  explicit Multiply(MultiplyOp) {}
  double operator()(double a, double b) const { return a * b; }
};

struct SquaredDifference : Composite {
  static constexpr bool kKeepsZero = true;
  static constexpr double kApproximation = 0;
  explicit SquaredDifference(SquaredDifferenceOp) {}
  double operator()(double a, double b) const { return (a - b) * (a - b); }
};

struct Subtract : Arithmetic {
  static constexpr bool kKeepsZero = true;
  explicit Subtract(SubtractOp) {}
  double operator()(double a, double b) const { return a - b; }
};

//===----------------------------------------------------------------------===//
// From functions of scalars to models of ops
//===----------------------------------------------------------------------===//

template <typename Function>
using MagnitudeOf = decltype(&Function::magnitude);
template <typename Function>
using VanishesOf = decltype(Function::kVanishes);
template <typename Function>
using IsUnary = std::is_invocable<Function, double>;

template <typename Function>
ElementwiseFunction makeFunction(Function f) {
  using Operands = ElementwiseFunction::Operands;
  ElementwiseFunction result;
  result.roundings = Function::kRoundings;
  result.approximation = Function::kApproximation;
  result.evaluate = [f](Operands x, double *y, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      if constexpr (IsUnary<Function>::value)
        y[i] = f(x[0][i]);
      else
        y[i] = f(x[0][i], x[1][i]);
  };
  if constexpr (llvm::is_detected<MagnitudeOf, Function>::value)
    result.magnitude = [f](Operands x, double *y, int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        y[i] = f.magnitude(x[0][i], y[i]);
    };
  return result;
}

template <typename Op, typename Function>
struct ElementwiseModel
    : ReferenceOpInterface::ExternalModel<ElementwiseModel<Op, Function>, Op> {
  std::optional<unsigned> getMaskedOperand(Operation *) const {
    if constexpr (llvm::is_detected<VanishesOf, Function>::value)
      return 0;
    return std::nullopt;
  }
  bool preservesZero(Operation *) const { return Function::kKeepsZero; }
  bool saturates(Operation *) const { return Function::kSaturates; }
  InputDomain getInputDomain(Operation *, unsigned operand) const {
    InputDomain domain;
    domain.domain = Function::getDomain(operand);
    return domain;
  }

  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation,
                         SmallVectorImpl<BoundedTensor> &results) const {
    ElementwiseFunction function = makeFunction(Function(cast<Op>(op)));
    for (unsigned i = 0; i < operands.size(); ++i)
      function.poles.push_back(Function::getDomain(i) == ValueDomain::divisor);
    return pushElementwise(op, operands, function, evaluation, results);
  }
};

/// A bias is an operand of an addition along the channels.
struct BiasAddModel
    : ReferenceOpInterface::ExternalModel<BiasAddModel, BiasAddOp> {
  InputDomain getInputDomain(Operation *, unsigned operand) const {
    InputDomain domain;
    domain.scale = operand == 1 ? kBiasScale : 1;
    return domain;
  }

  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation,
                         SmallVectorImpl<BoundedTensor> &results) const {
    auto bias = cast<BiasAddOp>(op);
    BoundedTensor spread = operands[1];
    if (bias.getDataFormat() == "NCX") {
      // [C] becomes [C, 1, ...], which broadcasts along the second dimension.
      SmallVector<int64_t> shape(operands[0].value.getRank() - 1, 1);
      shape[0] = spread.value.getNumElements();
      spread = spreadAlongFirst(spread, shape);
    }
    return pushElementwise(op, {operands[0], spread}, makeFunction(Add(bias)),
                           evaluation, results);
  }
};

template <typename Op, typename Function>
void attach(MLIRContext *context) {
  Op::template attachInterface<ElementwiseModel<Op, Function>>(*context);
}

/// The model of an op that is a formula of x alone: its kind and the formula.
#define GC_UNARY_MODEL(OP, KIND, FORMULA)                                      \
  {                                                                            \
    struct Formula : KIND {                                                    \
      explicit Formula(OP) {}                                                  \
      double operator()(double x) const { return FORMULA; }                    \
    };                                                                         \
    attach<OP, Formula>(context);                                              \
  }

} // namespace

void gc::reference::attachElementwiseModels(MLIRContext *context) {
  GC_UNARY_MODEL(AbsOp, KeepsZero<Exact>, std::fabs(x));
  GC_UNARY_MODEL(ReluOp, KeepsZero<Saturates<Exact>>, x <= 0 ? 0 : x);
  GC_UNARY_MODEL(RoundOp, KeepsZero<Saturates<Exact>>, std::nearbyint(x));
  GC_UNARY_MODEL(SquareOp, KeepsZero<Arithmetic>, x * x);
  attach<AddOp, Add>(context);
  attach<ClampOp, Clamp>(context);
  attach<DivideOp, Divide>(context);
  attach<EluOp, Elu>(context);
  attach<ErfOp, Erf>(context);
  attach<ExpOp, Exp>(context);
  attach<GeluOp, Gelu>(context);
  attach<HardSigmoidOp, HardSigmoid>(context);
  attach<HardSwishOp, HardSwish>(context);
  attach<LeakyReluOp, LeakyRelu>(context);
  attach<LogOp, Log>(context);
  attach<MaximumOp, Maximum>(context);
  attach<MinimumOp, Minimum>(context);
  attach<MishOp, Mish>(context);
  attach<MultiplyOp, Multiply>(context);
  attach<PowOp, Pow>(context);
  attach<ReciprocalOp, Reciprocal>(context);
  attach<SigmoidOp, Sigmoid>(context);
  attach<SoftPlusOp, SoftPlus>(context);
  attach<SqrtOp, Sqrt>(context);
  attach<SquaredDifferenceOp, SquaredDifference>(context);
  attach<SubtractOp, Subtract>(context);
  attach<TanhOp, Tanh>(context);
  BiasAddOp::attachInterface<BiasAddModel>(*context);
}
