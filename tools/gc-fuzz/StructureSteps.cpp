// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps of a random graph that contract, move or convert elements.

#include "GraphState.h"

#include <numeric>

using namespace mlir;
using namespace gc::graph;

namespace gc::fuzz {

namespace {

/// Sizes of a matmul's operand as the op sees them: leading ones, rows,
/// columns.
struct MatrixShape {
  SmallVector<int64_t> batch;
  int64_t rows = 1, columns = 1;
};

MatrixShape getMatrix(ArrayRef<int64_t> shape, bool transposed, bool isLeft) {
  MatrixShape matrix;
  if (shape.size() == 1) {
    (isLeft ? matrix.columns : matrix.rows) = shape[0];
    return matrix;
  }
  matrix.batch.assign(shape.begin(), shape.end() - 2);
  matrix.rows = shape[shape.size() - 2];
  matrix.columns = shape.back();
  if (transposed)
    std::swap(matrix.rows, matrix.columns);
  return matrix;
}

/// Whether the product is of a size that is checked quickly.
bool isFeasible(const MatrixShape &a, const MatrixShape &b) {
  auto batch = broadcastShapes(a.batch, b.batch);
  if (a.columns != b.rows || !batch || batch->size() > 3)
    return false;
  int64_t outputs = getNumElements(*batch) * a.rows * b.columns;
  return outputs <= GraphState::kMaxElements &&
         outputs * a.columns <= GraphState::kMaxProducts;
}

/// A shape for the operand that does not exist yet.
SmallVector<int64_t> pickOther(GraphState &state, const MatrixShape &known,
                               bool knownIsLeft, bool transposed) {
  Random &random = state.random;
  int64_t reduced = knownIsLeft ? known.columns : known.rows;
  int64_t kept = knownIsLeft ? known.rows : known.columns;
  if (random.percent(8))
    return {reduced};
  int64_t batch = getNumElements(known.batch);
  int64_t limit = std::min(GraphState::kMaxElements / (batch * kept),
                           GraphState::kMaxProducts / (batch * kept * reduced));
  int64_t size = state.pickSize(std::max<int64_t>(limit, 1));
  SmallVector<int64_t> shape;
  if (random.percent(25)) {
    // Leading dimensions: the same ones, some of them 1, or one more.
    shape = state.pickBroadcastSource(known.batch);
    if (shape.size() < 3 && random.percent(20))
      shape.insert(shape.begin(), state.pickSize(4));
    for (int64_t &entry : shape)
      if (entry == 1 && random.percent(20))
        entry = 2;
  }
  if (transposed == knownIsLeft)
    shape.append({size, reduced});
  else
    shape.append({reduced, size});
  return shape;
}

/// Something that broadcasts to the result, most often one row.
std::optional<Item> pickBias(GraphState &state, ArrayRef<int64_t> result,
                             Type element) {
  Random &random = state.random;
  if (result.empty() || random.percent(65))
    return std::nullopt;
  SmallVector<int64_t> shape = {result.back()};
  if (random.percent(25))
    shape = state.pickBroadcastSource(result);
  return state.addArgument(shape, element, ArgumentKind::plain,
                           random.percent(75));
}

/// A matmul of two tensors with these floating-point elements.
bool addProduct(GraphState &state, Type element) {
  Random &random = state.random;
  auto suits = [&](const Item &item) {
    return item.getType().getElementType() == element &&
           item.getType().getRank() >= 1 && item.range.magnitude <= 100;
  };
  const Item *x = state.pickItem([&](const Item &item) {
    return suits(item) && item.getShape().back() <= 2048;
  });
  Item known = x ? *x
                 : state.addArgument(state.pickShape(2), element,
                                     ArgumentKind::plain, false);
  bool knownIsLeft = random.percent(80);
  bool transposeA = random.percent(25), transposeB = random.percent(35);
  bool transposeKnown = knownIsLeft ? transposeA : transposeB;
  MatrixShape matrix = getMatrix(known.getShape(), transposeKnown, knownIsLeft);
  auto fits = [&](ArrayRef<int64_t> shape) {
    MatrixShape other =
        getMatrix(shape, knownIsLeft ? transposeB : transposeA, !knownIsLeft);
    return knownIsLeft ? isFeasible(matrix, other) : isFeasible(other, matrix);
  };

  std::optional<Item> other;
  if (random.percent(20)) {
    const Item *found = state.pickItem(
        [&](const Item &item) { return suits(item) && fits(item.getShape()); });
    if (found)
      other = *found;
  }
  if (!other) {
    SmallVector<int64_t> shape = pickOther(
        state, matrix, knownIsLeft, knownIsLeft ? transposeB : transposeA);
    if (!fits(shape))
      return false;
    if (knownIsLeft)
      other = state.addWeights(shape, element, matrix.columns);
    else
      other = state.addArgument(shape, element, ArgumentKind::plain,
                                random.percent(20));
  }
  Item &a = knownIsLeft ? known : *other, &b = knownIsLeft ? *other : known;
  Range range =
      contract(a.range, b.range, knownIsLeft ? matrix.columns : matrix.rows);
  if (range.magnitude > GraphState::kMaxMagnitude)
    return false;

  Builder &builder = state.builder;
  NamedAttribute attributes[] = {
      state.attribute("transpose_a", builder.getBoolAttr(transposeA)),
      state.attribute("transpose_b", builder.getBoolAttr(transposeB))};
  SmallVector<Value> operands = {a.value, b.value};
  // The result's shape follows from an op without bias.
  Value product = state.create<MatmulOp>(operands, attributes);
  auto result = cast<RankedTensorType>(product.getType());
  Type biasType = random.percent(50) ? element : builder.getF32Type();
  if (std::optional<Item> bias = pickBias(state, result.getShape(), biasType)) {
    product.getDefiningOp()->erase();
    operands.push_back(bias->value);
    product = state.create<MatmulOp>(operands, attributes);
    range = add(range, bias->range);
  }
  if (random.percent(40))
    product.setType(result.clone(builder.getF32Type()));
  bool isNarrow = !getElementTypeOrSelf(product).isF32();
  state.addItem(product, isNarrow ? getRounded(range) : range);
  return true;
}

} // namespace

bool addMatmul(GraphState &state) {
  return addProduct(state, state.builder.getF32Type());
}

Type pickNarrowType(GraphState &state) {
  if (state.random.percent(65))
    return state.builder.getBF16Type();
  return state.builder.getF16Type();
}

bool addNarrowMatmul(GraphState &state) {
  return addProduct(state, pickNarrowType(state));
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

/// Another shape with as many elements.
static SmallVector<int64_t> pickFactors(Random &random, int64_t count) {
  SmallVector<int64_t> factors;
  for (int64_t prime = 2; prime * prime <= count; ++prime)
    for (; count % prime == 0; count /= prime)
      factors.push_back(prime);
  if (count > 1)
    factors.push_back(count);
  SmallVector<int64_t> shape(random.between(factors.empty() ? 0 : 1, 5), 1);
  for (int64_t factor : factors)
    shape[random.below(shape.size())] *= factor;
  return shape;
}

bool addReshape(GraphState &state) {
  Random &random = state.random;
  const Item *x = state.pickItem([](const Item &) { return true; });
  if (!x)
    return false;
  Item src = *x;
  SmallVector<int64_t> shape =
      pickFactors(random, getNumElements(src.getShape()));
  SmallVector<int64_t> spelled(shape);
  bool copies = false;
  if (random.percent(30))
    for (auto [i, size] : llvm::enumerate(spelled))
      if (i < src.getShape().size() && size == src.getShape()[i]) {
        size = 0;
        copies = true;
      }
  if (!shape.empty() && random.percent(30))
    spelled[random.below(spelled.size())] = -1;
  NamedAttribute attributes[] = {
      state.attribute("shape", state.builder.getDenseI64ArrayAttr(spelled)),
      state.attribute("special_zero", state.builder.getBoolAttr(copies))};
  state.addItem(state.create<StaticReshapeOp>(src.value, attributes), src.range,
                src.root);
  return true;
}

bool addTranspose(GraphState &state) {
  Random &random = state.random;
  const Item *x = state.pickItem([&](const Item &item) {
    return item.getType().getRank() >= (random.percent(95) ? 2 : 0);
  });
  if (!x)
    return false;
  Item src = *x;
  SmallVector<int64_t> order(src.getShape().size());
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  for (int64_t &dim : order)
    if (random.percent(15))
      dim -= order.size();
  Value value = state.create<StaticTransposeOp>(
      src.value,
      state.attribute("order", state.builder.getDenseI64ArrayAttr(order)));
  state.addItem(value, src.range, src.root);
  return true;
}

bool addReorder(GraphState &state) {
  Random &random = state.random;
  const Item *x = state.pickItem([](const Item &) { return true; });
  if (!x)
    return false;
  Item src = *x;
  LayoutAttr layout;
  int64_t choice = random.below(10);
  if (choice < 4)
    layout = state.pickBlocked(src.getShape());
  else if (choice < 7)
    layout = state.pickStrided(src.getShape(), /*mayOverlap=*/false);
  Value value = ReorderOp::create(state.builder, state.builder.getUnknownLoc(),
                                  withLayout(src.getType(), layout), src.value);
  state.addItem(value, src.range, src.root);
  return true;
}

bool addConcat(GraphState &state) {
  Random &random = state.random;
  const Item *x = state.pickItem(
      [](const Item &item) { return item.getType().getRank() >= 1; });
  if (!x)
    return false;
  Item first = *x;
  Type element = first.getType().getElementType();
  int64_t rank = first.getType().getRank(), axis = random.below(rank);
  SmallVector<int64_t> shape(first.getShape());
  auto withAxis = [&](int64_t size) {
    SmallVector<int64_t> other(shape);
    other[axis] = size;
    return other;
  };
  SmallVector<Value> operands{first.value};
  Range range = first.range;
  int64_t sum = shape[axis];
  for (int64_t i = random.between(0, 3); i > 0; --i) {
    const Item *found = state.pickItem([&](const Item &item) {
      return item.getType().getElementType() == element &&
             item.getType().getRank() == rank &&
             item.getShape() == ArrayRef(withAxis(item.getShape()[axis]));
    });
    Item other = first;
    if (found && random.percent(70))
      other = *found;
    else if (isa<FloatType>(element))
      other = state.addArgument(withAxis(state.pickSize(40)), element,
                                ArgumentKind::plain, random.percent(25));
    sum += other.getShape()[axis];
    operands.push_back(other.value);
    range = Range::get(std::min(range.low, other.range.low),
                       std::max(range.high, other.range.high),
                       std::max(range.magnitude, other.range.magnitude));
  }
  if (getNumElements(withAxis(sum)) > GraphState::kMaxElements)
    return false;
  random.shuffle(operands);
  NamedAttribute attribute = state.attribute(
      "axis",
      state.builder.getI64IntegerAttr(random.percent(30) ? axis - rank : axis));
  state.addItem(state.create<ConcatOp>(operands, attribute), range);
  return true;
}

bool addCast(GraphState &state) {
  Random &random = state.random;
  Builder &builder = state.builder;
  const Item *x =
      state.pickItem([](const Item &item) { return item.isFloat(); });
  if (!x)
    return false;
  Item src = *x;
  Type element = builder.getF32Type();
  if (src.isF32())
    element = random.percent(75) ? Type(builder.getBF16Type())
                                 : Type(builder.getF16Type());
  auto type = RankedTensorType::get(src.getShape(), element);
  Value value = TypeCastOp::create(state.builder, builder.getUnknownLoc(), type,
                                   src.value);
  state.addItem(value, getRounded(src.range), src.root);
  return true;
}

} // namespace gc::fuzz
