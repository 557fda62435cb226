// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The program as it runs: every execution of every op, in the order in which
// the front end issues them, with what each requires of those before it.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCTRACE_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCTRACE_H

#include "SyncProgram.h"

#include <array>
#include <optional>

namespace gc::npu::sync {

/// For each pipe a count of ops, in the order of issue.
using Counts = std::array<int32_t, kNumPipes>;

struct Step {
  /// start: the program starts (once for each core). iterate: a loop's next
  /// iteration.
  enum Kind : uint8_t { start, op, point, iterate };
  Kind kind;
  /// The instance, or the point.
  int32_t id;
};

/// One execution of an op.
struct Instance {
  int32_t op;
  /// Number among the executions on its pipe.
  int32_t number;
  int32_t step;
  /// How many executions on each pipe must have completed, with their results
  /// visible. On its own pipe: because of what they wrote.
  Counts needs = {};
};

class Trace {
public:
  static constexpr int64_t kAll = int64_t(1) << 40;

  /// How much of the program is run; nothing if that is more than `maxSteps`.
  struct Length {
    int64_t maxSteps = kAll;
    /// Loops of more iterations than `inner` + period run fewer, at least
    /// `inner`, and congruent to their number modulo the period: the first and
    /// the last ones; loops with two levels of loops inside likewise with
    /// `outer`.
    int64_t inner = kAll, outer = kAll;
    /// Instead: without the iterations that do the same as those around them
    /// (getDistinct).
    bool isSketch = false;
  };
  static std::optional<Trace> make(const Program &program, Length length);

  /// Only some statements of the program's own block, [begin, end): what was
  /// before them has completed.
  struct Section {
    int begin, end;
  };
  static std::optional<Trace> make(const Program &program, Section section,
                                   Length length);

  std::vector<Step> steps;
  /// The steps at which the cores start.
  std::vector<int32_t> starts;
  /// How many steps plans were followed along it, and after how many searches
  /// for better plans end.
  mutable int64_t walked = 0;
  int64_t effort = kAll;
  bool isSpent() const { return walked > effort; }
  std::vector<Instance> instances;
  /// Instances on each pipe.
  std::array<std::vector<int32_t>, kNumPipes> onPipe;
  /// Of each point: the steps at which it was passed.
  std::vector<std::vector<int32_t>> passes;
  /// And the iterations of the loops around it (getLoops of its block), one
  /// pass after the other.
  std::vector<std::vector<int32_t>> iterations;
};

/// Of iterations that do what these numbers say: those that are left if of
/// each part that repeats itself, however long its period, a multiple of its
/// period and of 12 is left out, but three periods are kept.
std::vector<int64_t> getDistinct(const std::vector<uint64_t> &signatures);

} // namespace gc::npu::sync

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCTRACE_H
