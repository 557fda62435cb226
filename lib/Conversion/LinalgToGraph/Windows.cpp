// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolutions and reductions of windows, by how their maps walk: a dimension
// of the image that is the sum of a parallel and a reduced loop slides.

#include "Conversion/ToGraph/Views.h"
#include "LoopLists.h"
#include "StructuredOps.h"
#include "TensorOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gc;
using linalg::LinalgOp;

namespace {
/// A dimension of an image: x = position * stride + element * dilation.
struct Sliding {
  int64_t position, element, stride, dilation;
};

/// An image, and how its dimensions are walked through.
struct Image {
  Value tensor;
  /// By dimension: a loop, or -1 where it slides.
  Dims loops;
  SmallVector<Sliding> sliding;
  /// What surrounds the image, by its sliding dimensions.
  Dims low, high;
  std::optional<APFloat> fill;
};
} // namespace

/// The multiples of loops that a sum is made of.
static bool addTerms(AffineExpr expr, int64_t factor,
                     SmallVectorImpl<std::pair<int64_t, int64_t>> &terms) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    terms.push_back({dim.getPosition(), factor});
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addTerms(binary.getLHS(), factor, terms) &&
           addTerms(binary.getRHS(), factor, terms);
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  int64_t product;
  return expr.getKind() == AffineExprKind::Mul && constant &&
         !llvm::MulOverflow(factor, constant.getValue(), product) &&
         addTerms(binary.getLHS(), product, terms);
}

/// Reads the map of an operand; nothing if no dimension slides, or one walks in
/// another way.
static std::optional<Image> readImage(LinalgOp op, OpOperand *operand) {
  Image image{operand->get(), {}, {}, {}, {}, {}};
  auto kinds = op.getIteratorTypesArray();
  for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      image.loops.push_back(dim.getPosition());
      continue;
    }
    SmallVector<std::pair<int64_t, int64_t>> terms;
    if (!addTerms(expr, 1, terms) || terms.size() != 2)
      return std::nullopt;
    if (kinds[terms[0].first] == utils::IteratorType::reduction)
      std::swap(terms[0], terms[1]);
    if (kinds[terms[0].first] != utils::IteratorType::parallel ||
        kinds[terms[1].first] != utils::IteratorType::reduction ||
        terms[0].second <= 0 || terms[1].second <= 0)
      return std::nullopt;
    image.loops.push_back(-1);
    image.sliding.push_back(
        {terms[0].first, terms[1].first, terms[0].second, terms[1].second});
  }
  image.low.assign(image.sliding.size(), 0);
  image.high = image.low;
  return image.sliding.empty() ? std::nullopt : std::optional<Image>(image);
}

/// Takes the padding of sliding dimensions, if there is no other.
static void takePadding(Image &image) {
  auto pad = image.tensor.getDefiningOp<tensor::PadOp>();
  std::optional<Padding> padding = pad ? getPadding(pad) : std::nullopt;
  if (!padding)
    return;
  Dims low, high;
  for (auto [i, loop] : llvm::enumerate(image.loops)) {
    if (loop < 0) {
      low.push_back(padding->low[i]);
      high.push_back(padding->high[i]);
    } else if (padding->low[i] != 0 || padding->high[i] != 0) {
      return;
    }
  }
  image.tensor = pad.getSource();
  image.low = low;
  image.high = high;
  image.fill = padding->number;
}

/// Those dimensions of the image that are loops of `loops`, in this order, or
/// all sliding ones for -1.
static Dims getImageOrder(const Image &image, ArrayRef<int64_t> loops) {
  Dims order;
  for (int64_t loop : loops)
    for (auto [i, other] : llvm::enumerate(image.loops))
      if (other == loop)
        order.push_back(i);
  return order;
}

static FailureOr<Value> convertConvolution(StructuredReduction &reduction,
                                           Image image, OpOperand *filter,
                                           GraphBuilder &b) {
  LinalgOp op = reduction.op;
  auto filterLoops = getLoops(op.getMatchingIndexingMap(filter));
  auto resultLoops = getLoops(reduction.getResultMap());
  if (!filterLoops || !resultLoops)
    return b.fail("its indexing maps are not those of a convolution");
  takePadding(image);
  if (image.fill && !image.fill->isZero())
    return b.fail("the image is padded with other numbers than 0");

  Dims positions, elements;
  for (const Sliding &dim : image.sliding) {
    positions.push_back(dim.position);
    elements.push_back(dim.element);
  }
  auto isImage = [&](int64_t l) { return llvm::is_contained(image.loops, l); };
  auto isFilter = [&](int64_t l) {
    return llvm::is_contained(*filterLoops, l);
  };
  auto isResult = [&](int64_t l) {
    return llvm::is_contained(*resultLoops, l);
  };
  Dims batch = filterLoopsBy(
      *resultLoops, [&](int64_t l) { return isImage(l) && !isFilter(l); });
  Dims groups = filterLoopsBy(
      *resultLoops, [&](int64_t l) { return isImage(l) && isFilter(l); });
  Dims outputs = filterLoopsBy(
      *resultLoops, [&](int64_t l) { return !isImage(l) && isFilter(l); });
  Dims inputs = filterLoopsBy(
      *filterLoops, [&](int64_t l) { return isImage(l) && !isResult(l); });
  Dims all = concatLoops({batch, groups, outputs, inputs, positions, elements});
  if (all.size() != op.getNumLoops() ||
      filterLoops->size() !=
          groups.size() + outputs.size() + inputs.size() + elements.size() ||
      resultLoops->size() !=
          batch.size() + groups.size() + outputs.size() + positions.size())
    return b.fail("its indexing maps are not those of a convolution");

  FailureOr<Value> src = b.get(image.tensor), weights = b.get(filter->get());
  if (failed(src) || failed(weights))
    return failure();
  Type element = reduction.getType().getElementType();
  if (!isa<FloatType>(element))
    return b.fail("convolutions of integers are not supported");
  if (getElement(*src) != getElement(*weights) &&
      (failed(src = b.cast(*src, element)) ||
       failed(weights = b.cast(*weights, element))))
    return failure();

  // Channels are last or second, as in the image; the same for the filter.
  Dims ranges = op.getStaticLoopRanges();
  bool channelsSecond = image.loops.back() < 0;
  bool elementsLast = llvm::is_contained(elements, filterLoops->back());
  Dims order = getImageOrder(
      image, channelsSecond ? concatLoops({batch, groups, inputs, {-1}})
                            : concatLoops({batch, {-1}, groups, inputs}));
  Dims spatial;
  for (int64_t dim : getImageOrder(image, {-1}))
    spatial.push_back(getShape(*src)[dim]);
  int64_t channels = getLoopSize(groups, ranges) * getLoopSize(inputs, ranges);
  Dims shape = {getLoopSize(batch, ranges)};
  if (channelsSecond)
    shape.push_back(channels);
  shape.append(spatial);
  if (!channelsSecond)
    shape.push_back(channels);
  if (failed(src = b.transpose(*src, order)) ||
      failed(src = b.reshape(*src, shape)))
    return failure();
  Dims filterOrder = elementsLast
                         ? concatLoops({groups, outputs, inputs, elements})
                         : concatLoops({elements, inputs, groups, outputs});
  int64_t filters = getLoopSize(groups, ranges) * getLoopSize(outputs, ranges);
  Dims kernel = getLoopSizes(elements, ranges);
  Dims filterShape =
      elementsLast
          ? concatLoops({{filters, getLoopSize(inputs, ranges)}, kernel})
          : concatLoops({kernel, {getLoopSize(inputs, ranges), filters}});
  if (failed(weights = b.transpose(*weights,
                                   getLoopOrder(*filterLoops, filterOrder))) ||
      failed(weights = b.reshape(*weights, filterShape)))
    return failure();

  // What no window reaches is taken from the padding, then from the image.
  Dims strides, dilations, sizes(shape);
  for (auto [i, dim] : llvm::enumerate(image.sliding)) {
    strides.push_back(dim.stride);
    dilations.push_back(dim.dilation);
    int64_t reached = (ranges[dim.position] - 1) * dim.stride +
                      (kernel[i] - 1) * dim.dilation + 1;
    int64_t excess = spatial[i] + image.low[i] + image.high[i] - reached;
    int64_t fromPadding = std::min(excess, image.high[i]);
    image.high[i] -= fromPadding;
    sizes[i + (channelsSecond ? 2 : 1)] -= excess - fromPadding;
    if (excess < 0 || excess - fromPadding >= spatial[i])
      return b.fail("the windows do not cover the image");
  }
  src = buildBox(b, *src, Dims(sizes.size(), 0), sizes, Dims(sizes.size(), 1),
                 /*fill=*/0);
  if (failed(src))
    return failure();
  FailureOr<Value> value = b.build(
      "graph.convolution", {*src, *weights},
      {b.attr("strides", strides), b.attr("pads_begin", image.low),
       b.attr("pads_end", image.high), b.attr("dilations", dilations),
       b.attr("groups",
              b.getBuilder().getI64IntegerAttr(getLoopSize(groups, ranges))),
       b.attr("data_format", channelsSecond ? "NCX" : "NXC"),
       b.attr("weights_format", elementsLast ? "OIX" : "XIO")},
      element);
  Dims loops = channelsSecond
                   ? concatLoops({batch, groups, outputs, positions})
                   : concatLoops({batch, positions, groups, outputs});
  if (failed(value) ||
      failed(value = b.reshape(*value, getLoopSizes(loops, ranges))) ||
      failed(value = b.transpose(*value, getLoopOrder(loops, *resultLoops))))
    return failure();
  return addInit(reduction, *value, b);
}

/// The windows of the image, reduced.
static FailureOr<Value> convertPooling(StructuredReduction &reduction,
                                       Image image, GraphBuilder &b) {
  LinalgOp op = reduction.op;
  auto resultLoops = getLoops(reduction.getResultMap());
  Dims ranges = op.getStaticLoopRanges();
  takePadding(image);
  Dims before, after, positions, kernel, sizes, strides, dilations, offsets;
  bool slides = false;
  for (int64_t loop : image.loops) {
    slides |= loop < 0;
    if (loop >= 0)
      (slides ? after : before).push_back(loop);
  }
  for (auto [i, dim] : llvm::enumerate(image.sliding)) {
    positions.push_back(dim.position);
    kernel.push_back(ranges[dim.element]);
    sizes.push_back(ranges[dim.position]);
    strides.push_back(dim.stride);
    dilations.push_back(dim.dilation);
    offsets.push_back(-image.low[i]);
  }
  Dims loops = concatLoops({before, positions, after});
  if (!resultLoops || loops.size() != resultLoops->size() ||
      loops.size() + kernel.size() != op.getNumLoops())
    return b.fail("its indexing maps are not those of a pooling");
  FailureOr<Value> src = b.get(image.tensor);
  if (failed(src) ||
      failed(
          src = b.transpose(
              *src, getImageOrder(image, concatLoops({before, {-1}, after})))))
    return failure();
  Dims shape = {getLoopSize(before, ranges)};
  for (size_t i = 0; i < kernel.size(); ++i)
    shape.push_back(getShape(*src)[before.size() + i]);
  shape.push_back(getLoopSize(after, ranges));
  if (failed(src = b.reshape(*src, shape)))
    return failure();
  double fill = image.fill ? image.fill->convertToDouble() : 0;
  FailureOr<Value> value = b.build(
      "graph.windows", *src,
      {b.attr("kernel", kernel), b.attr("positions", sizes),
       b.attr("strides", strides), b.attr("dilations", dilations),
       b.attr("offsets", offsets), b.attr("spacing", Dims(kernel.size(), 1)),
       b.attr("fill", b.getBuilder().getF64FloatAttr(fill))});
  Dims axes = llvm::to_vector(
      llvm::seq<int64_t>(1 + kernel.size(), 1 + 2 * kernel.size()));
  if (failed(value) ||
      failed(value =
                 b.build(getReductionName(reduction), *value,
                         {b.attr("axes", axes), b.attr("keep_dims", false)})) ||
      failed(value = b.reshape(*value, getLoopSizes(loops, ranges))) ||
      failed(value = b.transpose(*value, getLoopOrder(loops, *resultLoops))))
    return failure();
  return addInit(reduction, *value, b);
}

std::optional<FailureOr<Value>>
gc::convertWindows(StructuredReduction &reduction, GraphBuilder &b) {
  LinalgOp op = reduction.op;
  if (auto [lhs, rhs] = getFactors(reduction); lhs) {
    if (std::optional<Image> image = readImage(op, lhs))
      return convertConvolution(reduction, *image, rhs, b);
    if (std::optional<Image> image = readImage(op, rhs))
      return convertConvolution(reduction, *image, lhs, b);
    return std::nullopt;
  }
  auto argument = dyn_cast<BlockArgument>(reduction.term);
  if (!argument || argument.getOwner() != op.getBlock())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  std::optional<Image> image = readImage(op, operand);
  if (!image)
    return std::nullopt;
  return convertPooling(reduction, *image, b);
}
