// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How fast threads repeatedly read data, and copy blocks.

#ifndef GC_TOOLS_GC_MACHINE_BANDWIDTH_H
#define GC_TOOLS_GC_MACHINE_BANDWIDTH_H

#include "llvm/Support/Error.h"

namespace gc::machine {

/// Bytes per second that `threads` threads together read, each from `bytes` of
/// its own, in the best of the passes that fit `seconds`.
llvm::Expected<double> measureReading(int64_t threads, int64_t bytes,
                                      double seconds);

/// Bytes per second at which each of two threads writes data that the other one
/// has read and reads data that the other one has written, in the best of the
/// rounds that fit `seconds`. 0 if the system gives the team only one thread.
llvm::Expected<double> measureExchange(int64_t bytes, double seconds);

/// Seconds per byte that one thread takes to copy a matrix of `bytes` into
/// blocks, as operands are packed: short pieces of rows, one below the other.
llvm::Expected<double> measurePacking(int64_t bytes, double seconds);

} // namespace gc::machine

#endif // GC_TOOLS_GC_MACHINE_BANDWIDTH_H
