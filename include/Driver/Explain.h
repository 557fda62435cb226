// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the time of a compiled graph goes, what limits it, and which decisions
// made it so: what `gc-runner --explain` prints.

#ifndef GC_DRIVER_EXPLAIN_H
#define GC_DRIVER_EXPLAIN_H

#include "Driver/Regions.h"
#include "Driver/Remarks.h"
#include "Machine/Machine.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace gc {

/// The rates of a machine that a team of threads cannot exceed together.
struct Roofline {
  std::string machine;
  int64_t threads = 1;
  double clockGHz = 1;
  /// The data type that most of the contractions multiply, and its rate.
  std::string types;
  double gflops = 0;
  /// GB/s of reading.
  double l2 = 0, l3 = 0, memory = 0;
  /// The nearest memory that holds all data of the graph, and the rate there.
  std::string level;
  double levelRate = 0;

  /// For data of `bytes` bytes that are touched in every execution.
  static Roofline get(const Machine &machine, int64_t threads,
                      KernelTypes types, double bytes);
  /// The least time for work of this size.
  double getBoundMs(int64_t flops, int64_t bytes) const;
};

/// What was compiled, before any run.
struct CompiledFacts {
  std::vector<RegionInfo> regions;
  /// Ops of each region as file:line:column, by which its decisions are found.
  std::vector<std::vector<std::string>> locations;
  /// Iterations that each region's parallel loop divides among the threads; 0
  /// where that is not known.
  std::vector<int64_t> iterations;
  std::vector<Decision> decisions;
  /// The function with its regions as an SVG picture.
  std::string picture;
  Roofline roofline;
  std::optional<double> predictedMs;
};

struct ExplainedRegion {
  RegionInfo info;
  std::optional<double> measuredMs;
  /// Least time by the roofline.
  double boundMs = 0;
  int64_t iterations = 0;
  /// "compute", "L2", "memory bandwidth", "parallelism", ...
  std::string limit;
  /// What to try, and why that may help: options or a command as a user types
  /// them, where there are any. Without an option, why there is nothing to try.
  std::string option, advice;
  std::vector<Decision> decisions;
  /// What the compiler did not do with the ops of this region.
  std::vector<Remark> remarks;

  /// Measured if it was, else predicted.
  double getMs() const { return measuredMs.value_or(info.predictedMs); }
  double getLossMs() const { return getMs() - boundMs; }
  /// What to try and why, in words.
  std::string getAdvice() const;
  /// The fraction of the roof that is reached.
  double getFraction() const { return getMs() > 0 ? boundMs / getMs() : 0; }
};

struct Explanation {
  /// Of the graph.
  std::string name;
  Roofline roofline;
  std::vector<ExplainedRegion> regions;
  /// Those of ops that are in no region.
  std::vector<Decision> decisions;
  std::string picture;
  std::optional<double> predictedMs, measuredMs;

  /// The region with the most time above its bound; null without regions.
  const ExplainedRegion *getWorst() const;
  /// One line that names it, what limits it and what to try.
  std::string getHeadline() const;
};

/// Puts together what is known. `measured` has one entry per region, or none at
/// all; `measuredMs` is the time of a whole execution. `tune` is what a user
/// types to have other templates of the graph measured and then used, if that
/// can be done.
Explanation explain(llvm::StringRef name, const CompiledFacts &facts,
                    llvm::ArrayRef<Remark> remarks,
                    llvm::ArrayRef<std::optional<double>> measured,
                    std::optional<double> measuredMs,
                    llvm::StringRef tune = "");

/// The headline, a table of the regions, then their decisions.
void printExplanation(const Explanation &explanation, llvm::raw_ostream &os);
/// The same as one page of HTML that needs no other file, with the picture of
/// the graph and a roofline plot.
void writeExplanationHtml(const Explanation &explanation,
                          llvm::raw_ostream &os);
/// The plot alone, as an SVG element: the regions with contractions below the
/// roofs of the machine.
void writeRooflinePlot(const Explanation &explanation, llvm::raw_ostream &os);

} // namespace gc

#endif // GC_DRIVER_EXPLAIN_H
