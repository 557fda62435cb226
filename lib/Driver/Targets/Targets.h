// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The targets that GC provides.

#ifndef GC_LIB_DRIVER_TARGETS_TARGETS_H
#define GC_LIB_DRIVER_TARGETS_TARGETS_H

#include "Driver/Target.h"

namespace gc {

std::unique_ptr<Target> createCpuTarget();
std::unique_ptr<Target> createNpuTarget();
std::unique_ptr<Target> createReferenceTarget();

} // namespace gc

#endif // GC_LIB_DRIVER_TARGETS_TARGETS_H
