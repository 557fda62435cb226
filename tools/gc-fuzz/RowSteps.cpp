// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps of a random graph that look at whole rows or choose between values.

#include "GraphState.h"

#include <cmath>

using namespace mlir;
using namespace gc::graph;

namespace gc::fuzz {

namespace {

bool isF32(const Item &item) { return item.getType().getElementType().isF32(); }

/// A dimension with two elements or more, most often the last one.
std::optional<int64_t> pickAxis(Random &random, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> axes;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size > 1)
      axes.push_back(dim);
  if (axes.empty())
    return std::nullopt;
  if (shape.back() > 1 && random.percent(75))
    return shape.size() - 1;
  return random.pick(ArrayRef(axes));
}

/// A dimension as the op may write it.
int64_t spell(Random &random, int64_t dim, int64_t rank) {
  return random.percent(30) ? dim - rank : dim;
}

bool hasRows(const Item &item) {
  return isF32(item) && getNumElements(item.getShape()) > 1 &&
         item.range.magnitude <= 50;
}

Item addParameter(GraphState &state, ArrayRef<int64_t> shape, bool positive) {
  return state.addArgument(shape, state.builder.getF32Type(),
                           positive ? ArgumentKind::positive
                                    : ArgumentKind::plain,
                           state.random.percent(75));
}

/// Elements of normalised rows.
Range getNormRange(int64_t count) {
  double bound = 2 * std::sqrt(double(count)) + 2;
  return Range::get(-bound, bound, 3);
}

} // namespace

//===----------------------------------------------------------------------===//
// Softmax and norms
//===----------------------------------------------------------------------===//

bool addSoftmax(GraphState &state) {
  Random &random = state.random;
  Builder &builder = state.builder;
  const Item *x = state.pickItem(hasRows);
  if (!x)
    return false;
  Item src = *x;
  std::optional<int64_t> axis = pickAxis(random, src.getShape());
  if (!axis)
    return false;
  double count = src.getShape()[*axis];
  NamedAttribute attribute = state.attribute(
      "axis",
      builder.getI64IntegerAttr(spell(random, *axis, src.getShape().size())));
  if (random.percent(20)) {
    double most = 2 * src.range.getBound() + std::log(count);
    state.addItem(state.create<LogSoftmaxOp>(src.value, attribute),
                  Range::get(-most, 0, src.range.magnitude + std::log(count)));
    return true;
  }
  StringRef mode = random.pick<StringRef>({"none", "none", "inf_as_zero"});
  NamedAttribute attributes[] = {
      attribute, state.attribute("mode", builder.getStringAttr(mode))};
  state.addItem(state.create<SoftmaxOp>(src.value, attributes),
                Range::get(0, 1, std::min(1.0, 4 / count)));
  return true;
}

bool addNorm(GraphState &state) {
  Random &random = state.random;
  Builder &builder = state.builder;
  const Item *x = state.pickItem([](const Item &item) {
    return hasRows(item) && item.getShape().back() >= 4;
  });
  if (!x)
    return false;
  Item src = *x;
  ArrayRef<int64_t> shape = src.getShape();
  int64_t rank = shape.size(), channels = shape.back();
  NamedAttribute epsilon = state.f32("epsilon", random.pick({1e-5, 1e-2}));
  auto boolean = [&](StringRef name, bool value) {
    return state.attribute(name, builder.getBoolAttr(value));
  };
  auto integer = [&](StringRef name, int64_t value) {
    return state.attribute(name, builder.getI64IntegerAttr(value));
  };
  int64_t choice = random.below(10);
  if (choice < 5) {
    int64_t begin = random.percent(85) ? rank - 1 : random.below(rank);
    ArrayRef<int64_t> row = shape.drop_front(begin);
    bool affine = random.percent(70);
    SmallVector<Value> operands = {src.value};
    if (affine) {
      operands.push_back(addParameter(state, row, true).value);
      operands.push_back(addParameter(state, row, false).value);
    }
    NamedAttribute attributes[] = {
        epsilon, boolean("keep_stats", false), boolean("use_affine", affine),
        integer("begin_norm_axis", spell(random, begin, rank))};
    state.addItem(state.create<LayerNormOp>(operands, attributes),
                  getNormRange(getNumElements(row)));
    return true;
  }
  if (choice < 8) {
    SmallVector<Value> operands = {src.value};
    if (random.percent(70))
      operands.push_back(addParameter(state, channels, true).value);
    NamedAttribute attributes[] = {
        epsilon, integer("begin_norm_axis", spell(random, rank - 1, rank))};
    state.addItem(state.create<RmsNormOp>(operands, attributes),
                  getNormRange(channels));
    return true;
  }
  if (rank < 2)
    return false;
  NamedAttribute format =
      state.attribute("data_format", builder.getStringAttr("NXC"));
  Value gamma = addParameter(state, channels, true).value;
  Value beta = addParameter(state, channels, false).value;
  if (choice == 8) {
    Value mean = addParameter(state, channels, false).value;
    Value variance = addParameter(state, channels, true).value;
    Range range = multiply(src.range, Range::get(-6, 6));
    state.addItem(
        state.create<BatchNormInferenceOp>(
            {src.value, gamma, beta, mean, variance}, {epsilon, format}),
        add(range, Range::get(-10, 10)));
    return true;
  }
  SmallVector<int64_t> groups;
  for (int64_t count = 1; count <= channels / 2; ++count)
    if (channels % count == 0)
      groups.push_back(count);
  NamedAttribute attributes[] = {
      epsilon, integer("groups", random.pick(ArrayRef(groups))),
      boolean("keep_stats", false), boolean("use_affine", true), format};
  state.addItem(state.create<GroupNormOp>({src.value, gamma, beta}, attributes),
                getNormRange(getNumElements(shape)));
  return true;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

bool addReduction(GraphState &state) {
  Random &random = state.random;
  Builder &builder = state.builder;
  const Item *x = state.pickItem(hasRows);
  if (!x)
    return false;
  Item src = *x;
  ArrayRef<int64_t> shape = src.getShape();
  std::optional<int64_t> first = pickAxis(random, shape);
  if (!first)
    return false;
  SmallVector<int64_t> axes;
  int64_t count = 1, rank = shape.size();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim == *first || random.percent(20)) {
      axes.push_back(spell(random, dim, rank));
      count *= shape[dim];
    }
  random.shuffle(axes);
  NamedAttribute attributes[] = {
      state.attribute("axes", builder.getDenseI64ArrayAttr(axes)),
      state.attribute("keep_dims", builder.getBoolAttr(random.percent(65)))};
  Range one = Range::get(1, 1);
  Range absolute = apply(src.range, [](double x) { return std::fabs(x); }, {0});
  Range sum = contract(src.range, one, count);
  if (sum.magnitude > GraphState::kMaxMagnitude)
    return false;
  switch (random.below(8)) {
  case 0:
  case 1:
    state.addItem(state.create<ReduceMaxOp>(src.value, attributes), src.range);
    return true;
  case 2:
    state.addItem(state.create<ReduceMinOp>(src.value, attributes), src.range);
    return true;
  case 3:
  case 4:
    state.addItem(state.create<ReduceSumOp>(src.value, attributes), sum);
    return true;
  case 5:
    state.addItem(state.create<ReduceMeanOp>(src.value, attributes), src.range);
    return true;
  case 6: {
    Range range = contract(absolute, one, count);
    if (range.magnitude > GraphState::kMaxMagnitude)
      return false;
    state.addItem(state.create<ReduceL1Op>(src.value, attributes), range);
    return true;
  }
  default:
    break;
  }
  if (count <= 8 && src.range.getBound() <= 4 && src.range.magnitude >= 0.5) {
    double bound = std::pow(src.range.getBound(), count);
    state.addItem(state.create<ReduceProdOp>(src.value, attributes),
                  Range::get(-bound, bound, std::min(bound, 10.0)));
    return true;
  }
  double bound = src.range.getBound() * std::sqrt(double(count));
  state.addItem(
      state.create<ReduceL2Op>(src.value, attributes),
      Range::get(0, bound, src.range.magnitude * std::sqrt(double(count))));
  return true;
}

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
  const Item *x = state.pickItem([](const Item &item) { return isF32(item); });
  if (!x)
    return false;
  Item a = *x;
  Value condition = makeCondition(state, a);
  std::optional<Item> b;
  if (random.percent(60)) {
    const Item *other = state.pickItem([&](const Item &item) {
      auto shape = broadcastShapes(a.getShape(), item.getShape());
      return isF32(item) && item.value != a.value && shape &&
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

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

bool addAttention(GraphState &state) {
  Random &random = state.random;
  Builder &builder = state.builder;
  Type element = builder.getF32Type();
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
  auto makeView = [&](int64_t rows, bool transposed) {
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
    return item;
  };
  bool transposed = random.percent(70);
  Item q = makeView(queries, false), k = makeView(keys, transposed);
  Item v = makeView(keys, false);
  NamedAttribute plain[] = {
      state.attribute("transpose_a", builder.getBoolAttr(false)),
      state.attribute("transpose_b", builder.getBoolAttr(!transposed))};
  Value scores = state.create<MatmulOp>({q.value, k.value}, plain);
  Item factor = state.addConstant({}, element, 0.125, 1, true);
  scores = state.create<MultiplyOp>({scores, factor.value}, numpy(state));
  if (random.percent(60)) {
    int64_t rows = random.percent(50) ? 1 : queries;
    Item mask = state.addArgument({batch, 1, rows, keys}, element,
                                  ArgumentKind::plain, false);
    scores = state.create<AddOp>({scores, mask.value}, numpy(state));
  } else if (random.percent(50) && queries >= keys) {
    Item least = state.addConstant({}, element, -1e4, -1e4, true);
    Value condition = state.create<GreaterEqualOp>(
        {makeIndex(state, scores, -2), makeIndex(state, scores, -1)},
        numpy(state));
    scores =
        state.create<SelectOp>({condition, scores, least.value}, numpy(state));
  }
  NamedAttribute rows[] = {
      state.attribute("axis", builder.getI64IntegerAttr(-1)),
      state.attribute("mode", builder.getStringAttr("none"))};
  Value weights = state.create<SoftmaxOp>(scores, rows);
  NamedAttribute second[] = {
      plain[0], state.attribute("transpose_b", builder.getBoolAttr(false))};
  Value result = state.create<MatmulOp>({weights, v.value}, second);
  Range range = Range::get(-2, 2, 1);
  if (random.percent(70))
    result = state.create<StaticTransposeOp>(
        result,
        state.attribute("order", builder.getDenseI64ArrayAttr({0, 2, 1, 3})));
  if (random.percent(20))
    state.addItem(weights, Range::get(0, 1, std::min(1.0, 4.0 / keys)));
  state.addItem(result, range);
  return true;
}

//===----------------------------------------------------------------------===//
// Quantisation
//===----------------------------------------------------------------------===//

bool addQuantize(GraphState &state) {
  Random &random = state.random;
  Builder &builder = state.builder;
  const Item *x = state.pickItem([](const Item &item) {
    return isF32(item) && item.range.magnitude >= 0.01;
  });
  if (!x)
    return false;
  Item src = *x;
  bool isSigned = random.percent(60);
  // Most values fit; those of one sign keep away from 0 where zero points do.
  float scale = std::exp2(std::ceil(std::log2(src.range.magnitude))) / 100;
  int64_t zp = isSigned ? random.between(-3, 3) : 128;
  SmallVector<float> scales = {scale};
  SmallVector<int64_t> zps = {zp};
  SmallVector<NamedAttribute> attributes;
  if (src.getShape().size() >= 1 && random.percent(50)) {
    int64_t dim = random.below(src.getShape().size());
    scales.clear();
    for (int64_t i = 0; i < src.getShape()[dim]; ++i)
      scales.push_back(scale * (1 + 0.125f * float(i % 5)));
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
  auto type = RankedTensorType::get(
      src.getShape(),
      IntegerType::get(builder.getContext(), 8,
                       isSigned ? IntegerType::Signed : IntegerType::Unsigned));
  Value quantized = QuantizeOp::create(state.builder, loc, type,
                                       ValueRange(src.value), attributes);
  Value value = DequantizeOp::create(
      state.builder, loc,
      RankedTensorType::get(src.getShape(), builder.getF32Type()),
      ValueRange(quantized), attributes);
  double most = 2 * src.range.getBound() + 1;
  state.addItem(value, Range::get(-most, most, src.range.magnitude));
  return true;
}

} // namespace gc::fuzz
