// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dequantization as an op that is fused with what reads it. Groups of
// neighbours that share a scale are gaps between the scales' elements: no
// reshape gives them dimensions of their own.

#include "GroupedDequantize.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "ScalarMath.h"

using namespace mlir;

namespace gc::graph {

namespace {

/// The dimension whose indices scales of qtype "per_channel" have.
int64_t getChannelDim(DynamicDequantizeOp op) {
  int64_t axis = op.getAxis();
  return axis < 0 ? axis + op.getSrc().getType().getRank() : axis;
}

struct FusibleModel
    : FusibleOpInterface::ExternalModel<FusibleModel, DynamicDequantizeOp> {
  FusibleKind getFusibleKind(Operation *) const { return FusibleKind::windows; }

  AffineMap getOperandMap(Operation *op, unsigned operand) const {
    MLIRContext *context = op->getContext();
    auto dequantize = cast<DynamicDequantizeOp>(op);
    int64_t rank = dequantize.getType().getRank();
    if (operand == 0)
      return AffineMap::getMultiDimIdentityMap(rank, context);
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(op->getOperand(operand).getType()).getShape();
    SmallVector<AffineExpr> indices;
    for (auto [dim, size] : llvm::enumerate(shape))
      if (size == 1)
        indices.push_back(getAffineConstantExpr(0, context));
      else
        indices.push_back(getAffineDimExpr(
            dequantize.getQtype() == "per_channel" ? getChannelDim(dequantize)
                                                   : int64_t(dim),
            context));
    return AffineMap::get(rank, 0, indices, context);
  }

  AffineMap getResultMap(Operation *op, unsigned) const {
    return AffineMap::getMultiDimIdentityMap(
        cast<DynamicDequantizeOp>(op).getType().getRank(), op->getContext());
  }

  std::optional<Gaps> getGaps(Operation *op, unsigned operand) const {
    auto dequantize = cast<DynamicDequantizeOp>(op);
    if (operand == 0 || dequantize.getQtype() != "per_group")
      return std::nullopt;
    auto type = cast<RankedTensorType>(op->getOperand(operand).getType());
    Gaps result;
    for (auto [size, group] :
         llvm::zip_equal(type.getShape(), dequantize.getGroupShape()))
      result.spacing.push_back(size == 1 || group == 1 ? 0 : group);
    if (llvm::all_of(result.spacing, [](int64_t group) { return group == 0; }))
      return std::nullopt;
    return result;
  }
};

struct BodyModel
    : ScalarBodyOpInterface::ExternalModel<BodyModel, DynamicDequantizeOp> {
  SmallVector<Value> buildBody(Operation *op, OpBuilder &builder, Location loc,
                               ValueRange x) const {
    ScalarMath m{builder, loc};
    auto toFloat = [&](unsigned operand) -> Value {
      Type wide =
          ScalarMath::withElement(x[operand].getType(), builder.getF32Type());
      Type element = getElementTypeOrSelf(op->getOperand(operand).getType());
      if (element.isUnsignedInteger())
        return m.make<arith::UIToFPOp>(wide, x[operand]);
      return m.make<arith::SIToFPOp>(wide, x[operand]);
    };
    Value number = toFloat(0);
    if (x.size() > 2)
      number = m.make<arith::SubFOp>(number, toFloat(2));
    return {m.mul(number, x[1])};
  }

  int64_t getBodyCost(Operation *op) const { return op->getNumOperands() + 1; }
};

} // namespace

void attachGroupedDequantize(MLIRContext *context) {
  DynamicDequantizeOp::attachInterface<FusibleModel, BodyModel>(*context);
}

} // namespace gc::graph
