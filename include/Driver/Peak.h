// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What one thread of the host can reach with the best available kernels.

#ifndef GC_DRIVER_PEAK_H
#define GC_DRIVER_PEAK_H

#include "Machine/Machine.h"
#include "Runtime/Runtime.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace gc {

/// Rates of one thread in GFLOP/s.
struct Peak {
  /// In windows of 2 ms: the physical limit.
  double gflops = 0;
  /// In windows as long as a run.
  double sustainedGflops = 0;
  /// Whose kernel reached it: "libxsmm", or generated:
  /// "vector" or "amx".
  llvm::StringRef kernel;
};

/// Measures in-cache batch-reduce GEMMs of the library and generated ones, for
/// runs of `seconds`. Everything is zero if the host has no kernel of the type.
/// Takes a second or two.
llvm::Expected<Peak> measurePeak(gc_dtype type, double seconds);

/// What generated kernels with operands in the first-level cache take.
struct KernelTimes {
  /// Multiply-adds per second of one thread.
  double macsPerSecond = 0;
  /// Seconds until a tile of sums can be added to again; 0 for vectors.
  double latency = 0;
};

/// Measures the kernels that are generated for the types on `machine`, whose
/// instructions the host must have. Takes about a second.
llvm::Expected<KernelTimes> measureKernels(const Machine &machine,
                                           KernelTypes types);

} // namespace gc

#endif // GC_DRIVER_PEAK_H
