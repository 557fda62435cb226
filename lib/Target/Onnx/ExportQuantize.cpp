// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Quantization. ONNX adds zero points after it rounds, the dialect before,
// which differs for halves if a zero point is odd: then quantize is arithmetic.

#include "Dialect/Graph/IR/GraphOps.h"
#include "ExportOps.h"

using namespace mlir;
using namespace gc;
using namespace gc::onnxio;

/// A list with an element for each index of an axis, to be broadcast.
static Named alongAxis(NodeWriter &node, const Named &list, int64_t count,
                       std::optional<int64_t> axis) {
  if (!axis)
    return node.reshape(list, {});
  SmallVector<int64_t> shape(node.getOperandType(0).getRank(), 1);
  shape[*axis] = count;
  return node.reshape(list, shape);
}

namespace {
/// Scales and zero points: a number, or a list along an axis.
struct Scales {
  Named scales, zps;
  SmallVector<NodeAttr> attrs;
};
} // namespace

template <typename OpTy>
static Scales getScales(NodeWriter &node, OpTy op, Type element) {
  SmallVector<double> scales, zps;
  for (float scale : op.getScales())
    scales.push_back(scale);
  for (int64_t zp : op.getZps())
    zps.push_back(double(zp));
  zps.resize(scales.size());
  Scales result;
  if (std::optional<int64_t> axis = op.getScaleDim()) {
    result.scales = node.makeList(scales, node.getF32());
    result.zps = node.makeList(zps, element);
    result.attrs.push_back({"axis", *axis});
  } else {
    result.scales = node.makeScalar(scales[0], node.getF32());
    result.zps = node.makeScalar(zps[0], element);
  }
  return result;
}

static bool areBytes(Type element) { return element.isInteger(8); }

/// Whether zero points are numbers of the type, as operators have them.
static bool areNumbersOf(ArrayRef<int64_t> zps, Type element) {
  bool isUnsigned = element.isUnsignedInteger();
  return llvm::all_of(zps, [&](int64_t zp) {
    return isUnsigned ? zp >= 0 && zp <= 255 : zp >= -128 && zp <= 127;
  });
}

static LogicalResult exportQuantize(NodeWriter &node) {
  auto op = cast<graph::QuantizeOp>(node.getOp());
  Type element = node.getResultType().getElementType();
  if (!areBytes(element))
    return node.fail("operator set 17 has no floating-point numbers of 8 bits");
  Named x = node.getOperand(0);
  bool isExact =
      areNumbersOf(op.getZps(), element) &&
      llvm::all_of(op.getZps(), [](int64_t zp) { return zp % 2 == 0; });
  Scales by = getScales(node, op, isExact ? element : node.getF32());
  if (isExact)
    return node.setResult(
        node.add("QuantizeLinear", {x, by.scales, by.zps}, element, by.attrs));
  auto spread = [&](const Named &list) {
    return op.getScaleDim()
               ? alongAxis(node, list, op.getScales().size(), op.getScaleDim())
               : list;
  };
  Named sum = node.add(
      "Add", {node.add("Div", {x, spread(by.scales)}), spread(by.zps)});
  return node.setResult(node.roundTo(sum, cast<IntegerType>(element)));
}

static LogicalResult exportDequantize(NodeWriter &node) {
  auto op = cast<graph::DequantizeOp>(node.getOp());
  Named x = node.getOperand(0);
  if (!areBytes(x.element))
    return node.fail("operator set 17 has no floating-point numbers of 8 bits");
  Scales by = getScales(node, op, x.element);
  return node.setResult(node.add("DequantizeLinear", {x, by.scales, by.zps},
                                 node.getF32(), by.attrs));
}

static LogicalResult exportDynamicQuantize(NodeWriter &node) {
  auto op = cast<graph::DynamicQuantizeOp>(node.getOp());
  auto spread = [&](unsigned i) {
    return alongAxis(node, node.cast(node.getOperand(i), node.getF32()),
                     node.getOperandType(i).getNumElements(), op.getScaleDim());
  };
  Named x = node.add("Div", {node.getOperand(0), spread(1)});
  if (op.getZps())
    x = node.add("Add", {x, spread(2)});
  return node.setResult(node.roundTo(
      x, cast<IntegerType>(node.getResultType().getElementType())));
}

static LogicalResult exportDynamicDequantize(NodeWriter &node) {
  auto op = cast<graph::DynamicDequantizeOp>(node.getOp());
  std::optional<int64_t> axis = op.getScaleDim();
  auto get = [&](unsigned i) {
    return axis ? node.getOperand(i) : node.reshape(node.getOperand(i), {});
  };
  SmallVector<Named> inputs{node.getOperand(0), get(1)};
  if (op.getZps())
    inputs.push_back(get(2));
  SmallVector<NodeAttr> attrs;
  if (axis)
    attrs.push_back({"axis", *axis});
  return node.setResult(
      node.add("DequantizeLinear", inputs, node.getF32(), attrs));
}

static bool hasOnnxZeroPoints(Operation *op) {
  auto dequantize = cast<graph::DequantizeOp>(op);
  auto type = cast<RankedTensorType>(dequantize.getSrc().getType());
  return !areBytes(type.getElementType()) ||
         areNumbersOf(dequantize.getZps(), type.getElementType());
}

/// Whether DequantizeLinear has the types of the op, and no groups.
static bool isDequantizeLinear(Operation *op) {
  auto dequantize = cast<graph::DynamicDequantizeOp>(op);
  auto element = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  return !dequantize.hasScalesPerGroup() &&
         areBytes(element(dequantize.getSrc())) &&
         element(dequantize.getScales()).isF32() &&
         (!dequantize.getZps() ||
          element(dequantize.getZps()) == element(dequantize.getSrc()));
}

void gc::onnxio::addQuantizeExports(ExportTable &ops) {
  ops["graph.dequantize"] = {exportDequantize, hasOnnxZeroPoints};
  ops["graph.dynamic_dequantize"] = {exportDynamicDequantize,
                                     isDequantizeLinear};
  ops["graph.dynamic_quantize"] = {exportDynamicQuantize};
  ops["graph.quantize"] = {exportQuantize};
}
