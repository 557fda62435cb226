// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "EmissionModels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

namespace {
struct SelectModel : EmissionOpInterface::ExternalModel<SelectModel, SelectOp> {
  Value emitVector(Operation *, OpBuilder &builder, Location loc,
                   ValueRange operands) const {
    return arith::SelectOp::create(builder, loc, operands[0], operands[1],
                                   operands[2]);
  }
};

struct GreaterEqualModel
    : EmissionOpInterface::ExternalModel<GreaterEqualModel, GreaterEqualOp> {
  Value emitVector(Operation *, OpBuilder &builder, Location loc,
                   ValueRange operands) const {
    if (isa<FloatType>(
            cast<VectorType>(operands[0].getType()).getElementType()))
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE,
                                   operands[0], operands[1]);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                 operands[0], operands[1]);
  }
};

struct GenIndexModel
    : EmissionOpInterface::ExternalModel<GenIndexModel, GenIndexOp> {
  std::optional<unsigned> getIndexDim(Operation *op) const {
    return cast<GenIndexOp>(op).getDimension();
  }
  Value emitVector(Operation *, OpBuilder &, Location,
                   ValueRange operands) const {
    return operands[0];
  }
};
} // namespace

void attachSelectionModels(MLIRContext *context) {
  GenIndexOp::attachInterface<GenIndexModel>(*context);
  GreaterEqualOp::attachInterface<GreaterEqualModel>(*context);
  SelectOp::attachInterface<SelectModel>(*context);
}

} // namespace gc
