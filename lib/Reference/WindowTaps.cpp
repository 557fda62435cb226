// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WindowTaps.h"
#include "Parallel.h"

using namespace gc::reference;
using namespace mlir;

BoundedTensor gc::reference::viewChannelsLast(const BoundedTensor &image,
                                              StringRef format) {
  if (format == "NXC")
    return image;
  auto view = [](const Tensor &tensor) {
    if (!tensor)
      return tensor;
    SmallVector<int64_t> shape(tensor.getShape()), strides(tensor.getStrides());
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
    std::rotate(strides.begin() + 1, strides.begin() + 2, strides.end());
    return tensor.withView(shape, strides);
  };
  return {view(image.value), view(image.bound)};
}

static int64_t getOffset(const Tensor &tensor, ArrayRef<int64_t> index) {
  int64_t offset = 0;
  for (auto [i, stride] : llvm::zip(index, tensor.getStrides()))
    offset += i * stride;
  return offset;
}

void gc::reference::load(const BoundedTensor &from, ArrayRef<int64_t> index,
                         int64_t first, MutableArrayRef<Bounded> to) {
  std::vector<double> buffer(to.size());
  auto read = [&](const Tensor &tensor) {
    int64_t stride = tensor.getStrides().back();
    loadElements(tensor.getType(), tensor.getData(),
                 getOffset(tensor, index) + first * stride, stride, to.size(),
                 buffer.data());
  };
  read(from.value);
  for (auto [element, value] : llvm::zip_equal(to, buffer))
    element = {value, 0};
  if (!from.bound)
    return;
  read(from.bound);
  for (auto [element, error] : llvm::zip_equal(to, buffer))
    element.error = error;
}

void gc::reference::store(const BoundedTensor &to, ArrayRef<int64_t> index,
                          int64_t first, ArrayRef<Bounded> from,
                          double roundings) {
  std::vector<double> values, errors;
  for (const Bounded &element : from) {
    values.push_back(element.value);
    errors.push_back(element.error);
  }
  auto write = [&](const Tensor &tensor, const std::vector<double> &data) {
    int64_t stride = tensor.getStrides().back();
    storeElements(tensor.getType(), tensor.getData(),
                  getOffset(tensor, index) + first * stride, stride,
                  data.size(), data.data());
  };
  if (to.bound) {
    finishErrors(to.value.getType(), roundings, values.size(), values.data(),
                 errors.data());
    write(to.bound, errors);
  }
  write(to.value, values);
}

void gc::reference::visitIndices(ArrayRef<int64_t> sizes,
                                 function_ref<void(ArrayRef<int64_t>)> visit) {
  int64_t count = ShapedType::getNumElements(sizes);
  SmallVector<int64_t> index(sizes.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(index);
    for (size_t dim = sizes.size(); dim-- > 0;) {
      if (++index[dim] < sizes[dim])
        break;
      index[dim] = 0;
    }
  }
}

void gc::reference::visitIndicesInParallel(
    ArrayRef<int64_t> sizes, function_ref<void(ArrayRef<int64_t>)> visit) {
  size_t outer = 0;
  int64_t count = 1;
  while (outer < sizes.size() && count < 64)
    count *= sizes[outer++];
  parallelFor(count, [&](int64_t number) {
    SmallVector<int64_t> index(sizes.size());
    for (size_t dim = outer; dim-- > 0;) {
      index[dim] = number % sizes[dim];
      number /= sizes[dim];
    }
    visitIndices(sizes.drop_front(outer), [&](ArrayRef<int64_t> inner) {
      llvm::copy(inner, index.begin() + outer);
      visit(index);
    });
  });
}

static Taps reverseOne(const Taps &taps, int64_t size) {
  Taps reversed(size);
  for (auto [position, list] : llvm::enumerate(taps))
    for (const Tap &tap : list)
      reversed[tap.index].push_back(
          {static_cast<int64_t>(position), tap.weight});
  return reversed;
}

SmallVector<Taps> gc::reference::reverse(ArrayRef<Taps> taps,
                                         ArrayRef<int64_t> sizes) {
  SmallVector<Taps> all;
  for (auto [list, size] : llvm::zip_equal(taps, sizes))
    all.push_back(reverseOne(list, size));
  return all;
}
