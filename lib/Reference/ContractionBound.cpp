// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ContractionBound.h"
#include "Elementwise.h"
#include "Sums.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"

#include <algorithm>
#include <cmath>

using namespace gc::reference;
using namespace mlir;

/// How large a sum of `count` errors gets, relative to the root of the sum of
/// the squares of their bounds. Each may be as large as its bound (where values
/// are ties of a quantization, all of them are), but their signs are
/// independent: five standard deviations, or what the signs cannot exceed.
static double getErrorFactor(int64_t count) {
  return std::clamp(std::sqrt(static_cast<double>(count)), 2.0, 5.0);
}

ContractionBound::ContractionBound(int64_t terms, const BoundedTensor &a,
                                   const BoundedTensor &b, ElementType result)
    : type(result), isInexact(a.bound || b.bound) {
  const ElementTypeInfo &info = getInfo(result);
  double errorFactor = getErrorFactor(2 * terms);
  if (!info.isFloat) {
    rootFactor = 1;
    errorWeight = errorFactor * errorFactor;
    return;
  }
  sumFactor = rootFactor = getSumFactor(terms);
  repeatFactor = kRoundoff;
  // All terms at most, with S <= sqrt(n sum a^2 b^2).
  mostRepeats = terms * std::sqrt(static_cast<double>(terms));
  valueWeight = 1;
  // Relative to the factor, so that the square root of the sum is common.
  errorWeight = errorFactor * errorFactor / (sumFactor * sumFactor);
  resultFactor = 2 * info.unitRoundoff;
  for (const BoundedTensor *operand : {&a, &b})
    if (operand->bound)
      resultFactor += getInfo(operand->value.getType()).unitRoundoff;
  // Products and sums in f32 may lose anything below its smallest normal
  // number.
  tiny = 0x1p-126 * static_cast<double>(terms + 1) + info.tiny;
}

void ContractionBound::addProducts(
    const MatrixView &a, const MatrixView &errorA, const MatrixView &b,
    const MatrixView &errorB, SmallVectorImpl<MatrixProduct> &products) const {
  // (v a^2 + w ea^2) b^2 + w (a^2 + ea^2) eb^2
  if (valueWeight != 0 || errorA)
    products.push_back(
        {{a, errorA, true, valueWeight, errorWeight}, {b, {}, true}});
  if (errorB)
    products.push_back(
        {{a, errorA, true, errorWeight, errorWeight}, {b, errorB, true, 0, 1}});
}

void ContractionBound::finish(const double *squares, const double *repeats,
                              const double *addends, double *values,
                              double *errors, int64_t count) const {
  for (int64_t i = 0; i < count; ++i) {
    double product = values[i];
    values[i] += addends[i];
    double root = std::sqrt(squares[i]);
    if (std::isfinite(values[i]))
      errors[i] += rootFactor * root + sumFactor * std::fabs(product) +
                   repeatFactor * std::min(repeats[i], mostRepeats * root) +
                   resultFactor * (std::fabs(product) + std::fabs(values[i])) +
                   tiny;
    else if (isInexact)
      errors[i] = HUGE_VAL;
    errors[i] = finishBound(type, values[i], errors[i]);
  }
}

FailureOr<BoundedTensor> gc::reference::allocateContraction(
    Operation *op, ArrayRef<BoundedTensor> operands, Evaluation &evaluation) {
  Type type = op->getResult(0).getType();
  bool rounds = isa<FloatType>(getElementTypeOrSelf(type));
  return evaluation.allocate(
      op, type, evaluation.wantsBounds() && (rounds || isInexact(operands)));
}
