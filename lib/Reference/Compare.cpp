// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Compare.h"
#include "ChunkPlan.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace gc::reference;
using namespace mlir;

/// The index of element `linear` in row-major order.
static SmallVector<int64_t> delinearize(int64_t linear,
                                        ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (int64_t i = int64_t(shape.size()) - 1; i >= 0; --i) {
    index[i] = linear % shape[i];
    linear /= shape[i];
  }
  return index;
}

static std::string formatNumber(double value) {
  if (std::isnan(value))
    return "nan";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.9g", value);
  return text;
}

namespace {
/// Takes elements one by one and keeps what the report needs.
struct Comparer {
  ElementType type;
  std::optional<Tolerance> tolerance;
  Comparison report;
  /// The first mismatch.
  int64_t position = -1;
  double actual = 0, expected = 0, allowed = 0;

  void compare(int64_t index, double a, double e, double bound);
};
} // namespace

void Comparer::compare(int64_t index, double a, double e, double bound) {
  const ElementTypeInfo &info = getInfo(type);
  double limit = bound;
  if (tolerance) {
    limit = tolerance->atol + tolerance->rtol * std::fabs(e);
    if (!info.isFloat && info.bytes == 1 && type != ElementType::Boolean)
      limit = std::max(limit, 1.0);
  } else if (allowsAll(type, e, bound)) {
    ++report.unchecked;
    return;
  }
  bool equal = a == e || (std::isnan(a) && std::isnan(e));
  bool finite = std::isfinite(a) && std::isfinite(e);
  double error = finite ? std::fabs(a - e) : 0;
  if (finite) {
    report.maxAbsError = std::max(report.maxAbsError, error);
    if (e != 0)
      report.maxRelError = std::max(report.maxRelError, error / std::fabs(e));
  }
  if (equal)
    return;
  if (finite && error <= limit) {
    report.ties += !info.isFloat && error == 1;
    return;
  }
  if (report.mismatches++ == 0) {
    position = index;
    actual = a;
    expected = e;
    allowed = limit;
  }
}

Comparison gc::reference::compare(const Tensor &actual, const Tensor &expected,
                                  const Tensor &bound,
                                  std::optional<Tolerance> tolerance) {
  Comparer comparer{expected.getType(), tolerance, {}};
  Comparison &report = comparer.report;
  report.count = expected.getNumElements();
  if (actual.getType() != expected.getType() ||
      actual.getShape() != expected.getShape()) {
    report.message =
        "is a tensor " + describe(actual) + " instead of " + describe(expected);
    return report;
  }
  ArrayRef<int64_t> boundStrides =
      bound ? bound.getStrides() : expected.getStrides();
  ChunkPlan plan(expected.getShape(),
                 {actual.getStrides(), expected.getStrides(), boundStrides});
  for (int64_t i = 0; i < plan.getNumChunks(); ++i) {
    ChunkPlan::Chunk chunk = plan.getChunk(i);
    double a[ChunkPlan::kSize], e[ChunkPlan::kSize];
    double b[ChunkPlan::kSize] = {};
    auto load = [&](const Tensor &tensor, unsigned view, double *to) {
      loadElements(tensor.getType(), tensor.getData(), chunk.offsets[view],
                   plan.getInnerStride(view), chunk.size, to);
    };
    load(actual, 0, a);
    load(expected, 1, e);
    if (bound)
      load(bound, 2, b);
    for (int64_t k = 0; k < chunk.size; ++k)
      comparer.compare(chunk.begin + k, a[k], e[k], b[k]);
  }
  report.passed = report.mismatches == 0;
  if (report.passed)
    return report;
  report.firstMismatch = delinearize(comparer.position, expected.getShape());
  std::string index;
  llvm::raw_string_ostream os(index);
  llvm::interleaveComma(report.firstMismatch, os);
  report.message =
      llvm::formatv(
          "at [{0}] is {1} instead of {2}, error {3}, allowed {4}; {5} "
          "of {6} elements differ, largest error {7} (relative {8})",
          index, formatNumber(comparer.actual), formatNumber(comparer.expected),
          formatNumber(std::fabs(comparer.actual - comparer.expected)),
          formatNumber(comparer.allowed), report.mismatches, report.count,
          formatNumber(report.maxAbsError), formatNumber(report.maxRelError))
          .str();
  return report;
}
