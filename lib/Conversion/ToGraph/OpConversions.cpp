// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/ToGraph/OpConversions.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace gc;

FailureOr<SmallVector<Value>>
OpConversions::convert(Operation *op, GraphBuilder &builder) const {
  auto it = functions.find(op->getName().getDialectNamespace());
  if (it == functions.end() || op->getNumResults() == 0)
    return builder.fail("there is no such operation in the Graph dialect");
  for (Type type : op->getResultTypes())
    if (!getGraphType(type)) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return builder.fail("results of type " + text + " are not supported");
    }
  FailureOr<SmallVector<Value>> results = it->second(op, builder);
  if (failed(results))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *results)) {
    if (!value && !result.use_empty())
      return builder.fail("a result is not supported");
    // Conversions know the shapes that they build; this is the check.
    if (value && value.getType() != getGraphType(result.getType()) &&
        value.getType() !=
            getGraphType(result.getType(), /*isUnsigned=*/true)) {
      std::string text;
      llvm::raw_string_ostream(text) << value.getType();
      return builder.fail("its result would be of type " + text);
    }
  }
  return results;
}

bool gc::isConstantLike(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() ||
         isa<linalg::FillOp, tensor::EmptyOp>(op);
}

void gc::convertInPlace(FunctionOpInterface function,
                        const OpConversions &conversions, StringRef pass) {
  // The graph value of an integer tensor is another value.
  auto makeInput = [](GraphBuilder &b, Value value,
                      RankedTensorType type) -> Value {
    if (value.getType() == type)
      return value;
    auto bitcast =
        tensor::BitcastOp::create(b.getBuilder(), b.getLoc(), type, value);
    b.track(bitcast);
    return bitcast;
  };
  OpBuilder builder(function.getContext());
  GraphBuilder graph(builder, makeInput);
  SmallVector<std::pair<Operation *, SmallVector<Value>>> converted;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function)
      return WalkResult::advance();
    // Constants that a graph op reads are made where it is.
    if (!conversions.contains(op) || isConstantLike(op))
      return WalkResult::advance();
    builder.setInsertionPoint(op);
    graph.begin(op);
    FailureOr<SmallVector<Value>> results = conversions.convert(op, graph);
    if (failed(results)) {
      graph.undo();
      remark::missed(op->getLoc(),
                     remark::RemarkOpts::name("NotConverted").category(pass))
          << remark::add("'{0}' stays", op->getName().getStringRef())
          << remark::reason("{0}", graph.getReason());
      return WalkResult::skip();
    }
    for (auto [result, value] : llvm::zip_equal(op->getResults(), *results))
      if (value)
        graph.define(result, value);
    converted.emplace_back(op, *results);
    return WalkResult::skip();
  });
  for (auto &[op, results] : converted) {
    builder.setInsertionPointAfter(op);
    for (auto [result, value] : llvm::zip_equal(op->getResults(), results)) {
      if (!value)
        continue;
      if (value.getType() != result.getType())
        value = tensor::BitcastOp::create(builder, op->getLoc(),
                                          result.getType(), value);
      result.replaceAllUsesWith(value);
    }
  }
  // What is dead now: the converted ops, and what only they read.
  // Ops of regions come after the op that has them, and are gone before it.
  SmallVector<Operation *> all;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { all.push_back(op); });
  IRRewriter rewriter(function.getContext());
  if (!converted.empty())
    for (Operation *op : llvm::reverse(all))
      if (op != function && isOpTriviallyDead(op))
        rewriter.eraseOp(op);
}
