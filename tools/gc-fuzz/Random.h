// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reproducible choices: the same seed gives the same graphs on every platform.

#ifndef GC_TOOLS_GC_FUZZ_RANDOM_H
#define GC_TOOLS_GC_FUZZ_RANDOM_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <utility>

namespace gc::fuzz {

/// splitmix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom
/// number generators", 2014).
class Random {
public:
  explicit Random(uint64_t seed, uint64_t stream = 0)
      : state(mix(seed + kGamma) + stream * kGamma) {
    state = mix(state);
  }

  uint64_t next() { return mix(state += kGamma); }
  /// In [0, count); count is at least 1.
  int64_t below(int64_t count) {
    return static_cast<int64_t>((next() >> 32) * count >> 32);
  }
  /// In [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + below(high - low + 1);
  }
  /// True in the given percentage of cases.
  bool percent(int64_t share) { return below(100) < share; }
  template <typename T>
  T pick(llvm::ArrayRef<T> values) {
    return values[below(values.size())];
  }
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  template <typename Container>
  void shuffle(Container &values) {
    for (size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[below(i)]);
  }

private:
  static constexpr uint64_t kGamma = 0x9E3779B97F4A7C15u;
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  uint64_t state;
};

} // namespace gc::fuzz

#endif // GC_TOOLS_GC_FUZZ_RANDOM_H
