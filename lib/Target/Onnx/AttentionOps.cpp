// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention, of the standard and of com.microsoft.

#include "Heads.h"
#include "Ops.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace gc::onnxio;

namespace {
struct Attention {
  Value query, key, value; // [batch, heads, rows, size]
  /// Added to the scores, and where scores count; null if there is none.
  Value bias, mask;
  double scale = 1, softcap = 0;
};
} // namespace

static double getDefaultScale(Value query) {
  return query ? 1 / std::sqrt(double(getTensorType(query).getShape().back()))
               : 1;
}

/// Something that broadcasts to the scores, whose heads are in groups.
static Value groupHeads(NodeBuilder &node, Value x, int64_t heads,
                        int64_t groups) {
  if (!x)
    return nullptr;
  Sizes shape = node.getShape(x);
  if (shape.size() < 3)
    return x;
  size_t at = shape.size() - 3;
  bool perHead = shape[at] == heads * groups && shape[at] != 1;
  shape[at] = perHead ? heads : 1;
  shape.insert(shape.begin() + at + 1, SizeExpr(perHead ? groups : 1));
  return reshapeTo(node, x, shape);
}

/// Rows whose keys all are masked are zero. Several heads of the query may
/// share one of key and value.
static Value attend(NodeBuilder &node, Attention a) {
  if (!a.query || !a.key || !a.value)
    return nullptr;
  Sizes q = node.getShape(a.query), k = node.getShape(a.key),
        v = node.getShape(a.value);
  if (q.size() != 4 || k.size() != 4 || v.size() != 4 || q[0] != k[0] ||
      k[0] != v[0] || k[1] != v[1] || k[2] != v[2] || q[3] != k[3]) {
    (void)node.fail("the shapes of query, key and value do not fit each other");
    return nullptr;
  }
  int64_t heads = k[1].getConstant().value_or(0);
  int64_t queryHeads = q[1].getConstant().value_or(0);
  if (heads < 1 || queryHeads % heads != 0 || !q[3].isConstant()) {
    (void)node.fail("the numbers of heads do not fit each other, or vary");
    return nullptr;
  }
  int64_t groups = queryHeads / heads;
  if (groups > 1) {
    a.query = reshapeTo(node, a.query, Sizes{q[0], heads, groups, q[2], q[3]});
    a.key = reshapeTo(node, a.key, Sizes{k[0], heads, 1, k[2], k[3]});
    a.value = reshapeTo(node, a.value, Sizes{v[0], heads, 1, v[2], v[3]});
    a.bias = groupHeads(node, a.bias, heads, groups);
    a.mask = groupHeads(node, a.mask, heads, groups);
  }
  Value scores = node.make("graph.matmul", {a.query, a.key},
                           {boolAttr(node, "transpose_b", true)});
  if (!scores)
    return nullptr;
  Sizes scoresShape = node.getShape(scores);
  if (a.scale != 1)
    scores = multiply(node, scores, makeScalar(node, a.scale, scores));
  if (a.softcap != 0) {
    Value cap = makeScalar(node, a.softcap, scores);
    scores = node.make("graph.tanh", divide(node, scores, cap));
    scores = multiply(node, scores, cap);
  }
  if (a.bias)
    scores = add(node, scores, a.bias);
  if (a.mask)
    scores = select(
        node, a.mask, scores,
        makeScalar(node, -std::numeric_limits<double>::infinity(), a.query));
  if (scores && node.getShape(scores) != scoresShape) {
    (void)node.fail("the mask does not broadcast to the scores");
    return nullptr;
  }
  Builder &builder = node.getBuilder();
  Value weights = node.make(
      "graph.softmax", scores,
      {intAttr(node, "axis", -1),
       node.attr("mode", builder.getStringAttr(a.mask || a.bias ? "inf_as_zero"
                                                                : "none"))});
  Value result = node.make("graph.matmul", {weights, a.value});
  return reshapeTo(node, result, Sizes{q[0], q[1], q[2], v[3]});
}

/// Where row i of `rows` sees column j, and `mask` has it see that: column
/// i + offset and those before it, only `window` of these unless it is
/// negative.
static Value addCausalMask(NodeBuilder &node, Value mask,
                           const SizeExpr &rowsExpr,
                           const SizeExpr &columnsExpr,
                           const SizeExpr &offsetExpr, int64_t window = -1) {
  auto beyond = (offsetExpr - columnsExpr + 1).getConstant();
  bool isLast = rowsExpr.getConstant().value_or(2) <= 1 && beyond >= 0;
  if (isLast &&
      (window < 0 || window >= columnsExpr.getConstant().value_or(
                                   std::numeric_limits<int64_t>::max())))
    return mask;
  if (!isConstant({rowsExpr, columnsExpr, offsetExpr})) {
    (void)node.fail("a causal mask of " + print({rowsExpr, columnsExpr}) +
                    " has sizes that vary; that is not supported");
    return nullptr;
  }
  int64_t rows = *rowsExpr.getConstant(), offset = *offsetExpr.getConstant();
  int64_t columns = *columnsExpr.getConstant();
  Value other = makeMask(node, {rows, columns}, [&](ArrayRef<int64_t> at) {
    int64_t i = at[0], j = at[1];
    return j <= i + offset && (window < 0 || j >= i + offset - window);
  });
  if (!other)
    return nullptr;
  return mask ? logicalAnd(node, mask, other) : other;
}

/// Past keys or values [batch, heads, rows, size] in front of new ones.
static Value appendTo(NodeBuilder &node, unsigned past, Value x) {
  if (!node.hasOperand(past) || !x)
    return x;
  FailureOr<RankedTensorType> type = node.getType(past);
  if (failed(type))
    return nullptr;
  if (type->getRank() == 4 && type->getDimSize(2) == 0)
    return x;
  return concat(node, {getValue(node, past), x}, 2);
}

static LogicalResult importAttention(NodeBuilder &node) {
  Attention a;
  a.query = getValue(node, 0);
  a.key = getValue(node, 1);
  a.value = getValue(node, 2);
  if (!a.query || !a.key || !a.value)
    return failure();
  if (node.hasOperand(6))
    return node.fail("nonpad_kv_seqlen is not supported");
  node.ignoreAttr("softmax_precision");
  node.ignoreAttr("qk_matmul_output_mode");
  bool isFlat = getTensorType(a.query).getRank() == 3;
  int64_t queryHeads = node.getIntAttr("q_num_heads", 0);
  int64_t keyHeads = node.getIntAttr("kv_num_heads", 0);
  if (isFlat) {
    a.query = splitHeads(node, a.query, queryHeads);
    a.key = splitHeads(node, a.key, keyHeads);
    a.value = splitHeads(node, a.value, keyHeads);
  }
  a.scale = node.getFloatAttr("scale", float(getDefaultScale(a.query)));
  a.softcap = node.getFloatAttr("softcap", 0.0f);
  bool isCausal = node.getIntAttr("is_causal", 0) != 0;
  SizeExpr newKeys = a.key && getTensorType(a.key).getRank() == 4
                         ? node.getShape(a.key)[2]
                         : SizeExpr(0);
  a.key = appendTo(node, 4, a.key);
  a.value = appendTo(node, 5, a.value);
  if (!a.query || !a.key || !a.value)
    return failure();
  if (node.hasOperand(3)) {
    Value mask = getValue(node, 3);
    if (!mask)
      return failure();
    (getElement(mask).isInteger(1) ? a.mask : a.bias) = mask;
  }
  if (isCausal && getTensorType(a.query).getRank() == 4 &&
      getTensorType(a.key).getRank() == 4) {
    SizeExpr rows = node.getShape(a.query)[2];
    SizeExpr columns = node.getShape(a.key)[2];
    // Without a past the first row sees the first key.
    a.mask = addCausalMask(node, a.mask, rows, columns, columns - newKeys);
    if (node.hasFailed())
      return failure();
  }
  Value result = attend(node, a);
  if (failed(node.setResult(isFlat ? joinHeads(node, result) : result)))
    return failure();
  if (node.getNumResults() > 1 && failed(node.setResult(a.key)))
    return failure();
  return node.getNumResults() > 2 ? node.setResult(a.value) : success();
}

/// Of com.microsoft: rows of all heads next to each other.
static LogicalResult importMultiHeadAttention(NodeBuilder &node) {
  int64_t heads = node.getIntAttr("num_heads", 0);
  bool isCausal = node.getIntAttr("unidirectional", 0) != 0;
  float filter = node.getFloatAttr("mask_filter_value", -10000.0f);
  for (unsigned i = 8; i < node.getNumOperands(); ++i)
    if (node.hasOperand(i))
      return node.fail("operand " + Twine(i) + " is not supported");
  Value parts[3];
  for (unsigned i = 0; i < 3; ++i) {
    parts[i] = getValue(node, i);
    if (!parts[i] || getTensorType(parts[i]).getRank() != 3)
      return node.fail("packed or split operands are not supported");
  }
  if (node.hasOperand(3)) {
    Value bias = getValue(node, 3);
    int64_t begin = 0;
    for (Value &part : parts) {
      int64_t size = getTensorType(part).getDimSize(2);
      if (!bias || getTensorType(bias).getRank() != 1 ||
          begin + size > getTensorType(bias).getDimSize(0))
        return node.fail("the bias does not have its shape");
      part = add(node, part, slice(node, bias, 0, begin, size));
      begin += size;
    }
  }
  Attention a;
  a.query = splitHeads(node, parts[0], heads);
  a.key = appendTo(node, 6, splitHeads(node, parts[1], heads));
  a.value = appendTo(node, 7, splitHeads(node, parts[2], heads));
  if (!a.query || !a.key || !a.value)
    return failure();
  float scale = node.getFloatAttr("scale", 0.0f);
  a.scale = scale != 0 ? double(scale) : getDefaultScale(a.query);
  if (node.hasOperand(5))
    a.bias = getValue(node, 5);
  SizeExpr batch = node.getShape(a.query)[0];
  SizeExpr rows = node.getShape(a.query)[2];
  SizeExpr columns = node.getShape(a.key)[2];
  if (node.hasOperand(4)) {
    // 0 is a key that does not count.
    Value padding = getValue(node, 4);
    if (!padding || node.getShape(padding) != Sizes{batch, columns})
      return node.fail("this form of key_padding_mask is not supported");
    Value counts = greaterEqual(node, padding, makeScalar(node, 1, padding));
    Value shift = select(node, counts, makeScalar(node, 0, a.query),
                         makeScalar(node, filter, a.query));
    shift = reshapeTo(node, shift, Sizes{batch, 1, 1, columns});
    a.bias = a.bias ? add(node, a.bias, shift) : shift;
  }
  if (isCausal)
    a.mask = addCausalMask(node, a.mask, rows, columns, columns - rows);
  if (failed(node.setResult(joinHeads(node, attend(node, a)))))
    return failure();
  if (node.getNumResults() > 1 && failed(node.setResult(a.key)))
    return failure();
  return node.getNumResults() > 2 ? node.setResult(a.value) : success();
}

/// With a past, the lengths have to be known, and be that of past and new rows:
/// whether the past has room for more does not follow from its shape.
static LogicalResult importGroupQueryAttention(NodeBuilder &node) {
  int64_t queryHeads = node.getIntAttr("num_heads", 0);
  int64_t keyHeads = node.getIntAttr("kv_num_heads", 0);
  bool rotates = node.getIntAttr("do_rotary", 0) != 0;
  bool interleaved = node.getIntAttr("rotary_interleaved", 0) != 0;
  // Keys before the current one. Versions of the operator differ about 0.
  int64_t window = node.getIntAttr("local_window_size", -1);
  if (window == 0)
    return node.fail("local_window_size 0 is not supported");
  if (node.getIntAttr("smooth_softmax", 0) > 0)
    return node.fail("smooth_softmax is not supported");
  node.ignoreAttr("smooth_softmax");
  for (unsigned i = 9; i < node.getNumOperands(); ++i)
    if (node.hasOperand(i))
      return node.fail("operand " + Twine(i) + " is not supported");
  Value query = getValue(node, 0), key, value;
  if (!query || queryHeads < 1 || keyHeads < 1)
    return node.fail("the numbers of heads are missing");
  if (node.hasOperand(1)) {
    key = getValue(node, 1);
    value = getValue(node, 2);
  } else {
    int64_t all = getTensorType(query).getShape().back();
    int64_t size = all / (queryHeads + 2 * keyHeads);
    if (getTensorType(query).getRank() != 3 ||
        size * (queryHeads + 2 * keyHeads) != all)
      return node.fail("the packed operand does not have its shape");
    Value packed = query;
    query = slice(node, packed, 2, 0, queryHeads * size);
    key = slice(node, packed, 2, queryHeads * size, keyHeads * size);
    value =
        slice(node, packed, 2, (queryHeads + keyHeads) * size, keyHeads * size);
  }
  Attention a;
  a.query = splitHeads(node, query, queryHeads);
  a.key = splitHeads(node, key, keyHeads);
  a.value = splitHeads(node, value, keyHeads);
  if (!a.query || !a.key || !a.value)
    return failure();
  SizeExpr rows = node.getShape(a.query)[2];
  int64_t past = 0;
  if (node.hasOperand(3)) {
    FailureOr<RankedTensorType> type = node.getType(3);
    if (failed(type))
      return failure();
    if (type->getRank() != 4)
      return node.fail("the past does not have four dimensions");
    if (failed(checkFixed(node, 3, 2)))
      return failure();
    past = type->getDimSize(2);
  }
  if (past > 0) {
    auto lengths = node.getKnown(5);
    if (!lengths || !llvm::all_of(lengths->values, [&](Number number) {
          return rows == number.i - past + 1;
        }))
      return node.fail("with a past, seqlens_k has to be known at import, and "
                       "count all of its rows");
  }
  if (rotates) {
    Value cos = sliceAngles(node, 7, past, rows);
    Value sin = sliceAngles(node, 8, past, rows);
    a.query = rotate(node, a.query, cos, sin, interleaved);
    a.key = rotate(node, a.key, cos, sin, interleaved);
  }
  a.key = appendTo(node, 3, a.key);
  a.value = appendTo(node, 4, a.value);
  float scale = node.getFloatAttr("scale", 0.0f);
  a.scale = scale != 0 ? double(scale) : getDefaultScale(a.query);
  a.softcap = node.getFloatAttr("softcap", 0.0f);
  a.mask = addCausalMask(node, a.mask, rows, rows + past, past, window);
  if (failed(node.setResult(joinHeads(node, attend(node, a)))))
    return failure();
  if (node.getNumResults() > 1 && failed(node.setResult(a.key)))
    return failure();
  return node.getNumResults() > 2 ? node.setResult(a.value) : success();
}

void gc::onnxio::addAttentionOps(OpTable &ops) {
  ops["Attention"] = {importAttention, 23};
  ops["com.microsoft.GroupQueryAttention"] = importGroupQueryAttention;
  ops["com.microsoft.MultiHeadAttention"] = importMultiHeadAttention;
  takeShapes(ops, {"Attention", "com.microsoft.GroupQueryAttention",
                   "com.microsoft.MultiHeadAttention"});
}
