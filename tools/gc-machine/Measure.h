// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The description of the host with measured speeds.

#ifndef GC_TOOLS_GC_MACHINE_MEASURE_H
#define GC_TOOLS_GC_MACHINE_MEASURE_H

#include "Machine/Machine.h"
#include "llvm/Support/Error.h"

namespace gc::machine {

/// Measures clock, bandwidths, barrier, call, packing and kernels; the rest, as
/// well as anything that cannot be measured here, is what the compiler assumes
/// about the host. The description is valid however disturbed the measurement
/// was. `share` is the fraction of the usual time to take, which is about 15 s.
llvm::Expected<Machine> measureHost(double share);

} // namespace gc::machine

#endif // GC_TOOLS_GC_MACHINE_MEASURE_H
