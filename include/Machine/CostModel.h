// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What work costs on a machine: the one place where every decision that
// compares costs, and every prediction of a time, takes its numbers from.
// docs/machine-model.md explains them.

#ifndef GC_MACHINE_COSTMODEL_H
#define GC_MACHINE_COSTMODEL_H

#include "Machine/Machine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace gc {

/// Where data is when it is read again: the nearest cache that keeps it, or
/// none.
enum class MemoryLevel : uint8_t { l1, l2, l3, memory };

/// What limits a piece of work.
enum class CostBound : uint8_t {
  /// Multiply-adds of microkernels.
  compute,
  /// Vector instructions of everything else.
  vector,
  /// Data from L2 and L3.
  cache,
  memory,
  /// Calls of kernels and starts of loops.
  calls,
  /// Barriers, and data that passes from one core to another.
  barrier
};

llvm::StringRef getCostBoundName(CostBound bound);

/// Cycles of the busiest core of a team, by what they are spent on.
struct Cost {
  double compute = 0, vector = 0, calls = 0;
  /// Cycles that moving the data takes by itself; arithmetic hides most of what
  /// comes from a cache, and little of what comes from memory.
  double cache = 0, memory = 0;
  double barrier = 0;

  /// The total.
  double getCycles() const;
  /// What the data adds to the cost of arithmetic that takes longer.
  double getVisibleCycles() const;
  /// The part that takes longest.
  CostBound getBound() const;

  Cost &operator+=(const Cost &other);
  /// The same work repeated a number of times.
  Cost &operator*=(double times);
  friend Cost operator+(Cost a, const Cost &b) { return a += b; }
  friend Cost operator*(Cost a, double times) { return a *= times; }
};

/// Costs on a machine for a team of threads. Sizes are in bytes, costs in
/// cycles of one core while the whole team does the same work.
class CostModel {
public:
  /// If `threads` is 0, the team has as many threads as the machine has cores.
  explicit CostModel(const Machine &machine, int64_t threads = 0);

  const Machine &getMachine() const { return machine; }
  int64_t getThreads() const { return threads; }
  double getMs(double cycles) const { return cycles / machine.clockGHz * 1e-6; }

  /// More parts of each item of a batch than `parts`, with which fewer threads
  /// are idle in the last round of tasks; none if few are.
  llvm::SmallVector<int64_t> getFinerParts(int64_t batch, int64_t parts) const;

  //===--------------------------------------------------------------------===//
  // Data
  //===--------------------------------------------------------------------===//

  /// Where data is found again if the given number of bytes is touched between
  /// two uses: by this core, and by the team (data that cores share counted
  /// once; 0: each core has its own).
  MemoryLevel getLevel(double coreBytes, double teamBytes = 0) const;
  /// Bytes of a cache that stay in it while other data streams through.
  double getCapacity(MemoryLevel level) const;

  /// Bytes per cycle of one core.
  double getReadRate(MemoryLevel level) const;
  double getReadCycles(double bytes, MemoryLevel level) const {
    return bytes / getReadRate(level);
  }
  /// Cycles that microkernels wait for a second operand at this level, besides
  /// the cost of reading it. Data further away than L3 counts as data in L3.
  double getKernelWaitCycles(double bytes, MemoryLevel level) const;
  double getWriteCycles(double bytes, MemoryLevel level) const;
  /// The same as parts of a cost; data in L1 is counted with the instructions.
  Cost getRead(double bytes, MemoryLevel level) const;
  Cost getWrite(double bytes, MemoryLevel level) const;

  /// The places in a way of the L1 cache that rows `rowBytes` apart begin at.
  int64_t getCachePlaces(int64_t rowBytes) const;
  /// Whether rows that are `rowBytes` apart fall into few sets of the L1 cache
  /// and evict each other before they have been read twice.
  bool sharesCacheSets(int64_t rowBytes) const;
  /// Looking up the addresses of `pages` pages that are read again after all of
  /// them were read; 0 if the core still knows them.
  double getPageWalkCycles(double pages) const;
  /// Rows of sums that kernels write and passes then turn into elements, in
  /// panels of `panelBytes` bytes through the L1 cache: the cost of fetching
  /// again what leaves it, for `bytes` bytes of sums in all. No arithmetic
  /// hides this, since nothing can start before.
  double getEvictedCycles(double panelBytes, double bytes) const;

  //===--------------------------------------------------------------------===//
  // Instructions
  //===--------------------------------------------------------------------===//

  /// `elements` elements with `instructions` vector instructions per vector.
  double getVectorCycles(double elements, double instructions,
                         int64_t bits = 32) const;
  /// One pass of a vector loop over elements in L1 that it reads, computes and
  /// writes.
  double getPassCycles(double elements, double instructions,
                       int64_t bits = 32) const;
  /// Copying data into a packed layout.
  double getPackCycles(double bytes) const {
    return bytes * machine.packCyclesPerByte;
  }
  /// The overhead of one microkernel call besides its arithmetic, including a
  /// tile of C that it writes, and first reads if it accumulates.
  double getCallCycles(double tileBytes, bool accumulates) const;
  /// One more iteration of a loop around vector loops or kernels.
  double getLoopCycles() const;
  /// The time of kernels in blocks of two sizes, relative to one size: all code
  /// inside the loop over them exists twice, and has to be compiled, fetched
  /// and predicted.
  double getSecondBodyFactor() const;
  /// The time of kernels that alternate with passes over their results,
  /// relative to kernels that run one after another: the passes use the L1
  /// cache, and nothing fetches the next operands.
  double getInterruptedFactor() const;
  /// How much longer kernels wait for an operand from L3 if their tiles have a
  /// part of the columns of its blocks.
  double getPiecesFactor() const;
  /// The part of their time that cores with a slice of k each lose at its end,
  /// where they wait for each other and no longer read ahead.
  double getSliceWaitShare() const;
  /// Instructions per vector of scores that softmax turns into exponentials.
  double getSoftmaxInstructions() const;
  /// Bytes that a core stores and goes on without waiting for the cache lines.
  double getPendingStoreBytes() const;

  //===--------------------------------------------------------------------===//
  // Threads
  //===--------------------------------------------------------------------===//

  /// One barrier of the team; 0 for one thread.
  double getBarrierCycles() const { return machine.getBarrierCycles(threads); }
  /// Reading what other cores have written, and the cost of writing as many
  /// bytes for others.
  double getExchangeCycles(double bytes) const {
    return threads > 1 ? bytes / machine.exchangeBytesPerCycle : 0;
  }
  /// Starting the threads of an execution and ending them.
  double getForkCycles() const { return machine.getForkCycles(threads); }
  /// The number of elements from which a team is faster than one thread, with
  /// the start of the team and a barrier; infinite for one thread.
  double getElementsWorthThreads() const;
  /// How far kernels fetch ahead in a matrix that comes from memory.
  int64_t getPrefetchBytes() const;

private:
  const Machine &machine;
  int64_t threads;
  /// Elements of f32 that vector code processes per cycle.
  double vectorRate;
};

} // namespace gc

#endif // GC_MACHINE_COSTMODEL_H
