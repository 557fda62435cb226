// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/RunReport.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace gc;

RunTimes gc::summarize(std::vector<double> times) {
  llvm::sort(times);
  size_t middle = times.size() / 2;
  double median = times.size() % 2 ? times[middle]
                                   : (times[middle - 1] + times[middle]) / 2;
  return {median, times.front(), times.back(),
          static_cast<int64_t>(times.size())};
}

int64_t gc::countFlops(mlir::func::FuncOp entry) {
  int64_t flops = 0;
  entry.walk([&](graph::TunableOpInterface op) { flops += op.getFlops(); });
  return flops;
}

/// GFLOP/s of `flops` in `ms` milliseconds.
static double getGflops(int64_t flops, double ms) {
  return ms > 0 ? flops / (ms * 1e6) : 0;
}

void gc::printReport(const RunReport &report, raw_ostream &os) {
  os << report.name << " on " << report.target << ", " << report.threads
     << (report.threads == 1 ? " thread\n" : " threads\n");
  if (report.compile)
    os << format("  compile   %.1f ms (passes %.1f, optimisation %.1f, code "
                 "%.1f, load %.1f)",
                 report.compile->total, report.compile->passes,
                 report.compile->optimize, report.compile->codegen,
                 report.compile->load);
  if (report.foldMs)
    os << format(", fold %.2f ms", *report.foldMs);
  if (report.compile)
    os << "\n";
  if (report.fusedOps)
    os << "  code      " << *report.fusedOps << " fused ops, "
       << *report.parallelRegions << " parallel regions, "
       << report.forks.value_or(0) << " forks, " << *report.arenaBytes
       << " bytes of temporaries, " << *report.constantBytes
       << " bytes of constants\n";
  if (report.run) {
    os << format("  run       median %.4f ms, min %.4f, max %.4f, runs ",
                 report.run->median, report.run->min, report.run->max)
       << report.run->runs << "\n";
    if (report.flops)
      os << format("  speed     %.1f GFLOP/s median, %.1f best",
                   getGflops(report.flops, report.run->median),
                   getGflops(report.flops, report.run->min));
    if (report.flops && report.peakGflops.value_or(0) > 0)
      os << format(
          " of %.1f peak (%.3f median, %.3f best)", *report.peakGflops,
          getGflops(report.flops, report.run->median) / *report.peakGflops,
          getGflops(report.flops, report.run->min) / *report.peakGflops);
    if (report.flops)
      os << "\n";
    if (report.peakGflops)
      os << format("  peak      %.1f GFLOP/s in 2 ms, %.1f over a run, by ",
                   *report.peakGflops, report.sustainedPeakGflops.value_or(0))
         << report.peakKernel << "\n";
  }
}

/// JSON has no infinity and no NaN.
static json::Value number(double value) {
  if (std::isfinite(value))
    return value;
  return nullptr;
}

template <typename T>
static json::Value numberOrNull(std::optional<T> value) {
  if (!value)
    return nullptr;
  if constexpr (std::is_floating_point_v<T>)
    return number(*value);
  else
    return *value;
}

void gc::writeReport(const RunReport &report, json::OStream &json) {
  json.attribute("threads", report.threads);
  json.attribute("compile_ms", report.compile ? number(report.compile->total)
                                              : json::Value(nullptr));
  json.attribute("fold_ms", numberOrNull(report.foldMs));
  double median = 0, best = 0;
  if (report.run) {
    median = getGflops(report.flops, report.run->median);
    best = getGflops(report.flops, report.run->min);
    json.attributeObject("run_ms", [&] {
      json.attribute("median", report.run->median);
      json.attribute("min", report.run->min);
      json.attribute("max", report.run->max);
      json.attribute("runs", report.run->runs);
    });
  } else {
    json.attribute("run_ms", nullptr);
  }
  json.attribute("flops", report.flops);
  json.attribute("gflops", report.run ? number(median) : json::Value(nullptr));
  json.attribute("peak_gflops", numberOrNull(report.peakGflops));
  json.attribute("sustained_peak_gflops",
                 numberOrNull(report.sustainedPeakGflops));
  json.attribute("peak_kernel", report.peakGflops
                                    ? json::Value(report.peakKernel)
                                    : json::Value(nullptr));
  if (report.run && report.peakGflops.value_or(0) > 0)
    json.attributeObject("peak_fraction", [&] {
      json.attribute("median", number(median / *report.peakGflops));
      json.attribute("best", number(best / *report.peakGflops));
    });
  else
    json.attribute("peak_fraction", nullptr);
  json.attribute("predicted_ms", numberOrNull(report.predictedMs));
  json.attributeArray("regions", [&] {
    for (size_t i = 0; i < report.regions.size(); ++i)
      json.object([&] {
        const RegionInfo &region = report.regions[i];
        json.attribute("name", json::fixUTF8(region.name));
        json.attribute("flops", region.flops);
        json.attribute("bytes", region.bytes);
        json.attribute("predicted_ms", number(region.predictedMs));
        json.attribute("measured_ms", i < report.measuredMs.size()
                                          ? numberOrNull(report.measuredMs[i])
                                          : json::Value(nullptr));
        json.attribute("bound_by", region.boundBy);
      });
  });
  json.attribute("arena_bytes", numberOrNull(report.arenaBytes));
  json.attribute("constant_bytes", numberOrNull(report.constantBytes));
  json.attribute("fused_ops", numberOrNull(report.fusedOps));
  json.attribute("parallel_regions", numberOrNull(report.parallelRegions));
  json.attribute("forks", numberOrNull(report.forks));
}
