// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpBody.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

/// What the body yields; null for ops without one or with several results.
static Value buildBody(Operation *op, Block &body) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(&body);
  auto reduction = dyn_cast<ReductionOpInterface>(op);
  size_t operands = reduction ? 2 : op->getNumOperands();
  body.addArguments(SmallVector<Type>(operands, builder.getF32Type()),
                    SmallVector<Location>(operands, op->getLoc()));
  if (reduction)
    return reduction.combine(builder, op->getLoc(), body.getArgument(0),
                             body.getArgument(1));
  auto scalar = dyn_cast<ScalarBodyOpInterface>(op);
  if (!scalar || scalar.getIndexDim())
    return nullptr;
  SmallVector<Value> results =
      scalar.buildBody(builder, op->getLoc(), body.getArguments());
  return results.size() == 1 ? results.front() : nullptr;
}

bool gc::testBody(Operation *op, llvm::function_ref<bool(Operation *)> test) {
  Block body;
  Value result = buildBody(op, body);
  Operation *last = result ? result.getDefiningOp() : nullptr;
  if (!last)
    return false;
  // A selection by a comparison of the two is one operation.
  ValueRange operands = last->getOperands();
  if (isa<arith::SelectOp>(last))
    operands = operands.drop_front();
  return llvm::all_of(operands, llvm::IsaPred<BlockArgument>) && test(last);
}

bool gc::isConversion(Operation *op) {
  auto fusible = dyn_cast_or_null<FusibleOpInterface>(op);
  return fusible && fusible.getFusibleKind() == FusibleKind::cast;
}

bool gc::isExtremum(Operation *op) {
  return isa<ReductionOpInterface>(op) &&
         computes<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                  arith::MinNumFOp, arith::SelectOp>(op);
}

bool gc::isSum(Operation *op) {
  return isa<ReductionOpInterface>(op) && computes<arith::AddFOp>(op);
}
