// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dropout and the masks that it is made of.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Philox.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"
#include "Rows.h"

#include <cmath>
#include <cstring>

using namespace gc::graph;
using namespace gc::reference;
using namespace mlir;

namespace {

using Operands = ArrayRef<BoundedTensor>;
using Results = SmallVectorImpl<BoundedTensor>;

/// The bits of the only element, which double does not hold.
uint64_t getWord(const Tensor &tensor) {
  uint64_t word;
  std::memcpy(&word, tensor.getData(), sizeof(word));
  return word;
}

double moveToUnit(double p) {
  return std::isnan(p) ? 1 : std::min(std::max(p, 0.0), 1.0);
}

/// Which elements are kept, given seed, offset and probability.
class Mask {
public:
  explicit Mask(Operands parameters)
      : seed(getWord(parameters[0].value)),
        offset(getWord(parameters[1].value)) {
    double p = parameters[2].value.getValues()[0];
    double error = parameters[2].bound ? parameters[2].bound.getValues()[0] : 0;
    probability = moveToUnit(p);
    least = moveToUnit(p - error);
    most = std::isnan(error) ? 1 : moveToUnit(p + error);
  }

  bool isKept(uint64_t index) const {
    return getNumber(index) > getLimit(probability);
  }
  /// Whether another probability within the bound decides otherwise.
  bool isUncertain(uint64_t index) const {
    double number = getNumber(index);
    return least < most &&
           (number > getLimit(least)) != (number > getLimit(most));
  }

  double probability, least, most;

private:
  double getNumber(uint64_t index) const { return philox(seed, offset, index); }
  static double getLimit(double p) { return std::floor(p * 4294967295.0); }

  uint64_t seed, offset;
};

InputDomain getDomain(unsigned operand) {
  InputDomain domain;
  if (operand == 3)
    domain.domain = ValueDomain::probability;
  return domain;
}

struct RandomMaskModel
    : ReferenceOpInterface::ExternalModel<RandomMaskModel, RandomMaskOp> {
  bool saturates(Operation *) const { return true; }
  InputDomain getInputDomain(Operation *, unsigned operand) const {
    return getDomain(operand);
  }

  LogicalResult evaluate(Operation *op, Operands operands,
                         Evaluation &evaluation, Results &results) const {
    bool hasBound = evaluation.wantsBounds() && isInexact(operands.back());
    FailureOr<BoundedTensor> result =
        evaluation.allocate(op, op->getResult(0).getType(), hasBound);
    if (failed(result))
      return failure();
    Mask mask(operands.drop_front());
    std::vector<double> kept, uncertain;
    for (double index : operands[0].value.getValues()) {
      uint64_t at = static_cast<uint32_t>(static_cast<int64_t>(index));
      kept.push_back(mask.isKept(at));
      uncertain.push_back(mask.isUncertain(at));
    }
    result->value.setValues(kept);
    if (hasBound)
      result->bound.setValues(uncertain);
    results.push_back(std::move(*result));
    return success();
  }
};

struct DropoutModel
    : ReferenceOpInterface::ExternalModel<DropoutModel, DropoutOp> {
  bool preservesZero(Operation *) const { return true; }
  InputDomain getInputDomain(Operation *, unsigned operand) const {
    return getDomain(operand);
  }

  LogicalResult evaluate(Operation *op, Operands operands,
                         Evaluation &evaluation, Results &results) const {
    if (failed(evaluation.allocateResults(op, results)))
      return failure();
    Mask mask(operands.drop_front());
    std::vector<double> values = operands[0].value.getValues();
    std::vector<double> errors(values.size(), 0);
    if (operands[0].bound)
      errors = operands[0].bound.getValues();
    // The factor of what is kept, and the farthest one that is possible.
    double factor = 1 / (1 - mask.probability);
    double farthest = 1 / (1 - mask.most);
    double factorError =
        mask.least < mask.most
            ? std::max(farthest - factor, factor - 1 / (1 - mask.least))
            : 0;
    for (size_t i = 0; i < values.size(); ++i) {
      double x = values[i];
      bool isKept = mask.isKept(i);
      double scaled = x * factor;
      double error = factorError ? std::fabs(x) * factorError +
                                       errors[i] * (factor + factorError)
                                 : errors[i] * factor;
      values[i] = isKept ? scaled : 0;
      errors[i] = isKept ? error : 0;
      if (mask.isUncertain(i))
        errors[i] = std::fabs(scaled) + error;
    }
    // The difference, its reciprocal and the product are rounded; 1 - p is at
    // least half of the last place of 1, and its error is that of p.
    BoundedTensor result = results.back();
    if (result.bound) {
      finishErrors(result.value.getType(), 3, values.size(), values.data(),
                   errors.data());
      result.bound.setValues(errors);
    }
    result.value.setValues(values);
    return success();
  }
};

} // namespace

void gc::reference::attachRandomModels(MLIRContext *context) {
  DropoutOp::attachInterface<DropoutModel>(*context);
  RandomMaskOp::attachInterface<RandomMaskModel>(*context);
}
