// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Targets.h"

using namespace gc;

void gc::registerAllTargets(TargetRegistry &registry) {
  registry.add(createCpuTarget());
  registry.add(createNpuTarget());
  registry.add(createReferenceTarget());
}

void gc::splitProcessor(llvm::StringRef text, std::string &cpu,
                        std::string &features) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  cpu.clear();
  features.clear();
  for (llvm::StringRef part : parts) {
    if (part.starts_with("+") || part.starts_with("-"))
      features += (features.empty() ? "" : ",") + part.str();
    else
      cpu = part.str();
  }
  if (cpu.empty() && !features.empty())
    cpu = "x86-64";
}
