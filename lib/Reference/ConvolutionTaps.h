// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What convolutions and their gradients share: the elements of a kernel that
// meet elements of an image.

#ifndef GC_LIB_REFERENCE_CONVOLUTIONTAPS_H
#define GC_LIB_REFERENCE_CONVOLUTIONTAPS_H

#include "Dialect/Graph/IR/GraphOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace gc::reference {

/// An element of the kernel and the element of the source that it meets.
struct KernelTap {
  int64_t kernel, source;
};

/// Calls visit(taps) for all combinations of one from each list.
void visitTaps(llvm::ArrayRef<llvm::SmallVector<KernelTap>> lists,
               llvm::function_ref<void(llvm::ArrayRef<KernelTap>)> visit);

/// Elements of the kernel for one pair of channels.
int64_t getKernelVolume(const graph::ConvolutionSizes &sizes);

inline int64_t ceilDiv(int64_t value, int64_t by) {
  return value <= 0 ? 0 : (value + by - 1) / by;
}

} // namespace gc::reference

#endif // GC_LIB_REFERENCE_CONVOLUTIONTAPS_H
