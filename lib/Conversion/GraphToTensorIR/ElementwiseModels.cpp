// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise ops that are computed on vectors differently from their scalar
// bodies.

#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "EmissionModels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace gc::graph;

namespace gc {

namespace {
using Values = SmallVector<Value>;

/// Whether a value is rounded to integers a few ops further on, so that its
/// last bit may change the result by a whole unit.
bool isRoundedSoon(Value value, unsigned depth = 3) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto fusible = dyn_cast<FusibleOpInterface>(user);
    if (!fusible)
      return false;
    return fusible.isDiscontinuous() ||
           (depth && llvm::any_of(user->getResults(), [&](Value result) {
              return isRoundedSoon(result, depth - 1);
            }));
  });
}

struct DivideModel : EmissionOpInterface::ExternalModel<DivideModel, DivideOp> {
  Values emitVector(Operation *op, OpBuilder &builder, Location loc,
                    ValueRange x) const {
    auto divide = cast<DivideOp>(op);
    auto type = cast<VectorType>(x[1].getType());
    auto constant = [&](double value) -> Value {
      return arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(
              type, builder.getFloatAttr(type.getElementType(), value)));
    };
    auto multiply = [&](Value a, Value b) -> Value {
      return arith::MulFOp::create(builder, loc, a, b);
    };
    // A divisor that all elements of a row share is inverted once.
    Value divisor = x[1];
    DenseFPElementsAttr splat;
    if (matchPattern(divisor, m_Constant(&splat)) && splat.isSplat()) {
      double number = splat.getSplatValue<APFloat>().convertToDouble();
      double magnitude = std::fabs(number);
      if (magnitude < 0x1p-126 || magnitude > 0x1p126 || isRoundedSoon(divide))
        return divide.buildBody(builder, loc, x);
      return {multiply(x[0], constant(1 / number))};
    }
    if (!divisor.getDefiningOp<vector::BroadcastOp>())
      return divide.buildBody(builder, loc, x);
    // The inverse of a denormal number is infinite. It and the dividend are
    // scaled by a power of 2; a quotient that is finite does not overflow on
    // the way.
    Value magnitude = math::AbsFOp::create(builder, loc, divisor);
    Value one = constant(1);
    Value isTiny = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OLT, magnitude, constant(0x1p-126));
    Value scale =
        arith::SelectOp::create(builder, loc, isTiny, constant(0x1p64), one);
    Value inverse =
        arith::DivFOp::create(builder, loc, one, multiply(divisor, scale));
    return {multiply(multiply(x[0], scale), inverse)};
  }
};

/// What is known of the results makes the expansion of exp shorter.
struct ExpModel : EmissionOpInterface::ExternalModel<ExpModel, ExpOp> {
  Values emitVector(Operation *op, OpBuilder &builder, Location loc,
                    ValueRange x) const {
    auto exp = cast<ExpOp>(op);
    Values results = exp.buildBody(builder, loc, x);
    if (exp.getAtMostOne() && !results.empty())
      results[0].getDefiningOp()->setAttr(tir::TensorIRDialect::kAtMostOneAttr,
                                          builder.getUnitAttr());
    return results;
  }
};

} // namespace

void attachElementwiseModels(MLIRContext *context) {
  DivideOp::attachInterface<DivideModel>(*context);
  ExpOp::attachInterface<ExpModel>(*context);
}

} // namespace gc
