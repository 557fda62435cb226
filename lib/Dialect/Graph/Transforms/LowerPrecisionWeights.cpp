// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerPrecisionWeights.h"
#include "../IR/Decomposition.h"
#include "Dialect/Graph/Transforms/Passes.h"

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
    return isa_and_nonnull<DequantizeOp, DynamicDequantizeOp>(op) &&
           isConstantValue(op->getOperand(0));
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

WeightsLowering::WeightsLowering(MatmulOp op) : op(op) {
  if (isa_and_nonnull<DequantizeOp, DynamicDequantizeOp>(
          op.getSrc().getDefiningOp()))
    return;
  conversion =
      findConversion(op.getWeights(), op.getSrc().getType().getElementType());
  if (conversion)
    weights = conversion->getOperand(0);
}

std::string WeightsLowering::findObstacle() {
  if (op.getTemplateParamsAttr())
    return "it has the template parameters of a matmul in f32";
  auto type = cast<RankedTensorType>(weights.getType());
  if (type.getRank() != 2 || !type.hasStaticShape())
    return "operand 1 is not a matrix of static shape";
  if (auto known = dyn_cast<DequantizeOp>(conversion)) {
    if (std::string obstacle = readConstants(known); !obstacle.empty())
      return obstacle;
  } else if (auto given = dyn_cast<DynamicDequantizeOp>(conversion)) {
    if (std::string obstacle = readOperands(given); !obstacle.empty())
      return obstacle;
  }
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

std::string WeightsLowering::readAxis(StringRef qtype, int64_t axis) {
  if (qtype != "per_channel")
    return "";
  axis += axis < 0 ? 2 : 0;
  if (axis == (op.getTransposeB() ? 0 : 1))
    return "";
  return "operand 1 has a scale per element of a dimension other than the "
         "columns of the result";
}

std::string WeightsLowering::readConstants(DequantizeOp from) {
  if (!from.getSrc().getType().getElementType().isInteger(8))
    return "operand 1 is dequantized from floating-point numbers of 8 bits, "
           "which have no kernels";
  ArrayRef<int64_t> zps = from.getZps();
  if (!llvm::all_equal(zps))
    return "operand 1 has different zero points";
  zeroPoint = zps.empty() ? 0 : zps.front();
  if (zeroPoint < -128 || zeroPoint > 255)
    return "operand 1 has a zero point that 8 bits cannot hold";
  llvm::append_range(scales, from.getScales());
  return readAxis(from.getQtype(), from.getAxis());
}

std::string WeightsLowering::readOperands(DynamicDequantizeOp from) {
  scaleOperand = from.getScales();
  zeroPointOperand = from.getZps();
  for (Value operand : {scaleOperand, zeroPointOperand})
    if (operand && !isConstantValue(operand))
      return "the scales of operand 1 are not constants";
  bool transposed = op.getTransposeB();
  if (from.getQtype() == "per_group") {
    ArrayRef<int64_t> groups = from.getGroupShape();
    if (groups[transposed ? 0 : 1] != 1)
      return "operand 1 has a scale for several columns of the result";
    group = groups[transposed ? 1 : 0];
    return "";
  }
  // Zero points that only the run knows are those of one group.
  if (zeroPointOperand)
    group = from.getSrc().getType().getDimSize(transposed ? 1 : 0);
  if (group && from.getQtype() != "per_channel")
    return "operand 1 has one zero point for all columns, as an operand";
  return readAxis(from.getQtype(), from.getAxis());
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
    for (Value operand : {scaleOperand, zeroPointOperand})
      if (operand)
        parameters.push_back(getRows(operand));
  Value result = b.make<MatmulOp>(b.toF32(op.getSrc()), weights, parameters,
                                  op.getTransposeA(), op.getTransposeB(),
                                  TemplateAttrInterface(), /*src_zp=*/0,
                                  zeroPoint, group, op.getWindowAttr());
  if (!group && scaleOperand) {
    Value factor = b.toF32(scaleOperand);
    if (cast<RankedTensorType>(factor.getType()).getNumElements() == 1)
      factor = b.reshape(factor, {});
    result = b.multiply(result, factor);
  } else if (!scales.empty()) {
    SmallVector<int64_t> shape;
    if (scales.size() > 1)
      shape.push_back(scales.size());
    auto type = RankedTensorType::get(shape, b.rewriter.getF32Type());
    result = b.multiply(
        result, b.make<ConstantOp>(
                    type, DenseElementsAttr::get(type, ArrayRef(scales))));
  }
  replaceByProduct(b, op, result, conversion);
}

} // namespace gc::graph
