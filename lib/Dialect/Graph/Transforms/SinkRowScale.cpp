// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"

#include <cmath>

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHSINKROWSCALE
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// Whether the elements are so small that the product of a row with anything
/// sensible does not overflow: at most e^64, where softmax without a maximum
/// cuts the exponent off.
bool isBounded(Value value) {
  auto op = value.getDefiningOp<FusibleOpInterface>();
  if (!op)
    return false;
  const double largest = std::exp(64.0);
  Interval interval = op.getResultInterval();
  return interval.lowest >= -largest && interval.highest <= largest;
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
    auto scaling = matmul.getSrc().getDefiningOp<FusibleOpInterface>();
    if (!scaling || scaling->getNumOperands() != 2 ||
        matmul.getWeights() == matmul.getSrc())
      return;
    auto type = cast<RankedTensorType>(scaling->getResult(0).getType());
    std::optional<unsigned> rowsIndex;
    for (unsigned i = 0; i < 2; ++i)
      if (scaling.scalesOperand(i) &&
          scaling->getOperand(i).getType() == type &&
          isPerRow(scaling->getOperand(1 - i), type))
        rowsIndex = i;
    if (!rowsIndex)
      return;
    Value rows = scaling->getOperand(*rowsIndex);
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
    Operation *moved = builder.clone(*scaling.getOperation());
    moved->setOperand(*rowsIndex, matmul.getResult());
    moved->getResult(0).setType(matmul.getType());
    matmul.getResult().replaceAllUsesExcept(moved->getResult(0), moved);
    scaling->erase();
  }
};
} // namespace

} // namespace gc::graph
