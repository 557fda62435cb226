// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What every correct placement of flags and barriers must contain: of each set
// of them that alone could lead on from where the others lead, one at least.

#ifndef GC_UNITTESTS_NPU_SYNC_SYNCCUTS_H
#define GC_UNITTESTS_NPU_SYNC_SYNCCUTS_H

#include "SyncPlan.h"
#include "SyncSimplex.h"

namespace gc::npu::sync {

/// A flag from after one op to before another of another pipe, or (isBarrier) a
/// barrier of its pipe before the second. Ops of a program without loops are
/// numbered in the order of issue.
struct Candidate {
  int first, second;
  bool isBarrier;
};

/// All of them that can order anything.
std::vector<Candidate> getCandidates(const Program &program);

class OrderCuts {
public:
  OrderCuts(const Program &program, const Trace &trace,
            std::vector<Candidate> candidates);

  /// Rows over the candidates that hold for every right placement, and that
  /// these amounts of each do not satisfy. None: whole amounts that are 0 or
  /// not less than 1 order all.
  std::vector<CoverRow> separate(const std::vector<double> &amounts) const;

private:
  /// The second must start after the first is visible.
  struct Need {
    int first, second;
  };
  struct Arc {
    int to;
    double room;
  };
  /// Nodes: what an op's pipe knows (a set after the op tells others), and, if
  /// both ops of the need are on one pipe, what the second of them knows,
  /// number of ops further on.
  struct Network {
    std::vector<Arc> arcs;
    std::vector<std::vector<int>> out;
    void add(int from, int to, double room);
    double push(int from, int to);
    std::vector<bool> getReached(int from, bool isForward) const;
  };
  int getEnd(const Need &need, int op) const;
  std::optional<std::pair<int, int>> getEnds(const Need &need,
                                             const Candidate &candidate) const;
  void addRows(const Need &need, const std::vector<double> &amounts,
               std::vector<CoverRow> &rows) const;
  CoverRow getRow(const Need &need, const std::vector<bool> &isIn) const;

  const Program &program;
  int numOps;
  std::vector<Candidate> candidates;
  std::vector<Need> needs;
};

} // namespace gc::npu::sync

#endif // GC_UNITTESTS_NPU_SYNC_SYNCCUTS_H
