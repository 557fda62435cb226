// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For code made ahead of time; a system library's own takes precedence.

#include "BFloat16.h"
#include "Runtime/Runtime.h"

extern "C" GC_API __attribute__((weak)) float __truncsfbf2(float X) {
  return gc::runtime::truncateToBFloat16(X);
}
