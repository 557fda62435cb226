// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the drivers that run a graph on a library have in common: options and
// the report, with the field names of gc-runner's.
#ifndef GC_BENCH_ONEDNN_DRIVER_H
#define GC_BENCH_ONEDNN_DRIVER_H

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

struct DriverOptions {
  std::string Input, Output;
  int Threads = 0;
  int Warmup = 5;
  double MinTime = 0.5;
};

/// Takes an argument if it is one that all drivers have: GRAPH.json,
/// --threads=N, --warmup=N, --min-time=S, --output=FILE.
inline bool readOption(DriverOptions &O, const std::string &Arg) {
  auto value = [&](const std::string &Name) -> const char * {
    return Arg.compare(0, Name.size(), Name) == 0 ? Arg.c_str() + Name.size()
                                                  : nullptr;
  };
  if (const char *V = value("--threads="))
    O.Threads = std::stoi(V);
  else if (const char *V = value("--warmup="))
    O.Warmup = std::stoi(V);
  else if (const char *V = value("--min-time="))
    O.MinTime = std::stod(V);
  else if (const char *V = value("--output="))
    O.Output = V;
  else if (Arg.compare(0, 2, "--") != 0 && O.Input.empty())
    O.Input = Arg;
  else
    return false;
  return true;
}

inline void writeBytes(const std::string &Path, const void *Data,
                       std::streamsize Bytes) {
  std::ofstream File(Path, std::ios::binary);
  File.write(static_cast<const char *>(Data), Bytes);
  if (!File.flush())
    throw std::invalid_argument(Path + ": cannot be written");
}

/// Of sorted milliseconds, and of the operations of a run.
inline nlohmann::json reportRuns(const std::vector<double> &Times,
                                 double Flops) {
  double Median = Times[Times.size() / 2];
  return {{"run_ms",
           {{"median", Median},
            {"min", Times.front()},
            {"max", Times.back()},
            {"runs", Times.size()}}},
          {"flops", Flops},
          {"gflops", Flops / Median * 1e-6}};
}

} // namespace bench

#endif // GC_BENCH_ONEDNN_DRIVER_H
