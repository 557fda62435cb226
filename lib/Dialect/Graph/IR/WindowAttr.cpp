// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphAttrs.h"
#include "Dialect/Graph/IR/GraphTypes.h"
#include "Dialect/Graph/IR/WindowRuns.h"
#include "SpatialDims.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::graph;

LogicalResult WindowAttr::verify(function_ref<InFlightDiagnostic()> error,
                                 ArrayRef<int64_t> kernel,
                                 ArrayRef<int64_t> strides,
                                 ArrayRef<int64_t> dilations,
                                 ArrayRef<int64_t> padsBegin,
                                 ArrayRef<int64_t> padsEnd, int64_t groups,
                                 ArrayRef<int64_t> rows) {
  if (kernel.empty() || kernel.size() > 3)
    return error() << "(C1) a window has one to three spatial dimensions, not "
                   << kernel.size();
  auto check = [&](StringRef name, ArrayRef<int64_t> values,
                   int64_t least) -> LogicalResult {
    if (values.size() != kernel.size())
      return error() << "(C1) " << name << " has " << values.size()
                     << " elements for " << kernel.size()
                     << " spatial dimensions";
    for (int64_t value : values)
      if (value < least || value > kMostElements)
        return error() << "(C2) " << name << " of " << value
                       << " is out of range";
    return success();
  };
  if (failed(check("kernel", kernel, 1)) ||
      failed(check("strides", strides, 1)) ||
      failed(check("dilations", dilations, 1)) ||
      failed(check("pads_begin", padsBegin, 0)) ||
      failed(check("pads_end", padsEnd, 0)))
    return failure();
  if (groups < 1 || (groups > 1 && !rows.empty()) || rows.size() == 1)
    return error() << "(C3) groups is at least 1, and rows are at least two "
                      "dimensions, without groups";
  return success();
}

SmallVector<int64_t> WindowAttr::getPositions(ArrayRef<int64_t> image) const {
  SmallVector<int64_t> positions;
  for (auto [i, size] : llvm::enumerate(image.drop_front().drop_back()))
    positions.push_back(SpatialDim{size, getKernel()[i], getStrides()[i],
                                   getDilations()[i], getPadsBegin()[i],
                                   getPadsEnd()[i]}
                            .getOutput());
  return positions;
}

std::pair<int64_t, int64_t> WindowAttr::getRun(ArrayRef<int64_t> image,
                                               int64_t column) const {
  int64_t stride = getStrides().back(), pad = getPadsBegin().back();
  // Where the element is at position 0.
  int64_t start = column * getDilations().back() - pad;
  int64_t size = *(image.end() - 2), positions = getPositions(image).back();
  auto firstFrom = [&](int64_t at) {
    return at <= start ? 0
                       : std::min<int64_t>(
                             positions, llvm::divideCeil(at - start, stride));
  };
  int64_t first = firstFrom(0), end = firstFrom(size);
  return {first, end - first};
}

SmallVector<int64_t> WindowAttr::getRunLengths(ArrayRef<int64_t> image) const {
  SmallVector<int64_t> lengths;
  for (int64_t column = 0; column < getKernel().back(); ++column)
    if (int64_t length = getRun(image, column).second;
        length > 0 && !llvm::is_contained(lengths, length))
      lengths.push_back(length);
  return lengths;
}

bool WindowAttr::isPadded() const {
  auto isZero = [](int64_t pad) { return pad == 0; };
  return !llvm::all_of(getPadsBegin(), isZero) ||
         !llvm::all_of(getPadsEnd(), isZero);
}

int64_t WindowAttr::getTaps() const {
  int64_t taps = 1;
  for (int64_t size : getKernel())
    taps *= size;
  return taps;
}

WindowAttr WindowAttr::withRows(ArrayRef<int64_t> rows) const {
  return get(getContext(), getKernel(), getStrides(), getDilations(),
             getPadsBegin(), getPadsEnd(), getGroups(), rows);
}

//===----------------------------------------------------------------------===//
// Columns folded with channels
//===----------------------------------------------------------------------===//

bool gc::graph::isFoldable(WindowAttr window) {
  return window.getGroups() == 1 && window.getKernel().back() > 1 &&
         window.getDilations().back() == 1;
}

bool gc::graph::hasAdjacentPixels(RankedTensorType image) {
  LayoutAttr layout = getLayout(image);
  return !layout ||
         (layout.isStrided() && layout.getStrides().back() == 1 &&
          *(layout.getStrides().end() - 2) == image.getShape().back());
}

bool gc::graph::isFolded(WindowAttr window, int64_t channels, int64_t block) {
  return isFoldable(window) && block == window.getKernel().back() * channels;
}

SmallVector<WindowRun> gc::graph::getWindowRuns(WindowAttr window,
                                                ArrayRef<int64_t> image) {
  int64_t size = *(image.end() - 2), width = window.getKernel().back(),
          stride = window.getStrides().back(),
          pad = window.getPadsBegin().back();
  int64_t positions = window.getPositions(image).back();
  SmallVector<WindowRun> runs;
  for (int64_t at = 0; at < positions;) {
    int64_t start = at * stride - pad;
    int64_t column = std::max<int64_t>(0, -start);
    int64_t end = std::min(width, size - start);
    if (column >= end) {
      ++at;
      continue;
    }
    // Only where the whole window is inside does the next position see the same
    // columns.
    int64_t last = at;
    if (column == 0 && end == width)
      last = std::min(positions - 1, (size - width + pad) / stride);
    runs.push_back({at, last - at + 1, column, end - column});
    at = last + 1;
  }
  return runs;
}
