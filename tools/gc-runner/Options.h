// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Command line of gc-runner.

#ifndef GC_TOOLS_GC_RUNNER_OPTIONS_H
#define GC_TOOLS_GC_RUNNER_OPTIONS_H

#include "Driver/Source.h"
#include "Driver/Target.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace gc::runner {

struct Options {
  std::string input;
  std::string entry;
  const Target *target = nullptr;
  /// The target's own options.
  std::unique_ptr<TargetOptions> targetOptions;
  RunOptions run;
  /// Pairs of name and file.
  std::vector<std::pair<std::string, std::string>> inputs;
  /// What an ONNX model leaves open.
  SourceSettings settings;
  /// Sizes of dimensions that vary; all combinations are run.
  std::vector<std::pair<std::string, std::vector<int64_t>>> sizes;
  uint64_t seed = 0;
  std::string outputDirectory;
  bool check = false;
  /// A check that proves little counts as failed.
  bool strict = false;
  std::optional<double> rtol, atol;
  std::optional<EmitKind> emit;
  /// Where emitted code goes; "-" is standard output.
  std::string output = "-";
  std::string json;
  /// Where the page of --explain goes; empty: text only.
  std::string explain;
  bool printPipeline = false;
  bool remarks = false;
};

/// Parses the command line, with the options of all targets. Nothing when the
/// help or version was asked for (and printed); an error that names the option
/// otherwise.
llvm::Expected<std::optional<Options>>
parseOptions(int argc, char **argv, const TargetRegistry &targets);

} // namespace gc::runner

#endif // GC_TOOLS_GC_RUNNER_OPTIONS_H
