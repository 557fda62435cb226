// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerPrecisionCaches.h"
#include "../IR/Decomposition.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "LowerPrecisionWeights.h"

using namespace mlir;

namespace gc::graph {

/// The op that widens an operand to what the value is, if there is one.
static Operation *findConversion(Value value) {
  Operation *from = value.getDefiningOp();
  if (getDequantization(from))
    return from;
  auto cast = dyn_cast_or_null<TypeCastOp>(from);
  if (!cast)
    return nullptr;
  Operation *source = cast.getSrc().getDefiningOp();
  Type to = getElementTypeOrSelf(cast.getType());
  if (getDequantization(source) && isa<FloatType>(to))
    return source;
  Type type = getElementTypeOrSelf(cast.getSrc());
  return to.isF32() && (type.isBF16() || type.isF16()) ? from : nullptr;
}

CacheLowering::CacheLowering(MatmulOp op) : op(op) {
  // More rows are faster if a block of the cache is converted once for all.
  constexpr int64_t kFewRows = 8;
  RankedTensorType src = op.getSrc().getType();
  Operation *from = findConversion(op.getWeights());
  if (!from || findConversion(op.getSrc()) || !src.hasStaticShape() ||
      src.getRank() < 2 || isConstantValue(from->getOperand(0)))
    return;
  auto type = cast<RankedTensorType>(from->getOperand(0).getType());
  if (!type.hasStaticShape() || type.getRank() < 2)
    return;
  // All rows of the result that are made from one matrix of the cache.
  RankedTensorType result = op.getType();
  if (!result.hasStaticShape())
    return;
  int64_t values = result.getNumElements(), matrices = 1;
  for (int64_t size : type.getShape().drop_back(2))
    matrices *= size;
  int64_t columns =
      type.getDimSize(type.getRank() - (op.getTransposeB() ? 2 : 1));
  if (values == 0 || values > kFewRows * matrices * columns)
    return;
  conversion = from;
  cache = from->getOperand(0);
}

int64_t CacheLowering::getReducedDim() {
  return getType().getRank() - (op.getTransposeB() ? 1 : 2);
}

int64_t CacheLowering::getColumnDim() {
  return getType().getRank() - (op.getTransposeB() ? 2 : 1);
}

std::string CacheLowering::findObstacle() {
  if (op.getTemplateParamsAttr())
    return "it has the template parameters of a matmul in f32";
  if (op.getWindow())
    return "operand 1 of a product of windows is not a constant";
  auto from = getDequantization(conversion);
  if (!from)
    return "";
  if (!getType().getElementType().isInteger(8))
    return "operand 1 is not dequantized from integers of 8 bits";
  if (std::string obstacle = read(from); !obstacle.empty())
    return "operand 1 " + obstacle;
  if (!scaleShape.empty() && scaleShape[getReducedDim()] != 1 &&
      scaleShape[getColumnDim()] != 1)
    return "operand 1 has scales that vary along both dimensions of its "
           "matrices";
  return "";
}

std::string CacheLowering::read(QuantizationOpInterface from) {
  if (std::string obstacle = integers.read(from); !obstacle.empty())
    return obstacle;
  if (integers.zeroPointOperand)
    return "has zero points that are operands";
  scaleShape.assign(getType().getRank(), 1);
  RankedTensorType type;
  if (integers.scaleOperand) {
    type = cast<RankedTensorType>(integers.scaleOperand.getType());
    if (!type.hasStaticShape())
      return "has scales whose number is not known";
  }
  if (from.hasScalesPerGroup()) {
    for (auto [scales, size] : llvm::zip(type.getShape(), getType().getShape()))
      if (scales != 1 && scales != size)
        return "has scales for groups of several elements";
    scaleShape.assign(type.getShape().begin(), type.getShape().end());
  } else if (std::optional<int64_t> dim = from.getScaleDim()) {
    scaleShape[*dim] = getType().getDimSize(*dim);
  }
  return "";
}

void CacheLowering::lower(RewriterBase &rewriter) {
  Decomposition b(rewriter, op);
  Value factor;
  ArrayRef<float> scales = integers.scales;
  if (integers.scaleOperand) {
    factor = b.toF32(integers.scaleOperand);
  } else if (!scales.empty()) {
    auto type =
        RankedTensorType::get(int64_t(scales.size()), rewriter.getF32Type());
    factor = b.make<ConstantOp>(type, DenseElementsAttr::get(type, scales));
  }
  Value src = b.toF32(op.getSrc());
  bool scalesSrc = factor && scaleShape[getReducedDim()] != 1;
  if (factor) {
    // As a row beside those of src or of the result; src can be transposed.
    SmallVector<int64_t> shape = scaleShape;
    bool isRow = scalesSrc == op.getTransposeB();
    bool wantsRow = !scalesSrc || !op.getTransposeA();
    if (llvm::all_of(shape, [](int64_t size) { return size == 1; }))
      shape.clear();
    else if (isRow != wantsRow)
      std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    factor = b.reshape(factor, shape);
  }
  if (scalesSrc)
    src = b.multiply(src, factor);
  Value result = b.make<MatmulOp>(src, cache, ValueRange(), op.getTransposeA(),
                                  op.getTransposeB(), TemplateAttrInterface(),
                                  /*src_zp=*/0, integers.zeroPoint,
                                  /*weights_group=*/0, op.getWindowAttr());
  if (factor && !scalesSrc)
    result = b.multiply(result, factor);
  replaceByProduct(b, op, result, conversion);
}

} // namespace gc::graph
