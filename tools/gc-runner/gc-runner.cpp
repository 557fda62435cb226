// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gc-runner: compiles a graph and runs it, checks it against the reference,
// measures it, or writes what the compiler makes of it.

#include "Driver/ProcessMemory.h"
#include "Runner.h"

int main(int argc, char **argv) {
  gc::prepareProcessMemory();
  gc::TargetRegistry targets;
  gc::registerAllTargets(targets);
  return gc::runner::runMain(argc, argv, targets);
}
