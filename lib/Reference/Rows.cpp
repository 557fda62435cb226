// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Rows.h"
#include "Elementwise.h"
#include "Parallel.h"

#include <algorithm>
#include <cmath>

using namespace gc::reference;
using namespace llvm;

RowSpace::RowSpace(ArrayRef<int64_t> shape, ArrayRef<int64_t> reduced)
    : shape(shape), reduced(reduced) {
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
    bool isReduced = is_contained(reduced, dim);
    if (!isReduced)
      kept.push_back(dim);
    (isReduced ? length : numRows) *= shape[dim];
  }
}

/// Calls visit(offset, stride, count, begin) for runs along the innermost
/// reduced dimension.
template <typename Visit>
void RowSpace::visitRuns(const Tensor &tensor, int64_t row, Visit visit) const {
  ArrayRef<int64_t> strides = tensor.getStrides();
  int64_t offset = 0;
  for (int64_t dim : llvm::reverse(kept)) {
    offset += row % shape[dim] * strides[dim];
    row /= shape[dim];
  }
  if (length == 0)
    return;
  if (reduced.empty()) {
    visit(offset, 1, 1, 0);
    return;
  }
  int64_t inner = shape[reduced.back()];
  ArrayRef<int64_t> outer = ArrayRef(reduced).drop_back();
  for (int64_t begin = 0; begin < length; begin += inner) {
    int64_t at = offset, index = begin / inner;
    for (int64_t dim : llvm::reverse(outer)) {
      at += index % shape[dim] * strides[dim];
      index /= shape[dim];
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

/// Turns errors into what is stored: with the last rounding, never too small.
void RowProgram::finish(const BoundedTensor &to, int64_t count,
                        const double *values, double *errors) const {
  const ElementTypeInfo &info = getInfo(to.value.getType());
  for (int64_t i = 0; i < count; ++i) {
    double error = errors[i];
    if (std::isfinite(values[i]))
      error += roundings * info.unitRoundoff * std::fabs(values[i]) +
               (roundings != 0 ? info.tiny : 0);
    errors[i] = error;
  }
  finishBounds(to.value.getType(), values, errors, count);
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
      for (auto [i, input] : llvm::enumerate(inputs)) {
        space.load(input.value, r, row.values[i]);
        if (input.bound)
          space.load(input.bound, r, row.errors[i]);
      }
      function(row);
      if (result.value)
        space.store(result.value, r, row.result);
      if (result.bound) {
        finish(result, length, row.result, row.resultError);
        space.store(result.bound, r, row.resultError);
      }
      for (auto [i, scalar] : llvm::enumerate(scalars)) {
        storeElements(scalar.value.getType(), scalar.value.getData(), r, 1, 1,
                      &row.scalars[i]);
        if (!scalar.bound)
          continue;
        finish(scalar, 1, &row.scalars[i], &row.scalarErrors[i]);
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
