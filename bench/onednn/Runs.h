// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Timed runs, as all drivers make them.
#ifndef GC_BENCH_ONEDNN_RUNS_H
#define GC_BENCH_ONEDNN_RUNS_H

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace bench {

/// Milliseconds of each run, sorted, after `Warmup` untimed ones; at least
/// `MinRuns` runs and `MinTime` seconds.
template <typename Run>
std::vector<double> measureRuns(Run &&run, int Warmup, double MinTime,
                                std::size_t MinRuns = 3) {
  using Clock = std::chrono::steady_clock;
  for (int I = 0; I < Warmup; ++I)
    run();
  std::vector<double> Times;
  double Spent = 0;
  while (Times.size() < MinRuns || Spent < MinTime) {
    auto Start = Clock::now();
    run();
    double Seconds =
        std::chrono::duration<double>(Clock::now() - Start).count();
    Times.push_back(Seconds * 1e3);
    Spent += Seconds;
  }
  std::sort(Times.begin(), Times.end());
  return Times;
}

} // namespace bench

#endif // GC_BENCH_ONEDNN_RUNS_H
