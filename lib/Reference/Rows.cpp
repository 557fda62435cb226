// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Rows.h"
#include "Elementwise.h"
#include "Parallel.h"

#include <algorithm>
#include <cmath>

using namespace gc::reference;
using namespace llvm;

RowSpace::RowSpace(ArrayRef<int64_t> shape, ArrayRef<int64_t> reduced,
                   int64_t partSize)
    : shape(shape), reduced(reduced), partSize(partSize) {
  auto keep = [&](int64_t dim, int64_t size) {
    kept.push_back(dim);
    keptSizes.push_back(size);
    numRows *= size;
  };
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
    if (!is_contained(reduced, dim)) {
      keep(dim, shape[dim]);
    } else if (partSize > 0 && dim == reduced.front()) {
      keep(dim, divideCeil(shape[dim], partSize));
      length *= std::min(partSize, shape[dim]);
    } else {
      length *= shape[dim];
    }
  }
}

int64_t RowSpace::getPart(int64_t row) const {
  if (partSize == 0)
    return 0;
  for (size_t i = kept.size(); kept[--i] != reduced.front();)
    row /= keptSizes[i];
  return row % keptSizes[find(kept, reduced.front()) - kept.begin()];
}

int64_t RowSpace::getPartLength(int64_t part) const {
  int64_t size = shape[reduced.front()];
  return partSize == 0 ? size : std::min(partSize, size - part * partSize);
}

int64_t RowSpace::getLength(int64_t row) const {
  if (partSize == 0 || length == 0)
    return length;
  return length / getPartLength(0) * getPartLength(getPart(row));
}

/// Calls visit(offset, stride, count, begin) for runs along the innermost
/// reduced dimension.
template <typename Visit>
void RowSpace::visitRuns(const Tensor &tensor, int64_t row, Visit visit) const {
  ArrayRef<int64_t> strides = tensor.getStrides();
  int64_t offset = 0, part = getPart(row), rowLength = getLength(row);
  for (auto [dim, size] : llvm::reverse(zip_equal(kept, keptSizes))) {
    bool isPart = partSize > 0 && dim == reduced.front();
    offset += row % size * (isPart ? partSize : 1) * strides[dim];
    row /= size;
  }
  if (length == 0)
    return;
  if (reduced.empty()) {
    visit(offset, 1, 1, 0);
    return;
  }
  auto getSize = [&](int64_t dim) {
    return dim == reduced.front() ? getPartLength(part) : shape[dim];
  };
  int64_t inner = getSize(reduced.back());
  ArrayRef<int64_t> outer = ArrayRef(reduced).drop_back();
  for (int64_t begin = 0; begin < rowLength; begin += inner) {
    int64_t at = offset, index = begin / inner;
    for (int64_t dim : llvm::reverse(outer)) {
      at += index % getSize(dim) * strides[dim];
      index /= getSize(dim);
    }
    visit(at, strides[reduced.back()], inner, begin);
  }
}

void RowSpace::load(const Tensor &tensor, int64_t row, double *values) const {
  visitRuns(tensor, row,
            [&](int64_t offset, int64_t stride, int64_t count, int64_t begin) {
              loadElements(tensor.getType(), tensor.getData(), offset, stride,
                           count, values + begin);
            });
}

void RowSpace::store(const Tensor &tensor, int64_t row,
                     const double *values) const {
  visitRuns(tensor, row,
            [&](int64_t offset, int64_t stride, int64_t count, int64_t begin) {
              storeElements(tensor.getType(), tensor.getData(), offset, stride,
                            count, values + begin);
            });
}

/// Turns errors into stored bounds: including the last rounding, never too
/// small.
void gc::reference::finishErrors(ElementType type, double roundings,
                                 int64_t count, const double *values,
                                 double *errors) {
  const ElementTypeInfo &info = getInfo(type);
  for (int64_t i = 0; i < count; ++i)
    if (std::isfinite(values[i]))
      errors[i] +=
          roundings * info.unitRoundoff * (std::fabs(values[i]) + errors[i]) +
          (roundings != 0 ? info.tiny : 0);
  finishBounds(type, values, errors, count);
}

void RowProgram::run(function_ref<void(RowData &)> function) const {
  int64_t length = space.getLength(), rows = space.getNumRows();
  // Enough work for a thread to take at once.
  int64_t block = std::clamp<int64_t>(8192 / std::max<int64_t>(length, 1), 1,
                                      std::max<int64_t>(rows, 1));
  parallelFor((rows + block - 1) / block, [&](int64_t index) {
    std::vector<double> memory((inputs.size() + 1) * 2 * length);
    RowData row{length,
                {},
                {},
                memory.data(),
                memory.data() + length,
                SmallVector<double>(scalars.size()),
                SmallVector<double>(scalars.size())};
    for (size_t i = 0; i < inputs.size(); ++i) {
      row.values.push_back(memory.data() + (2 * i + 2) * length);
      row.errors.push_back(memory.data() + (2 * i + 3) * length);
    }
    for (int64_t r = index * block; r < std::min(rows, (index + 1) * block);
         ++r) {
      row.length = space.getLength(r);
      for (auto [i, input] : llvm::enumerate(inputs)) {
        space.load(input.value, r, row.values[i]);
        if (input.bound)
          space.load(input.bound, r, row.errors[i]);
      }
      function(row);
      if (result.value)
        space.store(result.value, r, row.result);
      if (result.bound) {
        finishErrors(result.value.getType(), roundings, row.length, row.result,
                     row.resultError);
        space.store(result.bound, r, row.resultError);
      }
      for (auto [i, scalar] : llvm::enumerate(scalars)) {
        storeElements(scalar.value.getType(), scalar.value.getData(), r, 1, 1,
                      &row.scalars[i]);
        if (!scalar.bound)
          continue;
        finishErrors(scalar.value.getType(), roundings, 1, &row.scalars[i],
                     &row.scalarErrors[i]);
        storeElements(ElementType::F32, scalar.bound.getData(), r, 1, 1,
                      &row.scalarErrors[i]);
      }
    }
  });
}

bool gc::reference::isInexact(ArrayRef<BoundedTensor> tensors) {
  return any_of(tensors, [](auto &tensor) { return bool(tensor.bound); });
}

BoundedTensor gc::reference::broadcastTo(const BoundedTensor &tensor,
                                         ArrayRef<int64_t> shape) {
  BoundedTensor view;
  view.value = tensor.value.broadcastTo(shape);
  if (tensor.bound)
    view.bound = tensor.bound.broadcastTo(shape);
  return view;
}

double gc::reference::getSumFactor(int64_t count) {
  double n = static_cast<double>(count);
  return std::max(std::min(n + 2, 8 * std::sqrt(n)), 2.0) * 0x1p-24;
}
