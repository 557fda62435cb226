// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rotary embedding, of the standard and of com.microsoft.

#include "Heads.h"
#include "Ops.h"

using namespace mlir;
using namespace gc::onnxio;

Value gc::onnxio::splitHeads(NodeBuilder &node, Value x, int64_t heads) {
  if (!x)
    return nullptr;
  Sizes shape = node.getShape(x);
  int64_t size = shape.empty() ? -1 : shape.back().getConstant().value_or(-1);
  if (shape.size() != 3 || heads < 1 || size < 0 || size % heads != 0) {
    (void)node.fail("the number of heads does not divide the last of three "
                    "dimensions");
    return nullptr;
  }
  x = reshapeTo(node, x, Sizes{shape[0], shape[1], heads, size / heads});
  return transpose(node, x, {0, 2, 1, 3});
}

Value gc::onnxio::joinHeads(NodeBuilder &node, Value x) {
  if (!x)
    return nullptr;
  Sizes s = node.getShape(x);
  return reshapeTo(node, transpose(node, x, {0, 2, 1, 3}),
                   Sizes{s[0], s[2], s[1] * s[3]});
}

Value gc::onnxio::rotate(NodeBuilder &node, Value x, Value cos, Value sin,
                         bool interleaved) {
  if (!x || !cos || !sin)
    return nullptr;
  Sizes shape = node.getShape(x);
  int64_t last = shape.size() - 1, half = getTensorType(cos).getShape().back();
  int64_t size = getTensorType(x).getDimSize(last);
  if (half < 0 || 2 * half > size || cos.getType() != sin.getType()) {
    (void)node.fail("cos_cache and sin_cache do not fit the input");
    return nullptr;
  }
  Value rest = 2 * half < size ? slice(node, x, last, 2 * half, size - 2 * half)
                               : nullptr;
  Value pairs = slice(node, x, last, 0, 2 * half);
  Sizes split = shape;
  split[last] = half;
  Value a, b;
  if (interleaved) {
    split.push_back(2);
    pairs = reshapeTo(node, pairs, split);
    auto take = [&](int64_t i) {
      return reshapeTo(node, slice(node, pairs, last + 1, i, 1),
                       ArrayRef<SizeExpr>(split).drop_back());
    };
    a = take(0);
    b = take(1);
  } else {
    a = slice(node, pairs, last, 0, half);
    b = slice(node, pairs, last, half, half);
  }
  Value first = subtract(node, multiply(node, a, cos), multiply(node, b, sin));
  Value second = add(node, multiply(node, a, sin), multiply(node, b, cos));
  if (interleaved) {
    split.back() = 1;
    pairs = concat(
        node, {reshapeTo(node, first, split), reshapeTo(node, second, split)},
        last + 1);
    shape[last] = 2 * half;
    pairs = reshapeTo(node, pairs, shape);
  } else {
    pairs = concat(node, {first, second}, last);
  }
  return rest ? concat(node, {pairs, rest}, last) : pairs;
}

Value gc::onnxio::sliceAngles(NodeBuilder &node, unsigned cache, int64_t begin,
                              const SizeExpr &open) {
  Value x = getValue(node, cache);
  if (!x)
    return nullptr;
  if (!open.isConstant()) {
    (void)node.fail("the number of rows, '" + open.str() +
                    "', varies; that is not supported without position_ids");
    return nullptr;
  }
  int64_t rows = *open.getConstant();
  if (getTensorType(x).getRank() != 2 ||
      getTensorType(x).getDimSize(0) < begin + rows) {
    (void)node.fail("cos_cache and sin_cache have too few rows");
    return nullptr;
  }
  int64_t half = getTensorType(x).getDimSize(1);
  return reshape(node, slice(node, x, 0, begin, rows), {1, 1, rows, half});
}

/// The operands are in another order in com.microsoft.
static LogicalResult setRotated(NodeBuilder &node, unsigned cos, unsigned sin,
                                unsigned positions) {
  Value x = getValue(node, 0);
  bool interleaved = node.getIntAttr("interleaved", 0) != 0;
  int64_t heads = node.getIntAttr("num_heads", 0);
  int64_t size = node.getIntAttr("rotary_embedding_dim", 0);
  if (!x)
    return failure();
  bool isFlat = getTensorType(x).getRank() == 3;
  if (isFlat && heads == 0 && size == 0) {
    // The cache then says how large heads are.
    FailureOr<RankedTensorType> cache = node.getType(cos);
    if (failed(cache) || cache->getRank() < 1 || cache->getShape().back() == 0)
      return node.fail("the number of heads is not known");
    heads = getTensorType(x).getDimSize(2) / (2 * cache->getShape().back());
  }
  if (isFlat)
    x = splitHeads(node, x, heads);
  if (!x || getTensorType(x).getRank() != 4)
    return node.fail("the input does not have three or four dimensions");
  SizeExpr batch = node.getShape(x)[0], rows = node.getShape(x)[2];
  auto getAngles = [&](unsigned cache) -> Value {
    if (!node.hasOperand(positions)) {
      Value angles = getValue(node, cache);
      if (!angles || getTensorType(angles).getRank() != 3) {
        (void)node.fail("caches do not have three dimensions");
        return nullptr;
      }
      Sizes shape = node.getShape(angles);
      shape.insert(shape.begin() + 1, SizeExpr(1));
      return reshapeTo(node, angles, shape);
    }
    FailureOr<RankedTensorType> type = node.getType(positions);
    if (failed(type))
      return nullptr;
    // One position is that of the first row.
    if (type->getShape() == ArrayRef<int64_t>(1)) {
      FailureOr<double> first = node.getNumber(positions);
      if (failed(first))
        return nullptr;
      if (*first < 0) {
        (void)node.fail("the first position is negative");
        return nullptr;
      }
      return sliceAngles(node, cache, int64_t(*first), rows);
    }
    if (*node.getShape(positions) != Sizes{batch, rows}) {
      (void)node.fail("position_ids do not have a position for each row");
      return nullptr;
    }
    Value angles = gatherRows(node, getValue(node, cache), positions);
    if (!angles)
      return nullptr;
    return reshapeTo(
        node, angles,
        Sizes{batch, 1, rows, getTensorType(angles).getShape().back()});
  };
  Value c = getAngles(cos), s = getAngles(sin);
  if (size != 0 && c && 2 * getTensorType(c).getShape().back() != size)
    return node.fail("rotary_embedding_dim is not the size of the caches");
  Value result = rotate(node, x, c, s, interleaved);
  return node.setResult(isFlat ? joinHeads(node, result) : result);
}

static LogicalResult importRotaryEmbedding(NodeBuilder &node) {
  return setRotated(node, /*cos=*/1, /*sin=*/2, /*positions=*/3);
}

static LogicalResult importMicrosoftRotary(NodeBuilder &node) {
  if (node.getFloatAttr("scale", 1.0f) != 1 ||
      node.getIntAttr("is_packed_batching", 0) != 0)
    return node.fail("scale and packed batches are not supported");
  return setRotated(node, /*cos=*/2, /*sin=*/3, /*positions=*/1);
}

void gc::onnxio::addRotaryOps(OpTable &ops) {
  ops["RotaryEmbedding"] = {importRotaryEmbedding, 23};
  ops["com.microsoft.RotaryEmbedding"] = importMicrosoftRotary;
  takeShapes(ops, {"RotaryEmbedding", "com.microsoft.RotaryEmbedding"});
}
