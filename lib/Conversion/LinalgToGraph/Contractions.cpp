// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of matrices, by the dimensions that their operands share.

#include "LoopLists.h"
#include "StructuredOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gc;
using linalg::LinalgOp;

/// The operand that a scalar is, possibly converted to a wider type. Integers
/// of 8 bits have to be, or their products would wrap.
static OpOperand *getFactor(LinalgOp op, Value scalar) {
  Operation *cast = scalar.getDefiningOp();
  if (isa<IntegerType>(scalar.getType()) &&
      (!isa_and_nonnull<arith::ExtSIOp>(cast) ||
       !scalar.getType().isInteger(32) ||
       !cast->getOperand(0).getType().isInteger(8)))
    return nullptr;
  if (isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(cast))
    scalar = cast->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(scalar);
  if (!argument || argument.getOwner() != op.getBlock())
    return nullptr;
  return op.getMatchingOpOperand(argument);
}

std::pair<OpOperand *, OpOperand *>
gc::getFactors(StructuredReduction &reduction) {
  Operation *product = reduction.term.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product) ||
      product->getBlock() != reduction.op.getBlock() ||
      !isa<arith::AddFOp, arith::AddIOp>(reduction.combiner))
    return {};
  OpOperand *lhs = getFactor(reduction.op, product->getOperand(0));
  OpOperand *rhs = getFactor(reduction.op, product->getOperand(1));
  if (!lhs || !rhs || lhs == rhs || lhs == reduction.getInit() ||
      rhs == reduction.getInit())
    return {};
  return {lhs, rhs};
}

namespace {
/// A matrix, or a batch of them, whose rows and columns are several loops each.
struct MatrixOperand {
  Dims loops, batch, rows, columns;

  /// The operand with one dimension for the rows and one for the columns;
  /// `isTransposed` if the columns come first.
  FailureOr<Value> build(Value value, ArrayRef<int64_t> ranges,
                         bool &isTransposed, GraphBuilder &b) {
    // What is contiguous stays so.
    isTransposed = !columns.empty() && !loops.empty() &&
                   llvm::is_contained(rows, loops.back());
    Dims order = isTransposed ? concatLoops({batch, columns, rows})
                              : concatLoops({batch, rows, columns});
    FailureOr<Value> ordered = b.transpose(value, getLoopOrder(loops, order));
    if (failed(ordered))
      return failure();
    Dims shape = getLoopSizes(batch, ranges);
    for (ArrayRef<int64_t> part :
         {isTransposed ? columns : rows, isTransposed ? rows : columns})
      shape.push_back(getLoopSize(part, ranges));
    return b.reshape(*ordered, shape);
  }
};
} // namespace

std::optional<FailureOr<Value>>
gc::convertContraction(StructuredReduction &reduction, GraphBuilder &b) {
  LinalgOp op = reduction.op;
  auto [lhs, rhs] = getFactors(reduction);
  if (!lhs)
    return std::nullopt;
  auto lhsLoops = getLoops(op.getMatchingIndexingMap(lhs));
  auto rhsLoops = getLoops(op.getMatchingIndexingMap(rhs));
  auto resultLoops = getLoops(reduction.getResultMap());
  if (!lhsLoops || !rhsLoops || !resultLoops)
    return std::nullopt;
  auto isIn = [](std::optional<Dims> &loops) {
    return [&loops](int64_t loop) { return llvm::is_contained(*loops, loop); };
  };
  auto isLhs = isIn(lhsLoops), isRhs = isIn(rhsLoops),
       isResult = isIn(resultLoops);
  Dims batch = filterLoopsBy(*resultLoops,
                             [&](int64_t l) { return isLhs(l) && isRhs(l); });
  Dims rows = filterLoopsBy(*resultLoops,
                            [&](int64_t l) { return isLhs(l) && !isRhs(l); });
  Dims columns = filterLoopsBy(
      *resultLoops, [&](int64_t l) { return !isLhs(l) && isRhs(l); });
  Dims reduced = filterLoopsBy(
      *lhsLoops, [&](int64_t l) { return isRhs(l) && !isResult(l); });
  // Without rows and columns it is a sum of products, which reductions do; and
  // a loop of only one operand is summed up before or after.
  if (reduced.empty() || (rows.empty() && columns.empty()) ||
      batch.size() + rows.size() + columns.size() + reduced.size() !=
          op.getNumLoops())
    return std::nullopt;

  Dims ranges = op.getStaticLoopRanges();
  FailureOr<Value> a = b.get(lhs->get()), w = b.get(rhs->get());
  if (failed(a) || failed(w))
    return failure();
  // What the result is computed in is what both are converted to.
  Type element = getGraphType(reduction.getType()).getElementType();
  if (getElement(*a) != getElement(*w)) {
    a = b.cast(*a, element);
    w = b.cast(*w, element);
    if (failed(a) || failed(w))
      return failure();
  }
  bool transposeA, transposeB;
  a = MatrixOperand{*lhsLoops, batch, rows, reduced}.build(*a, ranges,
                                                           transposeA, b);
  w = MatrixOperand{*rhsLoops, batch, reduced, columns}.build(*w, ranges,
                                                              transposeB, b);
  if (failed(a) || failed(w))
    return failure();
  FailureOr<Value> product = b.build(
      "graph.matmul", {*a, *w},
      {b.attr("transpose_a", transposeA), b.attr("transpose_b", transposeB)},
      element);
  Dims loops = concatLoops({batch, rows, columns});
  if (failed(product) ||
      failed(product = b.reshape(*product, getLoopSizes(loops, ranges))) ||
      failed(product =
                 b.transpose(*product, getLoopOrder(loops, *resultLoops))))
    return failure();
  return addInit(reduction, *product, b);
}
