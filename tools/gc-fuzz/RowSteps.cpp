// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps of a random graph that work on whole rows.

#include "GraphState.h"

#include <cmath>

using namespace mlir;
using namespace gc::graph;

namespace gc::fuzz {

namespace {

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
  return item.isF32() && getNumElements(item.getShape()) > 1 &&
         item.range.magnitude <= 50;
}

/// A tensor and a dimension of it.
std::optional<std::pair<Item, int64_t>> pickRows(GraphState &state) {
  const Item *x = state.pickItem(hasRows);
  if (!x)
    return std::nullopt;
  std::optional<int64_t> axis = pickAxis(state.random, x->getShape());
  if (!axis)
    return std::nullopt;
  return std::pair(*x, *axis);
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
  auto picked = pickRows(state);
  if (!picked)
    return false;
  auto [src, axis] = *picked;
  double count = src.getShape()[axis];
  NamedAttribute attribute = state.attribute(
      "axis",
      builder.getI64IntegerAttr(spell(random, axis, src.getShape().size())));
  if (random.percent(20)) {
    double most = 2 * src.range.getBound() + std::log(count);
    state.addItem(state.create<LogSoftmaxOp>(src.value, attribute),
                  Range::get(-most, 0, src.range.magnitude + std::log(count)));
    return true;
  }
  StringRef mode = random.pick<StringRef>({"none", "none", "inf_as_zero"});
  NamedAttribute attributes[] = {
      attribute, state.attribute("mode", builder.getStringAttr(mode))};
  SmallVector<Type> types = {dropLayout(src.getType())};
  bool keepsStats = random.percent(20);
  if (keepsStats) {
    SmallVector<int64_t> rows(src.getShape());
    rows[axis] = 1;
    types.push_back(RankedTensorType::get(rows, builder.getF32Type()));
  }
  auto softmax = SoftmaxOp::create(state.builder, builder.getUnknownLoc(),
                                   types, src.value, attributes);
  state.addItem(softmax.getDst(), Range::get(0, 1, std::min(1.0, 4 / count)));
  if (keepsStats)
    state.addItem(softmax.getStats(),
                  Range::get(src.range.low, src.range.high + std::log(count),
                             src.range.magnitude + std::log(count)));
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
  auto picked = pickRows(state);
  if (!picked)
    return false;
  auto [src, first] = *picked;
  ArrayRef<int64_t> shape = src.getShape();
  SmallVector<int64_t> axes;
  int64_t count = 1, rank = shape.size();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim == first || random.percent(20)) {
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
  switch (random.below(9)) {
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

} // namespace gc::fuzz
