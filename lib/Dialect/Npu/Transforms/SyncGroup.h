// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How flags are merged and moved, and what that costs.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCGROUP_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCGROUP_H

#include "SyncPlan.h"

#include <tuple>

namespace gc::npu::sync {

/// Cycles matter more than executed flags and barriers.
struct Score {
  int64_t cycles = 0, executed = 0;
  bool operator<(const Score &other) const {
    return std::tie(cycles, executed) < std::tie(other.cycles, other.executed);
  }
};

class Grouping {
public:
  Grouping(const Program &program, const Trace &trace, const Machine &machine)
      : program(program), trace(trace), machine(machine) {}

  Score getScore(const Plan &plan) const;

  /// All plans with one flag in place of some of the same pipes (numbers in
  /// ascending order), at the places of their own sets and waits and those
  /// around them, executed no more often, that keep everything in order. It
  /// becomes the last of the flags.
  std::vector<Plan> getMerges(const Plan &plan,
                              const std::vector<int> &flags) const;
  /// The best of them that takes no more cycles.
  std::optional<Plan> merge(const Plan &plan, const std::vector<int> &flags,
                            int64_t maxCycles) const;
  /// Groups neighbours by dynamic programming; whether anything changed.
  bool groupRows(Plan &plan) const;
  /// One merge or move that makes the plan better, if there is one.
  bool improve(Plan &plan) const;
  /// Puts a flag's set and wait at one point, where that is better, and moves
  /// the other dependences that the flag served to a separate flag.
  bool split(Plan &plan) const;

  /// Instead of a flag: for each op after which it is needed one whose set and
  /// wait are at one point, as cheap as possible, further and further out; if
  /// that keeps everything in order.
  std::vector<Plan> getMeetings(const Plan &plan, int flag) const;

  /// One flag in place of some between the same two blocks: the last set, the
  /// first wait.
  std::optional<Plan> replaceRow(const Plan &plan,
                                 std::vector<int> flags) const;

private:
  /// A plan without some flags of two pipes, and what is out of order then.
  struct Gap {
    Plan rest;
    Pipe from = Pipe::v, to = Pipe::v;
    std::vector<Violation> pairs;
  };
  Gap takeOut(const Plan &plan, const std::vector<int> &flags) const;
  /// With one flag instead, if that keeps everything in order.
  std::optional<Plan> fill(const Gap &gap, int set, int wait) const;
  bool groupRow(Plan &plan, std::vector<int> row) const;

  const Program &program;
  const Trace &trace;
  const Machine &machine;
};

} // namespace gc::npu::sync

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCGROUP_H
