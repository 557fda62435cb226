// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Range.h"

#include <algorithm>
#include <cmath>

namespace gc::fuzz {

/// Bounds beyond this are meaningless and would become NaN in products.
static double limit(double value) {
  constexpr double kLimit = 1e30;
  return std::isnan(value) ? kLimit : std::clamp(value, -kLimit, kLimit);
}

Range Range::get(double low, double high, double magnitude) {
  Range range;
  range.low = limit(low);
  range.high = limit(high);
  double least = std::max({0.0, range.low, -range.high});
  range.magnitude = std::clamp(limit(magnitude), least, range.getBound());
  return range;
}

Range Range::get(double low, double high) {
  return get(low, high, std::max(std::fabs(low), std::fabs(high)));
}

double Range::getBound() const {
  return std::max(std::fabs(low), std::fabs(high));
}

Range apply(const Range &range, const std::function<double(double)> &f,
            llvm::ArrayRef<double> points) {
  auto getHull = [&](double low, double high) {
    double least = std::min(f(low), f(high));
    double greatest = std::max(f(low), f(high));
    for (double point : points)
      if (low <= point && point <= high) {
        least = std::min(least, f(point));
        greatest = std::max(greatest, f(point));
      }
    return Range::get(least, greatest);
  };
  Range hull = getHull(range.low, range.high);
  Range typical = getHull(std::max(range.low, -range.magnitude),
                          std::min(range.high, range.magnitude));
  return Range::get(hull.low, hull.high, typical.getBound());
}

Range add(const Range &a, const Range &b) {
  return Range::get(a.low + b.low, a.high + b.high, a.magnitude + b.magnitude);
}

Range subtract(const Range &a, const Range &b) {
  return Range::get(a.low - b.high, a.high - b.low, a.magnitude + b.magnitude);
}

Range multiply(const Range &a, const Range &b) {
  auto [low, high] = std::minmax(
      {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return Range::get(low, high, a.magnitude * b.magnitude);
}

Range divide(const Range &a, const Range &b) {
  double least = std::min(std::fabs(b.low), std::fabs(b.high));
  Range range = multiply(a, Range::get(1 / b.high, 1 / b.low));
  return Range::get(range.low, range.high, a.magnitude / least);
}

Range minimum(const Range &a, const Range &b) {
  return Range::get(std::min(a.low, b.low), std::min(a.high, b.high),
                    std::max(a.magnitude, b.magnitude));
}

Range maximum(const Range &a, const Range &b) {
  return Range::get(std::max(a.low, b.low), std::max(a.high, b.high),
                    std::max(a.magnitude, b.magnitude));
}

Range getRounded(const Range &range) {
  auto widen = [](double value) { return value * 1.01 + 1e-3; };
  return Range::get(range.low >= 0 ? range.low * 0.99 : -widen(-range.low),
                    range.high < 0 ? range.high * 0.99 : widen(range.high),
                    range.magnitude);
}

Range contract(const Range &a, const Range &b, double count) {
  Range product = multiply(a, b);
  // Terms of one sign add up, others cancel like a random walk.
  bool oneSign = product.low >= 0 || product.high <= 0;
  double growth = oneSign ? count : std::sqrt(count);
  return Range::get(product.low * count, product.high * count,
                    product.magnitude * growth);
}

} // namespace gc::fuzz
