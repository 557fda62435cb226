// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "RaiseSoftmax.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHSINKROWSCALE
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// Whether the elements are so small that the product of a row with anything
/// sensible does not overflow: at most e^64, where softmax without a maximum
/// clamps the exponent. Softmax is, whatever it is made of.
bool isBounded(Value value) {
  if (raiseSoftmax(value))
    return true;
  auto op = value.getDefiningOp<FusibleOpInterface>();
  if (!op)
    return false;
  if (op.getFusibleKind() == FusibleKind::cast)
    return isBounded(op->getOperand(0));
  const double largest = std::exp(64.0);
  Interval interval =
      op.getResultInterval(cast<OpResult>(value).getResultNumber());
  return interval.lowest >= -largest && interval.highest <= largest;
}

/// Whether all elements of a row of `type` are scaled by one element of
/// `scale`, which broadcasts to it: one per row, per matrix, or for all.
bool isPerRow(Value scale, RankedTensorType type) {
  auto scaleType = cast<RankedTensorType>(scale.getType());
  return type.getRank() >= 2 && type.getShape().back() > 1 &&
         (scaleType.getRank() == 0 || scaleType.getShape().back() == 1);
}

/// Whether a type has the exponents of f32, so that the bound is far from its
/// largest element.
bool hasWideRange(Type element) {
  auto type = dyn_cast<FloatType>(element);
  return type && APFloat::semanticsMaxExponent(type.getFloatSemantics()) >=
                     APFloat::semanticsMaxExponent(APFloat::IEEEsingle());
}

/// The index of the operand whose rows an op scales; nothing if it does
/// something else.
std::optional<unsigned> getScaledRows(FusibleOpInterface op) {
  if (!op || op->getNumOperands() != 2 || op->getNumResults() != 1)
    return std::nullopt;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<unsigned> rows;
  for (unsigned i = 0; i < 2; ++i)
    if (op.scalesOperand(i) && op->getOperand(i).getType() == type &&
        isPerRow(op->getOperand(1 - i), type))
      rows = i;
  return rows;
}

/// The rows before they are scaled, once or several times, for this product
/// only: all the scales can move after it, one after another.
Value getUnscaledRows(Value rows) {
  while (auto scaling = rows.getDefiningOp<FusibleOpInterface>()) {
    std::optional<unsigned> index = getScaledRows(scaling);
    if (!index || !rows.hasOneUse())
      break;
    rows = scaling->getOperand(*index);
  }
  return rows;
}

struct SinkRowScale : impl::GraphSinkRowScaleBase<SinkRowScale> {
  void runOnOperation() override {
    getOperation().walk([&](ContractionOpInterface product) {
      while (sink(product)) {
      }
    });
  }

  /// Why the scale must stay before the product, or nothing.
  std::optional<std::string> getObstacle(ContractionOpInterface product,
                                         Value scaled, Value rows) {
    auto type = cast<RankedTensorType>(scaled.getType());
    if (!scaled.hasOneUse())
      return "the scaled rows have other uses";
    if (product.isTransposed(0))
      return "the rows are columns of the product";
    if (!product.isMatrixProduct())
      return "the op is more than a product of matrices; run graph-decompose";
    if (!hasWideRange(type.getElementType()))
      return "products of rows that are not scaled might leave the range of "
             "the element type";
    if (!isBounded(getUnscaledRows(rows)))
      return "nothing bounds the rows before they are scaled, so the product "
             "might overflow";
    auto result = cast<RankedTensorType>(product->getResult(0).getType());
    if (result.getElementType() != type.getElementType())
      return "the product has another element type";
    if (result.getRank() != type.getRank() ||
        result.getShape().drop_back() != type.getShape().drop_back())
      return "the product has different rows";
    if (!result.hasStaticShape() || !type.hasStaticShape() ||
        result.getShape().back() > type.getShape().back())
      return "the product's rows are longer";
    return std::nullopt;
  }

  /// Moves the scale of a product's rows after it. False: there is none that
  /// can be moved.
  bool sink(ContractionOpInterface product) {
    OpOperand &factor = product.getFactor(0);
    auto scaling = factor.get().getDefiningOp<FusibleOpInterface>();
    std::optional<unsigned> rowsIndex = getScaledRows(scaling);
    if (!rowsIndex || product.getFactor(1).get() == factor.get())
      return false;
    Value rows = scaling->getOperand(*rowsIndex);
    if (auto obstacle = getObstacle(product, scaling->getResult(0), rows)) {
      remark::missed(
          scaling->getLoc(),
          remark::RemarkOpts::name("NotSunk").category("graph-sink-row-scale"))
          << "'" + scaling->getName().getStringRef().str() +
                 "' of rows stays before '" +
                 product->getName().getStringRef().str() + "': " + *obstacle;
      return false;
    }
    OpBuilder builder(product);
    builder.setInsertionPointAfter(product);
    factor.set(rows);
    Value result = product->getResult(0);
    Operation *moved = builder.clone(*scaling.getOperation());
    moved->setOperand(*rowsIndex, result);
    moved->getResult(0).setType(result.getType());
    result.replaceAllUsesExcept(moved->getResult(0), moved);
    scaling->erase();
    return true;
  }
};
} // namespace

} // namespace gc::graph
