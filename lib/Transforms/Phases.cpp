// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The lists of phases as tables.

#include "Transforms/Pipelines.h"

using namespace gc;

llvm::ArrayRef<PhaseInfo> gc::getCpuPhases() {
  static constexpr PhaseInfo kPhases[] = {
#define GC_PHASE(word, promise, alive) {#word, promise, alive},
#include "Transforms/CpuPhases.def"
  };
  return kPhases;
}

llvm::ArrayRef<PhaseInfo> gc::getNpuPhases() {
  static constexpr PhaseInfo kPhases[] = {
#define GC_PHASE(word, promise, alive) {#word, promise, alive},
#include "Transforms/NpuPhases.def"
  };
  return kPhases;
}

llvm::cl::ValuesClass gc::getCpuPhaseValues() {
  return {
#define GC_PHASE(word, promise, alive)                                         \
  clEnumValN(CpuPhase::word, #word, promise),
#include "Transforms/CpuPhases.def"
  };
}

llvm::cl::ValuesClass gc::getNpuPhaseValues() {
  return {
#define GC_PHASE(word, promise, alive)                                         \
  clEnumValN(NpuPhase::word, #word, promise),
#include "Transforms/NpuPhases.def"
  };
}
