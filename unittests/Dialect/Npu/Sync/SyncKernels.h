// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Small kernels as they are written by hand, without loops: 30 to 40
// instructions, on all pipes, with two slots where that helps.

#ifndef GC_UNITTESTS_NPU_SYNC_SYNCKERNELS_H
#define GC_UNITTESTS_NPU_SYNC_SYNCKERNELS_H

#include "SyncListing.h"

namespace gc::npu::sync {

struct NamedKernel {
  std::string name;
  Kernel kernel;
};

std::vector<NamedKernel> makeSmallKernels(const Machine &machine);

} // namespace gc::npu::sync

#endif // GC_UNITTESTS_NPU_SYNC_SYNCKERNELS_H
