// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decisions as points: a value for each of them.

#ifndef GC_TOOLS_GC_TUNE_SAMPLESPACE_H
#define GC_TOOLS_GC_TUNE_SAMPLESPACE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gc::tune {

/// Of a choice: that it is left to the passes.
constexpr int64_t kOpen = -1;

/// Values of the dimensions in order. Of dimensions that are not there the
/// choice is open.
using Point = std::vector<int64_t>;

/// What the sampler knows of a decision.
struct SampleDimension {
  /// Of a size: the largest one.
  int64_t extent = 0;
  /// In ascending order. Of a choice that can be left open the first one is
  /// kOpen.
  llvm::SmallVector<int64_t> values;
};

class SampleSpace {
public:
  virtual ~SampleSpace() = default;

  virtual size_t countDimensions() const = 0;
  /// Dimensions before this number are sizes, others are choices.
  virtual size_t countSizes() const = 0;
  virtual const SampleDimension &getDimension(size_t number) const = 0;
  /// What is expected of a point before any is measured, as a logarithm of its
  /// time. Only differences count.
  virtual double getPrior(const Point &) const { return 0; }
  /// False if no plan begins with these sizes, one for each of the first
  /// dimensions. Others may be refused nevertheless.
  virtual bool isPossible(llvm::ArrayRef<int64_t>) const { return true; }
};

} // namespace gc::tune

#endif // GC_TOOLS_GC_TUNE_SAMPLESPACE_H
