// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The description of the host with measured speeds.

#ifndef GC_TOOLS_GC_MACHINE_MEASURE_H
#define GC_TOOLS_GC_MACHINE_MEASURE_H

#include "Machine/Machine.h"
#include "llvm/Support/Error.h"

namespace gc::machine {

/// Measures clock, bandwidths, barrier, call, packing and kernels; the rest, as
/// well as what cannot be measured here, is as the compiler takes the host to
/// be. The description is valid however disturbed the measurement was. `share`
/// is the part of the usual time to take, which is some 15 s.
llvm::Expected<Machine> measureHost(double share);

} // namespace gc::machine

#endif // GC_TOOLS_GC_MACHINE_MEASURE_H
