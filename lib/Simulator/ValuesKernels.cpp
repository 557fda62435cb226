// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ValuesKernels.h"

using namespace gc::npu;

#if defined(__x86_64__) && defined(__GNUC__)
#define GC_NPU_AVX2 __attribute__((target("avx2,fma,f16c")))
// Compilers that know the type use the host's instructions for it.
#ifdef __FLT16_MAX__
#define GC_NPU_HAS_FLOAT16 1
#endif
#endif

#define GC_NPU_INLINE inline __attribute__((always_inline))

namespace {

/// Eight numbers; two registers if there are none of this width.
typedef float Floats __attribute__((vector_size(32), aligned(4), may_alias));

/// Rows at a time: as many as have their sums in registers.
template <int rows>
GC_NPU_INLINE void multiplyRowsOf(float *c, const float *a, const float *b,
                                  int64_t k, int64_t k0) {
  Floats sums[rows][2];
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < 2; ++v)
      sums[r][v] = *reinterpret_cast<const Floats *>(c + r * 16 + v * 8);
  for (int64_t outer = 0; outer < k; outer += k0, a += 16 * k0) {
    int64_t end = k - outer < k0 ? k - outer : k0;
    for (int64_t inner = 0; inner < end; ++inner, b += 16) {
      Floats low = *reinterpret_cast<const Floats *>(b);
      Floats high = *reinterpret_cast<const Floats *>(b + 8);
      for (int r = 0; r < rows; ++r) {
        sums[r][0] += a[r * k0 + inner] * low;
        sums[r][1] += a[r * k0 + inner] * high;
      }
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < 2; ++v)
      *reinterpret_cast<Floats *>(c + r * 16 + v * 8) = sums[r][v];
}

#ifdef GC_NPU_AVX2

bool hasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2") &&
                          __builtin_cpu_supports("fma") &&
                          __builtin_cpu_supports("f16c");
  return has;
}

GC_NPU_AVX2 void multiplyRowsAvx2(float *c, const float *a, const float *b,
                                  int64_t k, int64_t k0) {
  multiplyRowsOf<kKernelRows>(c, a, b, k, k0);
}

#ifdef GC_NPU_HAS_FLOAT16

GC_NPU_AVX2 void toFloatAvx2(float *to, const uint16_t *from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    _Float16 half;
    std::memcpy(&half, from + i, sizeof(half));
    to[i] = static_cast<float>(half);
  }
}

GC_NPU_AVX2 void toHalfAvx2(uint16_t *to, const float *from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    _Float16 half = static_cast<_Float16>(from[i]);
    std::memcpy(to + i, &half, sizeof(half));
  }
}

#endif // GC_NPU_HAS_FLOAT16
#endif // GC_NPU_AVX2

} // namespace

void gc::npu::multiplyRows(float *c, const float *a, const float *b, int64_t k,
                           int64_t k0) {
#ifdef GC_NPU_AVX2
  if (hasAvx2())
    return multiplyRowsAvx2(c, a, b, k, k0);
#endif
  for (int64_t r = 0; r < kKernelRows; r += 2)
    multiplyRowsOf<2>(c + r * 16, a + r * k0, b, k, k0);
}

void gc::npu::toFloat(float *to, const uint16_t *from, int64_t count) {
#ifdef GC_NPU_HAS_FLOAT16
  if (hasAvx2())
    return toFloatAvx2(to, from, count);
#endif
  for (int64_t i = 0; i < count; ++i)
    to[i] = toFloat(from[i]);
}

void gc::npu::toHalf(uint16_t *to, const float *from, int64_t count) {
#ifdef GC_NPU_HAS_FLOAT16
  if (hasAvx2())
    return toHalfAvx2(to, from, count);
#endif
  for (int64_t i = 0; i < count; ++i)
    to[i] = toHalf(from[i]);
}
