// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHORIENTMATMULS
#include "Dialect/Graph/Transforms/Passes.h.inc"

static bool isOfKind(FusibleOpInterface op, FusibleKind kind) {
  return op && op.getFusibleKind() == kind;
}

/// The dimensions of the result in the order of the operand's, of an op that
/// permutes them.
static SmallVector<int64_t> getPermutation(FusibleOpInterface transpose) {
  SmallVector<int64_t> order;
  for (AffineExpr index :
       inversePermutation(transpose.getOperandMap(0)).getResults())
    order.push_back(cast<AffineDimExpr>(index).getPosition());
  return order;
}

/// The value that is the operand with rows and columns exchanged, looking
/// through copies; null if the operand is not such a transpose.
static Value getTransposedSource(Value value) {
  Value source = value;
  while (auto op = source.getDefiningOp<FusibleOpInterface>()) {
    if (isOfKind(op, FusibleKind::transpose) &&
        swapsMatrices(getPermutation(op)))
      return op->getOperand(0);
    if (!isOfKind(op, FusibleKind::reorder))
      break;
    source = op->getOperand(0);
  }
  return {};
}

/// Whether the rows of a value are made from those of a tunable op's result.
static bool hasRowsOfTunable(Value value) {
  llvm::SmallSetVector<Value, 16> values;
  values.insert(value);
  auto type = cast<RankedTensorType>(value.getType());
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (!op)
      continue;
    if (isa<TunableOpInterface>(op))
      return true;
    auto fusible = dyn_cast<FusibleOpInterface>(op);
    if (!fusible || fusible.getFusibleKind() == FusibleKind::transpose)
      continue;
    for (Value operand : op->getOperands()) {
      auto other = cast<RankedTensorType>(operand.getType());
      if (other.getRank() == type.getRank() && other.getRank() > 0 &&
          other.getShape().drop_back() == type.getShape().drop_back())
        values.insert(operand);
    }
  }
  return false;
}

namespace {
struct OrientMatmuls : impl::GraphOrientMatmulsBase<OrientMatmuls> {
  void runOnOperation() override {
    SmallVector<ContractionOpInterface> products;
    SmallVector<FusibleOpInterface> transposes;
    getOperation().walk([&](ContractionOpInterface op) {
      if (op.isMatrixProduct())
        products.push_back(op);
    });
    for (ContractionOpInterface op : products) {
      absorbTranspose(op, 0);
      absorbTranspose(op, 1);
      exchangeFactors(op);
    }
    getOperation().walk([&](FusibleOpInterface op) {
      if (isOfKind(op, FusibleKind::transpose))
        transposes.push_back(op);
    });
    for (FusibleOpInterface op : transposes)
      compose(op);
  }

  static void absorbTranspose(ContractionOpInterface op, unsigned factor) {
    OpOperand &operand = op.getFactor(factor);
    if (Value source = getTransposedSource(operand.get())) {
      replaceOperand(operand, source);
      op.setTransposed(factor, !op.isTransposed(factor));
    }
  }

  /// Also erases the ops between the two values that have no other use.
  static void replaceOperand(OpOperand &operand, Value source) {
    Value old = operand.get();
    operand.set(source);
    while (old != source && old.use_empty()) {
      Operation *op = old.getDefiningOp();
      old = op->getOperand(0);
      op->erase();
    }
  }

  /// A * transpose(P) = transpose(P * transpose(A)).
  static void exchangeFactors(ContractionOpInterface op) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value first = op.getFactor(0).get(), second = op.getFactor(1).get();
    // Only the second factor can be converted as it is multiplied.
    Type element = getElementTypeOrSelf(first.getType());
    if (isa<FloatType>(element) &&
        element != getElementTypeOrSelf(second.getType()))
      return;
    auto hasRank = [&](Value value) {
      return cast<RankedTensorType>(value.getType()).getRank() ==
             type.getRank();
    };
    if (!op.isTransposed(1) || !hasRank(first) || !hasRank(second) ||
        !hasRowsOfTunable(second) || hasRowsOfTunable(first))
      return;
    OpBuilder builder(op);
    int64_t rank = type.getRank();
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(order[rank - 1], order[rank - 2]);
    auto result = StaticTransposeOp::create(builder, op.getLoc(), type,
                                            op.buildExchanged(builder), order);
    op->getResult(0).replaceAllUsesWith(result.getResult());
    op->erase();
  }

  /// A transpose of a transpose becomes one transpose.
  static void compose(FusibleOpInterface outer) {
    auto inner = outer->getOperand(0).getDefiningOp<FusibleOpInterface>();
    if (!isOfKind(inner, FusibleKind::transpose))
      return;
    SmallVector<int64_t> first = getPermutation(inner), order;
    for (int64_t dim : getPermutation(outer))
      order.push_back(first[dim]);
    OpBuilder builder(outer);
    auto composed = StaticTransposeOp::create(builder, outer.getLoc(),
                                              outer->getResult(0).getType(),
                                              inner->getOperand(0), order);
    outer->getResult(0).replaceAllUsesWith(composed.getResult());
    outer->erase();
    if (inner->use_empty())
      inner->erase();
  }
};
} // namespace

} // namespace gc::graph
