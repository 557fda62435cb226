// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that move elements, and the shapes that they take as operands. Shapes of
// all values are known, as numbers or as expressions of sizes that vary, so
// that arithmetic on shapes is folded.

#include "Ops.h"
#include "Tensors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::onnxio;

/// Gives operand 0 another shape. What is known stays known.
static LogicalResult setReshaped(NodeBuilder &node, ArrayRef<SizeExpr> shape) {
  FailureOr<RankedTensorType> type = node.getType(0);
  if (failed(type))
    return failure();
  if (shape.size() > kMaxRank)
    return node.fail("the result has more than " + Twine(kMaxRank) +
                     " dimensions");
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(node.getConstant(0)))
    return node.setConstant(dense.reshape(type->clone(getNumbers(shape))));
  FailureOr<Value> src = node.getOperand(0);
  return failed(src) ? failure() : node.setResult(node.reshapeTo(*src, shape));
}

static LogicalResult setReshaped(NodeBuilder &node, ArrayRef<int64_t> shape) {
  return setReshaped(node, Sizes(shape.begin(), shape.end()));
}

/// A reshape from or to sizes that vary.
static LogicalResult importOpenReshape(NodeBuilder &node, bool allowZero,
                                       ArrayRef<SizeExpr> from, Sizes to) {
  SizeExpr *open = nullptr;
  SizeExpr known(1), count = getProduct(from);
  for (auto [i, size] : llvm::enumerate(to)) {
    if (size == 0 && !allowZero) {
      if (i >= from.size())
        return node.fail("there is no dimension " + Twine(i) + " to copy");
      size = from[i];
    }
    if (size == -1 && !open) {
      open = &size;
      continue;
    }
    if (size.getConstant().value_or(1) < 1)
      return node.fail("the shape does not have as many elements");
    known = known * size;
  }
  if (open) {
    auto rest = count.divide(known);
    if (!rest)
      return node.fail("size -1 does not follow from the others: " +
                       count.str() + " elements of " + known.str());
    *open = *rest;
    known = count;
  }
  if (known != count)
    return node.fail("the shape " + print(to) +
                     " does not have as many "
                     "elements as " +
                     print(from) + " for all sizes");
  return setReshaped(node, to);
}

static LogicalResult importReshape(NodeBuilder &node) {
  bool allowZero = node.getIntAttr("allowzero", 0) != 0;
  FailureOr<RankedTensorType> type = node.getType(0);
  FailureOr<Sizes> from = node.getShape(0), to = node.getSizes(1);
  if (failed(type) || failed(from) || failed(to))
    return failure();
  if (!isConstant(*from) || !isConstant(*to))
    return importOpenReshape(node, allowZero, *from, *to);
  SmallVector<int64_t> shapeNumbers = getNumbers(*to), *shape = &shapeNumbers;
  int64_t open = -1, known = 1, count = type->getNumElements();
  for (auto [i, size] : llvm::enumerate(*shape)) {
    if (size == 0 && !allowZero) {
      if (int64_t(i) >= type->getRank())
        return node.fail("there is no dimension " + Twine(i) + " to copy");
      size = type->getDimSize(i);
    }
    if (size == -1 && open < 0) {
      open = i;
      continue;
    }
    // Sizes beside a size of 0 may be anything.
    if (size < 0 || size > (count > 0 ? count : int64_t(1) << 31))
      return node.fail("the shape does not have as many elements");
    if ((known = llvm::SaturatingMultiply<uint64_t>(known, size)) < 0)
      return node.fail("the shape does not have as many elements");
  }
  if (open >= 0) {
    if (known == 0 || count % known != 0)
      return node.fail("size -1 does not follow from the others");
    (*shape)[open] = count / known;
    known = count;
  }
  if (known != count)
    return node.fail("the shape does not have as many elements");
  return setReshaped(node, *shape);
}

static LogicalResult importFlatten(NodeBuilder &node) {
  int64_t axis = node.getIntAttr("axis", 1);
  FailureOr<Sizes> shape = node.getShape(0);
  if (failed(shape))
    return failure();
  int64_t rank = shape->size();
  if (axis < -rank || axis > rank)
    return node.fail("axis " + Twine(axis) + " is not one of " + Twine(rank) +
                     " dimensions");
  ArrayRef<SizeExpr> sizes = *shape;
  axis += axis < 0 ? rank : 0;
  Sizes flat{getProduct(sizes.take_front(axis)),
             getProduct(sizes.drop_front(axis))};
  return setReshaped(node, flat);
}

/// Axes, an attribute before version 13, of `rank` dimensions.
static FailureOr<SmallVector<int64_t>> getAxes(NodeBuilder &node,
                                               int64_t rank) {
  FailureOr<SmallVector<int64_t>> given = node.getAxes(13);
  if (failed(given))
    return failure();
  SmallVector<int64_t> axes = *given;
  for (int64_t &axis : axes) {
    FailureOr<int64_t> counted = node.getAxis(axis, rank);
    if (failed(counted))
      return failure();
    axis = *counted;
  }
  llvm::sort(axes);
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    return node.fail("an axis is there twice");
  return axes;
}

static LogicalResult importSqueeze(NodeBuilder &node) {
  FailureOr<RankedTensorType> type = node.getType(0);
  if (failed(type))
    return failure();
  auto axes = getAxes(node, type->getRank());
  FailureOr<Sizes> sizes = node.getShape(0);
  if (failed(axes) || failed(sizes))
    return failure();
  Sizes shape;
  for (auto [i, size] : llvm::enumerate(*sizes)) {
    if (axes->empty() && !size.isConstant())
      return node.fail("without axes, dimension " + Twine(i) +
                       " would be left out where '" + size.str() + "' is 1");
    if (axes->empty() ? size != 1 : !llvm::is_contained(*axes, int64_t(i)))
      shape.push_back(size);
    else if (size != 1)
      return node.fail("dimension " + Twine(i) + " has size " + size.str());
  }
  return setReshaped(node, shape);
}

static LogicalResult importUnsqueeze(NodeBuilder &node) {
  FailureOr<RankedTensorType> type = node.getType(0);
  if (failed(type))
    return failure();
  size_t added = 0;
  if (node.getOpset() < 13) {
    added = node.getIntsAttr("axes").size();
  } else {
    auto axes = node.getInts(1);
    if (failed(axes))
      return failure();
    added = axes->size();
  }
  auto axes = getAxes(node, type->getRank() + added);
  if (failed(axes))
    return failure();
  FailureOr<Sizes> shape = node.getShape(0);
  if (failed(shape))
    return failure();
  for (int64_t axis : *axes)
    shape->insert(shape->begin() + axis, 1);
  return setReshaped(node, *shape);
}

/// The operands one after the other along an axis, if all are known and fit.
static std::optional<Known> concatKnown(NodeBuilder &node, int64_t axis) {
  SmallVector<Known> parts;
  int64_t size = 0;
  for (unsigned i = 0; i < node.getNumOperands(); ++i) {
    auto known = node.getKnown(i);
    if (!known || axis >= known->type.getRank())
      return std::nullopt;
    size += known->type.getDimSize(axis);
    parts.push_back(std::move(*known));
  }
  if (parts.empty())
    return std::nullopt;
  auto resize = [&](RankedTensorType type) {
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = size;
    return type.clone(shape);
  };
  Known result{resize(parts[0].type), {}};
  if (result.type.getNumElements() > kMaxFolded)
    return std::nullopt;
  for (const Known &part : parts)
    if (resize(part.type) != result.type)
      return std::nullopt;
  int64_t rows = countElements(result.getShape().take_front(axis));
  for (int64_t row = 0; row < rows; ++row)
    for (const Known &part : parts) {
      size_t columns = part.values.size() / rows;
      llvm::append_range(
          result.values,
          ArrayRef<Number>(part.values).slice(row * columns, columns));
    }
  return result;
}

static LogicalResult importConcat(NodeBuilder &node) {
  int64_t axis = node.getIntAttr("axis", 0);
  FailureOr<RankedTensorType> type = node.getType(0);
  if (failed(type))
    return failure();
  FailureOr<int64_t> counted = node.getAxis(axis, type->getRank());
  if (failed(counted))
    return failure();
  if (auto known = concatKnown(node, *counted))
    return node.setKnown(*known);
  auto operands = node.getOperands();
  if (failed(operands))
    return failure();
  return node.setResult(
      node.build("graph.concat", *operands,
                 node.attr("axis", node.getBuilder().getI64IntegerAttr(axis))));
}

/// The shape, or the part of it that attributes of version 15 say.
static LogicalResult importShape(NodeBuilder &node) {
  FailureOr<Sizes> sizes = node.getShape(0);
  if (failed(sizes))
    return failure();
  int64_t rank = sizes->size();
  auto clamp = [&](int64_t bound) {
    return std::clamp<int64_t>(bound < 0 ? bound + rank : bound, 0, rank);
  };
  int64_t start = clamp(node.getIntAttr("start", 0));
  int64_t end = std::max(start, clamp(node.getIntAttr("end", rank)));
  auto shape = ArrayRef<SizeExpr>(*sizes).slice(start, end - start);
  return node.setConstant(node.makeSizes(shape.size(), shape));
}

static LogicalResult importSize(NodeBuilder &node) {
  FailureOr<Sizes> shape = node.getShape(0);
  if (failed(shape))
    return failure();
  return node.setConstant(node.makeSizes({}, getProduct(*shape)));
}

void gc::onnxio::addShapeOps(OpTable &ops) {
  ops["Concat"] = importConcat;
  ops["Flatten"] = importFlatten;
  ops["Reshape"] = importReshape;
  ops["Shape"] = importShape;
  ops["Size"] = importSize;
  ops["Squeeze"] = importSqueeze;
  ops["Unsqueeze"] = importUnsqueeze;
  takeSizes(ops, {"Concat", "Flatten", "Reshape", "Shape", "Size", "Squeeze",
                  "Unsqueeze"});
}
