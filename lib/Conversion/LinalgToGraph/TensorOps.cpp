// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TensorOps.h"
#include "Conversion/ToGraph/Views.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gc;

using Dims = SmallVector<int64_t>;

std::optional<Padding> gc::getPadding(tensor::PadOp op) {
  Value number = op.getConstantPaddingValue();
  FloatAttr constant;
  if (!number || !matchPattern(number, m_Constant(&constant)) ||
      ShapedType::isDynamicShape(op.getStaticLow()) ||
      ShapedType::isDynamicShape(op.getStaticHigh()))
    return std::nullopt;
  auto isNegative = [](int64_t size) { return size < 0; };
  if (llvm::any_of(op.getStaticLow(), isNegative) ||
      llvm::any_of(op.getStaticHigh(), isNegative))
    return std::nullopt;
  return Padding{Dims(op.getStaticLow()), Dims(op.getStaticHigh()),
                 constant.getValue()};
}

static FailureOr<Value> convertReshape(Operation *op, GraphBuilder &b) {
  FailureOr<Value> src = b.get(op->getOperand(0));
  if (failed(src))
    return failure();
  return b.reshape(*src, getResultShape(op));
}

static FailureOr<Value> convertPad(tensor::PadOp op, GraphBuilder &b) {
  std::optional<Padding> padding = getPadding(op);
  if (!padding)
    return b.fail("its sizes are not static, or it pads with something else "
                  "than a floating-point constant");
  FailureOr<Value> src = b.get(op.getSource());
  if (failed(src))
    return failure();
  return buildPad(b, *src, padding->low, padding->high,
                  padding->number.convertToDouble());
}

static FailureOr<Value> convertSlice(tensor::ExtractSliceOp op,
                                     GraphBuilder &b) {
  if (ShapedType::isDynamicShape(op.getStaticOffsets()) ||
      ShapedType::isDynamicShape(op.getStaticSizes()) ||
      ShapedType::isDynamicShape(op.getStaticStrides()))
    return b.fail("its offsets, sizes or strides are not static");
  FailureOr<Value> src = b.get(op.getSource());
  if (failed(src))
    return failure();
  FailureOr<Value> box =
      buildBox(b, *src, op.getStaticOffsets(), op.getStaticSizes(),
               op.getStaticStrides(), 0);
  if (failed(box))
    return failure();
  return b.reshape(*box, getResultShape(op));
}

static FailureOr<Value> convertConcat(tensor::ConcatOp op, GraphBuilder &b) {
  SmallVector<Value> operands;
  for (Value operand : op.getInputs()) {
    FailureOr<Value> value = b.get(operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  return b.build("graph.concat", operands,
                 b.attr("axis", b.getBuilder().getI64IntegerAttr(op.getDim())));
}

FailureOr<SmallVector<Value>> gc::convertTensorOp(Operation *op,
                                                  GraphBuilder &b) {
  FailureOr<Value> value =
      llvm::TypeSwitch<Operation *, FailureOr<Value>>(op)
          .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                tensor::ReshapeOp>([&](auto) { return convertReshape(op, b); })
          .Case([&](tensor::ConcatOp op) { return convertConcat(op, b); })
          .Case([&](tensor::ExtractSliceOp op) { return convertSlice(op, b); })
          .Case([&](tensor::PadOp op) { return convertPad(op, b); })
          .Default([&](Operation *) -> FailureOr<Value> {
            return b.fail("there is no such operation in the Graph dialect");
          });
  if (failed(value))
    return failure();
  return SmallVector<Value>{*value};
}

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

static FailureOr<Value> convertSoftmax(linalg::SoftmaxOp op, GraphBuilder &b) {
  FailureOr<Value> src = b.get(op.getInput());
  if (failed(src))
    return failure();
  return b.build(
      "graph.softmax", *src,
      {b.attr("axis", b.getBuilder().getI64IntegerAttr(op.getDimension())),
       b.attr("mode", "none")});
}

/// How pack and unpack divide dimensions: sizes with each tile after its
/// dimension, and where the dimensions of the packed tensor are in these.
static void getTiles(ArrayRef<int64_t> unpacked, ArrayRef<int64_t> positions,
                     ArrayRef<int64_t> tiles, ArrayRef<int64_t> outerOrder,
                     Dims &padded, Dims &divided, Dims &order) {
  Dims outer(unpacked.size()), inner(tiles.size());
  padded = Dims(unpacked);
  for (size_t i = 0; i < unpacked.size(); ++i) {
    outer[i] = divided.size();
    auto tile = llvm::find(positions, int64_t(i));
    if (tile == positions.end()) {
      divided.push_back(unpacked[i]);
      continue;
    }
    int64_t size = tiles[tile - positions.begin()];
    int64_t count = llvm::divideCeil(unpacked[i], size);
    inner[tile - positions.begin()] = divided.size() + 1;
    padded[i] = count * size;
    divided.append({count, size});
  }
  for (size_t i = 0; i < outer.size(); ++i)
    order.push_back(outer[outerOrder.empty() ? i : outerOrder[i]]);
  order.append(inner);
}

static FailureOr<Value> convertPack(linalg::PackOp op, GraphBuilder &b) {
  if (ShapedType::isDynamicShape(op.getStaticInnerTiles()))
    return b.fail("its tiles are not static");
  FailureOr<Value> src = b.get(op.getSource());
  if (failed(src))
    return failure();
  Dims shape(getShape(*src)), padded, divided, order;
  getTiles(shape, op.getInnerDimsPos(), op.getStaticInnerTiles(),
           op.getOuterDimsPerm(), padded, divided, order);
  if (padded != shape) {
    FloatAttr number;
    if (!op.getPaddingValue() ||
        !matchPattern(op.getPaddingValue(), m_Constant(&number)))
      return b.fail("it pads with something else than a floating-point "
                    "constant");
    Dims high;
    for (auto [larger, size] : llvm::zip_equal(padded, shape))
      high.push_back(larger - size);
    src = buildPad(b, *src, Dims(high.size(), 0), high,
                   number.getValueAsDouble());
  }
  if (failed(src) || failed(src = b.reshape(*src, divided)))
    return failure();
  return b.transpose(*src, order);
}

static FailureOr<Value> convertUnpack(linalg::UnPackOp op, GraphBuilder &b) {
  if (ShapedType::isDynamicShape(op.getStaticInnerTiles()))
    return b.fail("its tiles are not static");
  FailureOr<Value> src = b.get(op.getSource());
  if (failed(src))
    return failure();
  ArrayRef<int64_t> shape = getResultShape(op);
  Dims padded, divided, order;
  getTiles(shape, op.getInnerDimsPos(), op.getStaticInnerTiles(),
           op.getOuterDimsPerm(), padded, divided, order);
  Dims inverse(order.size());
  for (auto [i, dim] : llvm::enumerate(order))
    inverse[dim] = i;
  for (auto [i, dim] : llvm::enumerate(order))
    if (getShape(*src)[i] != divided[dim])
      return b.fail("there are more tiles than the result has elements");
  if (failed(src = b.transpose(*src, inverse)) ||
      failed(src = b.reshape(*src, padded)))
    return failure();
  return buildBox(b, *src, Dims(shape.size(), 0), shape, Dims(shape.size(), 1),
                  0);
}

FailureOr<SmallVector<Value>> gc::convertUnstructuredOp(Operation *op,
                                                        GraphBuilder &b) {
  FailureOr<Value> value =
      llvm::TypeSwitch<Operation *, FailureOr<Value>>(op)
          .Case([&](linalg::PackOp op) { return convertPack(op, b); })
          .Case([&](linalg::SoftmaxOp op) { return convertSoftmax(op, b); })
          .Case([&](linalg::UnPackOp op) { return convertUnpack(op, b); })
          .Default([&](Operation *) -> FailureOr<Value> {
            return b.fail("there is no such operation in the Graph dialect");
          });
  if (failed(value))
    return failure();
  return SmallVector<Value>{*value};
}
