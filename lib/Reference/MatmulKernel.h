// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The innermost loop of the reference's matrix products, in double.

#ifndef GC_LIB_REFERENCE_MATMULKERNEL_H
#define GC_LIB_REFERENCE_MATMULKERNEL_H

#include <cstdint>

namespace gc::reference {

/// Rows and columns of one kernel call.
constexpr int64_t kKernelRows = 6;
constexpr int64_t kKernelColumns = 8;

/// c[i][j] += sum over k of a[k][i] * b[k][j], where a has kKernelRows and b
/// kKernelColumns values per k, one k after another, and rows of c are
/// `rowStride` apart. Uses the processor's best instructions.
void runMatmulKernel(const double *a, const double *b, double *c,
                     int64_t rowStride, int64_t count);

} // namespace gc::reference

#endif // GC_LIB_REFERENCE_MATMULKERNEL_H
