/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What C code that the compiler writes (--emit=c) calls: conversions of small
 * floating-point types, arithmetic that C has no operator for, and the
 * batch-reduce GEMM. C11 without extensions; needs nothing but <math.h>. */

#ifndef GC_RUNTIME_PORTABLE_H
#define GC_RUNTIME_PORTABLE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The bits of a float, and back. */
static inline uint32_t gc_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline float gc_float(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* bf16 is the upper half of a float. Numbers are rounded to nearest even. */
static inline float gc_bf16_to_f32(uint16_t x) {
  return gc_float((uint32_t)x << 16);
}
static inline uint16_t gc_f32_to_bf16(float x) {
  uint32_t bits = gc_bits(x);
  if (x != x)
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* A float with `exponent` bits of exponent, `mantissa` bits of mantissa and the
 * meaning of IEEE 754, in the low bits of an integer. */
static inline float gc_small_to_f32(uint32_t x, int exponent, int mantissa) {
  uint32_t sign = x >> (exponent + mantissa) & 1;
  uint32_t power = x >> mantissa & ((1u << exponent) - 1);
  uint32_t fraction = x & ((1u << mantissa) - 1);
  int bias = (1 << (exponent - 1)) - 1;
  float value;
  if (power == (1u << exponent) - 1)
    value = fraction ? gc_float(0x7fc00000) : gc_float(0x7f800000);
  else if (power == 0)
    value = ldexpf((float)fraction, 1 - bias - mantissa);
  else
    value = ldexpf((float)(fraction | 1u << mantissa),
                   (int)power - bias - mantissa);
  return sign ? -value : value;
}
static inline uint32_t gc_f32_to_small(float x, int exponent, int mantissa) {
  uint32_t sign = gc_bits(x) >> 31 << (exponent + mantissa);
  uint32_t infinity = ((1u << exponent) - 1) << mantissa;
  int bias = (1 << (exponent - 1)) - 1, power;
  float scaled;
  uint32_t bits;
  if (x != x)
    return sign | infinity | 1u << (mantissa - 1);
  x = fabsf(x);
  if (x == 0)
    return sign;
  if (isinf(x))
    return sign | infinity;
  frexpf(x, &power);
  power -= 1;
  if (power < 1 - bias)
    power = 1 - bias;
  /* The mantissa as an integer; a carry from rounding moves into the exponent
   * by itself. */
  scaled = nearbyintf(ldexpf(x, mantissa - power));
  if (power > bias)
    return sign | infinity;
  bits = (uint32_t)scaled + ((uint32_t)(power + bias - 1) << mantissa);
  return sign | (bits < infinity ? bits : infinity);
}

static inline float gc_f16_to_f32(uint16_t x) {
  return gc_small_to_f32(x, 5, 10);
}
static inline uint16_t gc_f32_to_f16(float x) {
  return (uint16_t)gc_f32_to_small(x, 5, 10);
}
static inline float gc_f8_e5m2_to_f32(uint8_t x) {
  return gc_small_to_f32(x, 5, 2);
}
static inline uint8_t gc_f32_to_f8_e5m2(float x) {
  return (uint8_t)gc_f32_to_small(x, 5, 2);
}

/* f8_e4m3 has no infinity: its largest number is 448, the next code is NaN, and
 * numbers that are too large become NaN. */
static inline float gc_f8_e4m3_to_f32(uint8_t x) {
  float value;
  int power = x >> 3 & 15;
  if ((x & 0x7f) == 0x7f)
    return gc_float(0x7fc00000);
  value = power == 0 ? ldexpf((float)(x & 7), -9)
                     : ldexpf((float)((x & 7) | 8), power - 10);
  return x & 0x80 ? -value : value;
}
static inline uint8_t gc_f32_to_f8_e4m3(float x) {
  uint32_t sign = gc_bits(x) >> 31 << 7, bits;
  int power;
  x = fabsf(x);
  if (!(x < 512))
    return (uint8_t)(sign | 0x7f);
  frexpf(x, &power);
  power = x == 0 || power - 1 < -6 ? -6 : power - 1;
  bits =
      (uint32_t)nearbyintf(ldexpf(x, 3 - power)) + ((uint32_t)(power + 6) << 3);
  return (uint8_t)(sign | (bits < 0x7f ? bits : 0x7f));
}

/* Maximum and minimum that keep NaN. */
static inline float gc_maximum(float a, float b) {
  return a != a ? a : a > b ? a : a < b || b != b ? b : signbit(a) ? b : a;
}
static inline float gc_minimum(float a, float b) {
  return a != a ? a : a < b ? a : a > b || b != b ? b : signbit(a) ? a : b;
}

/* Division of integers that rounds down, and its remainder; b > 0. */
static inline int64_t gc_floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}
static inline int64_t gc_mod(int64_t a, int64_t b) {
  return a % b + (a % b < 0 ? b : 0);
}

/* The upper half of a product. */
static inline int32_t gc_multiply_high(int32_t a, int32_t b) {
  return (int32_t)((uint64_t)(uint32_t)a * (uint32_t)b >> 32);
}

/* Elements of matrices, converted to the type of the sums. Two elements of 4
 * bits share a byte, the first in its lower half. */
#define GC_LOAD_F32(p, i) ((p)[i])
#define GC_LOAD_BF16(p, i) gc_bf16_to_f32((uint16_t)(p)[i])
#define GC_LOAD_F16(p, i) gc_f16_to_f32((uint16_t)(p)[i])
#define GC_LOAD_S32(p, i) ((p)[i])
#define GC_LOAD_S8(p, i) ((int8_t)(p)[i])
#define GC_LOAD_U8(p, i) ((uint8_t)(p)[i])
#define GC_LOAD_U4(p, i) ((uint8_t)(p)[(i) / 2] >> 4 * ((i) % 2) & 15)
#define GC_LOAD_S4(p, i) ((GC_LOAD_U4(p, i) ^ 8) - 8)
#define GC_STORE_F32(x) (x)
#define GC_STORE_BF16(x) gc_f32_to_bf16(x)
#define GC_STORE_F16(x) gc_f32_to_f16(x)
#define GC_STORE_S32(x) (x)

/* How blocks of A and B lie in memory: see gc_kernel_spec in Runtime.h. */
typedef struct gc_blocks {
  int64_t m, n, k;
  int64_t lda, ldb, ldc;
  int64_t pack_b, transpose_a, transpose_b;
  int64_t stride_a, stride_b;
  int64_t zero_point_a, zero_point_b;
  int64_t beta;
  /* Elements between rows of scales and of zero points; 0: there are none. */
  int64_t ld_scale;
} gc_blocks;

static inline int64_t gc_index_a(const gc_blocks *s, int64_t i, int64_t p) {
  return s->transpose_a ? p * s->lda + i : i * s->lda + p;
}
static inline int64_t gc_index_b(const gc_blocks *s, int64_t p, int64_t j) {
  if (s->transpose_b)
    return j * s->ldb + p;
  return p / s->pack_b * s->pack_b * s->ldb + j * s->pack_b + p % s->pack_b;
}

/* Defines NAME: C = beta * C + sum over l < batch of A_l * B_l, row-major, with
 * sums of type SUM. */
#define GC_DEFINE_BRGEMM(NAME, A, LOAD_A, B, LOAD_B, C, LOAD_C, STORE_C, SUM)  \
  static void NAME(const gc_blocks *s, int64_t batch, const A *a, const B *b,  \
                   C *c, const float *scales, const float *zero_points) {      \
    for (int64_t i = 0; i < s->m; ++i)                                         \
      for (int64_t j = 0; j < s->n; ++j) {                                     \
        SUM sum = s->beta ? LOAD_C(c, i * s->ldc + j) : 0;                     \
        for (int64_t l = 0; l < batch; ++l)                                    \
          for (int64_t p = 0; p < s->k; ++p) {                                 \
            int64_t at = l * s->stride_a + gc_index_a(s, i, p);                \
            int64_t bt = l * s->stride_b + gc_index_b(s, p, j);                \
            SUM x = (SUM)LOAD_A(a, at) - (SUM)s->zero_point_a;                 \
            SUM y = (SUM)LOAD_B(b, bt) - (SUM)s->zero_point_b;                 \
            if (zero_points)                                                   \
              y -= (SUM)zero_points[l * s->ld_scale + j];                      \
            if (scales)                                                        \
              y *= (SUM)scales[l * s->ld_scale + j];                           \
            sum += x * y;                                                      \
          }                                                                    \
        c[i * s->ldc + j] = (C)STORE_C(sum);                                   \
      }                                                                        \
  }

#endif /* GC_RUNTIME_PORTABLE_H */
