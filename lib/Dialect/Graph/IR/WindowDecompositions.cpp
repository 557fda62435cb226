// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pooling and interpolation as reductions of windows that slide over an image,
// and their gradients as reductions of windows that slide over the gradient of
// the result: each element gathers what it has contributed to.

#include "Decomposition.h"
#include "ImageView.h"
#include "SpatialDims.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace gc::graph;

using Values = SmallVector<Value>;

/// Windows of more elements than this are reduced one dimension after the
/// other.
constexpr int64_t kManyElements = 12;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

Value gc::graph::makeWindows(Decomposition &b, Value image,
                             ArrayRef<Sliding> dims, bool clamps, double fill) {
  SmallVector<int64_t> kernel, positions, strides, dilations, offsets, spacing;
  for (const Sliding &dim : dims) {
    kernel.push_back(dim.kernel);
    positions.push_back(dim.positions);
    strides.push_back(dim.stride);
    dilations.push_back(dim.dilation);
    offsets.push_back(dim.offset);
    spacing.push_back(dim.spacing);
  }
  return b.make<WindowsOp>(image, kernel, positions, strides, dilations,
                           offsets, spacing, clamps ? "clamp" : "fill",
                           APFloat(fill));
}

Value gc::graph::makeSlice(Decomposition &b, Value image,
                           ArrayRef<Sliding> dims) {
  ArrayRef<int64_t> old = cast<RankedTensorType>(image.getType()).getShape();
  SmallVector<int64_t> shape{old.front()};
  bool keepsAll = true;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    shape.push_back(dim.positions);
    keepsAll &= dim.keepsAll(old[1 + i]);
  }
  if (keepsAll)
    return image;
  shape.push_back(old.back());
  return b.reshape(makeWindows(b, image, dims), shape);
}

SmallVector<int64_t> gc::graph::getChannelsLast(int64_t rank) {
  SmallVector<int64_t> order{0};
  for (int64_t dim = 2; dim < rank; ++dim)
    order.push_back(dim);
  order.push_back(1);
  return order;
}

SmallVector<int64_t> gc::graph::getChannelsSecond(int64_t rank) {
  SmallVector<int64_t> order{0, rank - 1};
  for (int64_t dim = 1; dim < rank - 1; ++dim)
    order.push_back(dim);
  return order;
}

static RankedTensorType getTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The dimensions of windows' elements.
static SmallVector<int64_t> getElementAxes(int64_t spatial) {
  return llvm::to_vector(llvm::seq<int64_t>(1 + spatial, 1 + 2 * spatial));
}

/// A constant for the positions along spatial dimension `dim`, and for elements
/// of windows, in a shape that broadcasts to [n, p..., k..., c].
static Value makeTable(Decomposition &b, int64_t spatial, int64_t dim,
                       int64_t positions, int64_t kernel,
                       function_ref<double(int64_t, int64_t)> get) {
  SmallVector<int64_t> shape(2 * spatial + 1, 1);
  shape[dim] = positions;
  shape[spatial + dim] = kernel;
  SmallVector<float> values;
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t k = 0; k < kernel; ++k)
      values.push_back(static_cast<float>(get(p, k)));
  auto type = RankedTensorType::get(shape, b.rewriter.getF32Type());
  return b.make<ConstantOp>(
      type, DenseElementsAttr::get(type, ArrayRef<float>(values)));
}

/// The same for positions only, in a shape that broadcasts to [n, p..., c].
static Value makeTable(Decomposition &b, int64_t spatial, int64_t dim,
                       int64_t positions, function_ref<double(int64_t)> get) {
  SmallVector<int64_t> shape(spatial + 1, 1);
  shape[dim] = positions;
  SmallVector<float> values;
  for (int64_t p = 0; p < positions; ++p)
    values.push_back(static_cast<float>(get(p)));
  auto type = RankedTensorType::get(shape, b.rewriter.getF32Type());
  return b.make<ConstantOp>(
      type, DenseElementsAttr::get(type, ArrayRef<float>(values)));
}

/// Tables have at most this many elements: they are constants of the program.
static LogicalResult checkTable(Operation *op, int64_t positions,
                                int64_t kernel) {
  constexpr int64_t kMostInTable = int64_t(1) << 26;
  int64_t elements = 0;
  if (!llvm::MulOverflow(positions, kernel, elements) &&
      elements <= kMostInTable)
    return success();
  return op->emitOpError("has windows of ")
         << kernel << " elements at " << positions
         << " positions along a dimension, which is too many";
}

bool gc::graph::hasStaticShapes(Operation *op) {
  auto isStatic = [](Type type) {
    return cast<ShapedType>(type).hasStaticShape();
  };
  return llvm::all_of(op->getOperandTypes(), isStatic) &&
         llvm::all_of(op->getResultTypes(), isStatic);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// The windows of the op along each spatial dimension.
static SmallVector<Sliding> getSliding(const PoolSizes &sizes) {
  SmallVector<Sliding> dims;
  for (size_t i = 0; i < sizes.kernel.size(); ++i)
    dims.push_back({sizes.kernel[i], sizes.output[i], sizes.strides[i],
                    sizes.dilations[i], -sizes.padsBegin[i], 1});
  return dims;
}

/// The windows that have each element: of the gradient of the op's result.
static SmallVector<Sliding> getReversed(const PoolSizes &sizes) {
  SmallVector<Sliding> dims;
  for (size_t i = 0; i < sizes.kernel.size(); ++i)
    dims.push_back({sizes.kernel[i], sizes.input[i], 1, -sizes.dilations[i],
                    sizes.padsBegin[i], sizes.strides[i]});
  return dims;
}

/// Reduces windows, of channels-last images.
template <typename Reduction>
static Value reduceWindows(Decomposition &b, Value image,
                           ArrayRef<Sliding> dims, double fill) {
  int64_t spatial = dims.size(), elements = 1, longer = 0;
  for (const Sliding &dim : dims) {
    elements *= dim.kernel;
    longer += dim.kernel > 1;
  }
  auto reduce = [&](Value image, ArrayRef<Sliding> dims) {
    Value windows = makeWindows(b, image, dims, /*clamps=*/false, fill);
    // Sums are rounded once.
    if (std::is_same_v<Reduction, ReduceSumOp>)
      windows = b.toF32(windows);
    return b.make<Reduction>(windows, getElementAxes(spatial),
                             /*keep_dims=*/false);
  };
  if (elements <= kManyElements || longer == 1)
    return reduce(image, dims);
  for (int64_t i = spatial - 1; i >= 0; --i) {
    if (dims[i].keepsAll(getTypeOf(image).getDimSize(1 + i)))
      continue;
    SmallVector<Sliding> single;
    for (int64_t other = 0; other < spatial; ++other)
      single.push_back(
          other == i ? dims[i]
                     : Sliding::all(getTypeOf(image).getDimSize(1 + other)));
    image = reduce(image, single);
  }
  return image;
}

/// Whether the only window is the whole image.
static bool isGlobal(const PoolSizes &sizes) {
  for (size_t i = 0; i < sizes.kernel.size(); ++i)
    if (sizes.output[i] != 1 || sizes.kernel[i] != sizes.input[i] ||
        sizes.dilations[i] != 1 || sizes.padsBegin[i] != 0)
      return false;
  return true;
}

static SmallVector<int64_t> getSpatialAxes(const PoolSizes &sizes) {
  return llvm::to_vector(llvm::seq<int64_t>(
      sizes.firstSpatialDim, sizes.firstSpatialDim + sizes.kernel.size()));
}

FailureOr<Values> MaxPoolOp::decompose(RewriterBase &rewriter) {
  if (!hasStaticShapes(*this))
    return failure();
  Decomposition b(rewriter, *this);
  PoolSizes sizes = getPoolSizes(*this);
  if (isGlobal(sizes))
    return finish(b, b.reduce<ReduceMaxOp>(getSrc(), getSpatialAxes(sizes)),
                  getType());
  ImageView view(*this, getDataFormat());
  Value image =
      reduceWindows<ReduceMaxOp>(b, view.open(b, getSrc()), getSliding(sizes),
                                 -std::numeric_limits<double>::infinity());
  return view.close(b, image, getType());
}

/// How many elements of the image a window has along a dimension.
static int64_t countElements(const PoolSizes &sizes, unsigned dim,
                             int64_t position) {
  int64_t count = 0;
  for (int64_t k = 0; k < sizes.kernel[dim]; ++k) {
    int64_t x = position * sizes.strides[dim] + k * sizes.dilations[dim] -
                sizes.padsBegin[dim];
    count += x >= 0 && x < sizes.input[dim];
  }
  return count;
}

/// An image with an element per window, divided by the windows' counts.
static FailureOr<Value> divideByCounts(Decomposition &b, Operation *op,
                                       Value image, const PoolSizes &sizes,
                                       bool excludesPads) {
  int64_t spatial = sizes.kernel.size();
  double whole = 1;
  for (int64_t dim = 0; dim < spatial; ++dim) {
    if (excludesPads &&
        failed(checkTable(op, sizes.output[dim], sizes.kernel[dim])))
      return failure();
    auto isWhole = [&](int64_t position) {
      return countElements(sizes, dim, position) == sizes.kernel[dim];
    };
    if (!excludesPads ||
        llvm::all_of(llvm::seq<int64_t>(0, sizes.output[dim]), isWhole)) {
      whole *= static_cast<double>(sizes.kernel[dim]);
      continue;
    }
    auto getShare = [&](int64_t position) {
      int64_t count = countElements(sizes, dim, position);
      return 1 / static_cast<double>(std::max<int64_t>(count, 1));
    };
    image = b.multiply(image,
                       makeTable(b, spatial, dim, sizes.output[dim], getShare));
  }
  return whole == 1 ? image : b.multiply(image, 1 / whole);
}

FailureOr<Values> AvgPoolOp::decompose(RewriterBase &rewriter) {
  if (!hasStaticShapes(*this))
    return failure();
  Decomposition b(rewriter, *this);
  PoolSizes sizes = getPoolSizes(*this);
  if (isGlobal(sizes))
    return finish(b, b.mean(b.toF32(getSrc()), getSpatialAxes(sizes)),
                  getType());
  ImageView view(*this, getDataFormat());
  Value image = reduceWindows<ReduceSumOp>(b, view.open(b, getSrc()),
                                           getSliding(sizes), 0);
  FailureOr<Value> mean =
      divideByCounts(b, *this, image, sizes, getExcludePad());
  if (failed(mean))
    return failure();
  return view.close(b, *mean, getType());
}

FailureOr<Values> AvgPoolBackwardOp::decompose(RewriterBase &rewriter) {
  if (!hasStaticShapes(*this))
    return failure();
  Decomposition b(rewriter, *this);
  PoolSizes sizes = getPoolSizes(*this);
  ImageView view(*this, getDataFormat());
  FailureOr<Value> gradient = view.open(b, getDiffDst());
  // Once for each window rather than for each of its elements; by a constant
  // afterwards.
  if (getExcludePad())
    gradient = divideByCounts(b, *this, b.toF32(*gradient), sizes, true);
  if (failed(gradient))
    return failure();
  gradient = reduceWindows<ReduceSumOp>(b, *gradient, getReversed(sizes), 0);
  if (!getExcludePad())
    gradient = divideByCounts(b, *this, *gradient, sizes, false);
  if (failed(gradient))
    return failure();
  return view.close(b, *gradient, getType());
}

/// Finds the element that is the maximum of each window, then for each element
/// the windows of which it is the one.
FailureOr<Values> MaxPoolBackwardOp::decompose(RewriterBase &rewriter) {
  if (!hasStaticShapes(*this))
    return failure();
  Decomposition b(rewriter, *this);
  PoolSizes sizes = getPoolSizes(*this);
  int64_t spatial = sizes.kernel.size(), elements = 1;
  for (int64_t size : sizes.kernel)
    elements *= size;
  // Numbers of a window's elements, which f32 holds.
  if (elements >= int64_t(1) << 24)
    return failure();
  SmallVector<int64_t> shape(2 * spatial + 1, 1);
  llvm::copy(sizes.kernel, shape.begin() + spatial);
  auto type = RankedTensorType::get(shape, rewriter.getF32Type());
  SmallVector<float> count(elements);
  std::iota(count.begin(), count.end(), 0.0f);
  Value numbers = b.make<ConstantOp>(
      type, DenseElementsAttr::get(type, ArrayRef<float>(count)));

  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ImageView view(*this, getDataFormat());
  Value image = view.open(b, getSrc());
  SmallVector<int64_t> axes = getElementAxes(spatial);
  Value windows = makeWindows(b, image, getSliding(sizes), false, -kInfinity);
  Value largest = b.make<ReduceMaxOp>(windows, axes, /*keep_dims=*/true);
  // Nothing is at least NaN, so no pad is a maximum.
  Value candidates = makeWindows(b, image, getSliding(sizes), false,
                                 std::numeric_limits<double>::quiet_NaN());
  Value isLargest = b.make<GreaterEqualOp>(candidates, largest);
  Value none = b.scalar(static_cast<double>(elements), numbers);
  Value first = b.make<ReduceMinOp>(b.make<SelectOp>(isLargest, numbers, none),
                                    axes, /*keep_dims=*/false);

  SmallVector<Sliding> reversed = getReversed(sizes);
  Value gradient = view.open(b, getDiffDst());
  Value of = makeWindows(b, first, reversed, false, -1);
  Value given = b.toF32(makeWindows(b, gradient, reversed));
  Value zero = b.scalar(0, given);
  Value isAtMost = b.make<GreaterEqualOp>(numbers, of);
  Value isAtLeast = b.make<GreaterEqualOp>(of, numbers);
  given = b.make<SelectOp>(isAtMost, given, zero);
  given = b.make<SelectOp>(isAtLeast, given, zero);
  Value sum = b.make<ReduceSumOp>(given, axes, /*keep_dims=*/false);
  return view.close(b, sum, getType());
}

//===----------------------------------------------------------------------===//
// Interpolation
//===----------------------------------------------------------------------===//

namespace {
/// Where elements along a dimension of the result are in that of the image:
/// (y * stride + offset) / spacing, rounded down and moved to the nearest
/// element. In linear modes the remainder is the weight of the element after
/// it.
struct Sampling {
  int64_t input, output, stride, offset, spacing;
  bool isLinear;

  Sampling(int64_t input, int64_t output, bool alignsCorners, bool isLinear)
      : input(input), output(output), isLinear(isLinear) {
    if (!alignsCorners) {
      // (y + 0.5) * input / output, less half an element.
      stride = 2 * input;
      offset = isLinear ? input - output : input;
      spacing = 2 * output;
    } else if (output == 1) {
      stride = offset = 0;
      spacing = 1;
    } else {
      stride = 2 * (input - 1);
      offset = isLinear ? 0 : output - 1;
      spacing = 2 * (output - 1);
    }
  }

  int64_t getKernel() const { return isLinear ? 2 : 1; }

  /// The weight of element `k` of two.
  double getWeight(int64_t y, int64_t k) const {
    if (!isLinear)
      return 1;
    int64_t rest = llvm::mod(y * stride + offset, spacing);
    double after = static_cast<double>(rest) / static_cast<double>(spacing);
    return k == 1 ? after : 1 - after;
  }
  /// The weight of element x of the image.
  double getWeightOf(int64_t y, int64_t x) const {
    double weight = 0;
    for (int64_t k = 0; k < getKernel(); ++k) {
      int64_t index = llvm::divideFloorSigned(y * stride + offset, spacing) + k;
      if (std::clamp<int64_t>(index, 0, input - 1) == x)
        weight += getWeight(y, k);
    }
    return weight;
  }

  Sliding getSliding() const {
    return {getKernel(), output, stride, spacing, offset, spacing};
  }
  /// Windows of the result that have all the elements to which x contributes:
  /// those at a distance of less than 1 in the image, and further ones at its
  /// ends.
  Sliding getReversed() const {
    if (stride == 0 || input == 1)
      return {output, input, 0, 1, 0, 1};
    // The first y with (y * stride + offset) / spacing > x - 1, if not linear
    // half an element earlier.
    int64_t shift = isLinear ? 0 : spacing / 2;
    int64_t most = llvm::divideCeil(2 * spacing, stride) + 2;
    return {most, input, spacing, stride, shift - spacing - offset, stride};
  }
};
} // namespace

template <typename Op>
static SmallVector<Sampling> getSamplings(Op op, RankedTensorType src,
                                          RankedTensorType dst) {
  ImageDims dims(op.getDataFormat(), src.getRank());
  SmallVector<Sampling> samplings;
  for (int64_t i = dims.firstSpatial; i < dims.firstSpatial + src.getRank() - 2;
       ++i)
    samplings.emplace_back(src.getDimSize(i), dst.getDimSize(i),
                           op.getCoordinateTransformationMode() ==
                               "align_corners",
                           op.getMode() != "nearest");
  return samplings;
}

FailureOr<Values> InterpolateOp::decompose(RewriterBase &rewriter) {
  if (!hasStaticShapes(*this))
    return failure();
  Decomposition b(rewriter, *this);
  auto samplings = getSamplings(*this, getSrc().getType(), getType());
  int64_t spatial = samplings.size();
  ImageView view(*this, getDataFormat());
  Value image = view.open(b, getSrc());
  SmallVector<Sliding> dims;
  for (const Sampling &sampling : samplings) {
    dims.push_back(sampling.getSliding());
    if (failed(checkTable(*this, sampling.output, sampling.getKernel())))
      return failure();
  }
  image = makeWindows(b, image, dims, /*clamps=*/true);
  if (!samplings[0].isLinear) {
    SmallVector<int64_t> shape;
    for (auto [i, size] : llvm::enumerate(getTypeOf(image).getShape()))
      if (static_cast<int64_t>(i) <= spatial ||
          static_cast<int64_t>(i) == 2 * spatial + 1)
        shape.push_back(size);
    return view.close(b, b.reshape(image, shape), getType());
  }
  image = b.toF32(image);
  for (auto [dim, sampling] : llvm::enumerate(samplings))
    image = b.multiply(
        image, makeTable(b, spatial, dim, sampling.output, sampling.getKernel(),
                         [&, &sampling = sampling](int64_t y, int64_t k) {
                           return sampling.getWeight(y, k);
                         }));
  image = b.make<ReduceSumOp>(image, getElementAxes(spatial),
                              /*keep_dims=*/false);
  return view.close(b, image, getType());
}

FailureOr<Values> InterpolateBackwardOp::decompose(RewriterBase &rewriter) {
  if (!hasStaticShapes(*this))
    return failure();
  Decomposition b(rewriter, *this);
  auto samplings = getSamplings(*this, getType(), getDiffDst().getType());
  int64_t spatial = samplings.size();
  ImageView view(*this, getDataFormat());
  Value gradient = view.open(b, getDiffDst());
  // One dimension after the other: an element may have contributed to many.
  for (int64_t dim = spatial - 1; dim >= 0; --dim) {
    const Sampling &sampling = samplings[dim];
    SmallVector<Sliding> dims;
    for (int64_t other = 0; other < spatial; ++other)
      dims.push_back(other == dim ? sampling.getReversed()
                                  : Sliding::all(getTypeOf(gradient).getDimSize(
                                        1 + other)));
    Sliding own = dims[dim];
    if (failed(checkTable(*this, own.positions, own.kernel)))
      return failure();
    auto getWeight = [&](int64_t x, int64_t k) {
      int64_t y =
          llvm::divideFloorSigned(x * own.stride + own.offset, own.spacing) + k;
      return y < 0 || y >= sampling.output ? 0 : sampling.getWeightOf(y, x);
    };
    Value windows = b.toF32(makeWindows(b, gradient, dims, /*clamps=*/true));
    windows = b.multiply(windows, makeTable(b, spatial, dim, own.positions,
                                            own.kernel, getWeight));
    gradient = b.make<ReduceSumOp>(windows, getElementAxes(spatial),
                                   /*keep_dims=*/false);
  }
  return view.close(b, gradient, getType());
}
