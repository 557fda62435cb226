// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AttentionRows.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>
#include <tuple>

using namespace mlir;
using namespace gc::graph;

namespace gc {

/// Vectors in flight that hide the latency of a maximum.
constexpr int64_t kMaxima = 4;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value AttentionRows::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value AttentionRows::constant(double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(value));
}

Value AttentionRows::constantVector(double value) {
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, builder.getF32FloatAttr(value)));
}

/// The larger of two; b where a is NaN, which is one instruction. NaN among the
/// logits is not lost: its exponential is NaN whatever the maximum is.
Value AttentionRows::larger(Value a, Value b) {
  Value isLarger =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a, b);
  return arith::SelectOp::create(builder, loc, isLarger, a, b);
}

/// e^x; with a maximum that is subtracted for x of 0 or less, or NaN.
Value AttentionRows::exponential(Value x) {
  auto exp = math::ExpOp::create(builder, loc, x);
  if (mode != SoftmaxMode::unshifted)
    exp->setAttr(tir::TensorIRDialect::kAtMostOneAttr, builder.getUnitAttr());
  return exp;
}

void AttentionRows::walk(int64_t columns, SmallVectorImpl<Value> &values,
                         Body body) {
  int64_t unroll = std::max<int64_t>(values.size(), 1);
  int64_t step = unroll * lanes, whole = columns / step * step;
  if (whole > step) {
    auto loop = scf::ForOp::create(builder, loc, index(0), index(whole),
                                   index(step), values);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    values.assign(loop.getRegionIterArgs().begin(),
                  loop.getRegionIterArgs().end());
    for (int64_t i = 0; i < unroll; ++i)
      body(i, (Coord::ofLoop(loop.getInductionVar(), whole, step) +
               Coord(i * lanes))
                  .materialize(builder, loc));
    if (!values.empty())
      scf::YieldOp::create(builder, loc, values);
    values.assign(loop.getResults().begin(), loop.getResults().end());
  } else {
    whole = 0;
  }
  for (int64_t column = whole; column < columns; column += lanes)
    body(column / lanes % unroll, index(column));
}

void AttentionRows::updateResult(Value row, function_ref<Value(Value)> update) {
  int64_t columns = cast<MemRefType>(result.getType()).getDimSize(1);
  SmallVector<Value> none;
  walk(columns, none, [&](int64_t, Value column) {
    Value old = vector::LoadOp::create(builder, loc, type, result,
                                       ValueRange{row, column});
    vector::StoreOp::create(builder, loc, update(old), result,
                            ValueRange{row, column});
  });
}

void AttentionRows::emitStart(Value row) {
  if (mode != SoftmaxMode::unshifted)
    memref::StoreOp::create(builder, loc, constant(-kInfinity), max, row);
  memref::StoreOp::create(builder, loc, constant(0), sum, row);
  int64_t columns = cast<MemRefType>(result.getType()).getDimSize(1);
  SmallVector<Value> none;
  walk(columns, none, [&](int64_t, Value column) {
    vector::StoreOp::create(builder, loc, constantVector(0), result,
                            ValueRange{row, column});
  });
}

Value AttentionRows::loadScores(Value scoreRow, Value column) {
  Value x = vector::LoadOp::create(builder, loc, type, scores,
                                   ValueRange{scoreRow, column});
  return toComputeType(builder, loc, toStorageType(builder, loc, x, logits),
                       logits);
}

std::pair<Value, Value> AttentionRows::emitMaximum(Value scoreRow, Value row,
                                                   int64_t columns) {
  SmallVector<Value> maxima(kMaxima, constantVector(-kInfinity));
  walk(columns, maxima, [&](int64_t i, Value column) {
    maxima[i] = larger(loadScores(scoreRow, column), maxima[i]);
  });
  Value top =
      larger(larger(maxima[0], maxima[1]), larger(maxima[2], maxima[3]));
  // None of these can be NaN.
  Value blockMax =
      vector::ReductionOp::create(builder, loc, vector::CombiningKind::MAXNUMF,
                                  top, arith::FastMathFlags::nnan);
  Value oldMax = memref::LoadOp::create(builder, loc, max, row);
  Value oldSum = memref::LoadOp::create(builder, loc, sum, row);
  Value isLarger = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OGT, blockMax, oldMax);

  // Where the maximum has grown, earlier values are scaled down.
  auto grown = scf::IfOp::create(
      builder, loc, TypeRange{builder.getF32Type(), builder.getF32Type()},
      isLarger, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(grown.thenBlock());
    memref::StoreOp::create(builder, loc, blockMax, max, row);
    Value difference = arith::SubFOp::create(builder, loc, oldMax, blockMax);
    Value factor = exponential(
        vector::BroadcastOp::create(builder, loc, type, difference));
    updateResult(row, [&](Value old) -> Value {
      return arith::MulFOp::create(builder, loc, old, factor);
    });
    Value first = vector::ExtractOp::create(builder, loc, factor, 0);
    Value shrunk = arith::MulFOp::create(builder, loc, oldSum, first);
    scf::YieldOp::create(builder, loc, ValueRange{blockMax, shrunk});
    builder.setInsertionPointToStart(grown.elseBlock());
    scf::YieldOp::create(builder, loc, ValueRange{oldMax, oldSum});
  }
  // -inf - -inf would be NaN, but later keys may have finite logits.
  Value newMax = grown.getResult(0);
  Value isEmpty = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                        newMax, constant(-kInfinity));
  Value shift = vector::BroadcastOp::create(
      builder, loc, type,
      arith::SelectOp::create(builder, loc, isEmpty, constant(0), newMax));
  return {shift, grown.getResult(1)};
}

void AttentionRows::emitBlock(Value scoreRow, Value row, int64_t keys) {
  Type stored = cast<MemRefType>(weights.getType()).getElementType();
  int64_t group = 32 / stored.getIntOrFloatBitWidth();
  int64_t columns = llvm::alignTo(keys, std::max(lanes, group));
  // Logits of -inf fill the last vector, and the last group that a kernel
  // reads: their exponentials are 0.
  for (int64_t column = keys; column < columns; ++column)
    memref::StoreOp::create(builder, loc, constant(-kInfinity), scores,
                            ValueRange{scoreRow, index(column)});
  Value shift, oldSum;
  if (mode == SoftmaxMode::unshifted)
    oldSum = memref::LoadOp::create(builder, loc, sum, row);
  else
    std::tie(shift, oldSum) = emitMaximum(scoreRow, row, columns);

  // The constants of the exponential fill the registers: one vector at a time,
  // since the processor overlaps them.
  SmallVector<Value> sums(1, constantVector(0));
  walk(columns, sums, [&](int64_t i, Value column) {
    Value x = loadScores(scoreRow, column);
    if (shift)
      x = arith::SubFOp::create(builder, loc, x, shift);
    Value e = exponential(x);
    vector::StoreOp::create(builder, loc,
                            toStorageType(builder, loc, e, stored), weights,
                            ValueRange{scoreRow, column});
    sums[i] = arith::AddFOp::create(builder, loc, sums[i], e);
  });
  Value blockSum =
      vector::ReductionOp::create(builder, loc, vector::CombiningKind::ADD,
                                  sums[0], arith::FastMathFlags::reassoc);
  memref::StoreOp::create(builder, loc,
                          arith::AddFOp::create(builder, loc, oldSum, blockSum),
                          sum, row);
}

void AttentionRows::emitEnd(Value row) {
  Value sumOfRow = memref::LoadOp::create(builder, loc, sum, row);
  // Any row except one that is all -inf has an exponential of 1.
  if (mode == SoftmaxMode::inf_as_zero) {
    Value isEmpty = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OEQ, sumOfRow, constant(0));
    sumOfRow =
        arith::SelectOp::create(builder, loc, isEmpty, constant(1), sumOfRow);
  }
  Value total = vector::BroadcastOp::create(builder, loc, type, sumOfRow);
  updateResult(row, [&](Value old) -> Value {
    return arith::DivFOp::create(builder, loc, old, total);
  });
}

} // namespace gc
