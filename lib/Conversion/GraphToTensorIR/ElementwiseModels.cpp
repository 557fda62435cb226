// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise ops that are computed on vectors differently from their scalar
// bodies.

#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/RandomNumbers.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "EmissionModels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

namespace {
using Values = SmallVector<Value>;

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

/// What is known of the operand spares the limits of a conversion to integers.
struct TypeCastModel
    : EmissionOpInterface::ExternalModel<TypeCastModel, TypeCastOp> {
  Values emitVector(Operation *op, OpBuilder &builder, Location loc,
                    ValueRange x) const {
    auto cast = mlir::cast<TypeCastOp>(op);
    Values results = cast.buildBody(builder, loc, x);
    if (!cast.getBounded() || results.empty())
      return results;
    if (auto narrow = results[0].getDefiningOp<arith::TruncIOp>())
      narrow->setAttr(tir::TensorIRDialect::kBoundedAttr,
                      builder.getUnitAttr());
    return results;
  }
};

/// Four neighbours share a block of random numbers: where indices are
/// consecutive, as in the rows of a tensor, each block is computed once.
struct RandomMaskModel
    : EmissionOpInterface::ExternalModel<RandomMaskModel, RandomMaskOp> {
  static constexpr int64_t kShared = 4;

  Values emitVector(Operation *op, OpBuilder &builder, Location loc,
                    ValueRange x) const {
    auto mask = cast<RandomMaskOp>(op);
    auto type = dyn_cast<VectorType>(x[0].getType());
    if (!type || type.getNumElements() % kShared != 0)
      return mask.buildBody(builder, loc, x);
    auto masks = type.clone(builder.getI1Type());
    auto branch =
        scf::IfOp::create(builder, loc, masks, emitIsRun(builder, loc, x[0]),
                          /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, emitRun(builder, loc, x));
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, mask.buildBody(builder, loc, x));
    return Values(branch.getResults());
  }

  /// Whether the indices are consecutive, from a multiple of four on.
  static Value emitIsRun(OpBuilder &builder, Location loc, Value index) {
    auto type = cast<VectorType>(index.getType());
    auto word = [&](int32_t value) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getI32IntegerAttr(value));
    };
    Value first = vector::ExtractOp::create(builder, loc, index, 0);
    SmallVector<int32_t> steps =
        llvm::to_vector(llvm::seq<int32_t>(type.getNumElements()));
    Value run = arith::AddIOp::create(
        builder, loc, vector::BroadcastOp::create(builder, loc, type, first),
        arith::ConstantOp::create(
            builder, loc,
            DenseElementsAttr::get(type, ArrayRef<int32_t>(steps))));
    Value isRun = vector::ReductionOp::create(
        builder, loc, vector::CombiningKind::AND,
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, index,
                              run));
    Value rest = arith::AndIOp::create(builder, loc, first, word(kShared - 1));
    Value isAligned = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, rest, word(0));
    return arith::AndIOp::create(builder, loc, isRun, isAligned);
  }

  /// One block for every four indices.
  static Value emitRun(OpBuilder &builder, Location loc, ValueRange x) {
    auto type = cast<VectorType>(x[0].getType());
    int64_t blocks = type.getNumElements() / kShared;
    SmallVector<int64_t> firsts;
    for (int64_t i = 0; i < blocks; ++i)
      firsts.push_back(kShared * i);
    // The parameters are the same in all lanes.
    auto pick = [&](Value vector) -> Value {
      return vector::ShuffleOp::create(builder, loc, vector, vector, firsts);
    };
    auto [first, second, third, fourth] =
        buildRandomNumbers(builder, loc, pick(x[0]), pick(x[1]), pick(x[2]));
    Value even = vector::InterleaveOp::create(builder, loc, first, third);
    Value odd = vector::InterleaveOp::create(builder, loc, second, fourth);
    Value numbers = vector::InterleaveOp::create(builder, loc, even, odd);
    Value limit = buildDropLimit(
        builder, loc, vector::ExtractOp::create(builder, loc, x[3], 0));
    return arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ugt, numbers,
        vector::BroadcastOp::create(builder, loc, type, limit));
  }
};

} // namespace

void attachElementwiseModels(MLIRContext *context) {
  ExpOp::attachInterface<ExpModel>(*context);
  TypeCastOp::attachInterface<TypeCastModel>(*context);
  RandomMaskOp::attachInterface<RandomMaskModel>(*context);
}

} // namespace gc
