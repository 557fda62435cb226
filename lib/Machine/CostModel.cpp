// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine/CostModel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace gc {

namespace {

// What out-of-order cores with prefetchers have in common;
// docs/machine-model.md says how each was determined.

/// The fraction of a cache that is available for data that is read repeatedly:
/// the rest is taken by data that streams through.
constexpr double kUsableCache = 0.9;
/// The fraction of the time to move data that arithmetic does not hide.
constexpr double kVisibleCache = 0.1, kVisibleMemory = 0.75;
/// The same for what microkernels read from L2 or L3.
constexpr double kVisibleInKernels = 0.25;
/// The fraction of the multiply-add rate that other vector code reaches.
constexpr double kVectorEfficiency = 1;
/// Vector instructions that read an element and write one.
constexpr double kMoveInstructions = 2;
/// The cost of reading and writing a tile relative to writing it.
constexpr double kAccumulation = 1.5;
/// A loop's counter, its addresses, and a branch that may be mispredicted.
constexpr double kLoopCycles = 16;
/// Places of L1 for rows that are apart, below which they evict each other.
constexpr int64_t kFewPlaces = 2;
/// Of a panel that has left the L1 cache: kernels write lines that are fetched
/// first and then evicted, passes read them and write the elements.
constexpr double kPanelTransfers = 4;
/// What a panel may take of the L1 cache before parts of it leave.
constexpr double kPanelShare = 0.25;
/// Blocks of two sizes.
constexpr double kSecondBody = 1.015;
/// Measured on Zen 4 with attention: 1.0 for one long head, 1.1 to 1.3 for many
/// short ones.
constexpr double kInterrupted = 1.12;
/// 17 rows times 6.6 MB took .231 ms in blocks of 128 columns, .198 in blocks
/// of 64 and tiles as wide (an Intel server).
constexpr double kInPieces = 1.5;
/// With two threads of an Intel server, slices that would be 1 to 8% faster
/// without it took 1% less to 4% more time than blocks of columns, those that
/// would be 11% faster took 3 to 12% less.
constexpr double kSliceWait = 0.04;
/// A polynomial for the exponential, scaling, the maximum and the sum.
constexpr double kSoftmaxInstructions = 16;
/// Entries of the store buffer.
constexpr double kPendingStores = 64;
/// What a core reads from memory in the time of one access: measured on Zen 4,
/// where 4 to 16 KiB are as good.
constexpr int64_t kPrefetchBytes = 8192;

} // namespace

llvm::StringRef getCostBoundName(CostBound bound) {
  switch (bound) {
  case CostBound::compute:
    return "compute";
  case CostBound::vector:
    return "vector";
  case CostBound::cache:
    return "cache";
  case CostBound::memory:
    return "memory";
  case CostBound::calls:
    return "calls";
  case CostBound::barrier:
    return "barrier";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

double Cost::getCycles() const {
  double work = compute + vector + calls;
  double near = std::max(work, cache) + kVisibleCache * std::min(work, cache);
  return std::max(near, memory) + kVisibleMemory * std::min(near, memory) +
         barrier;
}

double Cost::getVisibleCycles() const {
  return kVisibleCache * cache + kVisibleMemory * memory;
}

CostBound Cost::getBound() const {
  std::array<std::pair<double, CostBound>, 6> parts = {
      {{compute, CostBound::compute},
       {memory, CostBound::memory},
       {cache, CostBound::cache},
       {vector, CostBound::vector},
       {calls, CostBound::calls},
       {barrier, CostBound::barrier}}};
  return std::max_element(
             parts.begin(), parts.end(),
             [](const auto &a, const auto &b) { return a.first < b.first; })
      ->second;
}

Cost &Cost::operator+=(const Cost &other) {
  compute += other.compute;
  vector += other.vector;
  calls += other.calls;
  cache += other.cache;
  memory += other.memory;
  barrier += other.barrier;
  return *this;
}

Cost &Cost::operator*=(double times) {
  compute *= times;
  vector *= times;
  calls *= times;
  cache *= times;
  memory *= times;
  barrier *= times;
  return *this;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

CostModel::CostModel(const Machine &machine, int64_t threads)
    : machine(machine), threads(threads > 0 ? threads : machine.cores) {
  // The multiply-add units do the rest as well.
  const KernelRate *rate = machine.getKernelRate(KernelTypes::f32);
  vectorRate =
      kVectorEfficiency * (rate ? rate->macsPerCycle : machine.getLanes(32));
}

double CostModel::getCapacity(MemoryLevel level) const {
  switch (level) {
  case MemoryLevel::l1:
    return kUsableCache * machine.l1Bytes;
  case MemoryLevel::l2:
    return kUsableCache * machine.l2Bytes;
  case MemoryLevel::l3:
    return kUsableCache * machine.l3Bytes;
  case MemoryLevel::memory:
    break;
  }
  return std::numeric_limits<double>::infinity();
}

MemoryLevel CostModel::getLevel(double coreBytes, double teamBytes) const {
  if (coreBytes <= getCapacity(MemoryLevel::l1))
    return MemoryLevel::l1;
  if (coreBytes <= getCapacity(MemoryLevel::l2))
    return MemoryLevel::l2;
  if (teamBytes == 0)
    teamBytes = coreBytes * threads;
  return teamBytes <= getCapacity(MemoryLevel::l3) ? MemoryLevel::l3
                                                   : MemoryLevel::memory;
}

double CostModel::getReadRate(MemoryLevel level) const {
  switch (level) {
  case MemoryLevel::l1:
    return machine.l1BytesPerCycle;
  case MemoryLevel::l2:
    return machine.l2BytesPerCycle;
  case MemoryLevel::l3:
    return machine.getL3BytesPerCycle(threads);
  case MemoryLevel::memory:
    break;
  }
  return machine.getMemoryBytesPerCycle(threads);
}

double CostModel::getKernelWaitCycles(double bytes, MemoryLevel level) const {
  if (level == MemoryLevel::l1)
    return 0;
  return kVisibleInKernels *
         getReadCycles(bytes, std::min(level, MemoryLevel::l3));
}

double CostModel::getWriteCycles(double bytes, MemoryLevel level) const {
  // Lines that are read before they are written cost no more than others: the
  // limit is how many are in flight.
  return getReadCycles(bytes, level);
}

static Cost makeTransfer(double cycles, MemoryLevel level) {
  Cost cost;
  if (level == MemoryLevel::memory)
    cost.memory = cycles;
  else if (level != MemoryLevel::l1)
    cost.cache = cycles;
  return cost;
}

Cost CostModel::getRead(double bytes, MemoryLevel level) const {
  return makeTransfer(getReadCycles(bytes, level), level);
}

Cost CostModel::getWrite(double bytes, MemoryLevel level) const {
  return makeTransfer(getWriteCycles(bytes, level), level);
}

int64_t CostModel::getCachePlaces(int64_t rowBytes) const {
  return machine.l1WayBytes / std::gcd(rowBytes, machine.l1WayBytes);
}

bool CostModel::sharesCacheSets(int64_t rowBytes) const {
  return getCachePlaces(rowBytes) <= kFewPlaces;
}

double CostModel::getPageWalkCycles(double pages) const {
  return pages > machine.knownPages ? pages * machine.pageWalkCycles : 0;
}

double CostModel::getEvictedCycles(double panelBytes, double bytes) const {
  double share = panelBytes / getCapacity(MemoryLevel::l1) - kPanelShare;
  return std::clamp(share, 0.0, 1.0) * kPanelTransfers *
         getReadCycles(bytes, MemoryLevel::l2);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

double CostModel::getVectorCycles(double elements, double instructions,
                                  int64_t bits) const {
  return elements * instructions * bits / 32 / vectorRate;
}

double CostModel::getPassCycles(double elements, double instructions,
                                int64_t bits) const {
  return getVectorCycles(elements, instructions + kMoveInstructions, bits);
}

double CostModel::getCallCycles(double tileBytes, bool accumulates) const {
  return machine.callCycles +
         getReadCycles(tileBytes * (accumulates ? kAccumulation : 1),
                       MemoryLevel::l1);
}

double CostModel::getLoopCycles() const { return kLoopCycles; }

double CostModel::getSecondBodyFactor() const { return kSecondBody; }

double CostModel::getInterruptedFactor() const { return kInterrupted; }

double CostModel::getPiecesFactor() const { return kInPieces; }

double CostModel::getSliceWaitShare() const { return kSliceWait; }

double CostModel::getSoftmaxInstructions() const {
  return kSoftmaxInstructions;
}

double CostModel::getPendingStoreBytes() const {
  return kPendingStores * machine.vectorBits / 8;
}

double CostModel::getElementsWorthThreads() const {
  double saved = getPassCycles(1, 1) * (1 - 1.0 / threads);
  return saved > 0 ? (getForkCycles() + getBarrierCycles()) / saved
                   : std::numeric_limits<double>::infinity();
}

int64_t CostModel::getPrefetchBytes() const { return kPrefetchBytes; }

llvm::SmallVector<int64_t> CostModel::getFinerParts(int64_t batch,
                                                    int64_t parts) const {
  constexpr double kFewIdle = 0.15;
  auto getIdleShare = [&](int64_t parts) {
    double tasks = static_cast<double>(batch) * parts;
    return 1 - tasks / (std::ceil(tasks / threads) * threads);
  };
  llvm::SmallVector<int64_t> finer;
  double idle = getIdleShare(parts);
  for (int64_t more : {2 * parts, 4 * parts})
    if (batch > 1 && idle > kFewIdle && getIdleShare(more) < idle)
      finer.push_back(more);
  return finer;
}

} // namespace gc
