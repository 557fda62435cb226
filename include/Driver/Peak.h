// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What one thread of the host can reach with the best available kernels.

#ifndef GC_DRIVER_PEAK_H
#define GC_DRIVER_PEAK_H

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
  /// Whose kernel reached it: "libxsmm", or "vector" (generated).
  llvm::StringRef kernel;
};

/// Measures in-cache batch-reduce GEMMs of the library and generated ones, for
/// runs of `seconds`. Everything is zero if the host has no kernel of the type.
/// Takes a second or two.
llvm::Expected<Peak> measurePeak(gc_dtype type, double seconds);

} // namespace gc

#endif // GC_DRIVER_PEAK_H
