// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operators of com.microsoft that ONNX Runtime's optimizers write.

#include "Compose.h"
#include "Ops.h"
#include "Tensors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::onnxio;

static Value gelu(NodeBuilder &node, Value x, StringRef mode) {
  return node.make("graph.gelu", x,
                   node.attr("mode", node.getBuilder().getStringAttr(mode)));
}

/// An optional bias as operand 1.
template <bool isFast>
static LogicalResult importGelu(NodeBuilder &node) {
  Value x = getValue(node, 0);
  if (node.hasOperand(1))
    x = add(node, x, getValue(node, 1));
  return node.setResult(gelu(node, x, isFast ? "gelu_tanh" : "gelu_erf"));
}

static LogicalResult importQuickGelu(NodeBuilder &node) {
  Value x = getValue(node, 0);
  float alpha = node.getFloatAttr("alpha", 1.702f);
  Value gate =
      node.make("graph.sigmoid", multiply(node, x, makeScalar(node, alpha, x)));
  return node.setResult(multiply(node, x, gate));
}

static LogicalResult importFusedMatMul(NodeBuilder &node) {
  Value a = getValue(node, 0), b = getValue(node, 1);
  float alpha = node.getFloatAttr("alpha", 1.0f);
  bool transposeA = node.getIntAttr("transA", 0) != 0;
  bool transposeB = node.getIntAttr("transB", 0) != 0;
  if (node.getIntAttr("transBatchA", 0) || node.getIntAttr("transBatchB", 0))
    return node.fail("transposed batches are not supported");
  Value product = node.make("graph.matmul", {a, b},
                            {boolAttr(node, "transpose_a", transposeA),
                             boolAttr(node, "transpose_b", transposeB)});
  if (alpha != 1)
    product = multiply(node, product, makeScalar(node, alpha, product));
  return node.setResult(product);
}

/// The norm of a sum, and the sum. Beside the two operands there are a scale,
/// a bias of the norm unless it is the one without a mean, and a bias.
template <bool hasMean>
static LogicalResult importSkipNorm(NodeBuilder &node) {
  float epsilon = node.getFloatAttr("epsilon", 1e-12f);
  Value sum = add(node, getValue(node, 0), getValue(node, 1));
  unsigned bias = hasMean ? 4 : 3;
  if (node.hasOperand(bias))
    sum = add(node, sum, getValue(node, bias));
  if (!sum)
    return failure();
  SmallVector<NamedAttribute> attrs{intAttr(node, "begin_norm_axis", -1),
                                    f32Attr(node, "epsilon", epsilon)};
  if (hasMean) {
    attrs.push_back(boolAttr(node, "keep_stats", false));
    attrs.push_back(boolAttr(node, "use_affine", false));
  }
  Value y =
      node.make(hasMean ? "graph.layer_norm" : "graph.rms_norm", sum, attrs);
  y = multiply(node, y, getValue(node, 2));
  if (hasMean && node.hasOperand(3))
    y = add(node, y, getValue(node, 3));
  if (y && y.getType() != sum.getType())
    return node.fail("scale or bias do not broadcast to the input");
  if (failed(node.setResult(y)))
    return failure();
  if (node.getNumResults() < 2)
    return success();
  if (failed(node.skipResult()) || failed(node.skipResult()))
    return failure();
  return node.setResult(sum);
}

/// Integers of `bits` bits, the lowest first, `count` in each of the rows.
static std::vector<char> unpack(ArrayRef<char> bytes, int64_t rows,
                                int64_t rowBytes, int64_t count,
                                unsigned bits) {
  std::vector<char> values;
  values.reserve(rows * count);
  unsigned perByte = 8 / bits, mask = (1u << bits) - 1;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < count; ++i) {
      auto byte =
          static_cast<unsigned char>(bytes[row * rowBytes + i / perByte]);
      values.push_back(static_cast<char>(byte >> (i % perByte * bits) & mask));
    }
  return values;
}

/// A product with weights of 4 or 8 bits in blocks along each of their rows,
/// each with a scale and a zero point.
static LogicalResult importMatMulNBits(NodeBuilder &node) {
  Value a = getValue(node, 0);
  int64_t k = node.getIntAttr("K", 0), n = node.getIntAttr("N", 0);
  int64_t bits = node.getIntAttr("bits", 4);
  int64_t block = node.getIntAttr("block_size", 0);
  node.ignoreAttr("accuracy_level");
  FailureOr<RankedTensorType> scaleType = node.getType(2);
  if (!a || failed(scaleType))
    return failure();
  if (node.hasOperand(4))
    return node.fail("g_idx is not supported");
  if (bits != 4 && bits != 8)
    return node.fail("weights of " + Twine(bits) + " bits are not supported");
  constexpr int64_t kMaxSize = 1 << 24;
  if (k < 1 || n < 1 || k > kMaxSize || n > kMaxSize || block < 16 ||
      block > kMaxSize || !llvm::isPowerOf2_64(block) || k % block != 0)
    return node.fail("blocks of " + Twine(block) + " do not divide " +
                     Twine(k) + " elements");
  int64_t blocks = k / block;
  MLIRContext *context = node.getContext();
  auto element = IntegerType::get(context, bits, IntegerType::Unsigned);
  std::vector<char> storage;
  auto getPacked = [&](unsigned operand, int64_t size) {
    ElementsAttr tensor = node.getConstant(operand);
    std::optional<ArrayRef<char>> data;
    if (tensor && tensor.getElementType().isInteger(8) &&
        tensor.getNumElements() == size)
      data = getRawBytes(tensor, storage);
    return data;
  };
  auto packed = getPacked(1, n * k * bits / 8);
  if (!packed)
    return node.fail("weights are not known at import, or not of their shape");
  if (scaleType->getNumElements() != n * blocks)
    return node.fail("scales do not have their shape");
  auto makeTensor = [&](ArrayRef<char> values, int64_t columns) -> Value {
    auto type = RankedTensorType::get({n, columns}, element);
    auto constant =
        node.makeConstant(DenseElementsAttr::getFromRawBuffer(type, values));
    return failed(constant) ? nullptr : *constant;
  };
  Value weights = makeTensor(unpack(*packed, n, k * bits / 8, k, bits), k);
  Value zps;
  if (node.hasOperand(3)) {
    int64_t bytes = (blocks * bits + 7) / 8;
    auto given = getPacked(3, n * bytes);
    if (!given)
      return node.fail("zero points are not known at import, or not packed");
    zps = makeTensor(unpack(*given, n, bytes, blocks, bits), blocks);
  } else {
    zps = makeTensor(std::vector<char>(n * blocks, char(1 << (bits - 1))),
                     blocks);
  }
  Value scales = reshape(node, getValue(node, 2), {n, blocks});
  if (!scales || !zps || !weights)
    return failure();
  // Scales of f16 are numbers of f32 as well, which the product is computed in.
  Builder &builder = node.getBuilder();
  Type f32 = builder.getF32Type(), type = getElement(a);
  Value wide = node.make(
      "graph.dynamic_dequantize", {weights, typeCast(node, scales, f32), zps},
      {node.attr("qtype", builder.getStringAttr("per_group")),
       node.attr("group_shape", ArrayRef<int64_t>({1, block}))},
      f32);
  Value product = node.make("graph.matmul", {typeCast(node, a, f32), wide},
                            {boolAttr(node, "transpose_b", true)});
  if (node.hasOperand(5))
    product = add(node, product, typeCast(node, getValue(node, 5), f32));
  return node.setResult(product ? typeCast(node, product, type) : nullptr);
}

void gc::onnxio::addMicrosoftOps(OpTable &ops) {
  ops["com.microsoft.BiasGelu"] = importGelu<false>;
  ops["com.microsoft.FastGelu"] = importGelu<true>;
  ops["com.microsoft.FusedMatMul"] = importFusedMatMul;
  ops["com.microsoft.Gelu"] = importGelu<false>;
  ops["com.microsoft.MatMulNBits"] = importMatMulNBits;
  ops["com.microsoft.QuickGelu"] = importQuickGelu;
  ops["com.microsoft.SkipLayerNormalization"] = importSkipNorm<true>;
  ops["com.microsoft.SkipSimplifiedLayerNormalization"] = importSkipNorm<false>;
  takeShapes(ops, {"com.microsoft.BiasGelu", "com.microsoft.FastGelu",
                   "com.microsoft.FusedMatMul", "com.microsoft.Gelu",
                   "com.microsoft.MatMulNBits", "com.microsoft.QuickGelu",
                   "com.microsoft.SkipLayerNormalization",
                   "com.microsoft.SkipSimplifiedLayerNormalization"});
}
