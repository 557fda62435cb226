// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of the test that compares backward ops with differences of forward ops.

#ifndef GC_UNITTESTS_REFERENCE_GRADIENTCASES_H
#define GC_UNITTESTS_REFERENCE_GRADIENTCASES_H

#include <string>
#include <utility>
#include <vector>

namespace gc::reference {

/// A forward op y = f(a0, a1, ...) and the op that computes gradients of the
/// sum of dy * y.
struct GradientCase {
  std::string name;
  /// Sizes of the operands %a0, %a1, ... (types !t0, !t1, ...) and of %y (!y).
  std::vector<std::string> operands;
  std::string result;
  /// Ops that compute %y; and %g0, %g1, ..., the gradients of the first
  /// operands, from the operands, %dy and what the first ops compute. #0, #1
  /// stand for attributes.
  std::string forward, backward;
  unsigned gradients = 1;
  /// From where the attributes are drawn.
  std::vector<std::pair<double, double>> attributes = {};
  /// From where the operands are drawn.
  double low = -4, high = 4;
};

/// Convolution, transposed convolution, pooling and interpolation.
std::vector<GradientCase> getWindowGradientCases();

} // namespace gc::reference

#endif // GC_UNITTESTS_REFERENCE_GRADIENTCASES_H
