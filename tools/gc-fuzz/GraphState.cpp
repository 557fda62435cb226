// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GraphState.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace gc::fuzz {

int64_t getNumElements(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

GraphState::GraphState(func::FuncOp func, Random &random)
    : func(func), random(random),
      builder(OpBuilder::atBlockEnd(&func.getBody().front())) {}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const Item *GraphState::pickItem(function_ref<bool(const Item &)> allowed) {
  SmallVector<const Item *> candidates;
  for (const Item &item : items)
    if (allowed(item))
      candidates.push_back(&item);
  if (candidates.empty())
    return nullptr;
  size_t young = std::min<size_t>(3, candidates.size());
  if (random.percent(70))
    return random.pick(ArrayRef(candidates).take_back(young));
  return random.pick(ArrayRef(candidates));
}

Item GraphState::addItem(Value value, const Range &range, int64_t root) {
  items.push_back({value, range, root});
  return items.back();
}

Item GraphState::addArgument(ArrayRef<int64_t> shape, Type element,
                             ArgumentKind kind, bool isConstant) {
  unsigned index = func.getNumArguments();
  auto type = RankedTensorType::get(shape, element);
  if (!shape.empty() && random.percent(15))
    type = graph::withLayout(type, pickStrided(shape, /*mayOverlap=*/true));
  NamedAttrList attributes;
  if (isConstant)
    attributes.set(graph::GraphDialect::kConstArgAttr, builder.getUnitAttr());
  (void)func.insertArgument(index, type,
                            attributes.getDictionary(builder.getContext()),
                            builder.getUnknownLoc());
  kinds.push_back(kind);
  // The reference's tool draws plain values from (-1, 1), up to twice that
  // where they are biases or positive.
  Range range = element.isInteger(1)             ? Range::get(0, 1)
                : isa<IntegerType>(element)      ? Range::get(-1000, 1000)
                : kind == ArgumentKind::plain    ? Range::get(-2, 2, 1)
                : kind == ArgumentKind::positive ? Range::get(0.125, 2)
                                                 : Range::get(1, 16);
  return addItem(func.getArgument(index), range, index);
}

Item GraphState::addWeights(ArrayRef<int64_t> shape, Type element,
                            int64_t reduced) {
  if (random.percent(12) && getNumElements(shape) <= 512) {
    double bound = std::sqrt(3.0 / reduced);
    return addConstant(shape, element, -bound, bound, false);
  }
  addArgument(shape, element, ArgumentKind::plain, random.percent(75));
  items.back().range.magnitude = std::sqrt(3.0 / reduced);
  return items.back();
}

Item GraphState::addConstant(ArrayRef<int64_t> shape, Type element, double low,
                             double high, bool splat) {
  auto type = RankedTensorType::get(shape, element);
  // In steps that every float type holds.
  auto draw = [&] {
    double value = low + (high - low) * random.below(65) / 64;
    return isa<FloatType>(element) ? value : std::round(value);
  };
  SmallVector<Attribute> values;
  int64_t count = splat ? 1 : getNumElements(shape);
  for (int64_t i = 0; i < count; ++i) {
    double value = draw();
    if (isa<FloatType>(element))
      values.push_back(builder.getFloatAttr(element, value));
    else
      values.push_back(
          builder.getIntegerAttr(element, static_cast<int64_t>(value)));
  }
  auto data = DenseElementsAttr::get(type, values);
  Value value =
      graph::ConstantOp::create(builder, builder.getUnknownLoc(), data);
  return addItem(value, Range::get(low, high));
}

bool GraphState::mayDivide(const Item &item) const {
  return item.isFloat() && item.range.isAtLeast(0.2) &&
         (item.root < 0 || kinds[item.root] == ArgumentKind::divisor);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

int64_t GraphState::pickSize(int64_t limit) {
  // 1 broadcasts and drops loops; primes divide into nothing; the neighbours of
  // multiples of the vector width and of block sizes leave tails of 1 and of
  // all but 1; the large ones take several blocks.
  static constexpr int64_t sets[][9] = {
      {1, 1, 1, 2, 3, 4, 5, 7, 8},
      {6, 9, 11, 13, 15, 16, 17, 19, 23},
      {24, 31, 31, 32, 33, 33, 37, 47, 48},
      {63, 64, 65, 96, 97, 127, 128, 129, 131},
      {191, 255, 256, 257, 384, 509, 511, 513, 1031}};
  for (int attempt = 0; attempt < 8; ++attempt) {
    const auto &set = sets[random.below(std::size(sets))];
    int64_t size = random.pick(ArrayRef<int64_t>(set));
    if (size <= limit)
      return size;
  }
  return 1;
}

SmallVector<int64_t> GraphState::pickShape(int64_t rank) {
  // One dimension alone is cut among threads where it is long enough.
  if (rank == 1 && random.percent(10))
    return {random.pick<int64_t>({2048, 4095, 4096, 4097, 6007, 16411})};
  SmallVector<int64_t> shape;
  // Not all of the room goes to the first dimension.
  int64_t room = 1 << random.between(8, 15);
  for (int64_t i = 0; i < rank; ++i) {
    shape.push_back(pickSize(room));
    room /= shape.back();
  }
  random.shuffle(shape);
  return shape;
}

SmallVector<int64_t> GraphState::pickBroadcastSource(ArrayRef<int64_t> shape) {
  int64_t dropped = random.percent(40) ? random.between(0, shape.size()) : 0;
  SmallVector<int64_t> source(shape.drop_front(dropped));
  for (int64_t &size : source)
    if (random.percent(30))
      size = 1;
  return source;
}

graph::LayoutAttr GraphState::pickStrided(ArrayRef<int64_t> shape,
                                          bool mayOverlap) {
  if (shape.empty())
    return {};
  SmallVector<int64_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (random.percent(40))
    random.shuffle(order);
  // Innermost first: sometimes a gap between elements or between rows.
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = random.percent(20) ? random.pick<int64_t>({2, 3}) : 1;
  for (int64_t dim : llvm::reverse(order)) {
    strides[dim] = stride;
    stride *= shape[dim];
    if (random.percent(40))
      stride += random.pick<int64_t>({1, 3, 5, 16});
  }
  if (stride > 4 * kMaxElements)
    return {};
  if (mayOverlap && random.percent(15))
    strides[random.below(strides.size())] = 0;
  // The stride of a dimension of size 1 is irrelevant.
  bool isPlain = true;
  for (auto [size, stride, plain] :
       llvm::zip_equal(shape, strides, graph::getPlainStrides(shape)))
    isPlain &= size == 1 || stride == plain;
  if (isPlain)
    return {};
  return graph::LayoutAttr::get(builder.getContext(), strides);
}

graph::LayoutAttr GraphState::pickBlocked(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return {};
  SmallVector<int64_t> outer(shape.size()), dims, blocks;
  std::iota(outer.begin(), outer.end(), 0);
  if (random.percent(30))
    random.shuffle(outer);
  int64_t padded = getNumElements(shape);
  for (int64_t i = random.between(1, 3); i > 0; --i) {
    dims.push_back(random.below(shape.size()));
    blocks.push_back(random.pick<int64_t>({2, 3, 4, 8, 16, 32}));
    padded *= blocks.back();
  }
  if (padded > 16 * kMaxElements)
    return {};
  return graph::LayoutAttr::get(builder.getContext(), outer, dims, blocks);
}

} // namespace gc::fuzz
