// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statistics of rows, with bounds on their errors.

#ifndef GC_LIB_REFERENCE_NORMS_H
#define GC_LIB_REFERENCE_NORMS_H

#include "Sums.h"

namespace gc::reference {

/// Mean of `count` elements x with errors e.
Bounded getMean(const double *x, const double *e, int64_t count);

/// Mean of the squares of x - mean.
Bounded getVariance(const double *x, const double *e, int64_t count,
                    Bounded mean);

/// x - mean, with its rounding.
Bounded center(double x, double e, Bounded mean);

/// 1 / sqrt(variance + epsilon).
Bounded getScale(Bounded variance, double epsilon);

} // namespace gc::reference

#endif // GC_LIB_REFERENCE_NORMS_H
