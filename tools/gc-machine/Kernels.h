// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How fast the library's microkernels are, and what calling one costs.

#ifndef GC_TOOLS_GC_MACHINE_KERNELS_H
#define GC_TOOLS_GC_MACHINE_KERNELS_H

#include "Machine/Machine.h"
#include "llvm/Support/Error.h"

namespace gc::machine {

/// Multiply-adds per second of one thread with operands in the L1 cache; 0
/// if kernels of the types are not the library's.
double measureLibraryRate(KernelTypes types);

struct CallTimes {
  /// Seconds of a call besides its arithmetic: the intercept of a small
  /// kernel's time over its batch.
  double call = 0;
  /// Seconds per step of k of a kernel with one accumulator, of `lanes`
  /// elements: the latency of a multiply-add.
  double latency = 0;
};

/// Nothing if the library has no f32 kernels on this host.
llvm::Expected<CallTimes> measureCalls(const KernelRate &rate, int64_t lanes,
                                       double seconds);

} // namespace gc::machine

#endif // GC_TOOLS_GC_MACHINE_KERNELS_H
