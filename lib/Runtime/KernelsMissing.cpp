// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In place of Kernels.cpp where libxsmm is left out.

#include "Error.h"

void *gc_brgemm_dispatch(const gc_kernel_spec *) {
  gc::runtime::fail(GC_UNSUPPORTED,
                    "this runtime has no library of microkernels; compile with "
                    "kernel=vector, or link the runtime that has libxsmm");
  return nullptr;
}
