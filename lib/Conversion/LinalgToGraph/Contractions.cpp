// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of matrices, by the dimensions that their operands share.

#include "StructuredOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace gc;
using linalg::LinalgOp;

using Dims = SmallVector<int64_t>;

/// The operand that a scalar is, possibly converted to a wider type.
static OpOperand *getFactor(LinalgOp op, Value scalar) {
  Operation *cast = scalar.getDefiningOp();
  if (isa_and_nonnull<arith::ExtFOp>(cast))
    scalar = cast->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(scalar);
  if (!argument || argument.getOwner() != op.getBlock())
    return nullptr;
  return op.getMatchingOpOperand(argument);
}

std::pair<OpOperand *, OpOperand *>
gc::getFactors(StructuredReduction &reduction) {
  auto product = reduction.term.getDefiningOp<arith::MulFOp>();
  if (!product || product->getBlock() != reduction.op.getBlock() ||
      !isa<arith::AddFOp>(reduction.combiner))
    return {};
  OpOperand *lhs = getFactor(reduction.op, product.getLhs());
  OpOperand *rhs = getFactor(reduction.op, product.getRhs());
  if (!lhs || !rhs || lhs == rhs || lhs == reduction.getInit() ||
      rhs == reduction.getInit())
    return {};
  return {lhs, rhs};
}

/// The loops that the dimensions of an operand are; nothing if they are not.
static std::optional<Dims> getLoops(AffineMap map) {
  Dims loops;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || llvm::is_contained(loops, int64_t(dim.getPosition())))
      return std::nullopt;
    loops.push_back(dim.getPosition());
  }
  return loops;
}

/// Those of `loops` that satisfy the predicate.
static Dims filter(ArrayRef<int64_t> loops,
                   function_ref<bool(int64_t)> predicate) {
  return llvm::to_vector(llvm::make_filter_range(loops, predicate));
}

static Dims concat(std::initializer_list<ArrayRef<int64_t>> parts) {
  Dims result;
  for (ArrayRef<int64_t> part : parts)
    result.append(part.begin(), part.end());
  return result;
}

/// The order that makes `to` of the loops `from`.
static Dims getOrder(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  Dims order;
  for (int64_t loop : to)
    order.push_back(llvm::find(from, loop) - from.begin());
  return order;
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
    Dims order = isTransposed ? concat({batch, columns, rows})
                              : concat({batch, rows, columns});
    FailureOr<Value> ordered = b.transpose(value, getOrder(loops, order));
    if (failed(ordered))
      return failure();
    Dims shape = getSizes(batch, ranges);
    for (ArrayRef<int64_t> part :
         {isTransposed ? columns : rows, isTransposed ? rows : columns})
      shape.push_back(getSize(part, ranges));
    return b.reshape(*ordered, shape);
  }

  static Dims getSizes(ArrayRef<int64_t> loops, ArrayRef<int64_t> ranges) {
    Dims sizes;
    for (int64_t loop : loops)
      sizes.push_back(ranges[loop]);
    return sizes;
  }
  static int64_t getSize(ArrayRef<int64_t> loops, ArrayRef<int64_t> ranges) {
    Dims sizes = getSizes(loops, ranges);
    return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                           std::multiplies<>());
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
  Dims batch =
      filter(*resultLoops, [&](int64_t l) { return isLhs(l) && isRhs(l); });
  Dims rows =
      filter(*resultLoops, [&](int64_t l) { return isLhs(l) && !isRhs(l); });
  Dims columns =
      filter(*resultLoops, [&](int64_t l) { return !isLhs(l) && isRhs(l); });
  Dims reduced =
      filter(*lhsLoops, [&](int64_t l) { return isRhs(l) && !isResult(l); });
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
  Type element = reduction.getType().getElementType();
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
  Dims loops = concat({batch, rows, columns});
  if (failed(product) ||
      failed(product =
                 b.reshape(*product, MatrixOperand::getSizes(loops, ranges))) ||
      failed(product = b.transpose(*product, getOrder(loops, *resultLoops))))
    return failure();
  return addInit(reduction, *product, b);
}
