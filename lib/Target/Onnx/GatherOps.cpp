// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that take or give indices. Where indices are known, what they choose is
// slices; where not, rows are gathered, and in other directions every element
// is compared with the indices.

#include "Compose.h"
#include "Ops.h"
#include "Tensors.h"

#include <numeric>

using namespace mlir;
using namespace gc::onnxio;

/// 0, 1, 2, ... along an axis of `rank` dimensions.
static Value makeIota(NodeBuilder &node, int64_t count, int64_t axis,
                      int64_t rank) {
  SmallVector<int64_t> shape(rank, 1);
  shape[axis] = count;
  if (failed(node.reserve(shape, node.getS32(), 2 * sizeof(int32_t))))
    return nullptr;
  std::vector<int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  auto type = RankedTensorType::get(shape, node.getS32());
  FailureOr<Value> value =
      node.makeConstant(DenseElementsAttr::get(type, ArrayRef(numbers)));
  return failed(value) ? nullptr : *value;
}

/// data[i, index[i, k, j], j] for indices of known or unknown values that are
/// in range, where all but the second dimension broadcast.
static Value gatherAny(NodeBuilder &node, Value data, Value index,
                       int64_t axis) {
  if (!data || !index)
    return nullptr;
  Type element = getElement(data);
  if (element.isInteger(32)) {
    (void)node.fail(
        "data of int32 or int64 is supported with few indices that are "
        "known at import only");
    return nullptr;
  }
  SmallVector<int64_t> from(getTensorType(data).getShape());
  SmallVector<int64_t> to(getTensorType(index).getShape());
  int64_t size = from[axis];
  from.insert(from.begin() + axis + 1, 1);
  to.insert(to.begin() + axis, 1);
  Value iota = makeIota(node, size, axis, from.size());
  Value isChosen = equal(node, reshape(node, index, to), iota);
  Type wide = isa<FloatType>(element) ? element : node.getF32();
  Value chosen =
      select(node, isChosen, reshape(node, castTo(node, data, wide), from),
             node.createScalar(0, wide));
  Value sum = reduce(node, "graph.reduce_sum", chosen, axis,
                     /*keepDims=*/false);
  return sum ? castTo(node, sum, element) : nullptr;
}

/// The rows of a table [rows, columns] that indices choose, counted from the
/// end if negative: dimensions as the indices have them, then the columns.
static Value gatherAnyRows(NodeBuilder &node, Value table, Value index) {
  if (!table || !index)
    return nullptr;
  index = typeCast(node, index, node.getS32());
  if (index && getTensorType(index).getRank() == 0)
    index = reshape(node, index, {1});
  return node.make("graph.gather", {table, index});
}

/// Indices of unknown values, negative ones counted from the end.
static Value countFromEnd(NodeBuilder &node, Value index, int64_t size) {
  index = index ? typeCast(node, index, node.getS32()) : nullptr;
  Value zero = makeScalar(node, 0, index), end = makeScalar(node, size, index);
  return select(node, greaterEqual(node, index, zero), index,
                add(node, index, end));
}

Value gc::onnxio::gatherKnown(NodeBuilder &node, Value data,
                              ArrayRef<int64_t> indices) {
  constexpr size_t kMostSlices = 256;
  if (!data)
    return nullptr;
  SmallVector<Value> parts;
  // The first and the last dimension may vary.
  SmallVector<int64_t> shape(getTensorType(data).getShape());
  for (size_t i = 0; i < indices.size() && parts.size() < kMostSlices;) {
    size_t count = 1;
    int64_t step = i + 1 < indices.size() ? indices[i + 1] - indices[i] : 1;
    while (i + count < indices.size() &&
           indices[i + count] - indices[i + count - 1] == step)
      ++count;
    // Two elements with a step of their own may belong to neighbours.
    if (count == 2 && step != 1 && step != 0)
      count = 1;
    Slide by(shape);
    by.dims[1] = {int64_t(count), count == 1 ? 1 : step, indices[i]};
    parts.push_back(slide(node, data, by));
    i += count;
  }
  if (ShapedType::isDynamicShape(shape) &&
      (parts.empty() || parts.size() == kMostSlices)) {
    (void)node.fail(
        "too many indices, or none, for data of a size that varies");
    return nullptr;
  }
  if (parts.size() == kMostSlices) {
    Known index{
        RankedTensorType::get({1, int64_t(indices.size()), 1}, node.getS32()),
        {}};
    for (int64_t i : indices)
      index.values.push_back(Number::of(i));
    return gatherAny(node, data, makeTensor(node, index), 1);
  }
  if (parts.empty()) {
    shape[1] = 0;
    return makeTensor(node, {getTensorType(data).clone(shape), {}});
  }
  return concat(node, parts, 1);
}

FailureOr<SmallVector<int64_t>>
gc::onnxio::getIndices(NodeBuilder &node, const Known &known, int64_t size) {
  SmallVector<int64_t> indices;
  for (Number number : known.values) {
    if (number.i < -size || number.i >= size)
      return node.fail("index " + Twine(number.i) + " is not one of " +
                       Twine(size));
    indices.push_back(number.i + (number.i < 0 ? size : 0));
  }
  return indices;
}

Value gc::onnxio::gatherRows(NodeBuilder &node, Value table, unsigned operand) {
  FailureOr<RankedTensorType> index = node.getType(operand);
  if (!table || failed(index))
    return nullptr;
  RankedTensorType type = getTensorType(table);
  if (type.getRank() != 2) {
    (void)node.fail("the table does not have two dimensions");
    return nullptr;
  }
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  table = reshape(node, table, {1, rows, columns});
  Value taken;
  if (auto known = node.getKnown(operand)) {
    auto places = getIndices(node, *known, rows);
    if (failed(places))
      return nullptr;
    taken = gatherKnown(node, table, *places);
  } else {
    taken = gatherAnyRows(node, reshape(node, table, {rows, columns}),
                          getValue(node, operand));
  }
  return reshapeTo(node, taken,
                   Sizes{getProduct(*node.getShape(operand)), columns});
}

static LogicalResult importGather(NodeBuilder &node) {
  int64_t counted = node.getIntAttr("axis", 0);
  FailureOr<RankedTensorType> data = node.getType(0), index = node.getType(1);
  FailureOr<Sizes> dataShape = node.getShape(0), indexShape = node.getShape(1);
  if (failed(data) || failed(index) || failed(dataShape) ||
      failed(indexShape) || failed(node.checkElements(1)))
    return failure();
  FailureOr<int64_t> axis = node.getAxis(counted, data->getRank());
  if (failed(axis))
    return failure();
  int64_t size = data->getDimSize(*axis);
  if (ShapedType::isDynamic(size))
    return node.fail("gathers along dimension " + Twine(*axis) +
                     ", whose size '" + (*dataShape)[*axis].str() + "' varies");
  ArrayRef<SizeExpr> sizes = *dataShape;
  Sizes open(sizes.take_front(*axis));
  llvm::append_range(open, *indexShape);
  llvm::append_range(open, sizes.drop_front(*axis + 1));
  SmallVector<int64_t> shape = getNumbers(open);
  if (shape.size() > kMaxRank || countElements(dropVarying(shape)) >> 60)
    return node.fail("the result is too large");
  auto known = node.getKnown(0), indices = node.getKnown(1);
  SmallVector<int64_t> places;
  if (indices) {
    auto checked = getIndices(node, *indices, size);
    if (failed(checked))
      return failure();
    places = *checked;
  }
  SizeExpr front = getProduct(sizes.take_front(*axis));
  SizeExpr back = getProduct(sizes.drop_front(*axis + 1));
  Sizes flat{front, SizeExpr(size), back};
  if (known && indices && countElements(shape) <= kMaxFolded) {
    SmallVector<int64_t> numbers = getNumbers(flat);
    known->type = known->type.clone(numbers);
    Known result =
        rearrange(*known, {numbers[0], int64_t(places.size()), numbers[2]},
                  [&](auto i, auto source) {
                    source[0] = i[0];
                    source[1] = places[i[1]];
                    source[2] = i[2];
                    return true;
                  });
    result.type = result.type.clone(shape);
    return node.setKnown(result);
  }
  Value x = reshapeTo(node, getValue(node, 0), flat);
  if (indices)
    return node.setResult(reshapeTo(node, gatherKnown(node, x, places), open));
  if (llvm::is_contained(shape, 0)) {
    if (ShapedType::isDynamicShape(shape))
      return node.fail("the result is empty, and has sizes that vary");
    return node.setResult(makeTensor(node, {data->clone(shape), {}}));
  }
  // The dimension of the indices goes to the front and back.
  auto exchange = [&](Value value, ArrayRef<SizeExpr> shape) {
    return front == 1
               ? value
               : transpose(node, reshapeTo(node, value, shape), {1, 0, 2});
  };
  x = reshapeTo(node, exchange(x, flat), Sizes{SizeExpr(size), front * back});
  Value rows = gatherAnyRows(node, x, getValue(node, 1));
  return node.setResult(reshapeTo(
      node, exchange(rows, Sizes{getProduct(*indexShape), front, back}), open));
}

static LogicalResult importGatherElements(NodeBuilder &node) {
  int64_t counted = node.getIntAttr("axis", 0);
  FailureOr<RankedTensorType> data = node.getType(0), index = node.getType(1);
  if (failed(data) || failed(index))
    return failure();
  FailureOr<int64_t> axis = node.getAxis(counted, data->getRank());
  if (failed(axis))
    return failure();
  Slide by(data->getShape());
  if (index->getRank() != data->getRank())
    return node.fail("data and indices differ in dimensions");
  for (auto [i, dim] : llvm::enumerate(by.dims)) {
    if (int64_t(i) == *axis)
      continue;
    if (index->getDimSize(i) > dim.size)
      return node.fail("there are more indices than elements in dimension " +
                       Twine(i));
    dim.size = index->getDimSize(i);
  }
  int64_t size = data->getDimSize(*axis);
  auto known = node.getKnown(0), indices = node.getKnown(1);
  if (indices) {
    auto places = getIndices(node, *indices, size);
    if (failed(places))
      return failure();
    if (known) {
      int64_t at = 0;
      return node.setKnown(
          rearrange(*known, index->getShape(), [&](auto i, auto source) {
            llvm::copy(i, source.begin());
            source[*axis] = (*places)[at++];
            return true;
          }));
    }
  }
  Value x = slide(node, getValue(node, 0), by);
  Value chosen = countFromEnd(node, getValue(node, 1), size);
  return node.setResult(gatherAny(node, x, chosen, *axis));
}

/// With indices that are known, which then are those of rows.
static LogicalResult importGatherND(NodeBuilder &node) {
  int64_t batch = node.getIntAttr("batch_dims", 0);
  FailureOr<RankedTensorType> data = node.getType(0), index = node.getType(1);
  if (failed(data) || failed(index))
    return failure();
  auto indices = node.getKnown(1);
  if (!indices)
    return node.fail("indices are not known at import");
  if (index->getRank() < 1 || batch < 0 || batch >= index->getRank() ||
      batch + index->getShape().back() > data->getRank())
    return node.fail("indices do not fit the data");
  int64_t width = index->getShape().back();
  ArrayRef<int64_t> sizes = data->getShape();
  if (sizes.take_front(batch) != index->getShape().take_front(batch))
    return node.fail("batches of data and indices differ");
  SmallVector<int64_t> shape(index->getShape().drop_back());
  llvm::append_range(shape, sizes.drop_front(batch + width));
  if (shape.size() > kMaxRank || countElements(shape) >> 60)
    return node.fail("the result is too large");
  int64_t batches = countElements(sizes.take_front(batch));
  int64_t tuples = countElements(index->getShape().drop_back());
  SmallVector<int64_t> places;
  for (int64_t i = 0; i < tuples; ++i) {
    int64_t place = batches == 0 ? 0 : i / (tuples / batches);
    for (int64_t j = 0; j < width; ++j) {
      int64_t size = sizes[batch + j], at = indices->values[i * width + j].i;
      if (at < -size || at >= size)
        return node.fail("index " + Twine(at) + " is not one of " +
                         Twine(size));
      place = place * size + at + (at < 0 ? size : 0);
    }
    places.push_back(place);
  }
  Value x = reshape(node, getValue(node, 0),
                    {1, countElements(sizes.take_front(batch + width)),
                     countElements(sizes.drop_front(batch + width))});
  return node.setResult(reshape(node, gatherKnown(node, x, places), shape));
}

/// The index of the first or last extreme element: the least or largest of the
/// indices that have it.
static Value argExtreme(NodeBuilder &node, Value x, int64_t axis, bool isMax,
                        bool last) {
  if (!x)
    return nullptr;
  Value extreme =
      reduce(node, isMax ? "graph.reduce_max" : "graph.reduce_min", x, axis);
  int64_t size = getTensorType(x).getDimSize(axis);
  Value index = makeIota(node, size, axis, getTensorType(x).getRank());
  Value isExtreme =
      isMax ? greaterEqual(node, x, extreme) : greaterEqual(node, extreme, x);
  Type f32 = node.getF32();
  Value places =
      select(node, isExtreme, index ? typeCast(node, index, f32) : nullptr,
             node.createScalar(last ? 0 : size - 1, f32));
  return reduce(node, last ? "graph.reduce_max" : "graph.reduce_min", places,
                axis);
}

template <bool isMax>
static LogicalResult importArgExtreme(NodeBuilder &node) {
  Value x = getValue(node, 0);
  int64_t counted = node.getIntAttr("axis", 0);
  bool keepDims = node.getIntAttr("keepdims", 1) != 0;
  bool last = node.getIntAttr("select_last_index", 0) != 0;
  if (!x)
    return failure();
  Sizes shape = node.getShape(x);
  FailureOr<int64_t> axis = node.getAxis(counted, shape.size());
  if (failed(axis) || failed(checkFixed(node, 0, *axis)))
    return failure();
  if (getElement(x).isInteger(32) || getElement(x).isInteger(1))
    return node.fail("this element type is not supported");
  if (isa<IntegerType>(getElement(x)))
    x = typeCast(node, x, node.getF32());
  if (shape[*axis] == 0)
    return node.fail("there is nothing to choose from");
  Value index = argExtreme(node, x, *axis, isMax, last);
  shape[*axis] = 1;
  if (!keepDims)
    shape.erase(shape.begin() + *axis);
  return node.setResult(reshapeTo(
      node, index ? typeCast(node, index, node.getS32()) : nullptr, shape));
}

/// 1 at the first of the largest elements. Before version 13 all dimensions
/// from `axis` on are one.
static LogicalResult importHardmax(NodeBuilder &node) {
  Value x = getValue(node, 0);
  bool flattens = node.getOpset() < 13;
  int64_t counted = node.getIntAttr("axis", flattens ? 1 : -1);
  if (!x)
    return failure();
  Sizes shape = node.getShape(x);
  FailureOr<int64_t> axis = node.getAxis(counted, shape.size());
  if (failed(axis))
    return failure();
  for (size_t i = *axis; i < (flattens ? shape.size() : *axis + 1); ++i)
    if (failed(checkFixed(node, 0, i)))
      return failure();
  if (flattens) {
    ArrayRef<SizeExpr> sizes = shape;
    x = reshapeTo(node, x,
                  Sizes{getProduct(sizes.take_front(*axis)),
                        getProduct(sizes.drop_front(*axis))});
    axis = 1;
  }
  Value index = argExtreme(node, x, *axis, /*isMax=*/true, /*last=*/false);
  if (!index)
    return failure();
  Value iota = makeIota(node, getTensorType(x).getDimSize(*axis), *axis,
                        getTensorType(x).getRank());
  Value chosen = equal(node, typeCast(node, index, node.getS32()), iota);
  Value result =
      select(node, chosen, makeScalar(node, 1, x), makeScalar(node, 0, x));
  return node.setResult(reshapeTo(node, result, shape));
}

static LogicalResult importOneHot(NodeBuilder &node) {
  int64_t counted = node.getIntAttr("axis", -1);
  Value index = getValue(node, 0), values = getValue(node, 2);
  FailureOr<double> depth = node.getNumber(1);
  if (!index || !values || failed(depth))
    return failure();
  if (!(*depth >= 1 && *depth <= (1 << 24)))
    return node.fail("the depth is out of range");
  auto size = static_cast<int64_t>(*depth);
  Sizes shape = node.getShape(index);
  FailureOr<int64_t> axis = node.getAxis(counted, shape.size() + 1);
  if (failed(axis))
    return failure();
  if (getTensorType(values).getShape() != ArrayRef<int64_t>(2))
    return node.fail("values are not the two of off and on");
  shape.insert(shape.begin() + *axis, 1);
  index = countFromEnd(node, castTo(node, index, node.getS32()), size);
  Value chosen = equal(node, reshapeTo(node, index, shape),
                       makeIota(node, size, *axis, shape.size()));
  Value off = reshape(node, slice(node, values, 0, 0, 1), {});
  Value on = reshape(node, slice(node, values, 0, 1, 1), {});
  return node.setResult(select(node, chosen, on, off));
}

void gc::onnxio::addGatherOps(OpTable &ops) {
  ops["ArgMax"] = {importArgExtreme<true>, 1};
  ops["ArgMin"] = {importArgExtreme<false>, 1};
  ops["Gather"] = {importGather, 1};
  ops["GatherElements"] = importGatherElements;
  ops["GatherND"] = importGatherND;
  ops["Hardmax"] = {importHardmax, 1};
  ops["OneHot"] = importOneHot;
  takeShapes(ops, {"ArgMax", "ArgMin", "Hardmax", "OneHot"});
  takeSizes(ops, {"Gather"});
}
