// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/ToGraph/Views.h"

using namespace mlir;
using namespace gc;

using Dims = SmallVector<int64_t>;

FailureOr<Value> gc::buildBox(GraphBuilder &b, Value value,
                              ArrayRef<int64_t> offsets,
                              ArrayRef<int64_t> sizes,
                              ArrayRef<int64_t> strides, double fill) {
  Dims old(getShape(value));
  auto changes = [&](size_t i) {
    return offsets[i] != 0 || sizes[i] != old[i] || strides[i] != 1;
  };
  // Windows of one element slide over the dimensions that change; the others
  // are before or after these.
  size_t first = 0, last = old.size();
  while (first < last && !changes(first))
    ++first;
  while (last > first && !changes(last - 1))
    --last;
  if (first == last)
    return value;
  auto getProduct = [&](size_t from, size_t to) {
    int64_t product = 1;
    for (size_t i = from; i < to; ++i)
      product *= old[i];
    return product;
  };
  Dims shape = {getProduct(0, first)};
  shape.append(old.begin() + first, old.begin() + last);
  shape.push_back(getProduct(last, old.size()));
  Dims ones(last - first, 1);
  FailureOr<Value> src = b.reshape(value, shape);
  if (failed(src))
    return failure();
  FailureOr<Value> result =
      b.build("graph.windows", *src,
              {b.attr("kernel", ones),
               b.attr("positions", sizes.slice(first, last - first)),
               b.attr("strides", strides.slice(first, last - first)),
               b.attr("dilations", ones),
               b.attr("offsets", offsets.slice(first, last - first)),
               b.attr("spacing", ones),
               b.attr("fill", b.getBuilder().getF64FloatAttr(fill))});
  if (failed(result))
    return failure();
  return b.reshape(*result, sizes);
}

FailureOr<Value> gc::buildPad(GraphBuilder &b, Value value,
                              ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                              double fill) {
  Dims offsets, sizes;
  for (auto [size, before, after] :
       llvm::zip_equal(getShape(value), low, high)) {
    offsets.push_back(-before);
    sizes.push_back(size + before + after);
  }
  return buildBox(b, value, offsets, sizes, Dims(sizes.size(), 1), fill);
}
