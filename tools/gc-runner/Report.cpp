// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace gc;
using namespace gc::runner;

RunTimes runner::summarize(std::vector<double> times) {
  llvm::sort(times);
  size_t middle = times.size() / 2;
  double median = times.size() % 2 ? times[middle]
                                   : (times[middle - 1] + times[middle]) / 2;
  return {median, times.front(), times.back(),
          static_cast<int64_t>(times.size())};
}

static StringRef getStatusName(CheckStatus status) {
  switch (status) {
  case CheckStatus::notRun:
    return "not run";
  case CheckStatus::passed:
    return "passed";
  case CheckStatus::weak:
    return "weak";
  case CheckStatus::failed:
    return "failed";
  }
  llvm_unreachable("all states are above");
}

bool runner::isGood(const Report &report, const Options &options) {
  return report.check != CheckStatus::failed &&
         (report.check != CheckStatus::weak || !options.strict);
}

/// GFLOP/s of `flops` in `ms` milliseconds.
static double getGflops(int64_t flops, double ms) {
  return ms > 0 ? flops / (ms * 1e6) : 0;
}

void runner::printCheck(const Report &report, raw_ostream &os) {
  if (report.check == CheckStatus::notRun)
    return;
  os << "  check     " << getStatusName(report.check)
     << format(", max abs error %.3g, max rel error %.3g", report.maxAbsError,
               report.maxRelError);
  if (report.unbounded > 0)
    os << ", " << report.unbounded << " of " << report.elements
       << " elements without a finite bound";
  os << "\n";
  if (!report.checkMessage.empty())
    os << "            " << report.checkMessage << "\n";
}

void runner::printReport(const Report &report, raw_ostream &os) {
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
                   *report.peakGflops, *report.sustainedPeakGflops)
         << report.peakKernel << "\n";
  }
  printCheck(report, os);
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

void runner::writeCheck(const Report &report, json::OStream &json) {
  json.attributeObject("check", [&] {
    bool compared = report.check != CheckStatus::notRun;
    json.attribute("status", getStatusName(report.check));
    json.attribute("max_abs_err", compared ? number(report.maxAbsError)
                                           : json::Value(nullptr));
    json.attribute("max_rel_err", compared ? number(report.maxRelError)
                                           : json::Value(nullptr));
    json.attribute("unbounded", compared ? json::Value(report.unbounded)
                                         : json::Value(nullptr));
    if (!report.checkMessage.empty())
      json.attribute("message", json::fixUTF8(report.checkMessage));
  });
}

void runner::printJson(const Report &report, raw_ostream &os) {
  json::OStream json(os, /*IndentSize=*/2);
  json.objectBegin();
  json.attribute("name", report.name);
  json.attribute("target", report.target);
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
  json.attribute("arena_bytes", numberOrNull(report.arenaBytes));
  json.attribute("constant_bytes", numberOrNull(report.constantBytes));
  json.attribute("fused_ops", numberOrNull(report.fusedOps));
  json.attribute("parallel_regions", numberOrNull(report.parallelRegions));
  json.attribute("forks", numberOrNull(report.forks));
  writeCheck(report, json);
  json.objectEnd();
  os << "\n";
}
