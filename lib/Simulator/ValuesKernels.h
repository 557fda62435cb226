// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops in which the simulator spends its time when it computes values, for
// the host at hand.

#ifndef GC_LIB_SIMULATOR_VALUESKERNELS_H
#define GC_LIB_SIMULATOR_VALUESKERNELS_H

#include "NpuModel/Float16.h"

#include <cstdint>

namespace gc::npu {

/// Rows of C that `multiplyRows` computes in one call, and C's columns.
constexpr int64_t kKernelRows = 4, kFractalRows = 16;

/// C[r, n] += sum over k of A[r, k] * B[k, n] for 4 rows and 16 columns. Row r
/// of A is `K0` numbers at A + r * K0, the next K0 numbers 16 * K0 further on,
/// as fractals are stored; B and C are rows of 16 numbers. For each element of
/// C, k ascends and every sum is rounded: the result does not depend on the
/// host as long as products are exact, which those of f16 and s8 are.
void multiplyRows(float *c, const float *a, const float *b, int64_t k,
                  int64_t k0);

/// `count` numbers; with the host's instructions if it has them.
void toFloat(float *to, const uint16_t *from, int64_t count);
void toHalf(uint16_t *to, const float *from, int64_t count);

} // namespace gc::npu

#endif // GC_LIB_SIMULATOR_VALUESKERNELS_H
