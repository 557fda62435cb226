// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps of a random graph that choose between values: selection, rows
// of tables, attention with its masks, quantisation.

#include "GraphState.h"

#include <cmath>

using namespace mlir;
using namespace gc::graph;

namespace gc::fuzz {

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

namespace {

NamedAttribute numpy(GraphState &state) {
  return state.attribute("auto_broadcast",
                         state.builder.getStringAttr("numpy"));
}

Value makeIndex(GraphState &state, Value like, int64_t axis) {
  return state.create<GenIndexOp>(
      like, state.attribute("axis", state.builder.getI64IntegerAttr(axis)));
}

/// A boolean tensor that broadcasts to `x`.
Value makeCondition(GraphState &state, const Item &x) {
  Random &random = state.random;
  int64_t rank = x.getShape().size();
  int64_t choice = random.below(3);
  if (choice == 0)
    return state
        .addArgument(state.pickBroadcastSource(x.getShape()),
                     state.builder.getI1Type(), ArgumentKind::plain, false)
        .value;
  if (choice == 1 && rank >= 2) // a causal mask
    return state.create<GreaterEqualOp>(
        {makeIndex(state, x.value, -2), makeIndex(state, x.value, -1)},
        numpy(state));
  Item limit =
      state.addConstant({}, x.getType().getElementType(), -0.25, 0.25, true);
  return state.create<GreaterEqualOp>({x.value, limit.value}, numpy(state));
}

} // namespace

bool addSelect(GraphState &state) {
  Random &random = state.random;
  const Item *x = state.pickItem([](const Item &item) { return item.isF32(); });
  if (!x)
    return false;
  Item a = *x;
  Value condition = makeCondition(state, a);
  std::optional<Item> b;
  if (random.percent(60)) {
    const Item *other = state.pickItem([&](const Item &item) {
      auto shape = broadcastShapes(a.getShape(), item.getShape());
      return item.isF32() && item.value != a.value && shape &&
             getNumElements(*shape) <= GraphState::kMaxElements;
    });
    if (other)
      b = *other;
  }
  if (!b)
    b = state.addConstant({}, state.builder.getF32Type(), -2, 2, true);
  if (random.percent(50))
    std::swap(a, *b);
  Range range = Range::get(std::min(a.range.low, b->range.low),
                           std::max(a.range.high, b->range.high),
                           std::max(a.range.magnitude, b->range.magnitude));
  state.addItem(
      state.create<SelectOp>({condition, a.value, b->value}, numpy(state)),
      range);
  return true;
}

/// Rows of a table, some of them by negative numbers and some by numbers that
/// are out of range.
bool addGather(GraphState &state) {
  Random &random = state.random;
  auto isTable = [](const Item &item) {
    return item.isFloat() && item.getShape().size() == 2;
  };
  const Item *known = random.percent(50) ? state.pickItem(isTable) : nullptr;
  Item table =
      known ? *known
            : state.addArgument(state.pickShape(2), state.builder.getF32Type(),
                                ArgumentKind::plain, random.percent(50));
  double last = table.getShape()[0];
  SmallVector<int64_t> shape{
      state.pickSize(GraphState::kMaxElements / table.getShape()[1])};
  if (random.percent(30))
    shape.insert(shape.begin(), random.between(1, 3));
  if (getNumElements(shape) * table.getShape()[1] > GraphState::kMaxElements)
    return false;
  auto element =
      IntegerType::get(state.builder.getContext(), 32, IntegerType::Signed);
  Item index = random.percent(50)
                   ? state.addArgument(shape, element, ArgumentKind::plain,
                                       random.percent(20))
                   : state.addConstant(shape, element, -1.2 * last, 1.2 * last,
                                       random.percent(10));
  state.addItem(state.create<GatherOp>({table.value, index.value}),
                table.range);
  return true;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Leaves the keys up to each row, perhaps moved, and perhaps a window of them.
/// The first rows may be left without any if that `mayBeEmpty`.
static Value addIndexMask(GraphState &state, Value scores, double fill,
                          bool mayBeEmpty) {
  Random &random = state.random;
  auto makeScalar = [&](Type element, double value) -> Value {
    auto type = RankedTensorType::get({}, element);
    Attribute number =
        isa<FloatType>(element)
            ? Attribute(state.builder.getFloatAttr(element, value))
            : Attribute(state.builder.getIntegerAttr(
                  element, static_cast<int64_t>(value)));
    return graph::ConstantOp::create(state.builder,
                                     state.builder.getUnknownLoc(),
                                     DenseElementsAttr::get(type, number));
  };
  Type si32 =
      IntegerType::get(state.builder.getContext(), 32, IntegerType::Signed);
  Value least = makeScalar(getElementTypeOrSelf(scores.getType()), fill);
  Value row = makeIndex(state, scores, -2), key = makeIndex(state, scores, -1);
  auto moved = [&](Value index, int64_t by) -> Value {
    return by == 0 ? index
                   : state.create<AddOp>({index, makeScalar(si32, by)},
                                         numpy(state));
  };
  auto keep = [&](Value high, Value low, Value from) -> Value {
    Value condition = state.create<GreaterEqualOp>({high, low}, numpy(state));
    return state.create<SelectOp>({condition, from, least}, numpy(state));
  };
  int64_t keys = cast<RankedTensorType>(scores.getType()).getShape().back();
  int64_t offset = random.percent(50) ? 0 : random.between(0, keys);
  Value masked = keep(moved(row, mayBeEmpty ? -offset : offset), key, scores);
  if (random.percent(30))
    masked = keep(moved(key, random.between(1, keys)), row, masked);
  return masked;
}

/// Numbers of 8 or 4 bits with scales for groups of rows and columns,
/// dequantized to the element type; about as large as the numbers of other
/// arguments.
static Value dequantizeGroups(GraphState &state, Value src, Type element) {
  Random &random = state.random;
  Builder &builder = state.builder;
  auto type = cast<RankedTensorType>(src.getType());
  SmallVector<int64_t> groups(type.getRank(), 1), shape(type.getShape());
  for (int64_t dim = type.getRank() - 2; dim < type.getRank(); ++dim) {
    SmallVector<int64_t> divisors{1, shape[dim]};
    for (int64_t size = 2; size < shape[dim]; ++size)
      if (shape[dim] % size == 0)
        divisors.push_back(size);
    groups[dim] = random.pick(ArrayRef<int64_t>(divisors));
    shape[dim] /= groups[dim];
  }
  SmallVector<Value> operands{
      src,
      state.addArgument(shape, element, ArgumentKind::positive, false).value};
  if (random.percent(40))
    operands.push_back(state
                           .addArgument(shape, type.getElementType(),
                                        ArgumentKind::plain, false)
                           .value);
  NamedAttribute attributes[] = {
      state.attribute("qtype", builder.getStringAttr("per_group")),
      state.attribute("group_shape", builder.getDenseI64ArrayAttr(groups))};
  Value value = DynamicDequantizeOp::create(
      state.builder, builder.getUnknownLoc(),
      TypeRange(RankedTensorType::get(type.getShape(), element)), operands,
      attributes);
  double factor = std::exp2(-double(type.getElementTypeBitWidth()));
  Item scale = state.addConstant({}, element, factor, factor, true);
  return state.create<MultiplyOp>({value, scale.value}, numpy(state));
}

/// With queries, keys, values and a result of this element type; keys and
/// values may be integers of 8 or 4 bits.
static bool addAttention(GraphState &state, Type element,
                         bool isCompressed = false) {
  Random &random = state.random;
  Builder &builder = state.builder;
  int64_t batch = random.between(1, 3), heads = random.between(1, 4);
  int64_t most = std::sqrt(GraphState::kMaxElements / (batch * heads));
  int64_t queries = state.pickSize(most);
  int64_t keys = random.percent(70) ? queries : state.pickSize(most);
  int64_t products = batch * heads * queries * keys;
  int64_t depth = state.pickSize(
      std::clamp<int64_t>(GraphState::kMaxProducts / products, 1, 80));
  if (keys < 2)
    return false;
  // Heads are views of [batch, rows, heads, depth].
  auto makeView = [&](int64_t rows, bool transposed, Type element) {
    SmallVector<int64_t> shape = {batch, heads, rows, depth};
    Item item = state.addArgument(shape, element, ArgumentKind::plain, false);
    SmallVector<int64_t> strides = {rows * heads * depth, depth, heads * depth,
                                    1};
    if (transposed) {
      std::swap(shape[2], shape[3]);
      std::swap(strides[2], strides[3]);
    }
    auto type = RankedTensorType::get(shape, element);
    if (random.percent(70) && heads > 1 && rows > 1)
      type = withLayout(type, LayoutAttr::get(builder.getContext(), strides));
    item.value.setType(type);
    return item.value;
  };
  auto makeFactor = [&](bool transposed) -> Value {
    if (!isCompressed || random.percent(20))
      return makeView(keys, transposed, element);
    Type narrow =
        builder.getIntegerType(random.percent(40) ? 4 : 8, random.percent(50));
    return dequantizeGroups(state, makeView(keys, transposed, narrow), element);
  };
  bool transposed = random.percent(70);
  Value q = makeView(queries, false, element), k = makeFactor(transposed);
  Value v = makeFactor(false);
  NamedAttribute plain[] = {
      state.attribute("transpose_a", builder.getBoolAttr(false)),
      state.attribute("transpose_b", builder.getBoolAttr(!transposed))};
  Value scores = state.create<MatmulOp>({q, k}, plain);
  Item factor = state.addConstant({}, element, 0.125, 1, true);
  scores = state.create<MultiplyOp>({scores, factor.value}, numpy(state));
  bool isEmptyZero = false;
  if (random.percent(60)) {
    int64_t rows = random.percent(50) ? 1 : queries;
    Item mask = state.addArgument({batch, 1, rows, keys}, element,
                                  ArgumentKind::plain, false);
    scores = state.create<AddOp>({scores, mask.value}, numpy(state));
  } else if (random.percent(60) && queries >= keys) {
    isEmptyZero = random.percent(60);
    scores = addIndexMask(state, scores, isEmptyZero ? -HUGE_VAL : -1e4,
                          isEmptyZero);
  }
  NamedAttribute rows[] = {
      state.attribute("axis", builder.getI64IntegerAttr(-1)),
      state.attribute(
          "mode", builder.getStringAttr(isEmptyZero ? "inf_as_zero" : "none"))};
  Value weights = SoftmaxOp::create(state.builder, builder.getUnknownLoc(),
                                    TypeRange{scores.getType()}, scores, rows)
                      .getDst();
  NamedAttribute second[] = {
      plain[0], state.attribute("transpose_b", builder.getBoolAttr(false))};
  Value result = state.create<MatmulOp>({weights, v}, second);
  double highest = isCompressed ? 8 : element.isF32() ? 2 : 2.03;
  Range range = Range::get(-highest, highest, 1);
  if (random.percent(70))
    result = state.create<StaticTransposeOp>(
        result,
        state.attribute("order", builder.getDenseI64ArrayAttr({0, 2, 1, 3})));
  if (random.percent(20))
    state.addItem(weights, Range::get(0, 1, std::min(1.0, 4.0 / keys)));
  state.addItem(result, range);
  return true;
}

bool addAttention(GraphState &state) {
  return addAttention(state, state.builder.getF32Type());
}

bool addNarrowAttention(GraphState &state) {
  return addAttention(state, pickNarrowType(state));
}

bool addCompressedAttention(GraphState &state) {
  Type element = state.builder.getF32Type();
  if (state.random.percent(30))
    element = state.builder.getBF16Type();
  return addAttention(state, element, /*isCompressed=*/true);
}

//===----------------------------------------------------------------------===//
// Quantisation
//===----------------------------------------------------------------------===//

/// Of 8 bits; `largest` is the largest scaled value that is possible.
static Type pickQuantizedType(GraphState &state, double largest) {
  Random &random = state.random;
  Builder &builder = state.builder;
  if (random.percent(15))
    return builder.getType<Float8E5M2Type>();
  // NaN takes the place of what is too large.
  if (largest < 400 && random.percent(15))
    return builder.getType<Float8E4M3FNType>();
  return builder.getIntegerType(8, /*isSigned=*/random.percent(60));
}

static Value makeConstant(GraphState &state, ArrayRef<float> numbers) {
  auto type = RankedTensorType::get(int64_t(numbers.size()),
                                    state.builder.getF32Type());
  return graph::ConstantOp::create(state.builder, state.builder.getUnknownLoc(),
                                   DenseElementsAttr::get(type, numbers));
}

static Value makeConstant(GraphState &state, ArrayRef<int64_t> numbers) {
  auto type = RankedTensorType::get(
      int64_t(numbers.size()),
      state.builder.getIntegerType(32, /*isSigned=*/true));
  SmallVector<APInt> words;
  for (int64_t number : numbers)
    words.push_back(APInt(32, number, /*isSigned=*/true));
  return graph::ConstantOp::create(state.builder, state.builder.getUnknownLoc(),
                                   DenseElementsAttr::get(type, words));
}

bool addQuantize(GraphState &state) {
  Random &random = state.random;
  Builder &builder = state.builder;
  const Item *x = state.pickItem([](const Item &item) {
    return item.isF32() && item.range.magnitude >= 0.01;
  });
  if (!x)
    return false;
  Item src = *x;
  // Most values fit; those of one sign keep away from 0 where zero points do.
  float scale = std::exp2(std::ceil(std::log2(src.range.magnitude))) / 100;
  Type element = pickQuantizedType(state, src.range.getBound() / scale);
  int64_t zp = isa<FloatType>(element)     ? 0
               : element.isSignedInteger() ? random.between(-3, 3)
                                           : 128;
  SmallVector<float> scales = {scale};
  SmallVector<int64_t> zps = {zp};
  SmallVector<NamedAttribute> attributes;
  if (src.getShape().size() >= 1 && random.percent(50)) {
    int64_t dim = random.below(src.getShape().size());
    scales.clear();
    // Ratios that are simple fractions would make many ties where one quantize
    // follows another, all rounded in one direction; bounds of sums take errors
    // of elements to be independent.
    for (int64_t i = 0; i < src.getShape()[dim]; ++i)
      scales.push_back(scale * (1 + 0.127f * float(i % 5)));
    zps.assign(scales.size(), zp);
    attributes.push_back(
        state.attribute("qtype", builder.getStringAttr("per_channel")));
    attributes.push_back(
        state.attribute("axis", builder.getI64IntegerAttr(dim)));
  }
  attributes.push_back(
      state.attribute("scales", builder.getDenseF32ArrayAttr(scales)));
  attributes.push_back(
      state.attribute("zps", builder.getDenseI64ArrayAttr(zps)));
  Location loc = builder.getUnknownLoc();
  auto type = RankedTensorType::get(src.getShape(), element);
  Value quantized;
  if (isa<IntegerType>(element) && random.percent(30)) {
    // The same numbers as operands.
    Value operands[] = {src.value, makeConstant(state, scales),
                        makeConstant(state, zps)};
    quantized =
        DynamicQuantizeOp::create(state.builder, loc, TypeRange(type), operands,
                                  ArrayRef(attributes).drop_back(2));
  } else {
    quantized = QuantizeOp::create(state.builder, loc, type,
                                   ValueRange(src.value), attributes);
  }
  Value value = DequantizeOp::create(
      state.builder, loc,
      RankedTensorType::get(src.getShape(), builder.getF32Type()),
      ValueRange(quantized), attributes);
  double most = 2 * src.range.getBound() + 1;
  state.addItem(value, Range::get(-most, most, src.range.magnitude));
  return true;
}

namespace {
/// How a weight matrix [k, n] is dequantized.
struct WeightScales {
  /// Neighbours along k that share a scale; 0: scales do not vary along k.
  int64_t group = 0;
  bool perColumn = false, hasZeroPoints = false;

  static WeightScales pick(Random &random, int64_t k) {
    WeightScales scales;
    scales.hasZeroPoints = random.percent(40);
    scales.perColumn = random.percent(60);
    if (!random.percent(60))
      return scales;
    // Mostly such as kernels have lanes for.
    SmallVector<int64_t> divisors;
    for (int64_t unit : {8, 4, 1})
      for (int64_t group = unit; divisors.size() < 3 && group <= k;
           group += unit)
        if (k % group == 0)
          divisors.push_back(group);
    scales.group = random.pick(ArrayRef<int64_t>(divisors));
    return scales;
  }
};
} // namespace

bool addNarrowWeights(GraphState &state) {
  Random &random = state.random;
  Builder &builder = state.builder;
  constexpr int64_t kMostSummed = 520;
  const Item *x = state.pickItem([](const Item &item) {
    return item.isF32() && item.getType().getRank() >= 1 &&
           item.range.magnitude <= 100 && item.getShape().back() >= 1 &&
           item.getShape().back() <= kMostSummed;
  });
  if (!x)
    return false;
  Item src = *x;
  int64_t k = src.getShape().back(), n = state.pickSize(130);
  if (getNumElements(src.getShape()) * n > GraphState::kMaxProducts ||
      getNumElements(src.getShape()) / k * n > GraphState::kMaxElements ||
      k * n > GraphState::kMaxElements)
    return false;
  bool transposed = random.percent(40);
  auto order = [&](int64_t first, int64_t second) {
    return transposed ? SmallVector<int64_t>{second, first}
                      : SmallVector<int64_t>{first, second};
  };
  Type element = random.percent(20)
                     ? Type(builder.getBF16Type())
                     : builder.getIntegerType(random.percent(50) ? 4 : 8,
                                              random.percent(50));
  SmallVector<int64_t> shape = order(k, n);
  bool isInteger = isa<IntegerType>(element);
  double largest = isInteger ? std::exp2(element.getIntOrFloatBitWidth()) : 1;
  Item weights = state.addArgument(shape, element, ArgumentKind::plain,
                                   random.percent(85));
  Location loc = builder.getUnknownLoc();
  auto type = RankedTensorType::get(shape, builder.getF32Type());
  Value value;
  if (!isInteger) {
    value = TypeCastOp::create(state.builder, loc, type, weights.value);
  } else {
    WeightScales scales = WeightScales::pick(random, k);
    SmallVector<NamedAttribute> attributes;
    SmallVector<int64_t> parameters{1};
    if (scales.group) {
      parameters = order(k / scales.group, n);
      attributes = {
          state.attribute("qtype", builder.getStringAttr("per_group")),
          state.attribute("group_shape", builder.getDenseI64ArrayAttr(
                                             order(scales.group, 1)))};
    } else if (scales.perColumn) {
      parameters = {n};
      attributes = {
          state.attribute("qtype", builder.getStringAttr("per_channel")),
          state.attribute("axis",
                          builder.getI64IntegerAttr(transposed ? 0 : 1))};
    }
    SmallVector<Value> operands{weights.value};
    bool isConstant = random.percent(85);
    operands.push_back(state
                           .addArgument(parameters, builder.getF32Type(),
                                        ArgumentKind::positive, isConstant)
                           .value);
    if (scales.hasZeroPoints)
      operands.push_back(
          state
              .addArgument(parameters, element, ArgumentKind::plain, isConstant)
              .value);
    value = DynamicDequantizeOp::create(state.builder, loc, TypeRange(type),
                                        operands, attributes);
  }
  NamedAttribute attributes[] = {
      state.attribute("transpose_a", builder.getBoolAttr(false)),
      state.attribute("transpose_b", builder.getBoolAttr(transposed))};
  Value product = state.create<MatmulOp>({src.value, value}, attributes);
  // Back to about the size of src.
  double factor =
      std::exp2(-std::ceil(std::log2(largest * std::sqrt(double(k)))));
  Item scale =
      state.addConstant({}, builder.getF32Type(), factor, factor, true);
  product = state.create<MultiplyOp>({product, scale.value}, numpy(state));
  double bound = 4 * src.range.getBound() * std::sqrt(double(k));
  state.addItem(product, Range::get(-bound, bound, src.range.magnitude));
  return true;
}

} // namespace gc::fuzz
