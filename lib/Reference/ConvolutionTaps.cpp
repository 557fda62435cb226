// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConvolutionTaps.h"

using namespace gc;
using namespace mlir;
using gc::reference::KernelTap;

void gc::reference::visitTaps(ArrayRef<SmallVector<KernelTap>> lists,
                              function_ref<void(ArrayRef<KernelTap>)> visit) {
  SmallVector<size_t> index(lists.size(), 0);
  if (llvm::any_of(lists, [](const auto &list) { return list.empty(); }))
    return;
  for (bool more = true; more;) {
    SmallVector<KernelTap> taps;
    for (auto [list, i] : llvm::zip_equal(lists, index))
      taps.push_back(list[i]);
    visit(taps);
    more = false;
    for (size_t dim = lists.size(); dim-- > 0 && !more;) {
      more = ++index[dim] < lists[dim].size();
      if (!more)
        index[dim] = 0;
    }
  }
}

int64_t gc::reference::getKernelVolume(const graph::ConvolutionSizes &sizes) {
  int64_t volume = 1;
  for (int64_t size : sizes.kernel)
    volume *= size;
  return volume;
}
