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
  auto loop =
      scf::ForOp::create(b, t.constant(0), t.constant(spec.m), t.constant(1));
  disableUnrolling(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  SmallVector<Value, 1> sum{t.getZero()};
  auto add = [&](Value loaded, Value mask) {
    Value prepared = multiplyAdd.prepareA(loaded);
    if (mask)
      prepared = arith::SelectOp::create(b, mask, prepared, t.getZero());
    sum[0] = multiplyAdd.addElementsOfA(prepared, sum[0]);
  };
  auto inRow = [&](Value block) { return t.at(block, row, spec.lda, spec.a); };
  walk.emit(
      t, sum,
      [&](Value block, Value, int64_t) { add(t.load(inRow(block)), {}); },
      [&](Value block, Value) {
        Value end = t.at(inRow(block), whole * group, spec.a);
        if (rest)
          add(t.loadPartial(end), t.getMask(rest));
        if (cut) {
          Value last = t.loadCut(t.at(end, rest * group, spec.a), spec.a, cut);
          Value prepared =
              multiplyAdd.keepFirst(multiplyAdd.prepareA(last), cut);
          prepared =
              arith::SelectOp::create(b, t.getMask(1), prepared, t.getZero());
          sum[0] = multiplyAdd.addElementsOfA(prepared, sum[0]);
        }
      });
  Value total = vector::ReductionOp::create(b, vector::CombiningKind::ADD,
                                            multiplyAdd.scale(sum[0], -excess));
  LLVM::StoreOp::create(b, total,
                        LLVM::GEPOp::create(b, terms.getType(), b.getI32Type(),
                                            terms, LLVM::GEPArg(row),
                                            LLVM::GEPNoWrapFlags::inbounds));
  return terms;
}

} // namespace gc::tir
