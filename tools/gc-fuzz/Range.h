// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is known about the values a tensor holds, so that a random graph
// computes something that can be checked: no logarithm of a negative number, no
// infinity, no sigmoid whose results are all 1.

#ifndef GC_TOOLS_GC_FUZZ_RANGE_H
#define GC_TOOLS_GC_FUZZ_RANGE_H

#include "llvm/ADT/ArrayRef.h"

#include <functional>

namespace gc::fuzz {

struct Range {
  /// No element is below or above.
  double low = -1, high = 1;
  /// What large elements typically are: far below the bounds for sums of many
  /// terms.
  double magnitude = 1;

  static Range get(double low, double high);
  static Range get(double low, double high, double magnitude);

  /// Largest absolute value that is possible.
  double getBound() const;
  bool isAtLeast(double least) const { return low >= least; }
};

/// The range of f(x), where f is monotone between the given points.
Range apply(const Range &range, const std::function<double(double)> &f,
            llvm::ArrayRef<double> points = {});

Range add(const Range &a, const Range &b);
Range subtract(const Range &a, const Range &b);
Range multiply(const Range &a, const Range &b);
/// `b` does not contain 0.
Range divide(const Range &a, const Range &b);
Range minimum(const Range &a, const Range &b);
Range maximum(const Range &a, const Range &b);
/// Rounding to bf16 or f16 may cross a bound.
Range getRounded(const Range &range);
/// The sum of `count` products.
Range contract(const Range &a, const Range &b, double count);

} // namespace gc::fuzz

#endif // GC_TOOLS_GC_FUZZ_RANGE_H
