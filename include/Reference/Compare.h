// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Comparison of a computed tensor with the reference's.

#ifndef GC_REFERENCE_COMPARE_H
#define GC_REFERENCE_COMPARE_H

#include "Reference/Tensor.h"

namespace gc::reference {

/// Overrides the reference's bounds: |actual - expected| <= atol + rtol
/// |expected|.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

struct Comparison {
  bool passed = false;
  int64_t count = 0;
  int64_t mismatches = 0;
  /// Integers that differ by 1, which is allowed (ties of quantisation).
  int64_t ties = 0;
  /// Elements that any value would have matched (allowsAll).
  int64_t unchecked = 0;
  /// Over elements that are finite in both tensors.
  double maxAbsError = 0;
  /// Over those whose expected value is not 0.
  double maxRelError = 0;
  /// Index of the first mismatch, in row-major order.
  llvm::SmallVector<int64_t> firstMismatch;
  /// Where and by how much, or how shape or type differ; empty if passed.
  std::string message;
};

/// Compares element by element. NaN matches only NaN, infinity only the same
/// infinity. The allowed error is `bound` (null: none, the values must be
/// equal), unless `tolerance` is given; integers of 8 bits or less may then
/// also differ by 1.
Comparison compare(const Tensor &actual, const Tensor &expected,
                   const Tensor &bound,
                   std::optional<Tolerance> tolerance = std::nullopt);

} // namespace gc::reference

#endif // GC_REFERENCE_COMPARE_H
