// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether a result is meaningful. A program that returns zeros agrees with a
// reference whose result is zero anyway; such a check is weak: it passes but
// proves little.

#ifndef GC_REFERENCE_VACUITY_H
#define GC_REFERENCE_VACUITY_H

#include "Reference/Tensor.h"
#include "mlir/IR/Value.h"

namespace gc::reference {

struct Interpretation;

/// Counts over the elements of a tensor.
struct Statistics {
  int64_t count = 0;
  int64_t zeros = 0;
  int64_t nonFinite = 0;
  /// At the limits of the element type; for floats also at 1 or -1, to which
  /// sigmoid, tanh and erf saturate.
  int64_t saturated = 0;
  /// Zero, saturated or not finite.
  int64_t extreme = 0;
  /// At most -1000, as what masks leave of logits.
  int64_t masked = 0;
  /// All elements are equal (NaN equals NaN).
  bool constant = true;
};

Statistics computeStatistics(const Tensor &tensor);

/// What the reference remembers of a result.
struct ResultProbe {
  Statistics result;
  /// The result comes through ops that saturate (relu, clamp), so that many
  /// equal elements are legitimate if the values before them differ.
  bool saturates = false;
  /// The values before those ops.
  llvm::SmallVector<Statistics> sources;
  /// The operands of exponentials whose zeros the result keeps: masked elements
  /// give zeros.
  llvm::SmallVector<Statistics> masks;
  /// The result depends on at most one input element.
  bool mayBeConstant = false;
  /// Elements whose error bound is infinite.
  int64_t unbounded = 0;
};

/// Where to find the values that a probe needs.
struct ProbePlan {
  bool saturates = false;
  bool mayBeConstant = false;
  llvm::SmallVector<mlir::Value> sources;
  llvm::SmallVector<mlir::Value> masks;
};

/// Looks through the producers of a function's result.
ProbePlan planProbe(mlir::Value result);

/// Why a check of this result proves little, or nothing if it does prove
/// something. A result of two or more elements is weak if it is constant
/// (unless it depends on one element at most, or has at most 16 elements and
/// comes from a saturating op whose operands differ), or more than half of it
/// zero or saturated (unless a saturating op explains it) or not finite, or
/// all of these together where some are not finite, or more than 1% of it
/// without an error bound that is finite and narrower than the type. Zeros that
/// a mask explains are counted neither as zeros nor as elements.
std::optional<std::string> findWeakness(const ResultProbe &probe);

/// The first weak result, by its index and reason.
std::optional<std::string> findWeakness(const Interpretation &interpretation);

} // namespace gc::reference

#endif // GC_REFERENCE_VACUITY_H
