// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Wall time of the steps of a compilation.

#ifndef GC_LIB_DRIVER_STOPWATCH_H
#define GC_LIB_DRIVER_STOPWATCH_H

#include <chrono>

namespace gc {

/// Milliseconds since it was created, or since the last lap.
class Stopwatch {
public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    std::chrono::duration<double, std::milli> passed = now - last;
    last = now;
    return passed.count();
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

} // namespace gc

#endif // GC_LIB_DRIVER_STOPWATCH_H
