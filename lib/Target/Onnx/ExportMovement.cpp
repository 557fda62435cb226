// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that move elements, and constants.

#include "Dialect/Graph/IR/GraphOps.h"
#include "ExportOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::onnxio;

static LogicalResult exportConstant(NodeWriter &node) {
  return node.setResult(
      node.makeTensor(cast<graph::ConstantOp>(node.getOp()).getValue()));
}

static LogicalResult exportReshape(NodeWriter &node) {
  return node.setResult(
      node.reshape(node.getOperand(0), node.getResultType().getShape()));
}

static LogicalResult exportTranspose(NodeWriter &node) {
  auto transpose = cast<graph::StaticTransposeOp>(node.getOp());
  return node.setResult(
      node.transpose(node.getOperand(0), transpose.getPermutation()));
}

static LogicalResult exportConcat(NodeWriter &node) {
  SmallVector<Named> inputs;
  for (unsigned i = 0; i < node.getOp()->getNumOperands(); ++i)
    inputs.push_back(node.getOperand(i));
  int64_t axis = cast<graph::ConcatOp>(node.getOp()).getDimension();
  return node.setResult(node.add("Concat", inputs, {{"axis", axis}}));
}

/// ONNX has no layouts.
static LogicalResult exportReorder(NodeWriter &node) {
  return node.setResult(node.getOperand(0));
}

/// ONNX refuses indices that are out of range.
static LogicalResult exportGather(NodeWriter &node) {
  double rows = double(node.getOperandType(0).getDimSize(0));
  Named index = node.getOperand(1);
  index = node.add("Clip", {index, node.makeScalar(-rows, index.element),
                            node.makeScalar(rows - 1, index.element)});
  return node.setResult(node.add("Gather", {node.getOperand(0), index}));
}

/// Indices do not depend on the operand.
static LogicalResult exportGenIndex(NodeWriter &node) {
  int64_t axis = cast<graph::GenIndexOp>(node.getOp()).getDimension();
  ArrayRef<int64_t> shape = node.getResultType().getShape();
  SmallVector<int64_t> line(shape.size(), 1);
  line[axis] = shape[axis];
  SmallVector<double> indices;
  for (int64_t i = 0; i < shape[axis]; ++i)
    indices.push_back(double(i));
  Named list = node.makeList(indices, node.getResultType().getElementType());
  return node.setResult(
      node.add("Expand", {node.reshape(list, line), node.makeInts(shape)}));
}

//===----------------------------------------------------------------------===//
// windows
//===----------------------------------------------------------------------===//

/// The index that each element of windows has in a dimension of the operand,
/// `size` if it is none; positions by elements of the kernel.
static SmallVector<int64_t> getIndices(graph::WindowsOp op, unsigned dim,
                                       int64_t size) {
  SmallVector<int64_t> indices;
  int64_t spacing = op.getSpacing()[dim];
  for (int64_t p = 0; p < op.getPositions()[dim]; ++p)
    for (int64_t k = 0; k < op.getKernel()[dim]; ++k) {
      int64_t at = p * op.getStrides()[dim] + k * op.getDilations()[dim] +
                   op.getOffsets()[dim];
      int64_t index = llvm::divideFloorSigned(at, spacing);
      if (op.getGaps() == "clamp")
        index = std::clamp<int64_t>(index, 0, size - 1);
      else if (at % spacing != 0 || index < 0 || index >= size)
        index = size;
      indices.push_back(index);
    }
  return indices;
}

static bool isAll(ArrayRef<int64_t> indices, int64_t size) {
  return int64_t(indices.size()) == size &&
         llvm::all_of(llvm::enumerate(indices), [](auto entry) {
           return int64_t(entry.index()) == entry.value();
         });
}

/// Positions in a progression as a slice.
static Named slice(NodeWriter &node, const Named &x, ArrayRef<int64_t> indices,
                   int64_t axis) {
  int64_t step = indices.size() > 1 ? indices[1] - indices[0] : 1;
  for (size_t i = 1; i < indices.size(); ++i)
    if (indices[i] - indices[i - 1] != step)
      return {};
  if (step <= 0)
    return {};
  return node.add("Slice", {x, node.makeInts(indices.front()),
                            node.makeInts(indices.back() + 1),
                            node.makeInts(axis), node.makeInts(step)});
}

/// Elements are gathered along one dimension after the other; what is not an
/// element of the operand is one that a pad adds after its last.
static LogicalResult exportWindows(NodeWriter &node) {
  auto windows = cast<graph::WindowsOp>(node.getOp());
  RankedTensorType type = node.getOperandType(0);
  int64_t sliding = type.getRank() - 2;
  SmallVector<SmallVector<int64_t>> indices;
  SmallVector<int64_t> pads(2 * type.getRank(), 0);
  for (int64_t i = 0; i < sliding; ++i) {
    int64_t size = type.getDimSize(i + 1);
    if (windows.getPositions()[i] * windows.getKernel()[i] > (1 << 24))
      return node.fail("it has too many windows along a dimension");
    indices.push_back(getIndices(windows, i, size));
    if (windows.getGaps() == "fill" && llvm::is_contained(indices[i], size))
      pads[type.getRank() + i + 1] = 1;
  }
  Named x = node.getOperand(0);
  if (llvm::is_contained(pads, 1))
    x = node.add("Pad", {x, node.makeInts(pads),
                         node.makeScalar(windows.getFill().convertToDouble(),
                                         x.element)});
  // The dimensions of the result, in the order that gathering gives them.
  SmallVector<int64_t> order{0}, last;
  int64_t axis = 1;
  for (int64_t i = 0; i < sliding; ++i) {
    bool isPoint = windows.getKernel()[i] == 1;
    int64_t size = type.getDimSize(i + 1) + pads[type.getRank() + i + 1];
    Named sliced;
    if (isPoint && isAll(indices[i], size))
      sliced = x;
    else if (isPoint)
      sliced = slice(node, x, indices[i], axis);
    if (!sliced) {
      Named list = node.makeInts(indices[i]);
      if (!isPoint)
        list = node.reshape(
            list, {windows.getPositions()[i], windows.getKernel()[i]});
      sliced = node.add("Gather", {x, list}, {{"axis", axis}});
    }
    x = sliced;
    order.push_back(axis++);
    if (!isPoint)
      last.push_back(axis++);
  }
  llvm::append_range(order, last);
  order.push_back(axis);
  x = node.transpose(x, order);
  if (axis + 1 != node.getResultType().getRank())
    x = node.reshape(x, node.getResultType().getShape());
  return node.setResult(x);
}

void gc::onnxio::addMovementExports(ExportTable &ops) {
  ops["graph.concat"] = {exportConcat};
  ops["graph.constant"] = {exportConstant};
  ops["graph.gather"] = {exportGather};
  ops["graph.gen_index"] = {exportGenIndex};
  ops["graph.reorder"] = {exportReorder};
  ops["graph.static_reshape"] = {exportReshape};
  ops["graph.static_transpose"] = {exportTranspose};
  ops["graph.windows"] = {exportWindows};
}
