// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that take parts of tensors, repeat them, or put them together.

#include "Compose.h"
#include "Ops.h"
#include "Tensors.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace gc::onnxio;

/// Sizes beyond this are mistakes, and products of them would overflow.
static constexpr int64_t kMaxSize = int64_t(1) << 31;

/// Bounds and axes are attributes before version 10, operands from it on.
static LogicalResult importSlice(NodeBuilder &node) {
  FailureOr<RankedTensorType> type = node.getType(0);
  FailureOr<Sizes> from = node.getShape(0);
  if (failed(type) || failed(from))
    return failure();
  auto read = [&](StringRef name,
                  unsigned operand) -> FailureOr<SmallVector<int64_t>> {
    if (node.getOpset() < 10)
      return node.getIntsAttr(name);
    if (!node.hasOperand(operand) && operand > 2)
      return SmallVector<int64_t>();
    return node.getInts(operand);
  };
  auto readSizes = [&](StringRef name, unsigned operand) -> FailureOr<Sizes> {
    if (node.getOpset() >= 10)
      return node.getSizes(operand);
    SmallVector<int64_t> numbers = node.getIntsAttr(name);
    return Sizes(numbers.begin(), numbers.end());
  };
  auto starts = readSizes("starts", 1), ends = readSizes("ends", 2);
  auto axes = read("axes", 3);
  auto steps = node.getOpset() < 10 ? SmallVector<int64_t>() : read("", 4);
  if (failed(starts) || failed(ends) || failed(axes) || failed(steps))
    return failure();
  if (axes->empty())
    llvm::append_range(*axes, llvm::seq<int64_t>(0, starts->size()));
  if (steps->empty())
    steps->assign(starts->size(), 1);
  if (ends->size() != starts->size() || axes->size() != starts->size() ||
      steps->size() != starts->size())
    return node.fail("starts, ends, axes and steps differ in number");
  Slide by(type->getShape());
  for (size_t i = 0; i < starts->size(); ++i) {
    int64_t step = (*steps)[i];
    FailureOr<int64_t> axis = node.getAxis((*axes)[i], type->getRank());
    if (failed(axis))
      return failure();
    int64_t size = type->getDimSize(*axis);
    if (step == 0)
      return node.fail("a step is 0");
    const SizeExpr &start = (*starts)[i], &end = (*ends)[i];
    if (!start.isConstant() || !end.isConstant() ||
        ShapedType::isDynamic(size)) {
      // All elements, whatever the size is.
      bool toEnd = end == (*from)[*axis] ||
                   end.getConstant().value_or(0) >= kMaxSize - 1;
      if (step == 1 && start == 0 && toEnd)
        continue;
      return node.fail("elements from " + start.str() + " to " + end.str() +
                       " of " + (*from)[*axis].str() +
                       " depend on a size that varies; that is not supported");
    }
    // Further than this, a step takes one element as well.
    step = std::clamp<int64_t>(step, -kMaxSize, kMaxSize);
    auto clamp = [&](int64_t bound) {
      bound += bound < 0 ? size : 0;
      return step > 0 ? std::clamp<int64_t>(bound, 0, size)
                      : std::clamp<int64_t>(bound, -1, size - 1);
    };
    int64_t first = clamp(*start.getConstant());
    int64_t span = clamp(*end.getConstant()) - first;
    int64_t count =
        step > 0 ? (span + step - 1) / step : (span + step + 1) / step;
    by.dims[*axis] = {std::max<int64_t>(count, 0), step, first};
    if (count <= 1)
      by.dims[*axis].stride = 1;
  }
  return setSlid(node, 0, by);
}

/// Sizes are an attribute before version 13; without them, pieces are equal, or
/// the last one is smaller.
static LogicalResult importSplit(NodeBuilder &node) {
  FailureOr<RankedTensorType> type = node.getType(0);
  int64_t counted = node.getIntAttr("axis", 0);
  int64_t pieces = node.getIntAttr("num_outputs", node.getNumResults());
  if (failed(type))
    return failure();
  FailureOr<int64_t> axis = node.getAxis(counted, type->getRank());
  if (failed(axis))
    return failure();
  int64_t size = type->getDimSize(*axis);
  if (ShapedType::isDynamic(size))
    return node.checkShape(0);
  SmallVector<int64_t> sizes;
  if (node.getOpset() < 13 && node.hasAttr("split")) {
    sizes = node.getIntsAttr("split");
  } else if (node.getOpset() >= 13 && node.hasOperand(1)) {
    auto given = node.getInts(1);
    if (failed(given))
      return failure();
    sizes = *given;
  } else {
    if (pieces < 1 || pieces != node.getNumResults())
      return node.fail("there are not as many outputs as pieces");
    int64_t piece = (size + pieces - 1) / pieces;
    for (int64_t i = 0; i < pieces; ++i)
      sizes.push_back(std::clamp<int64_t>(size - i * piece, 0, piece));
  }
  if (sizes.size() < node.getNumResults())
    return node.fail("there are not as many outputs as pieces");
  int64_t begin = 0;
  for (int64_t piece : sizes) {
    if (piece < 0 || piece > size - begin)
      return node.fail("pieces do not add up to dimension " + Twine(*axis));
    Slide by(type->getShape());
    by.dims[*axis] = {piece, 1, begin};
    if (failed(setSlid(node, 0, by)))
      return failure();
    begin += piece;
  }
  if (begin != size)
    return node.fail("pieces do not add up to dimension " + Twine(*axis));
  return success();
}

/// Pads are an attribute before version 11.
static LogicalResult importPad(NodeBuilder &node) {
  FailureOr<RankedTensorType> type = node.getType(0);
  std::string mode = node.getStringAttr("mode", "constant");
  if (failed(type))
    return failure();
  bool hasOperands = node.getOpset() >= 11;
  FailureOr<SmallVector<int64_t>> given = node.getIntsAttr("pads");
  if (hasOperands)
    given = node.getInts(1);
  double value = hasOperands ? 0 : node.getFloatAttr("value", 0.0f);
  if (failed(given))
    return failure();
  if (hasOperands && node.hasOperand(2)) {
    FailureOr<double> number = node.getNumber(2);
    if (failed(number))
      return failure();
    value = *number;
  }
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, type->getRank()));
  if (node.hasOperand(3)) {
    auto counted = node.getInts(3);
    if (failed(counted))
      return failure();
    axes = *counted;
  }
  if (given->size() != 2 * axes.size())
    return node.fail("there are " + Twine(given->size()) + " pads for " +
                     Twine(axes.size()) + " dimensions");
  Slide by(type->getShape());
  by.clamps = mode == "edge";
  if (isa<FloatType>(type->getElementType()))
    by.fill.f = value;
  else
    by.fill.i = static_cast<int64_t>(value);
  bool pads = false;
  for (auto [i, counted] : llvm::enumerate(axes)) {
    FailureOr<int64_t> axis = node.getAxis(counted, type->getRank());
    if (failed(axis))
      return failure();
    int64_t begin = (*given)[i], end = (*given)[i + axes.size()];
    int64_t size = type->getDimSize(*axis);
    if (begin == 0 && end == 0)
      continue;
    if (failed(checkFixed(node, 0, *axis)))
      return failure();
    if (std::abs(begin) > kMaxSize || std::abs(end) > kMaxSize ||
        size + begin + end < 0)
      return node.fail("pads of " + Twine(begin) + " and " + Twine(end) +
                       " at dimension " + Twine(*axis) + " are out of range");
    by.dims[*axis] = {size + begin + end, 1, -begin};
    pads |= begin > 0 || end > 0;
    if (mode == "edge" && size == 0 && pads)
      return node.fail("there is no edge to repeat");
  }
  if (mode == "constant" || mode == "edge" || !pads)
    return setSlid(node, 0, by);
  if (mode != "reflect" && mode != "wrap")
    return node.fail("mode '" + mode + "' is unknown");
  // Pieces before and after, one dimension after the other.
  Value x = getValue(node, 0);
  for (size_t axis = 0; axis < by.dims.size(); ++axis) {
    int64_t size = type->getDimSize(axis), begin = -by.dims[axis].offset;
    if (by.dims[axis].size == size && begin == 0)
      continue;
    int64_t end = by.dims[axis].size - size - begin;
    int64_t most = mode == "wrap" ? size : size - 1;
    if (begin < 0 || end < 0 || begin > most || end > most)
      return node.fail("pads of " + Twine(begin) + " and " + Twine(end) +
                       " in mode '" + mode + "' are not supported");
    SmallVector<Value> parts;
    auto addPart = [&](int64_t count, int64_t stride, int64_t offset) {
      if (count == 0 || !x)
        return;
      Slide part(getTensorType(x).getShape());
      part.dims[axis] = {count, stride, offset};
      parts.push_back(slide(node, x, part));
    };
    bool wraps = mode == "wrap";
    addPart(begin, wraps ? 1 : -1, wraps ? size - begin : begin);
    addPart(size, 1, 0);
    addPart(end, wraps ? 1 : -1, wraps ? 0 : size - 2);
    x = concat(node, parts, axis);
    if (!x)
      return failure();
  }
  return node.setResult(x);
}

/// With sizes that vary: what has such a size keeps it, only fixed ones are
/// repeated.
static LogicalResult importOpenExpand(NodeBuilder &node, Sizes from, Sizes to) {
  size_t rank = std::max(from.size(), to.size());
  if (rank > kMaxRank)
    return node.fail("the result has more than " + Twine(kMaxRank) +
                     " dimensions");
  for (Sizes *sizes : {&from, &to}) {
    Sizes padded(rank - sizes->size(), SizeExpr(1));
    llvm::append_range(padded, *sizes);
    *sizes = std::move(padded);
  }
  for (auto [old, size] : llvm::zip_equal(from, to)) {
    bool repeats = old == 1 && size != 1;
    if (size == 1 || size == old)
      size = old;
    else if (!repeats || !size.isConstant() || *size.getConstant() < 1)
      return node.fail("to broadcast " + print(from) + " to " + print(to) +
                       " is not supported where sizes vary");
  }
  return node.setResult(expand(node, getValue(node, 0), getNumbers(to)));
}

static LogicalResult importExpand(NodeBuilder &node) {
  FailureOr<Sizes> from = node.getShape(0), to = node.getSizes(1);
  if (failed(from) || failed(to))
    return failure();
  if (!isConstant(*from) || !isConstant(*to))
    return importOpenExpand(node, *from, *to);
  FailureOr<RankedTensorType> type = node.getType(0);
  FailureOr<SmallVector<int64_t>> sizes = node.getInts(1);
  if (failed(type) || failed(sizes))
    return failure();
  for (int64_t size : *sizes)
    if (size < 0 || size > kMaxSize)
      return node.fail("the shape has a size of " + Twine(size));
  auto shape = broadcastShapes(type->getShape(), *sizes);
  if (!shape || shape->size() > kMaxRank || countElements(*shape) >> 60)
    return node.fail("the input does not broadcast to the shape");
  if (auto known = node.getKnown(0);
      known && countElements(*shape) <= kMaxFolded)
    return node.setKnown(rearrange(*known, *shape, [](auto index, auto source) {
      llvm::copy(index.take_back(source.size()), source.begin());
      return true;
    }));
  return node.setResult(expand(node, getValue(node, 0), *shape));
}

static LogicalResult importTile(NodeBuilder &node) {
  FailureOr<RankedTensorType> type = node.getType(0);
  FailureOr<Sizes> sizes = node.getShape(0);
  FailureOr<SmallVector<int64_t>> repeats = node.getInts(1);
  if (failed(type) || failed(sizes) || failed(repeats))
    return failure();
  if (repeats->size() != size_t(type->getRank()))
    return node.fail("there are " + Twine(repeats->size()) + " repeats for " +
                     Twine(type->getRank()) + " dimensions");
  Sizes open, split;
  Slide by({});
  for (auto [i, size, count] : llvm::enumerate(*sizes, *repeats)) {
    if (count < 0 || count > kMaxSize)
      return node.fail("repeats of " + Twine(count) + " are out of range");
    // Nothing of something that varies is fixed, and has no open shape.
    if (count == 0 && failed(node.checkShape(0)))
      return failure();
    split.append({SizeExpr(1), size});
    by.dims.push_back({count, count == 1 ? 1 : 0});
    by.dims.push_back({type->getDimSize(i)});
    open.push_back(size * SizeExpr(count));
  }
  SmallVector<int64_t> shape = getNumbers(open);
  if (countElements(dropVarying(shape)) >> 60)
    return node.fail("the result is too large");
  if (auto known = node.getKnown(0);
      known && countElements(shape) <= kMaxFolded)
    return node.setKnown(rearrange(*known, shape, [&](auto index, auto source) {
      for (auto [to, from, size] :
           llvm::zip_equal(source, index, known->getShape()))
        to = from % size;
      return true;
    }));
  Value x = reshapeTo(node, getValue(node, 0), split);
  return node.setResult(reshapeTo(node, slide(node, x, by), open));
}

static LogicalResult importTranspose(NodeBuilder &node) {
  SmallVector<int64_t> order = node.getIntsAttr("perm");
  FailureOr<RankedTensorType> type = node.getType(0);
  if (failed(type))
    return failure();
  if (!node.hasAttr("perm"))
    for (int64_t i = type->getRank(); i > 0; --i)
      order.push_back(i - 1);
  if (!isPermutationVector(order))
    return node.fail("perm is not a permutation");
  if (order.size() != size_t(type->getRank()))
    return node.fail("perm has " + Twine(order.size()) + " elements for " +
                     Twine(type->getRank()) + " dimensions");
  auto known = node.getKnown(0);
  if (known && !known->isFloat()) {
    SmallVector<int64_t> shape;
    for (int64_t axis : order)
      shape.push_back(type->getDimSize(axis));
    return node.setKnown(rearrange(*known, shape, [&](auto index, auto source) {
      for (auto [i, axis] : llvm::enumerate(order))
        source[axis] = index[i];
      return true;
    }));
  }
  return node.setResult(node.make("graph.static_transpose", getValue(node, 0),
                                  node.attr("order", order)));
}

/// What depth and blocks have in common.
static FailureOr<RankedTensorType> getImage(NodeBuilder &node, int64_t block,
                                            bool toSpace) {
  FailureOr<RankedTensorType> type = node.getType(0);
  if (failed(type))
    return failure();
  if (type->getRank() != 4 || block < 1 || block > (1 << 15))
    return node.fail("takes four dimensions and a positive block size");
  if (toSpace
          ? failed(checkFixed(node, 0, 1))
          : failed(checkFixed(node, 0, 2)) || failed(checkFixed(node, 0, 3)))
    return failure();
  if (toSpace ? type->getDimSize(1) % (block * block) != 0
              : type->getDimSize(2) % block != 0 ||
                    type->getDimSize(3) % block != 0)
    return node.fail("the block size does not divide the sizes");
  return type;
}

static LogicalResult importDepthToSpace(NodeBuilder &node) {
  int64_t b = node.getIntAttr("blocksize", 0);
  std::string mode = node.getStringAttr("mode", "DCR");
  auto type = getImage(node, b, /*toSpace=*/true);
  if (failed(type))
    return failure();
  if (mode != "DCR" && mode != "CRD")
    return node.fail("mode '" + mode + "' is unknown");
  Sizes s = *node.getShape(0);
  int64_t channels = type->getDimSize(1) / (b * b);
  bool depthFirst = mode == "DCR";
  Value x = getValue(node, 0);
  if (depthFirst) {
    x = reshapeTo(node, x, Sizes{s[0], b, b, channels, s[2], s[3]});
    x = transpose(node, x, {0, 3, 4, 1, 5, 2});
  } else {
    x = reshapeTo(node, x, Sizes{s[0], channels, b, b, s[2], s[3]});
    x = transpose(node, x, {0, 1, 4, 2, 5, 3});
  }
  return node.setResult(
      reshapeTo(node, x, Sizes{s[0], channels, s[2] * b, s[3] * b}));
}

static LogicalResult importSpaceToDepth(NodeBuilder &node) {
  int64_t b = node.getIntAttr("blocksize", 0);
  auto type = getImage(node, b, /*toSpace=*/false);
  if (failed(type))
    return failure();
  Sizes s = *node.getShape(0);
  int64_t height = type->getDimSize(2) / b, width = type->getDimSize(3) / b;
  Value x = getValue(node, 0);
  x = reshapeTo(node, x, Sizes{s[0], s[1], height, b, width, b});
  x = transpose(node, x, {0, 3, 5, 1, 2, 4});
  return node.setResult(
      reshapeTo(node, x, Sizes{s[0], s[1] * b * b, height, width}));
}

/// The upper or lower triangle of matrices, zeros elsewhere.
static LogicalResult importTrilu(NodeBuilder &node) {
  bool upper = node.getIntAttr("upper", 1) != 0;
  FailureOr<RankedTensorType> type = node.getType(0);
  int64_t diagonal = 0;
  if (failed(type))
    return failure();
  if (node.hasOperand(1)) {
    auto k = node.getInts(1);
    if (failed(k))
      return failure();
    if (k->size() != 1)
      return node.fail("k is not a number");
    diagonal = std::clamp((*k)[0], -kMaxSize, kMaxSize);
  }
  if (type->getRank() < 2)
    return node.fail("the input is not a matrix");
  for (int64_t dim : {type->getRank() - 2, type->getRank() - 1})
    if (failed(checkFixed(node, 0, dim)))
      return failure();
  auto keeps = [&](ArrayRef<int64_t> index) {
    int64_t above = index.back() - index[index.size() - 2];
    return upper ? above >= diagonal : above <= diagonal;
  };
  if (auto known = node.getKnown(0))
    return node.setKnown(
        rearrange(*known, type->getShape(), [&](auto index, auto source) {
          llvm::copy(index, source.begin());
          return keeps(index);
        }));
  Value x = getValue(node, 0);
  if (!x || llvm::is_contained(type->getShape(), 0))
    return node.setResult(x);
  auto shape = type->getShape().take_back(2);
  Value mask = makeMask(node, shape, keeps);
  Known zero{RankedTensorType::get({}, getElement(x)), {{0}}};
  return node.setResult(select(node, mask, x, makeTensor(node, zero)));
}

void gc::onnxio::addMovementOps(OpTable &ops) {
  ops["DepthToSpace"] = {importDepthToSpace, 1};
  ops["Expand"] = importExpand;
  ops["Pad"] = importPad;
  ops["Slice"] = {importSlice, 1};
  ops["SpaceToDepth"] = {importSpaceToDepth, 1};
  ops["Split"] = {importSplit, 2};
  ops["Tile"] = importTile;
  ops["Transpose"] = {importTranspose, 1};
  ops["Trilu"] = importTrilu;
  takeShapes(ops,
             {"DepthToSpace", "Pad", "SpaceToDepth", "Split", "Tile", "Trilu"});
  takeSizes(ops, {"Expand", "Slice", "Transpose"});
}
