// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DefaultExecutor.h"

const gc_executor &gc::runtime::getDefaultExecutor() {
  return *gc_openmp_executor();
}
