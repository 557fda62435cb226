// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gc-runner for any set of targets.

#ifndef GC_TOOLS_GC_RUNNER_RUNNER_H
#define GC_TOOLS_GC_RUNNER_RUNNER_H

#include "Driver/Target.h"

namespace gc::runner {

/// The whole program: reads the command line and a graph, compiles and runs it
/// on one of the targets. Exit codes: 0 fine, 1 the check failed, 2 bad input
/// or usage.
int runMain(int argc, char **argv, const TargetRegistry &targets);

} // namespace gc::runner

#endif // GC_TOOLS_GC_RUNNER_RUNNER_H
