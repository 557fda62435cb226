// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Targets.h"

using namespace gc;

void gc::registerAllTargets(TargetRegistry &registry) {
  registry.add(createCpuTarget());
  registry.add(createNpuTarget());
  registry.add(createReferenceTarget());
}
