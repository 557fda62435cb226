// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/TensorIR/Transforms/Microkernels.h"

#include <limits>

using namespace mlir;

namespace gc::tir {

namespace {

/// The time of a tile of libxsmm 1.17 (AVX2, f32) with fewer than 32 columns or
/// 3 rows, relative to a whole tile: too few sums are in flight to hide the
/// latency of a multiply-add, so that its width hardly matters. Measured on Zen
/// 3.
constexpr double kNarrow = 0.65, kLow = 0.7;

/// Fraction of peak by the columns: tiles of 32, then 16, 8, 4 and single
/// columns; 24 when there is nothing else.
double getColumnEfficiency(int64_t n) {
  if (n == 24)
    return 0.98;
  int64_t rest = n % 32;
  int64_t narrow = (rest >= 16) + (rest % 16 >= 8) + (rest % 8 >= 4) + rest % 4;
  return n / 32.0 / (n / 32 + kNarrow * narrow);
}

/// Fraction of peak by the rows: tiles of 3, then one with the remainder.
double getRowEfficiency(int64_t m) {
  return m / 3.0 / (m / 3 + (m % 3 ? kLow : 0.0));
}

/// libxsmm's generator puts byte offsets into 31 bits.
bool isOutOfReach(const KernelShape &shape) {
  constexpr int64_t limit =
      std::numeric_limits<int32_t>::max() / int64_t(sizeof(float));
  auto spans = [&](int64_t rows, int64_t ld) { return ld > limit / rows; };
  return shape.strideA < 0 || shape.strideB < 0 || shape.strideA > limit ||
         shape.strideB > limit || spans(shape.m, shape.lda) ||
         spans(shape.k, shape.ldb) || spans(shape.m, shape.ldc);
}

} // namespace

double getKernelEfficiency(const Machine &machine, const KernelShape &shape,
                           KernelKind kind) {
  if (kind == KernelKind::Vector) {
    double ideal = 0.5 * shape.m * shape.n / machine.getLanes(32);
    return ideal / planVectorKernel(machine, shape).cyclesPerK;
  }
  // With AVX-512 tails are masked; a single column still fills one lane.
  if (machine.vectorBits >= 512)
    return shape.n == 1 ? 1.0 / machine.getLanes(32) : 1.0;
  return getColumnEfficiency(shape.n) * getRowEfficiency(shape.m);
}

KernelChoice chooseKernel(const Machine &machine, const KernelShape &shape) {
  auto vector = [](StringRef reason, StringRef suggestion) {
    return KernelChoice{KernelKind::Vector, reason, suggestion};
  };
  if (isOutOfReach(shape))
    return vector("libxsmm addresses at most 2 GiB from the first element",
                  "use a blocked layout");
  if (machine.vectorBits < 256)
    return vector("libxsmm needs AVX2 or AVX-512 to be fast",
                  "compile for a processor that has them");
  // A libxsmm kernel takes no time to compile, a vector kernel about 10 ms. A
  // small kernel is likely to be a tail, a small part of its op: for it vector
  // code must be much better.
  constexpr int64_t small = 16 * 1024;
  double worth = shape.m * shape.n * shape.k < small ? 0.6 : 0.93;
  if (getKernelEfficiency(machine, shape, KernelKind::Libxsmm) >=
      worth * getKernelEfficiency(machine, shape, KernelKind::Vector))
    return {};
  if (shape.n == 1)
    return vector("libxsmm computes a single column one element at a time",
                  "none, vector code is faster");
  if (getColumnEfficiency(shape.n) < getRowEfficiency(shape.m))
    return vector(
        "without AVX-512 libxsmm is slow in the columns past the last "
        "multiple of 32",
        "choose a block of columns that 32 divides");
  return vector("libxsmm has too few sums in flight in the rows past the last "
                "multiple of 3",
                "choose a block of more rows where there are more");
}

} // namespace gc::tir
