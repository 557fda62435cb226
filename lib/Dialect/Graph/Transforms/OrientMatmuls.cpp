// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHORIENTMATMULS
#include "Dialect/Graph/Transforms/Passes.h.inc"

/// Whether a permutation exchanges the last two dimensions and nothing else.
static bool swapsMatrix(ArrayRef<int64_t> order) {
  int64_t rank = order.size();
  if (rank < 2 || order[rank - 1] != rank - 2 || order[rank - 2] != rank - 1)
    return false;
  for (int64_t i = 0; i < rank - 2; ++i)
    if (order[i] != i)
      return false;
  return true;
}

/// The value that is the operand with rows and columns exchanged, looking
/// through copies; null if the operand is no such transpose.
static Value getTransposedSource(Value value) {
  bool swapped = false;
  Value source = value;
  while (Operation *op = source.getDefiningOp()) {
    auto transpose = dyn_cast<StaticTransposeOp>(op);
    if (transpose && swapsMatrix(transpose.getPermutation()))
      swapped = !swapped;
    else if (!isa<ReorderOp>(op))
      break;
    source = op->getOperand(0);
    if (swapped)
      return source;
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
    SmallVector<MatmulOp> matmuls;
    getOperation().walk([&](MatmulOp op) {
      if (!op.getBias() && op.getSrc().getType().getRank() >= 2 &&
          op.getWeights().getType().getRank() >= 2)
        matmuls.push_back(op);
    });
    for (MatmulOp op : matmuls) {
      absorbTransposes(op);
      exchangeOperands(op);
    }
    getOperation().walk([](StaticTransposeOp op) {
      if (auto inner = op.getSrc().getDefiningOp<StaticTransposeOp>())
        compose(op, inner);
    });
  }

  static void absorbTransposes(MatmulOp op) {
    if (Value source = getTransposedSource(op.getSrc())) {
      replaceOperand(op.getSrcMutable(), source);
      op.setTransposeA(!op.getTransposeA());
    }
    if (Value source = getTransposedSource(op.getWeights())) {
      replaceOperand(op.getWeightsMutable(), source);
      op.setTransposeB(!op.getTransposeB());
    }
  }

  /// Also erases the ops between the two values that nobody else needs.
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
  static void exchangeOperands(MatmulOp op) {
    auto type = cast<RankedTensorType>(op.getType());
    if (!op.getTransposeB() ||
        op.getWeights().getType().getRank() != type.getRank() ||
        op.getSrc().getType().getRank() != type.getRank() ||
        !hasRowsOfTunable(op.getWeights()) || hasRowsOfTunable(op.getSrc()))
      return;
    OpBuilder builder(op);
    int64_t rank = type.getRank();
    SmallVector<int64_t> shape(type.getShape()),
        order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(shape[rank - 1], shape[rank - 2]);
    std::swap(order[rank - 1], order[rank - 2]);
    auto product = MatmulOp::create(
        builder, op.getLoc(),
        RankedTensorType::get(shape, type.getElementType()), op.getWeights(),
        op.getSrc(), Value(), /*transpose_a=*/false,
        /*transpose_b=*/!op.getTransposeA(), MatmulTemplateAttr());
    auto result =
        StaticTransposeOp::create(builder, op.getLoc(), type, product, order);
    op.getResult().replaceAllUsesWith(result.getResult());
    op.erase();
  }

  static void compose(StaticTransposeOp outer, StaticTransposeOp inner) {
    SmallVector<int64_t> first = inner.getPermutation(), order;
    for (int64_t dim : outer.getPermutation())
      order.push_back(first[dim]);
    outer.getSrcMutable().assign(inner.getSrc());
    outer.setOrder(order);
    if (inner->use_empty())
      inner.erase();
  }
};
} // namespace

} // namespace gc::graph
