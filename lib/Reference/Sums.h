// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Numbers with bounds on their errors, and sums of them as implementations
// compute them in f32.

#ifndef GC_LIB_REFERENCE_SUMS_H
#define GC_LIB_REFERENCE_SUMS_H

#include "Rows.h"

#include <cmath>

namespace gc::reference {

/// The unit roundoff and the largest number of f32.
constexpr double kRoundoff = 0x1p-24, kLargest = 0x1.fffffep127;

/// A value and a bound on its error.
struct Bounded {
  double value = 0, error = 0;
};

/// The product, rounded once or twice to f32.
inline Bounded multiply(Bounded a, Bounded b) {
  double product = a.value * b.value;
  return {product, std::fabs(a.value) * b.error +
                       a.error * (std::fabs(b.value) + b.error) +
                       2 * kRoundoff * std::fabs(product)};
}

/// A sum over a row of a function of its elements.
struct Sum {
  double value = 0, squares = 0, sizes = 0, errors = 0;
  /// Of terms that are, in f32, equal to the one before them: how many there
  /// are, how many in the last run of m, and the sum of c m (m - 1) / 2 over
  /// all runs (see getRepeatError).
  double repeats = 0, run = 0, triangles = 0;
  float previous = 0;

  void add(double term, double error) {
    auto rounded = static_cast<float>(term);
    if (rounded == previous && rounded != 0) {
      triangles += run++ * std::fabs(term);
      ++repeats;
    } else {
      run = 0;
    }
    previous = rounded;
    value += term;
    squares += term * term;
    sizes += std::fabs(term);
    errors += error;
  }
  void add(Bounded term) { add(term.value, term.error); }

  /// What equal terms add to the error. While a sum lies between two powers of
  /// two, additions of one number are all rounded the same way, and their
  /// errors do not cancel. Each is at most the roundoff of the sum so far. If
  /// the m terms c of a run come last, these sums are s, s - c, s - 2 c, ...,
  /// with s the sum of all sizes: together m s - c m (m - 1) / 2.
  double getRepeatError() const {
    return kRoundoff * (repeats * sizes - triangles);
  }

  Bounded get(int64_t count) const {
    // Some order of the terms overflows.
    if (std::isfinite(value) && sizes > kLargest)
      return {value, HUGE_VAL};
    double local =
        std::isfinite(value)
            ? getSumFactor(count) * (std::sqrt(squares) + std::fabs(value)) +
                  getRepeatError()
            : 0;
    return {value, local + errors};
  }
};

} // namespace gc::reference

#endif // GC_LIB_REFERENCE_SUMS_H
