// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of matrices and convolutions.

#include "Dialect/Graph/IR/GraphOps.h"
#include "ExportOps.h"

#include <numeric>

using namespace mlir;
using namespace gc;
using namespace gc::onnxio;

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// A factor that is stored transposed, as it is multiplied.
static Named untranspose(NodeWriter &node, const Named &x, unsigned i,
                         bool isTransposed) {
  int64_t rank = node.getOperandType(i).getRank();
  if (!isTransposed || rank < 2)
    return x;
  SmallVector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[rank - 2], order[rank - 1]);
  return node.transpose(x, order);
}

/// A product of 8-bit integers, in s32.
static LogicalResult exportIntegers(NodeWriter &node, graph::MatmulOp op) {
  Named a = untranspose(node, node.getOperand(0), 0, op.getTransposeA());
  Named b = untranspose(node, node.getOperand(1), 1, op.getTransposeB());
  Type s32 = IntegerType::get(op.getContext(), 32, IntegerType::Signed);
  SmallVector<Named> inputs{a, b};
  auto fits = [](int64_t zp, Type element) {
    return element.isUnsignedInteger() ? zp >= 0 : zp <= 127;
  };
  int64_t aZp = op.getSrcZp(), bZp = op.getWeightsZp();
  if (!fits(aZp, a.element) || !fits(bZp, b.element))
    return node.fail("a zero point is not a number of the operand's type");
  if (aZp != 0 || bZp != 0) {
    inputs.push_back(node.makeScalar(double(aZp), a.element));
    inputs.push_back(node.makeScalar(double(bZp), b.element));
  }
  Named product = node.add("MatMulInteger", inputs, s32);
  if (op.getBias())
    product = node.add("Add", {product, node.getOperand(2)});
  return node.setResult(product);
}

static LogicalResult exportMatmul(NodeWriter &node) {
  auto op = cast<graph::MatmulOp>(node.getOp());
  if (op.getWindow() || op.getWeightsGroup() != 0)
    return node.fail("it is part of a compiled graph");
  Named a = node.getOperand(0), b = node.getOperand(1);
  if (a.element.isInteger(8))
    return exportIntegers(node, op);
  Type wide = node.getF32();
  Type result = node.getResultType().getElementType();
  bool hasBias = op.getBias() != nullptr;
  bool isUniform = a.element == b.element && a.element == result &&
                   (!hasBias || node.getOperand(2).element == result);
  Type element = isUniform ? result : wide;
  SmallVector<Named> inputs;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    inputs.push_back(node.cast(node.getOperand(i), element));
  bool isMatrix = node.getOperandType(0).getRank() == 2 &&
                  node.getOperandType(1).getRank() == 2;
  if (isMatrix && (hasBias || op.getTransposeA() || op.getTransposeB()))
    return node.setResult(node.add("Gemm", inputs,
                                   {{"transA", int64_t(op.getTransposeA())},
                                    {"transB", int64_t(op.getTransposeB())}}));
  a = untranspose(node, inputs[0], 0, op.getTransposeA());
  b = untranspose(node, inputs[1], 1, op.getTransposeB());
  Named product = node.add("MatMul", {a, b});
  if (hasBias)
    product = node.add("Add", {product, inputs[2]});
  return node.setResult(product);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

ChannelOrder::ChannelOrder(StringRef format, int64_t rank) {
  if (format != "NXC")
    return;
  toSecond = {0, rank - 1};
  toLast = {0};
  for (int64_t i = 1; i < rank - 1; ++i) {
    toSecond.push_back(i);
    toLast.push_back(i + 1);
  }
  toLast.push_back(1);
}

Pads gc::onnxio::getPads(StringRef autoPad, Pads given, int64_t size,
                         int64_t results, int64_t stride, int64_t reach) {
  if (autoPad == "valid")
    return {0, 0};
  int64_t total = (results - 1) * stride + reach - size;
  if (autoPad == "none")
    // The last window may begin further in front than the pads allow.
    return {given.begin, std::max<int64_t>(0, total - given.begin)};
  total = std::max<int64_t>(0, total);
  int64_t begin = autoPad == "same_lower" ? total - total / 2 : total / 2;
  return {begin, total - begin};
}

/// The order in which ONNX has weights: output or, where the convolution is
/// transposed, input channels first, then the others.
static SmallVector<int64_t> getWeightsOrder(StringRef format, int64_t rank,
                                            bool isTransposed) {
  int64_t in = format == "XIO"   ? rank - 2
               : format == "XOI" ? rank - 1
               : format == "OIX" ? 1
                                 : 0;
  int64_t out = format == "XIO"   ? rank - 1
                : format == "XOI" ? rank - 2
                : format == "OIX" ? 0
                                  : 1;
  SmallVector<int64_t> order{isTransposed ? in : out, isTransposed ? out : in};
  for (int64_t i = 0; i < rank; ++i)
    if (i != in && i != out)
      order.push_back(i);
  return order;
}

namespace {
/// A convolution of an image with channels second.
struct Convolution {
  Named image, weights, bias;
  SmallVector<NodeAttr> attrs;
  SmallVector<int64_t> toLast;
};
} // namespace

/// Dimension `i` of those that the kernel slides over, of an image in a format.
static int64_t getSpatial(RankedTensorType type, StringRef format, size_t i) {
  return type.getDimSize(i + (format == "NXC" ? 1 : 2));
}

template <typename OpTy>
static Convolution open(NodeWriter &node, OpTy op, bool isTransposed) {
  Convolution conv;
  int64_t rank = node.getOperandType(0).getRank();
  // Half precision is what operators of convolution have, bf16 is not.
  Type result = node.getResultType().getElementType();
  auto convert = [&](unsigned i) {
    Named x = node.getOperand(i);
    bool keeps = isa<IntegerType>(x.element) ||
                 (x.element == result && !x.element.isBF16());
    return keeps ? x : node.cast(x, node.getF32());
  };
  ChannelOrder order(op.getDataFormat(), rank);
  conv.image = convert(0);
  if (!order.toSecond.empty())
    conv.image = node.transpose(conv.image, order.toSecond);
  SmallVector<int64_t> weights =
      getWeightsOrder(op.getWeightsFormat(), rank, isTransposed);
  conv.weights = node.transpose(convert(1), weights);
  if (op.getBias())
    conv.bias = node.cast(convert(2), conv.image.element.isInteger(8)
                                          ? node.getOperand(2).element
                                          : conv.image.element);
  conv.toLast = order.toLast;
  RankedTensorType image = node.getOperandType(0), to = node.getResultType(),
                   filter = node.getOperandType(1);
  SmallVector<int64_t> kernel, begins, ends, output;
  size_t spatial = op.getStrides().size();
  for (size_t i = 0; i < spatial; ++i) {
    kernel.push_back(filter.getDimSize(weights[i + 2]));
    int64_t reach = (kernel[i] - 1) * op.getDilations()[i] + 1;
    int64_t from = getSpatial(image, op.getDataFormat(), i);
    int64_t sizes = getSpatial(to, op.getDataFormat(), i);
    int64_t stride = op.getStrides()[i];
    Pads given{op.getPadsBegin()[i], op.getPadsEnd()[i]};
    if (!isTransposed) {
      Pads pads = getPads(op.getAutoPad(), given, from, sizes, stride, reach);
      begins.push_back(pads.begin);
      ends.push_back(pads.end);
      continue;
    }
    // The reverse of a convolution of the result; what its stride leaves out at
    // the end is made by padding less there, or by adding to the output.
    Pads pads = op.getAutoPad() == "none" ? given
                                          : getPads(op.getAutoPad(), given,
                                                    sizes, from, stride, reach);
    int64_t whole = (from - 1) * stride + reach;
    int64_t end = whole - pads.begin - sizes;
    begins.push_back(pads.begin);
    ends.push_back(std::max<int64_t>(0, end));
    output.push_back(std::max<int64_t>(0, -end));
  }
  begins.append(ends);
  conv.attrs = {{"dilations", toList(op.getDilations())},
                {"group", int64_t(op.getGroups())},
                {"kernel_shape", kernel},
                {"pads", begins},
                {"strides", toList(op.getStrides())}};
  if (llvm::any_of(output, [](int64_t more) { return more > 0; }))
    conv.attrs.push_back({"output_padding", output});
  return conv;
}

static LogicalResult close(NodeWriter &node, const Convolution &conv,
                           Named result) {
  if (!conv.toLast.empty())
    result = node.transpose(result, conv.toLast);
  return node.setResult(result);
}

static LogicalResult exportConvolution(NodeWriter &node) {
  auto op = cast<graph::ConvolutionOp>(node.getOp());
  Convolution conv = open(node, op, /*isTransposed=*/false);
  SmallVector<Named> inputs{conv.image, conv.weights};
  if (!conv.image.element.isInteger(8)) {
    if (conv.bias)
      inputs.push_back(conv.bias);
    return close(node, conv, node.add("Conv", inputs, conv.attrs));
  }
  Type s32 = node.getResultType().getElementType();
  Named result = node.add("ConvInteger", inputs, s32, conv.attrs);
  if (conv.bias) {
    SmallVector<int64_t> shape(node.getResultType().getRank(), 1);
    shape[1] = node.getOperandType(2).getNumElements();
    result = node.add("Add", {result, node.reshape(conv.bias, shape)});
  }
  return close(node, conv, result);
}

static LogicalResult exportConvTranspose(NodeWriter &node) {
  auto op = cast<graph::ConvTransposeOp>(node.getOp());
  Convolution conv = open(node, op, /*isTransposed=*/true);
  SmallVector<Named> inputs{conv.image, conv.weights};
  if (conv.bias)
    inputs.push_back(conv.bias);
  return close(node, conv, node.add("ConvTranspose", inputs, conv.attrs));
}

void gc::onnxio::addMatrixExports(ExportTable &ops) {
  ops["graph.conv_transpose"] = {exportConvTranspose};
  ops["graph.convolution"] = {exportConvolution};
  ops["graph.matmul"] = {exportMatmul};
}
