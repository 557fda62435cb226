// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatmulKernel.h"

#include <cstring>

using namespace gc::reference;

// The body is a macro, not a function: compilers generate code for it for the
// target of the function that it is in. The sums stay in registers.
#define GC_KERNEL_BODY(WIDTH)                                                  \
  typedef double Vector __attribute__((vector_size((WIDTH) * 8)));             \
  constexpr int64_t kVectors = kKernelColumns / (WIDTH);                       \
  Vector sums[kKernelRows][kVectors];                                          \
  for (int64_t i = 0; i < kKernelRows; ++i)                                    \
    std::memcpy(sums[i], c + i * rowStride, sizeof(sums[i]));                  \
  for (int64_t k = 0; k < count; ++k) {                                        \
    Vector columns[kVectors];                                                  \
    std::memcpy(columns, b + k * kKernelColumns, sizeof(columns));             \
    for (int64_t i = 0; i < kKernelRows; ++i)                                  \
      for (int64_t j = 0; j < kVectors; ++j)                                   \
        sums[i][j] += a[k * kKernelRows + i] * columns[j];                     \
  }                                                                            \
  for (int64_t i = 0; i < kKernelRows; ++i)                                    \
  std::memcpy(c + i * rowStride, sums[i], sizeof(sums[i]))

using Kernel = void (*)(const double *, const double *, double *, int64_t,
                        int64_t);

static void runBaseline(const double *a, const double *b, double *c,
                        int64_t rowStride, int64_t count) {
  GC_KERNEL_BODY(2);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void
runAvx2(const double *a, const double *b, double *c, int64_t rowStride,
        int64_t count) {
  GC_KERNEL_BODY(4);
}

static Kernel chooseKernel() {
  bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return wide ? runAvx2 : runBaseline;
}
#else
static Kernel chooseKernel() { return runBaseline; }
#endif

void gc::reference::runMatmulKernel(const double *a, const double *b, double *c,
                                    int64_t rowStride, int64_t count) {
  static const Kernel kernel = chooseKernel();
  kernel(a, b, c, rowStride, count);
}
