// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHPROPAGATELAYOUT
#include "Dialect/Graph/Transforms/Passes.h.inc"

/// A layout that is left to the compiler becomes plain at the function's
/// boundary, where callers must know it.
static void resolveAny(func::FuncOp func) {
  auto resolve = [](Type type) {
    LayoutAttr layout = getLayout(type);
    return layout && layout.isAny() ? dropLayout(type) : type;
  };
  for (BlockArgument arg : func.getArguments())
    arg.setType(resolve(arg.getType()));
  func.walk([&](Operation *op) {
    for (Value result : op->getResults())
      result.setType(resolve(result.getType()));
  });
  SmallVector<Type> results =
      llvm::map_to_vector(func.getResultTypes(), resolve);
  func.setFunctionType(FunctionType::get(
      func.getContext(), func.getBody().front().getArgumentTypes(), results));
}

/// The elements of a view are in row-major order; a different layout of its
/// result needs a reorder after it.
static void splitViews(func::FuncOp func) {
  func.walk([](Operation *op) {
    if (!op->hasTrait<RowMajorView>() || !getLayout(op->getResult(0).getType()))
      return;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value result = op->getResult(0);
    Type type = result.getType();
    result.setType(dropLayout(type));
    auto reorder = ReorderOp::create(builder, op->getLoc(), type, result);
    if (op->hasAttr(GraphDialect::kConstantAttr))
      reorder->setAttr(GraphDialect::kConstantAttr, builder.getUnitAttr());
    result.replaceAllUsesExcept(reorder.getResult(), reorder);
  });
}

/// The operand in the wanted layout: a reorder right before the op. A constant
/// is reordered once for all that want the same.
static Value getReordered(Value value, RankedTensorType wanted, Operation *op) {
  if (isConstantValue(value))
    for (Operation *user : value.getUsers())
      if (isa<ReorderOp>(user) && user->getResult(0).getType() == wanted &&
          user->getBlock() == op->getBlock() && user->isBeforeInBlock(op))
        return user->getResult(0);
  OpBuilder builder(op);
  auto reorder = ReorderOp::create(builder, op->getLoc(), wanted, value);
  if (isConstantValue(value))
    reorder->setAttr(GraphDialect::kConstantAttr, builder.getUnitAttr());
  return reorder;
}

/// Where every reorder of a value goes to the same blocked layout and the value
/// is not needed by the caller, its producer writes that layout directly.
static void adoptLayout(Value value) {
  Operation *producer = value.getDefiningOp();
  if (!producer || !isa<FusibleOpInterface, TunableOpInterface>(producer) ||
      getLayout(value.getType()) || isConstantValue(value))
    return;
  LayoutAttr layout;
  SmallVector<ReorderOp> reorders;
  for (Operation *user : value.getUsers()) {
    if (isa<func::ReturnOp>(user) || !isa<FusibleOpInterface>(user))
      return;
    auto reorder = dyn_cast<ReorderOp>(user);
    if (!reorder)
      continue;
    LayoutAttr wanted = getLayout(reorder.getType());
    if (!wanted || (layout && wanted != layout))
      return;
    layout = wanted;
    reorders.push_back(reorder);
  }
  if (!layout)
    return;
  value.setType(withLayout(value.getType(), layout));
  for (ReorderOp reorder : reorders) {
    reorder.getResult().replaceAllUsesWith(value);
    reorder.erase();
  }
}

namespace {
struct PropagateLayout : impl::GraphPropagateLayoutBase<PropagateLayout> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isDeclaration())
      return;
    resolveAny(func);
    splitViews(func);
    SmallVector<Value> produced;
    func.walk([&](TunableOpInterface op) {
      TemplateAttrInterface chosen = op.getChosenTemplate();
      if (!chosen)
        return;
      for (OpOperand &operand : op->getOpOperands()) {
        RankedTensorType wanted =
            chosen.getOperandType(op, operand.getOperandNumber());
        if (wanted == operand.get().getType())
          continue;
        produced.push_back(operand.get());
        operand.set(getReordered(operand.get(), wanted, op));
      }
    });
    if (!propagate)
      return;
    for (Value value : produced)
      adoptLayout(value);
  }
};
} // namespace

} // namespace gc::graph
