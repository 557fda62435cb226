// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Indices that passes on NPU programs compute.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_INDEXEXPRESSION_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_INDEXEXPRESSION_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/STLExtras.h"

namespace gc::npu {

/// An affine expression and what its dimensions and symbols stand for: indices,
/// or integers, since bounds and induction variables of loops can be either.
class IndexExpression {
public:
  explicit IndexExpression(mlir::MLIRContext *context) : context(context) {}

  mlir::AffineExpr dim(mlir::Value value) {
    dims.push_back(value);
    return mlir::getAffineDimExpr(dims.size() - 1, context);
  }
  /// A value that no loop changes, or a divisor.
  mlir::AffineExpr fixed(mlir::Value value) {
    if (std::optional<int64_t> number = mlir::getConstantIntValue(value))
      return mlir::getAffineConstantExpr(*number, context);
    symbols.push_back(value);
    return mlir::getAffineSymbolExpr(symbols.size() - 1, context);
  }
  /// The number of a loop's iteration.
  mlir::AffineExpr number(mlir::scf::ForOp loop) {
    mlir::AffineExpr distance =
        dim(loop.getInductionVar()) - fixed(loop.getLowerBound());
    return distance.floorDiv(fixed(loop.getStep()));
  }
  /// With what operands are computed from folded into it.
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::AffineExpr expr) const {
    return mlir::getValueOrCreateConstantIndexOp(
        builder, loc,
        mlir::affine::makeComposedFoldedAffineApply(
            builder, loc, getMap(expr),
            mlir::getAsOpFoldResult(getOperands(builder, loc))));
  }
  /// As it is written.
  mlir::Value apply(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::AffineExpr expr) const {
    return mlir::affine::AffineApplyOp::create(builder, loc, getMap(expr),
                                               getOperands(builder, loc));
  }

private:
  mlir::AffineMap getMap(mlir::AffineExpr expr) const {
    return mlir::AffineMap::get(dims.size(), symbols.size(), expr);
  }
  llvm::SmallVector<mlir::Value> getOperands(mlir::OpBuilder &builder,
                                             mlir::Location loc) const {
    llvm::SmallVector<mlir::Value> operands;
    for (mlir::Value value : llvm::concat<const mlir::Value>(dims, symbols))
      operands.push_back(mlir::getValueOrCreateCastToIndexLike(
          builder, loc, builder.getIndexType(), value));
    return operands;
  }

  mlir::MLIRContext *context;
  llvm::SmallVector<mlir::Value> dims, symbols;
};

} // namespace gc::npu

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_INDEXEXPRESSION_H
