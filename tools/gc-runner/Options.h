// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Command line of gc-runner.

#ifndef GC_TOOLS_GC_RUNNER_OPTIONS_H
#define GC_TOOLS_GC_RUNNER_OPTIONS_H

#include "Driver/Driver.h"
#include "Driver/NpuTrace.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace gc::runner {

enum class Target { cpu, npu, reference };

/// What --target=npu takes beside the rest.
struct NpuOptions {
  /// Of global memory; empty: as the file says.
  std::string profile;
  npu::Mode mode = npu::Mode::values;
  /// Instead of the program's own number.
  std::optional<int64_t> cores;
  /// After so many instructions and iterations a program does not end.
  std::optional<int64_t> maxInstructions;
  std::string timeline;
  /// What the trace and the timeline show.
  NpuWindow window;
};

struct Options {
  std::string input;
  std::string entry;
  Target target = Target::cpu;
  /// What the compiler plans for and the executor is asked for; 0: as the
  /// machine says.
  int64_t threads = 0;
  /// Pairs of name and file.
  std::vector<std::pair<std::string, std::string>> inputs;
  uint64_t seed = 0;
  std::string outputDirectory;
  bool check = false;
  /// A check that proves little is not enough.
  bool strict = false;
  std::optional<double> rtol, atol;
  std::optional<EmitKind> emit;
  /// Where emitted code goes; "-" is standard output.
  std::string output = "-";
  bool bench = false;
  int64_t warmup = 2;
  double minTime = 1;
  std::string json;
  std::string trace;
  bool printPipeline = false;
  bool remarks = false;
  CompileOptions compile;
  NpuOptions npu;
};

/// Parses the command line. Nothing when the help or version was asked for (and
/// printed); an error that names the option otherwise.
llvm::Expected<std::optional<Options>> parseOptions(int argc, char **argv);

} // namespace gc::runner

#endif // GC_TOOLS_GC_RUNNER_OPTIONS_H
