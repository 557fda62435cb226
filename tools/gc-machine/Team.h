// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Work on all threads of a team as compiled graphs run it: through the runtime,
// one fork, barriers between.

#ifndef GC_TOOLS_GC_MACHINE_TEAM_H
#define GC_TOOLS_GC_MACHINE_TEAM_H

#include "Runtime/Runtime.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace gc::machine {

/// Calls `work` once on every thread of a team of at most `threads` at the same
/// time, and returns when all have returned. The work must not throw.
llvm::Error runTeam(int64_t threads,
                    llvm::function_ref<void(const gc_team &)> work);

/// Seconds of the monotonic clock.
double getSeconds();

/// Cycles per second, in GHz: by a chain of instructions that take one cycle
/// each, in the best of the windows that fit `seconds`.
double measureClock(double seconds);

/// Cycles of a barrier of a team of `threads` threads after pieces of work of a
/// few microseconds each, including typical disturbances by the system. 0 if
/// the system gives the team only one thread.
llvm::Expected<double> measureBarrier(int64_t threads, double clockGHz,
                                      double seconds);

/// Cycles of an execution by a team of `threads` that has nothing to do.
llvm::Expected<double> measureFork(int64_t threads, double clockGHz,
                                   double seconds);

} // namespace gc::machine

#endif // GC_TOOLS_GC_MACHINE_TEAM_H
