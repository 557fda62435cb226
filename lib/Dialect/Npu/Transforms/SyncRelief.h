// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What can be changed about a plan if a pair of pipes needs more events than
// the machine has flags.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCRELIEF_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCRELIEF_H

#include "SyncGroup.h"

namespace gc::npu::sync {

/// Plans that keep everything in order and may need fewer events of one pair of
/// pipes.
class Relief {
public:
  Relief(const Program &program, const Trace &trace, const Grouping &grouping,
         const Plan &plan, Pipe from, Pipe to)
      : program(program), trace(trace), grouping(grouping), plan(plan),
        from(from), to(to) {}

  /// With other flags of the pair.
  std::vector<Plan> getChanges() const;
  /// With other flags the other way round.
  std::vector<Plan> getReturns() const;

private:
  void addRows(std::vector<Plan> &choices) const;
  void addMerges(std::vector<Plan> &choices) const;
  void addMeetings(std::vector<Plan> &choices) const;
  void addFewerPrimes(Pipe from, Pipe to, std::vector<Plan> &choices) const;
  void addReturns(std::vector<Plan> &choices) const;

  static bool isOf(const Flag &flag, Pipe from, Pipe to) {
    return flag.from == from && flag.to == to;
  }
  bool isOf(const Flag &flag) const { return isOf(flag, from, to); }

  const Program &program;
  const Trace &trace;
  const Grouping &grouping;
  const Plan &plan;
  Pipe from, to;
};

} // namespace gc::npu::sync

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCRELIEF_H
