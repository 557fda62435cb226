// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHSINKROWSCALE
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// Whether the value is max(x) over the last dimension, which stays with
/// size 1.
bool isRowMaximum(Value value, Value x) {
  auto max = value.getDefiningOp<ReduceMaxOp>();
  if (!max || max.getSrc() != x || !max.getKeepDims())
    return false;
  int64_t last = max.getSrc().getType().getRank() - 1;
  return max.getReducedAxes() == SmallVector<int64_t>{last};
}

/// Whether the elements are so small that the product of a row with anything
/// sensible does not overflow: at most 1 in magnitude, or at most e^64 where
/// the program itself has cut the exponent off.
bool isBounded(Value value) {
  if (value.getDefiningOp<SigmoidOp>() || value.getDefiningOp<TanhOp>())
    return true;
  auto exp = value.getDefiningOp<ExpOp>();
  if (!exp)
    return false;
  constexpr float kLargestExponent = 64;
  if (auto clamp = exp.getSrc().getDefiningOp<ClampOp>())
    return clamp.getMax().convertToFloat() <= kLargestExponent;
  auto difference = exp.getSrc().getDefiningOp<SubtractOp>();
  return difference &&
         isRowMaximum(difference.getSrc_1(), difference.getSrc_0());
}

/// Whether `scale` has one element per row of `type`.
bool isPerRow(Value scale, RankedTensorType type) {
  auto scaleType = cast<RankedTensorType>(scale.getType());
  if (scaleType.getRank() != type.getRank() || type.getRank() < 2)
    return false;
  return scaleType.getShape().drop_back() == type.getShape().drop_back() &&
         scaleType.getShape().back() == 1 && type.getShape().back() > 1;
}

struct SinkRowScale : impl::GraphSinkRowScaleBase<SinkRowScale> {
  void runOnOperation() override {
    getOperation().walk([&](MatmulOp matmul) { sink(matmul); });
  }

  /// Why the scale has to stay in front of the matmul, or nothing.
  std::optional<std::string> getObstacle(MatmulOp matmul, Value scaled,
                                         Value rows) {
    auto type = matmul.getSrc().getType();
    if (!scaled.hasOneUse())
      return "the scaled rows are needed elsewhere";
    if (matmul.getTransposeA())
      return "the rows are columns of the product";
    if (matmul.getBias())
      return "the product has a bias; run graph-decompose";
    if (!isBounded(rows))
      return "nothing bounds the rows before they are scaled, so that the "
             "product might overflow";
    auto result = matmul.getType();
    if (result.getRank() != type.getRank() ||
        result.getShape().drop_back() != type.getShape().drop_back())
      return "the product has other rows";
    if (!result.hasStaticShape() || !type.hasStaticShape() ||
        result.getShape().back() > type.getShape().back())
      return "the product's rows are longer";
    return std::nullopt;
  }

  void sink(MatmulOp matmul) {
    Operation *scaling = matmul.getSrc().getDefiningOp();
    if (!isa_and_nonnull<DivideOp, MultiplyOp>(scaling) ||
        matmul.getWeights() == matmul.getSrc())
      return;
    Value rows = scaling->getOperand(0), scale = scaling->getOperand(1);
    auto type = cast<RankedTensorType>(scaling->getResult(0).getType());
    if (isa<MultiplyOp>(scaling) && isPerRow(rows, type))
      std::swap(rows, scale);
    if (rows.getType() != type || !isPerRow(scale, type) ||
        scale.getType() == type)
      return;
    if (auto obstacle = getObstacle(matmul, scaling->getResult(0), rows)) {
      remark::missed(
          scaling->getLoc(),
          remark::RemarkOpts::name("NotSunk").category("graph-sink-row-scale"))
          << "'" + scaling->getName().getStringRef().str() +
                 "' of rows stays in front of '" +
                 matmul->getName().getStringRef().str() + "': " + *obstacle;
      return;
    }
    OpBuilder builder(matmul);
    builder.setInsertionPointAfter(matmul);
    matmul.getSrcMutable().assign(rows);
    Operation *moved = builder.clone(*scaling);
    unsigned rowsIndex = scaling->getOperand(0) == rows ? 0 : 1;
    moved->setOperand(rowsIndex, matmul.getResult());
    moved->getResult(0).setType(matmul.getType());
    matmul.getResult().replaceAllUsesExcept(moved->getResult(0), moved);
    scaling->erase();
  }
};
} // namespace

} // namespace gc::graph
