// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What products of integers lack because of zero points and of shifts that
// instructions need: sums of the elements of columns of B and of rows of A.

#include "TileBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace gc::tir {

SmallVector<Value>
emitColumnTerms(ImplicitLocOpBuilder &b, const VectorPlan &plan,
                const Machine &machine, const KernelSpec &spec,
                ArrayRef<int64_t> vectors, Value batch, TilePointers at) {
  MultiplyAdd multiplyAdd(
      b, machine, spec, VectorType::get(plan.lanes, b.getI32Type()), plan.amx);
  int64_t excessA = multiplyAdd.getExcessA(),
          excessB = multiplyAdd.getExcessB();
  if (excessA == 0)
    return {};
  TileBuilder t(b, spec, plan.lanes, plan.valid);
  TileOperands operands{t, multiplyAdd, spec, vectors};
  SmallVector<Value> sums(vectors.size(), t.getZero());
  operands.forGroups(batch, at, sums.size(), /*splits=*/1, sums,
                     [&](Value, Value bp, int64_t, bool isCut) {
                       for (auto [i, sum] : llvm::enumerate(sums))
                         sum = multiplyAdd.addElementsOfB(
                             operands.getB(bp, i, isCut), sum);
                     });
  for (Value &sum : sums)
    sum = multiplyAdd.scale(sum, -excessA);
  if (excessB == 0)
    return sums;
  Value blocks = arith::TruncIOp::create(b, b.getI32Type(), batch);
  Value both =
      multiplyAdd.scale(vector::BroadcastOp::create(b, t.getGroups(), blocks),
                        spec.k * excessA * excessB);
  for (Value &sum : sums)
    sum = t.add(sum, both);
  return sums;
}

Value emitRowTerms(ImplicitLocOpBuilder &b, const VectorPlan &plan,
                   const Machine &machine, const KernelSpec &spec, Value batch,
                   BatchPointers a) {
  // Rows are read as vectors of groups, which may have a rest.
  int64_t group = getGroupSize(spec.a);
  int64_t steps = spec.k / group, cut = spec.k % group;
  int64_t whole = steps / plan.lanes * plan.lanes, rest = steps - whole;
  MultiplyAdd multiplyAdd(
      b, machine, spec, VectorType::get(plan.lanes, b.getI32Type()), plan.amx);
  int64_t excess = multiplyAdd.getExcessB();
  if (excess == 0)
    return {};
  TileBuilder t(b, spec, plan.lanes, rest);
  Walk walk{spec,
            batch,
            {a, a, {}},
            whole / plan.lanes,
            group * plan.lanes,
            0,
            getUnroll(1, 1, whole / plan.lanes),
            /*splits=*/1};
  Value terms = LLVM::AllocaOp::create(b, a.base.getType(), b.getI32Type(),
                                       t.constant(spec.m));
  // Rows whose lanes are added up together.
  constexpr int64_t kFour = 4;
  auto sumRows = [&](Value first, int64_t rows) {
    SmallVector<Value> sums(rows, t.getZero());
    auto add = [&](Value &sum, Value loaded, Value mask) {
      Value prepared = multiplyAdd.prepareA(loaded);
      if (mask)
        prepared = arith::SelectOp::create(b, mask, prepared, t.getZero());
      sum = multiplyAdd.addElementsOfA(prepared, sum);
    };
    auto inRow = [&](Value block, int64_t row) {
      return t.at(t.at(block, first, spec.lda, spec.a), row * spec.lda, spec.a);
    };
    walk.emit(
        t, sums,
        [&](Value block, Value, int64_t) {
          for (int64_t row = 0; row < rows; ++row)
            add(sums[row], t.load(inRow(block, row)), {});
        },
        [&](Value block, Value) {
          for (int64_t row = 0; row < rows; ++row) {
            Value end = t.at(inRow(block, row), whole * group, spec.a);
            if (rest)
              add(sums[row], t.loadPartial(end), t.getMask(rest));
            if (!cut)
              continue;
            Value last =
                t.loadCut(t.at(end, rest * group, spec.a), spec.a, cut);
            Value prepared =
                multiplyAdd.keepFirst(multiplyAdd.prepareA(last), cut);
            prepared =
                arith::SelectOp::create(b, t.getMask(1), prepared, t.getZero());
            sums[row] = multiplyAdd.addElementsOfA(prepared, sums[row]);
          }
        });
    for (Value &sum : sums)
      sum = multiplyAdd.scale(sum, -excess);
    Value total = rows == kFour ? t.sumLanesOfFour(sums) : t.sumLanes(sums[0]);
    LLVM::StoreOp::create(b, total, t.at(terms, first, 1, DataType::s32),
                          getBytes(DataType::s32));
  };
  auto sumAll = [&](int64_t start, int64_t end, int64_t rows) {
    if (start == end)
      return;
    auto loop = scf::ForOp::create(b, t.constant(start), t.constant(end),
                                   t.constant(rows));
    disableUnrolling(loop);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    sumRows(loop.getInductionVar(), rows);
  };
  int64_t inFours = plan.lanes < kFour ? 0 : spec.m / kFour * kFour;
  sumAll(0, inFours, kFour);
  sumAll(inFours, spec.m, 1);
  return terms;
}

} // namespace gc::tir
