// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a check in a separate process, so that a crash or a hang of compiled
// code is an outcome like any other.

#ifndef GC_TOOLS_GC_FUZZ_ISOLATE_H
#define GC_TOOLS_GC_FUZZ_ISOLATE_H

#include "Check.h"

namespace gc::fuzz {

/// Takes tasks by their index and runs some of them at the same time, each in a
/// copy of this process.
class Isolation {
public:
  /// `seconds` after which a task counts as hung.
  Isolation(int64_t jobs, int64_t seconds) : jobs(jobs), seconds(seconds) {}

  /// Calls task(i) for i in [0, count) in child processes and done(i, outcome)
  /// here, in the order in which they end; stops early when `done` returns
  /// false.
  void run(int64_t count, llvm::function_ref<Outcome(int64_t)> task,
           llvm::function_ref<bool(int64_t, const Outcome &)> done);

  /// One task.
  Outcome run(llvm::function_ref<Outcome()> task);

private:
  int64_t jobs, seconds;
};

/// Numbers [first, first + count) of mutants, and how they are run: `batch` of
/// them in one process, `jobs` processes at a time, `seconds` for each.
struct Batches {
  int64_t first, count, batch, jobs, seconds;
};

/// Calls check(begin, end) in child processes for all of them, which counts in
/// features.ops what is good otherwise than by being refused, and has a line
/// "mutant N..." for each bad one; prints these lines. Of a batch that crashes
/// or hangs each mutant is checked again, alone; `describe` follows its number.
/// Returns the sums of `ops` and of bad ones.
std::pair<int64_t, int64_t>
runBatches(const Batches &batches,
           llvm::function_ref<Outcome(int64_t, int64_t)> check,
           llvm::function_ref<std::string(int64_t)> describe);

} // namespace gc::fuzz

#endif // GC_TOOLS_GC_FUZZ_ISOLATE_H
