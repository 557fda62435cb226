// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A run of a program as one list of instructions, flags and barriers included:
// what the simulator is fed with, and what the slow proof looks at.

#ifndef GC_UNITTESTS_NPU_SYNC_SYNCLISTING_H
#define GC_UNITTESTS_NPU_SYNC_SYNCLISTING_H

#include "Simulator/Simulator.h"
#include "SyncPlan.h"

#include <string>
#include <vector>

namespace gc::npu::sync {

struct Line {
  Instruction instruction;
  /// Loop iterations that begin before it.
  int iterations = 0;
  /// Number of its flag or barrier in the plan; -1: an op.
  int item = -1;
};
using Listing = std::vector<Line>;

/// The instruction that an op of a program is in an iteration.
using Instructions = std::vector<std::function<Instruction(const Env &)>>;

/// A program and its instructions.
struct Kernel {
  Program program;
  Instructions instructions;
  void add(int block, const Machine &machine,
           std::function<Instruction(const Env &)> instruction);
};

/// The whole run with a plan. Each kernel uses tensor 0 (input) and 1 (output),
/// of kTensorBytes.
Listing list(const Kernel &kernel, const Plan &plan);
constexpr int64_t kTensorBytes = 1 << 16;

/// Runs the listing on the simulator, cycles only; without checks only to see
/// how long it takes.
Report simulate(const Machine &machine, const Listing &listing,
                bool check = true);

/// By plain closure over program order, flags and barriers, without clocks: why
/// the listing is wrong (a deadlock, a flag that is left or set twice, two
/// accesses without order), or nothing.
std::string findFault(const Listing &listing);

} // namespace gc::npu::sync

#endif // GC_UNITTESTS_NPU_SYNC_SYNCLISTING_H
