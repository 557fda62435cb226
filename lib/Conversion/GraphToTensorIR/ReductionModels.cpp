// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "EmissionModels.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

namespace {
using Kind = vector::CombiningKind;

template <typename Op, Kind floatKind, Kind integerKind>
struct CombiningModel : ReductionEmissionOpInterface::ExternalModel<
                            CombiningModel<Op, floatKind, integerKind>, Op> {
  Kind getCombiningKind(Operation *, bool isFloat) const {
    return isFloat ? floatKind : integerKind;
  }
};
} // namespace

namespace {
/// The largest element propagates NaN unless nobody asks.
struct MaxModel
    : ReductionEmissionOpInterface::ExternalModel<MaxModel, ReduceMaxOp> {
  Kind getCombiningKind(Operation *op, bool isFloat) const {
    if (!isFloat)
      return Kind::MAXSI;
    return cast<ReduceMaxOp>(op).getAnyIfNan() ? Kind::MAXNUMF : Kind::MAXIMUMF;
  }
};
} // namespace

void attachReductionModels(MLIRContext *context) {
  ReduceMaxOp::attachInterface<MaxModel>(*context);
  ReduceMinOp::attachInterface<
      CombiningModel<ReduceMinOp, Kind::MINIMUMF, Kind::MINSI>>(*context);
  ReduceProdOp::attachInterface<
      CombiningModel<ReduceProdOp, Kind::MUL, Kind::MUL>>(*context);
  ReduceSumOp::attachInterface<
      CombiningModel<ReduceSumOp, Kind::ADD, Kind::ADD>>(*context);
}

} // namespace gc
