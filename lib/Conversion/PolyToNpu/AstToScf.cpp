// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AstToScf.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

static isl::AstExpr getArgument(const isl::AstExpr &expr, int position) {
  return isl::AstExpr(isl_ast_expr_op_get_arg(expr.get(), position));
}

static int countArguments(const isl::AstExpr &expr) {
  return isl_ast_expr_op_get_n_arg(expr.get());
}

LogicalResult AstToScf::reject(const isl::AstExpr &expr) {
  return emitError(loc) << "the loops need the expression '" << isl::str(expr)
                        << "', which has no form in affine or arith";
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Value AstToScf::emitApply(AffineExpr expr, ArrayRef<Value> operands) {
  auto map = AffineMap::get(operands.size(), 0, expr);
  SmallVector<Value> used(operands);
  affine::canonicalizeMapAndOperands(&map, &used);
  map = simplifyAffineMap(map);
  AffineExpr result = map.getResult(0);
  if (auto constant = dyn_cast<AffineConstantExpr>(result))
    return arith::ConstantIndexOp::create(b, loc, constant.getValue());
  if (used.size() == 1 && isa<AffineDimExpr, AffineSymbolExpr>(result))
    return used.front();
  return affine::AffineApplyOp::create(b, loc, map, used);
}

FailureOr<Value> AstToScf::emitExtremum(const isl::AstExpr &expr, bool isMin) {
  SmallVector<AffineExpr> parts;
  SmallVector<Value> operands;
  for (int i = 0, e = countArguments(expr); i < e; ++i) {
    FailureOr<AffineExpr> part = toAffine(getArgument(expr, i), operands);
    if (failed(part))
      return failure();
    parts.push_back(*part);
  }
  auto map = AffineMap::get(operands.size(), 0, parts, b.getContext());
  if (isMin)
    return affine::AffineMinOp::create(b, loc, map, operands).getResult();
  return affine::AffineMaxOp::create(b, loc, map, operands).getResult();
}

FailureOr<AffineExpr> AstToScf::toAffine(const isl::AstExpr &expr,
                                         SmallVectorImpl<Value> &operands) {
  auto addOperand = [&](Value value) {
    operands.push_back(value);
    return b.getAffineDimExpr(operands.size() - 1);
  };
  switch (isl_ast_expr_get_type(expr.get())) {
  case isl_ast_expr_int: {
    auto value = isl::toInt(isl::Val(isl_ast_expr_int_get_val(expr.get())));
    if (!value)
      return reject(expr);
    return b.getAffineConstantExpr(*value);
  }
  case isl_ast_expr_id: {
    Value value = iterators.lookup(
        isl::nameOf(isl::Id(isl_ast_expr_id_get_id(expr.get()))));
    if (!value)
      return reject(expr);
    return addOperand(value);
  }
  case isl_ast_expr_op:
    break;
  default:
    return reject(expr);
  }
  auto kind = isl_ast_expr_op_get_type(expr.get());
  if (kind == isl_ast_expr_op_min || kind == isl_ast_expr_op_max) {
    FailureOr<Value> value = emitExtremum(expr, kind == isl_ast_expr_op_min);
    if (failed(value))
      return failure();
    return addOperand(*value);
  }
  if (kind == isl_ast_expr_op_select || kind == isl_ast_expr_op_cond) {
    FailureOr<Value> condition = emitCondition(getArgument(expr, 0));
    FailureOr<Value> yes = emitIndex(getArgument(expr, 1));
    FailureOr<Value> no = emitIndex(getArgument(expr, 2));
    if (failed(condition) || failed(yes) || failed(no))
      return failure();
    return addOperand(
        arith::SelectOp::create(b, loc, *condition, *yes, *no).getResult());
  }
  SmallVector<AffineExpr> arguments;
  for (int i = 0, e = countArguments(expr); i < e; ++i) {
    FailureOr<AffineExpr> argument = toAffine(getArgument(expr, i), operands);
    if (failed(argument))
      return failure();
    arguments.push_back(*argument);
  }
  auto isPositive = [](AffineExpr expr) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    return constant && constant.getValue() > 0;
  };
  switch (kind) {
  case isl_ast_expr_op_minus:
    return -arguments[0];
  case isl_ast_expr_op_add:
    return arguments[0] + arguments[1];
  case isl_ast_expr_op_sub:
    return arguments[0] - arguments[1];
  case isl_ast_expr_op_mul:
    if (!arguments[0].isSymbolicOrConstant() &&
        !arguments[1].isSymbolicOrConstant())
      return reject(expr);
    return arguments[0] * arguments[1];
  // Either the division has no remainder or the dividend is not negative.
  case isl_ast_expr_op_div:
  case isl_ast_expr_op_fdiv_q:
  case isl_ast_expr_op_pdiv_q:
    if (!isPositive(arguments[1]))
      return reject(expr);
    return arguments[0].floorDiv(arguments[1]);
  case isl_ast_expr_op_pdiv_r:
  case isl_ast_expr_op_zdiv_r:
    if (!isPositive(arguments[1]))
      return reject(expr);
    return arguments[0] % arguments[1];
  default:
    return reject(expr);
  }
}

FailureOr<Value> AstToScf::emitIndex(const isl::AstExpr &expr) {
  SmallVector<Value> operands;
  FailureOr<AffineExpr> affine = toAffine(expr, operands);
  if (failed(affine))
    return failure();
  return emitApply(*affine, operands);
}

FailureOr<Value> AstToScf::emitCondition(const isl::AstExpr &expr) {
  if (isl_ast_expr_get_type(expr.get()) != isl_ast_expr_op)
    return reject(expr);
  auto kind = isl_ast_expr_op_get_type(expr.get());
  bool isAnd = kind == isl_ast_expr_op_and || kind == isl_ast_expr_op_and_then;
  bool isOr = kind == isl_ast_expr_op_or || kind == isl_ast_expr_op_or_else;
  if (isAnd || isOr) {
    FailureOr<Value> left = emitCondition(getArgument(expr, 0));
    FailureOr<Value> right = emitCondition(getArgument(expr, 1));
    if (failed(left) || failed(right))
      return failure();
    if (isAnd)
      return arith::AndIOp::create(b, loc, *left, *right).getResult();
    return arith::OrIOp::create(b, loc, *left, *right).getResult();
  }
  arith::CmpIPredicate predicate;
  switch (kind) {
  case isl_ast_expr_op_eq:
    predicate = arith::CmpIPredicate::eq;
    break;
  case isl_ast_expr_op_le:
    predicate = arith::CmpIPredicate::sle;
    break;
  case isl_ast_expr_op_lt:
    predicate = arith::CmpIPredicate::slt;
    break;
  case isl_ast_expr_op_ge:
    predicate = arith::CmpIPredicate::sge;
    break;
  case isl_ast_expr_op_gt:
    predicate = arith::CmpIPredicate::sgt;
    break;
  default:
    return reject(expr);
  }
  FailureOr<Value> left = emitIndex(getArgument(expr, 0));
  FailureOr<Value> right = emitIndex(getArgument(expr, 1));
  if (failed(left) || failed(right))
    return failure();
  return arith::CmpIOp::create(b, loc, predicate, *left, *right).getResult();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

LogicalResult AstToScf::emitFor(const isl::AstNode &node) {
  isl::AstExpr iterator(isl_ast_node_for_get_iterator(node.get()));
  std::string name =
      isl::nameOf(isl::Id(isl_ast_expr_id_get_id(iterator.get())));
  FailureOr<Value> init =
      emitIndex(isl::AstExpr(isl_ast_node_for_get_init(node.get())));
  if (failed(init))
    return failure();
  isl::AstNode body(isl_ast_node_for_get_body(node.get()));
  if (isl_ast_node_for_is_degenerate(node.get()) == isl_bool_true) {
    iterators[name] = *init;
    LogicalResult result = emit(body);
    iterators.erase(name);
    return result;
  }
  // The loop goes on while `iterator <= last` or `iterator < end`.
  isl::AstExpr condition(isl_ast_node_for_get_cond(node.get()));
  if (isl_ast_expr_get_type(condition.get()) != isl_ast_expr_op)
    return reject(condition);
  auto kind = isl_ast_expr_op_get_type(condition.get());
  isl::AstExpr left = getArgument(condition, 0);
  if ((kind != isl_ast_expr_op_le && kind != isl_ast_expr_op_lt) ||
      isl_ast_expr_is_equal(left.get(), iterator.get()) != isl_bool_true)
    return reject(condition);
  SmallVector<Value> operands;
  FailureOr<AffineExpr> end = toAffine(getArgument(condition, 1), operands);
  if (failed(end))
    return failure();
  Value bound =
      emitApply(kind == isl_ast_expr_op_le ? *end + 1 : *end, operands);
  FailureOr<Value> step =
      emitIndex(isl::AstExpr(isl_ast_node_for_get_inc(node.get())));
  if (failed(step))
    return failure();
  auto loop = scf::ForOp::create(b, loc, *init, bound, *step);
  client.addedLoop(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  iterators[name] = loop.getInductionVar();
  LogicalResult result = emit(body);
  iterators.erase(name);
  return result;
}

LogicalResult AstToScf::emitIf(const isl::AstNode &node) {
  FailureOr<Value> condition =
      emitCondition(isl::AstExpr(isl_ast_node_if_get_cond(node.get())));
  if (failed(condition))
    return failure();
  bool hasElse = isl_ast_node_if_has_else_node(node.get()) == isl_bool_true;
  auto branch = scf::IfOp::create(b, loc, *condition, hasElse);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  if (failed(emit(isl::AstNode(isl_ast_node_if_get_then_node(node.get())))))
    return failure();
  if (!hasElse)
    return success();
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  return emit(isl::AstNode(isl_ast_node_if_get_else_node(node.get())));
}

LogicalResult AstToScf::emitUser(const isl::AstNode &node) {
  isl::AstExpr call(isl_ast_node_user_get_expr(node.get()));
  isl::AstExpr callee = getArgument(call, 0);
  SmallVector<Value> indices;
  for (int i = 1, e = countArguments(call); i < e; ++i) {
    FailureOr<Value> index = emitIndex(getArgument(call, i));
    if (failed(index))
      return failure();
    indices.push_back(*index);
  }
  return client.emitInstance(
      isl::nameOf(isl::Id(isl_ast_expr_id_get_id(callee.get()))), indices);
}

LogicalResult AstToScf::emit(const isl::AstNode &node) {
  switch (isl_ast_node_get_type(node.get())) {
  case isl_ast_node_for:
    return emitFor(node);
  case isl_ast_node_if:
    return emitIf(node);
  case isl_ast_node_user:
    return emitUser(node);
  case isl_ast_node_mark: {
    std::string mark =
        isl::nameOf(isl::Id(isl_ast_node_mark_get_id(node.get())));
    if (failed(client.enterMark(mark)))
      return failure();
    LogicalResult result =
        emit(isl::AstNode(isl_ast_node_mark_get_node(node.get())));
    client.leaveMark(mark);
    return result;
  }
  case isl_ast_node_block: {
    isl::AstNodeList children(isl_ast_node_block_get_children(node.get()));
    for (int i = 0, e = isl_ast_node_list_size(children.get()); i < e; ++i)
      if (failed(
              emit(isl::AstNode(isl_ast_node_list_get_at(children.get(), i)))))
        return failure();
    return success();
  }
  case isl_ast_node_error:
    break;
  }
  return emitError(loc, "isl gave a syntax tree with an unknown node");
}
