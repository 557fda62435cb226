// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerPrecisionWeights.h"
#include "../IR/Decomposition.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Machine/KernelCost.h"
#include "Support/DataTypes.h"

using namespace mlir;

namespace gc::graph {

static bool isNarrowFloat(Type element) {
  return element.isBF16() || element.isF16();
}

/// The op that widens a constant to what the value is, if there is one.
static Operation *findConversion(Value value, Type src) {
  Operation *from = value.getDefiningOp();
  if (!from)
    return nullptr;
  auto isDequantized = [](Operation *op) {
    return getDequantization(op) && isConstantValue(op->getOperand(0));
  };
  if (isDequantized(from))
    return from;
  auto cast = dyn_cast<TypeCastOp>(from);
  if (!cast)
    return nullptr;
  // From the type of scales to that of src.
  Operation *source = cast.getSrc().getDefiningOp();
  if (isDequantized(source) && isa<FloatType>(src))
    return source;
  bool widens = isNarrowFloat(getElementTypeOrSelf(cast.getSrc())) &&
                src.isF32() && isConstantValue(cast.getSrc());
  return widens ? from : nullptr;
}

void replaceByProduct(Decomposition &b, MatmulOp op, Value result,
                      Operation *conversion) {
  if (op.getBias())
    result = b.add(result, b.toF32(op.getBias()));
  Operation *from = op.getWeights().getDefiningOp();
  result = b.cast(result, op.getType().getElementType());
  // The layout of the graph's result.
  result.setType(op.getType());
  b.rewriter.replaceOp(op, result);
  // A cast, and the conversion.
  while (from && from->use_empty()) {
    Operation *next =
        from == conversion ? nullptr : from->getOperand(0).getDefiningOp();
    b.rewriter.eraseOp(from);
    from = next;
  }
}

WeightsLowering::WeightsLowering(MatmulOp op, const Machine &machine) : op(op) {
  if (getDequantization(op.getSrc().getDefiningOp()))
    return;
  conversion =
      findConversion(op.getWeights(), op.getSrc().getType().getElementType());
  if (conversion) {
    weights = conversion->getOperand(0);
    return;
  }
  // Where kernels would convert both, a src in f32 is converted once rather
  // than by every tile of columns.
  Type element = op.getSrc().getType().getElementType();
  if (!isNarrowFloat(element) ||
      !convertsFactors(machine, *getDataType(element)) ||
      getElementTypeOrSelf(op.getWeights()) != element ||
      !isConstantValue(op.getWeights()))
    return;
  weights = op.getWeights();
  if (!findObstacle().empty())
    weights = {};
}

std::string WeightsLowering::findObstacle() {
  if (op.getTemplateParamsAttr())
    return "it has the template parameters of a matmul in f32";
  auto type = cast<RankedTensorType>(weights.getType());
  if (type.getRank() != 2 || !type.hasStaticShape())
    return "operand 1 is not a matrix of static shape";
  if (auto from = getDequantization(conversion))
    if (std::string obstacle = read(from); !obstacle.empty())
      return "operand 1 " + obstacle;
  // Lanes of kernels are groups of neighbours along k that fill 32 bits.
  int64_t bits = type.getElementTypeBitWidth(), lane = 32 / bits;
  if (group % lane != 0)
    return "operand 1 has scales for groups of " + std::to_string(group) +
           " along k, not of a multiple of " + std::to_string(lane);
  if (WindowAttr window = op.getWindowAttr())
    if (int64_t channels =
            op.getSrc().getType().getShape().back() / window.getGroups();
        group || channels % lane != 0)
      return "a window has " + std::to_string(channels) +
             " channels, not a multiple of " + std::to_string(lane) +
             ", or its weights have groups";
  if (int64_t k = type.getDimSize(op.getTransposeB() ? 1 : 0);
      bits < 8 && k % lane != 0)
    return "operand 1 has " + std::to_string(k) +
           " elements of less than 8 bits along k, not a multiple of " +
           std::to_string(lane);
  return "";
}

std::string WeightsLowering::read(QuantizationOpInterface from) {
  if (std::string obstacle = integers.read(from); !obstacle.empty())
    return obstacle;
  if (std::string obstacle = readOperands(); !obstacle.empty())
    return obstacle;
  std::optional<int64_t> dim = from.getScaleDim();
  if (dim && *dim != (op.getTransposeB() ? 0 : 1))
    return "has a scale per element of a dimension other than the columns of "
           "the result";
  return "";
}

std::string WeightsLowering::readOperands() {
  for (Value operand : {integers.scaleOperand, integers.zeroPointOperand})
    if (operand && !isConstantValue(operand))
      return "has scales or zero points that are not constants";
  bool transposed = op.getTransposeB();
  if (integers.op.hasScalesPerGroup()) {
    ArrayRef<int64_t> groups = integers.op.getQuantization().groupShape;
    if (groups[transposed ? 0 : 1] != 1)
      return "has a scale for several columns of the result";
    group = groups[transposed ? 1 : 0];
    return "";
  }
  // Zero points that are operands are those of one group.
  if (integers.zeroPointOperand)
    group = integers.getType().getDimSize(transposed ? 1 : 0);
  if (group && !integers.op.getScaleDim())
    return "has one zero point for all columns, as an operand";
  return "";
}

void WeightsLowering::lower(RewriterBase &rewriter) {
  Decomposition b(rewriter, op);
  // Scales [k / group, n], however they are given.
  auto getRows = [&](Value parameters) {
    Value rows = b.toF32(parameters);
    auto type = cast<RankedTensorType>(rows.getType());
    if (type.getRank() == 1)
      return b.reshape(rows, {1, type.getDimSize(0)});
    if (op.getTransposeB())
      rows = b.make<StaticTransposeOp>(rows, ArrayRef<int64_t>{1, 0});
    return rows;
  };
  SmallVector<Value> parameters;
  if (group)
    for (Value operand : {integers.scaleOperand, integers.zeroPointOperand})
      if (operand)
        parameters.push_back(getRows(operand));
  Value result = b.make<MatmulOp>(
      b.toF32(op.getSrc()), weights, parameters, op.getTransposeA(),
      op.getTransposeB(), TemplateAttrInterface(), /*src_zp=*/0,
      integers.zeroPoint, group, op.getWindowAttr());
  ArrayRef<float> scales = integers.scales;
  if (!group && integers.scaleOperand) {
    Value factor = b.toF32(integers.scaleOperand);
    if (cast<RankedTensorType>(factor.getType()).getNumElements() == 1)
      factor = b.reshape(factor, {});
    result = b.multiply(result, factor);
  } else if (!scales.empty()) {
    SmallVector<int64_t> shape;
    if (scales.size() > 1)
      shape.push_back(scales.size());
    auto type = RankedTensorType::get(shape, b.rewriter.getF32Type());
    result = b.multiply(
        result, b.make<ConstantOp>(type, DenseElementsAttr::get(type, scales)));
  }
  replaceByProduct(b, op, result, conversion);
}

} // namespace gc::graph
