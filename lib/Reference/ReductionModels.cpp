// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions. Sums and products are taken in double, in row-major order.
//
// Errors of the operands add up in the worst case: they are often the same for
// a whole row (the mean that was subtracted from it).

#include "Dialect/Graph/IR/GraphOps.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"
#include "Sums.h"

#include <cmath>
#include <type_traits>

using namespace gc::graph;
using namespace gc::reference;
using namespace mlir;

namespace {

template <typename Term>
Bounded sumOver(const double *x, const double *e, int64_t count, Term term) {
  Sum sum;
  for (int64_t i = 0; i < count; ++i) {
    Bounded t = term(x[i], e[i]);
    sum.add(t.value, t.error);
  }
  return sum.get(count);
}

Bounded identity(double x, double e) { return {x, e}; }

//===----------------------------------------------------------------------===//
// Functions of rows
//===----------------------------------------------------------------------===//

struct Max {
  static constexpr bool kExact = true;
  static Bounded apply(const double *x, const double *e, int64_t count,
                       double sign = 1) {
    double best = -HUGE_VAL, most = -HUGE_VAL, least = -HUGE_VAL;
    for (int64_t i = 0; i < count; ++i) {
      if (std::isnan(x[i]))
        return {x[i], 0};
      best = std::fmax(best, sign * x[i]);
      most = std::fmax(most, sign * x[i] + e[i]);
      least = std::fmax(least, sign * x[i] - e[i]);
    }
    double error = std::isinf(best) && !(most - least > 0)
                       ? 0
                       : std::fmax(most - best, best - least);
    return {sign * best, error};
  }
};

struct Min {
  static constexpr bool kExact = true;
  static Bounded apply(const double *x, const double *e, int64_t count) {
    return Max::apply(x, e, count, -1);
  }
};

struct SumOf {
  static constexpr bool kExact = false;
  static Bounded apply(const double *x, const double *e, int64_t count) {
    return sumOver(x, e, count, identity);
  }
};

struct Mean {
  static constexpr bool kExact = false;
  static Bounded apply(const double *x, const double *e, int64_t count) {
    Bounded sum = sumOver(x, e, count, identity);
    double n = static_cast<double>(count);
    double mean = sum.value / n;
    return {mean, sum.error / n + 2 * kRoundoff * std::fabs(mean)};
  }
};

struct L1 {
  static constexpr bool kExact = false;
  static Bounded apply(const double *x, const double *e, int64_t count) {
    return sumOver(x, e, count,
                   [](double x, double e) { return Bounded{std::fabs(x), e}; });
  }
};

struct L2 {
  static constexpr bool kExact = false;
  static Bounded apply(const double *x, const double *e, int64_t count) {
    Bounded sum = sumOver(x, e, count, [](double x, double e) {
      return Bounded{x * x, 2 * std::fabs(x) * e + e * e +
                                2 * kRoundoff * x * x + 0x1p-126};
    });
    double norm = std::sqrt(sum.value);
    double above = std::sqrt(sum.value + sum.error) - norm;
    double below = norm - std::sqrt(std::fmax(sum.value - sum.error, 0));
    return {norm, std::fmax(above, below) + 4 * kRoundoff * norm};
  }
};

struct Prod {
  static constexpr bool kExact = false;
  static Bounded apply(const double *x, const double *e, int64_t count) {
    double product = 1, size = 1, above = 1, growth = 1;
    for (int64_t i = 0; i < count; ++i) {
      product *= x[i];
      size *= std::fabs(x[i]);
      above *= std::fabs(x[i]) + e[i];
      growth *= std::fmax(std::fabs(x[i]) + e[i], 1);
    }
    // Some order of the factors overflows.
    if (std::isfinite(product) && !(growth < kLargest))
      return {product, HUGE_VAL};
    double n = static_cast<double>(count);
    return {product, (above - size) + (n + 2) * kRoundoff * size +
                         n * 0x1p-126 * growth};
  }
};

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

template <typename Op, typename = void>
constexpr bool hasParts = false;
template <typename Op>
constexpr bool
    hasParts<Op, std::void_t<decltype(std::declval<Op>().getPartSize())>> =
        true;

template <typename Op, typename Function>
struct ReductionModel
    : ReferenceOpInterface::ExternalModel<ReductionModel<Op, Function>, Op> {
  bool preservesZero(Operation *) const { return true; }

  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation,
                         SmallVectorImpl<BoundedTensor> &results) const {
    auto reduction = cast<Op>(op);
    bool bound =
        evaluation.wantsBounds() && (!Function::kExact || isInexact(operands));
    FailureOr<BoundedTensor> result =
        evaluation.allocate(op, reduction.getType(), bound);
    if (failed(result))
      return failure();
    int64_t partSize = 0;
    if constexpr (hasParts<Op>)
      partSize = reduction.getPartSize();
    RowProgram program{RowSpace(operands[0].value.getShape(),
                                reduction.getReducedAxes(), partSize),
                       {operands[0]}};
    program.scalars.push_back(*result);
    program.roundings = Function::kExact ? 0 : 2;
    program.run([](RowData &row) {
      Bounded value = Function::apply(row.values[0], row.errors[0], row.length);
      row.scalars[0] = value.value;
      row.scalarErrors[0] = value.error;
    });
    results.push_back(std::move(*result));
    return success();
  }
};

template <typename Op, typename Function>
void attach(MLIRContext *context) {
  Op::template attachInterface<ReductionModel<Op, Function>>(*context);
}

} // namespace

void gc::reference::attachReductionModels(MLIRContext *context) {
  attach<ReduceL1Op, L1>(context);
  attach<ReduceL2Op, L2>(context);
  attach<ReduceMaxOp, Max>(context);
  attach<ReduceMeanOp, Mean>(context);
  attach<ReduceMinOp, Min>(context);
  attach<ReduceProdOp, Prod>(context);
  attach<ReduceSumOp, SumOf>(context);
}
