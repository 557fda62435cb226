// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cycles that a program takes at least, whatever is added to a placement.

#ifndef GC_UNITTESTS_NPU_SYNC_SYNCTIMEBOUND_H
#define GC_UNITTESTS_NPU_SYNC_SYNCTIMEBOUND_H

#include "SyncCuts.h"

namespace gc::npu::sync {

/// The cycle model made monotone: ops may take longer than they do, no
/// transfer waits for another pipe's, and of sets after one op each may be the
/// first. Ops start after all that they need is visible, as they do in every
/// right placement. The model is the machine's but in one respect: an op is
/// shorter if it follows the one before it without a gap, so that a program may
/// become faster when an op starts later. So for each op on the longest path
/// both are tried: a gap, or an op in front that is late enough.
class TimeBound {
public:
  TimeBound(const Program &program, const Trace &trace, const Machine &machine);

  /// No right placement that contains these takes as few cycles as `limit`.
  bool isSlower(const std::vector<Candidate> &chosen, int64_t limit) const;

private:
  struct Queue;
  struct Run;
  enum class Gap : uint8_t { unknown, some, none };
  /// What is assumed of each op: whether there is a gap before it, and the
  /// earliest time at which it ends.
  struct Choices {
    std::vector<Gap> gaps;
    std::vector<int64_t> ends;
  };
  /// Where the flags and barriers are, for each op.
  struct Places {
    std::vector<int> sets, barriers;
    std::vector<std::vector<int>> waits;
  };
  bool isSlower(const Places &places, Choices choices, int64_t limit,
                int &tries) const;

  const Program &program;
  const Machine &machine;
  /// Ops that each op needs, and the op before it on its pipe or -1.
  std::vector<std::vector<int>> needs;
  std::vector<int> previous;
};

} // namespace gc::npu::sync

#endif // GC_UNITTESTS_NPU_SYNC_SYNCTIMEBOUND_H
