// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Slices, pads, repetitions and their like: graph.windows of one element.

#include "Compose.h"
#include "Tensors.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace gc::onnxio;

namespace gc::onnxio {

SmallVector<int64_t> Slide::getShape() const {
  SmallVector<int64_t> shape;
  for (const Dim &dim : dims)
    shape.push_back(dim.size);
  return shape;
}

static bool takesAll(const Slide::Dim &dim, int64_t size) {
  return dim.size == size && dim.stride == 1 && dim.offset == 0 &&
         dim.spacing == 1;
}

Known slide(const Known &x, const Slide &by) {
  ArrayRef<int64_t> shape = x.getShape();
  auto getSource = [&](ArrayRef<int64_t> index,
                       MutableArrayRef<int64_t> source) {
    for (auto [i, dim] : llvm::enumerate(by.dims)) {
      int64_t at = index[i] * dim.stride + dim.offset;
      if (by.clamps)
        at = std::clamp<int64_t>(llvm::divideFloorSigned(at, dim.spacing), 0,
                                 shape[i] - 1);
      else if (at < 0 || at % dim.spacing != 0 || at / dim.spacing >= shape[i])
        return false;
      else
        at /= dim.spacing;
      source[i] = at;
    }
    return true;
  };
  return rearrange(x, by.getShape(), getSource, by.fill);
}

Value slide(NodeBuilder &node, Value x, const Slide &by) {
  if (!x)
    return nullptr;
  RankedTensorType type = getTensorType(x);
  SmallVector<int64_t> shape = by.getShape();
  if (llvm::is_contained(shape, 0) && !ShapedType::isDynamicShape(shape))
    return makeTensor(node, {type.clone(shape), {}});
  // What is taken whole may have any size.
  Sizes from = node.getShape(x), to;
  for (auto [i, dim] : llvm::enumerate(by.dims)) {
    bool whole = takesAll(dim, type.getDimSize(i));
    if (!whole && !from[i].isConstant()) {
      (void)node.fail("part of dimension " + Twine(i) +
                      " is taken, whose size '" + from[i].str() + "' varies");
      return nullptr;
    }
    to.push_back(whole ? from[i] : SizeExpr(dim.size));
  }
  // Runs of dimensions that are taken whole are one, the first and the last of
  // what is left are not slid over.
  Sizes sizes{SizeExpr(1)};
  SmallVector<Slide::Dim> sliding;
  bool lastIsWhole = true;
  // The sizes of what is slid over; those of what is taken whole may vary.
  SmallVector<SizeExpr> slidSizes;
  auto addWhole = [&](const SizeExpr &size) {
    if (lastIsWhole) {
      sizes.back() = sizes.back() * size;
      if (!sliding.empty())
        slidSizes.back() = slidSizes.back() * size;
    } else {
      sizes.push_back(size);
      sliding.push_back({0});
      slidSizes.push_back(size);
    }
    lastIsWhole = true;
  };
  auto addSliding = [&](int64_t size, Slide::Dim dim) {
    sizes.push_back(size);
    sliding.push_back(dim);
    slidSizes.push_back(dim.size);
    lastIsWhole = false;
  };
  for (auto [dim, size, whole] :
       llvm::zip_equal(by.dims, type.getShape(), from)) {
    if (takesAll(dim, size)) {
      if (whole != 1)
        addWhole(whole);
      continue;
    }
    // What is taken in runs is slid over run by run.
    int64_t run = 1;
    if (dim.stride == 1 && dim.spacing == 1 && dim.offset >= 0 &&
        dim.offset + dim.size <= size)
      run = std::gcd(std::gcd(dim.size, dim.offset), size);
    addSliding(size / run,
               {dim.size / run, dim.stride, dim.offset / run, dim.spacing});
    if (run > 1)
      addWhole(run);
  }
  if (sliding.empty())
    return x;
  // The last dimension.
  if (lastIsWhole)
    sliding.pop_back();
  else
    sizes.push_back(1);
  SmallVector<int64_t> ones(sliding.size(), 1), positions, strides, offsets,
      spacing;
  for (auto [dim, size] : llvm::zip(sliding, slidSizes)) {
    if (!size.isConstant()) {
      (void)node.fail("size '" + size.str() +
                      "' varies between dimensions that parts are taken of");
      return nullptr;
    }
    positions.push_back(*size.getConstant());
    strides.push_back(dim.stride);
    offsets.push_back(dim.offset);
    spacing.push_back(dim.spacing);
  }
  Builder &builder = node.getBuilder();
  double fill =
      isa<FloatType>(type.getElementType()) ? by.fill.f : double(by.fill.i);
  Value result = node.make(
      "graph.windows", reshapeTo(node, x, sizes),
      {node.attr("kernel", ones), node.attr("positions", positions),
       node.attr("strides", strides), node.attr("dilations", ones),
       node.attr("offsets", offsets), node.attr("spacing", spacing),
       node.attr("gaps", builder.getStringAttr(by.clamps ? "clamp" : "fill")),
       node.attr("fill", builder.getF64FloatAttr(fill))});
  return reshapeTo(node, result, to);
}

LogicalResult setSlid(NodeBuilder &node, unsigned operand, const Slide &by) {
  SmallVector<int64_t> shape = by.getShape();
  if (size_t(kMaxRank) < shape.size())
    return node.fail("the result has more than " + Twine(kMaxRank) +
                     " dimensions");
  if (countElements(dropVarying(shape)) >> 60)
    return node.fail("the result is too large");
  if (auto known = node.getKnown(operand);
      known && countElements(shape) <= kMaxFolded)
    return node.setKnown(slide(*known, by));
  Value x = getValue(node, operand);
  return node.setResult(slide(node, x, by));
}

Value slice(NodeBuilder &node, Value x, int64_t axis, int64_t begin,
            int64_t size) {
  if (!x)
    return nullptr;
  Slide by(getTensorType(x).getShape());
  by.dims[axis] = {size, 1, begin};
  return slide(node, x, by);
}

Value expand(NodeBuilder &node, Value x, ArrayRef<int64_t> shape) {
  if (!x)
    return nullptr;
  Sizes from(shape.size() - getTensorType(x).getRank(), SizeExpr(1));
  llvm::append_range(from, node.getShape(x));
  Slide by(getNumbers(from));
  for (auto [dim, size, old] : llvm::zip_equal(by.dims, shape, from))
    if (old == 1 && size != 1)
      dim = {size, 0};
  return slide(node, reshapeTo(node, x, from), by);
}

Value reduceWindows(NodeBuilder &node, StringRef op, Value x, int64_t axis,
                    int64_t kernel, int64_t offset, double fill) {
  if (!x)
    return nullptr;
  ArrayRef<int64_t> shape = getTensorType(x).getShape();
  int64_t size = shape[axis];
  int64_t one = 1;
  Value flat = reshape(node, x,
                       {countElements(shape.take_front(axis)), size,
                        countElements(shape.drop_front(axis + 1))});
  Value windows =
      node.make("graph.windows", flat,
                {node.attr("kernel", kernel), node.attr("positions", size),
                 node.attr("strides", one), node.attr("dilations", one),
                 node.attr("offsets", offset), node.attr("spacing", one),
                 node.attr("gaps", node.getBuilder().getStringAttr("fill")),
                 node.attr("fill", node.getBuilder().getF64FloatAttr(fill))});
  return reshape(node, reduce(node, op, windows, 2, /*keepDims=*/false), shape);
}

} // namespace gc::onnxio
