// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Long loops repeat themselves: steps over k within tiles, tiles within rows,
// rows within variants. A few repetitions of each say as much about
// synchronisation as all of them.

#include "SyncTrace.h"

#include <algorithm>
#include <numeric>

using namespace gc::npu::sync;

namespace {

/// So many iterations are left out that slots and flags, by their numbers
/// modulo 2, 3 or 4, go on as if nothing were missing.
constexpr size_t kModulus = 12;
constexpr size_t kKeptPeriods = 3, kKeptIterations = 6;
/// Periods of more iterations, after shorter ones were cut, are not looked for,
/// and after this many comparisons none.
constexpr size_t kMaxPeriod = 1024, kEffort = 8 << 20;

class Sketch {
public:
  explicit Sketch(const std::vector<uint64_t> &signatures)
      : signatures(signatures), kept(signatures.size()) {
    std::iota(kept.begin(), kept.end(), 0);
  }

  std::vector<int64_t> run() {
    size_t effort = 0;
    for (size_t period = 1;
         period <= std::min(kMaxPeriod, kept.size() / 4) && effort <= kEffort;
         ++period) {
      effort += kept.size();
      cut(period);
    }
    return std::move(kept);
  }

private:
  uint64_t get(size_t i) const {
    return signatures[static_cast<size_t>(kept[i])];
  }

  /// Shortens all parts that have a period.
  void cut(size_t period) {
    size_t unit = std::lcm(period, kModulus);
    size_t least = std::max(kKeptPeriods * period, kKeptIterations);
    std::vector<int64_t> left;
    size_t begin = 0;
    for (size_t end = 0; end <= kept.size(); ++end) {
      bool goesOn = end + period < kept.size() && get(end) == get(end + period);
      if (goesOn)
        continue;
      // [begin, end + period) repeats itself.
      size_t length = end == kept.size() ? 0 : end - begin + period;
      length = std::min(length, kept.size() - begin);
      size_t gone = length > least ? (length - least) / unit * unit : 0;
      size_t head = (length - gone + 1) / 2;
      for (size_t i = begin; i <= end && i < kept.size(); ++i)
        if (i < begin + head || i >= begin + head + gone)
          left.push_back(kept[i]);
      begin = end + 1;
    }
    kept = std::move(left);
  }

  const std::vector<uint64_t> &signatures;
  std::vector<int64_t> kept;
};

} // namespace

std::vector<int64_t>
gc::npu::sync::getDistinct(const std::vector<uint64_t> &signatures) {
  return Sketch(signatures).run();
}
