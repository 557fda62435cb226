// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatmulCost.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;

namespace gc::graph {

/// Bytes per cycle that one core reads, by the cache level the data is in. The
/// hardware prefetches what the kernels stream, so that only part of it shows.
constexpr double kBytesPerCycleL2 = 32, kBytesPerCycleL3 = 12,
                 kBytesPerCycleMemory = 4, kVisibleTraffic = 0.4;
/// Cycles of one microkernel call besides its arithmetic, the part of its speed
/// that a kernel keeps when its rows of B are not contiguous, and what kernels
/// of vectors cost more because they have to be compiled.
constexpr double kCallCycles = 40, kStridedKernel = 0.93, kVectorKernel = 1.04;
/// Cycles per element that packing an operand takes, and how often post-ops on
/// whole rows pass over them.
constexpr double kPackCycles = 0.7, kRowPasses = 4;
/// The part of the L2 cache that counts for what is read again and again.
constexpr double kShareOfL2 = 0.9;
constexpr int64_t kWidestVector = 16;
/// Rows of B that are read together from memory, and the columns of them: long
/// enough for the hardware to see what comes next, with sums in the L1 cache.
constexpr int64_t kStreamedRows = 8, kStreamedColumns = 1024;
/// Cycles until threads have met.
constexpr double kBarrierCycles = 3000;

MatmulCostModel::MatmulCostModel(const MatmulSizes &sizes,
                                 const Machine &machine,
                                 const TemplateOptions &options,
                                 int64_t elementBytes, OperandUse a,
                                 OperandUse b)
    : sizes(sizes), machine(machine), options(options), a(a), b(b),
      kernel(KernelModel::get(machine, options.vectorKernels)),
      elementBytes(elementBytes) {
  // Every split is tried; more threads than this share as this many do.
  constexpr int64_t kMostThreads = 1024;
  threads =
      std::min(options.threads ? options.threads : machine.cores, kMostThreads);
  // Blocks are rounded to vectors, by no more than a template allows.
  kernel.lanes = std::min(kernel.lanes, kWidestVector);
  for (int64_t size : sizes.batch)
    batch *= size;
}

MatmulParameters MatmulCostModel::choose(double &cycles) const {
  MatmulParameters best;
  cycles = HUGE_VAL;
  for (auto [mpn, npn] : getSplits())
    for (int64_t mb : getRowBlocks(mpn))
      for (int64_t nb : getColumnBlocks(npn))
        for (LoopOrder order : getOrders()) {
          MatmulParameters p{mpn, npn, mb, nb, 0, 0, 1, order};
          if (mb * (mpn - 1) >= sizes.m || nb * (npn - 1) >= sizes.n)
            continue;
          setReduction(p);
          for (int64_t kpn : getSlices(p)) {
            p.kpn = kpn;
            double cost = getCycles(p);
            if (cost < cycles) {
              cycles = cost;
              best = p;
            }
          }
        }
  return best;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Ways to divide the threads among rows and columns; fewer where the batch
/// already keeps them busy.
SmallVector<std::pair<int64_t, int64_t>> MatmulCostModel::getSplits() const {
  if (options.rowParts)
    return {{options.rowParts, 1}};
  SmallVector<std::pair<int64_t, int64_t>> splits;
  int64_t parts = llvm::divideCeil(threads, std::min(batch, threads));
  for (int64_t m = 1; m <= parts; ++m)
    splits.push_back({m, options.wholeRows ? 1 : parts / m});
  splits.push_back({1, 1});
  return splits;
}

/// Blocks near the sizes that amortise a pass over B, all of about the same
/// size, so that no small block is left over.
SmallVector<int64_t> MatmulCostModel::getRowBlocks(int64_t parts) const {
  if (options.rowBlock)
    return {options.rowBlock};
  llvm::SmallSetVector<int64_t, 8> blocks;
  int64_t share = llvm::divideCeil(sizes.m, parts);
  for (int64_t target : {16, 32, 48, 64, 96, 128})
    blocks.insert(llvm::divideCeil(share, llvm::divideCeil(share, target)));
  return blocks.takeVector();
}

/// Whole vectors, so that kernels have no partial ones where B is packed: whole
/// tiles, or blocks of about the same size without a small one left over.
SmallVector<int64_t> MatmulCostModel::getColumnBlocks(int64_t parts) const {
  if (sizes.n == 1)
    return {1};
  llvm::SmallSetVector<int64_t, 8> blocks;
  int64_t tile = kernel.getTileColumns();
  int64_t share = llvm::divideCeil(sizes.n, parts);
  if (streamsB()) {
    int64_t count = llvm::divideCeil(share, kStreamedColumns);
    int64_t block = llvm::alignTo(llvm::divideCeil(share, count), kernel.lanes);
    return {block};
  }
  for (int64_t target : {tile / 2, tile, 2 * tile}) {
    blocks.insert(llvm::alignTo(std::min(share, target), kernel.lanes));
    blocks.insert(
        llvm::alignTo(llvm::divideCeil(share, llvm::divideCeil(share, target)),
                      kernel.lanes));
  }
  return blocks.takeVector();
}

SmallVector<LoopOrder> MatmulCostModel::getOrders() const {
  if (options.wholeRows || streamsB())
    return {LoopOrder::rowPanels};
  // Loops over rows merge where they are the outermost ones.
  if (options.rowBlock)
    return {LoopOrder::rowsFirst};
  return {LoopOrder::rowsFirst, LoopOrder::columnsFirst};
}

/// Slices of k where rows and columns do not keep the threads busy. Operands
/// that are packed inside of the loops cannot be sliced.
SmallVector<int64_t>
MatmulCostModel::getSlices(const MatmulParameters &p) const {
  SmallVector<int64_t> slices{1};
  int64_t tasks = batch * p.mpn * p.npn;
  if (options.wholeRows || options.rowBlock || a.isPackedHere ||
      b.isPackedHere || tasks >= threads || streamsB())
    return slices;
  int64_t most = std::min(threads / tasks, sizes.k / p.kb);
  if (most > 1)
    slices.push_back(most);
  return slices;
}

bool isStreamed(const MatmulSizes &sizes, int64_t elementBytes,
                const Machine &machine) {
  constexpr int64_t kMostRows = 4;
  return sizes.m <= kMostRows && sizes.n > kStreamedColumns &&
         sizes.n * sizes.k * elementBytes > machine.l2Bytes;
}

bool MatmulCostModel::streamsB() const {
  return !b.isPacked && !options.wholeRows &&
         isStreamed(sizes, elementBytes, machine);
}

/// Blocks of k that leave no rest where possible: a rest is a kernel of its own
/// and one more pass over C. One call reduces as many blocks as leave the
/// panels of A and B in the L2 cache; the calls are about equally long.
void MatmulCostModel::setReduction(MatmulParameters &p) const {
  if (streamsB()) {
    p.kb = std::min(sizes.k, kStreamedRows);
    p.bs = 1;
    return;
  }
  p.kb = getReductionBlock();
  int64_t blocks = std::max<int64_t>(1, sizes.k / p.kb);
  p.bs = blocks;
  // A row panel is complete after one chunk.
  if (options.wholeRows)
    return;
  int64_t blockBytes = p.kb * (p.nb + p.mb) * elementBytes;
  int64_t fitting = std::max<int64_t>(1, machine.l2Bytes / blockBytes);
  p.bs = llvm::divideCeil(blocks, llvm::divideCeil(blocks, fitting));
}

int64_t MatmulCostModel::getReductionBlock() const {
  constexpr int64_t kBlock = 64, kLongest = 256, kLongestRow = 1024;
  // A panel of whole rows is read in rows: a packed A only has them rounded up
  // to whole vectors.
  if (options.readsPanel && sizes.k <= kLongestRow) {
    if (!a.isPacked)
      return sizes.k;
    // Rows that are a multiple of a page apart displace each other in the
    // cache.
    constexpr int64_t kWayBytes = 4096;
    int64_t rounded = llvm::alignTo(sizes.k, kWidestVector);
    return rounded * elementBytes % (kWayBytes / 2) == 0
               ? rounded + kWidestVector
               : rounded;
  }
  // A packed A is written in blocks of the producer's columns, so that its
  // blocks hold whole vectors; A in place may be cut anywhere.
  int64_t unit = a.isPacked ? 4 * kernel.lanes : 1;
  if (sizes.k <= 2 * kBlock)
    return a.isPacked ? llvm::alignTo(sizes.k, unit) : sizes.k;
  for (int64_t block = 2 * kBlock; block >= kBlock / 2; --block)
    if (block % unit == 0 && sizes.k % block == 0 &&
        (block <= kBlock || sizes.k % kBlock != 0))
      return block;
  if (sizes.k <= kLongest)
    return a.isPacked ? llvm::alignTo(sizes.k, unit) : sizes.k;
  return kBlock;
}

//===----------------------------------------------------------------------===//
// Cycles
//===----------------------------------------------------------------------===//

double MatmulCostModel::getKernelCycles(int64_t m, int64_t n) const {
  double vector = getVectorCyclesPerK(machine, m, n);
  if (options.vectorKernels)
    return vector;
  double library = kernel.getCyclesPerK(m, n);
  return std::min(library, vector * kVectorKernel);
}

double MatmulCostModel::getBandwidth(double bytes) const {
  if (bytes <= machine.l2Bytes * kShareOfL2 - options.neighbourBytes)
    return kBytesPerCycleL2;
  return bytes <= machine.l3Bytes ? kBytesPerCycleL3 : kBytesPerCycleMemory;
}

/// Writing partial sums, meeting, and adding them up.
double MatmulCostModel::getSliceCycles(const MatmulParameters &p) const {
  if (p.kpn == 1)
    return 0;
  double bytes = double(batch) * sizes.m * sizes.n * elementBytes;
  return kBarrierCycles + bytes * 2 / kBytesPerCycleL3 +
         bytes * p.kpn / std::min(threads, batch * sizes.m) / kBytesPerCycleL3;
}

double MatmulCostModel::getCycles(const MatmulParameters &p) const {
  int64_t mBlocks = llvm::divideCeil(sizes.m, p.mb);
  int64_t nBlocks = llvm::divideCeil(sizes.n, p.nb);
  int64_t mShare = llvm::divideCeil(mBlocks, p.mpn);
  int64_t nShare = llvm::divideCeil(nBlocks, p.npn);
  int64_t rows = std::min(mShare * p.mb, sizes.m);
  int64_t columns = std::min(nShare * p.nb, sizes.n);
  int64_t rounds = llvm::divideCeil(batch * p.mpn * p.npn * p.kpn, threads);
  int64_t reduced = llvm::divideCeil(sizes.k, p.kpn);

  bool isStrided = p.nb > kernel.getTileColumns();
  auto perTile = [&](int64_t m, int64_t n) {
    return getKernelCycles(m, n) / (isStrided ? kStridedKernel : 1);
  };
  auto perRowBlock = [&](int64_t m) {
    double cycles = columns / p.nb * perTile(m, p.nb);
    if (columns % p.nb)
      cycles += perTile(m, columns % p.nb);
    return cycles;
  };
  double compute = rows / p.mb * perRowBlock(p.mb);
  if (rows % p.mb)
    compute += perRowBlock(rows % p.mb);
  compute *= reduced;

  double calls = static_cast<double>(mShare) * nShare *
                 llvm::divideCeil(llvm::divideCeil(reduced, p.kb), p.bs);
  // The outer loop's operand is read once, the other one once per block of it.
  double aBytes = static_cast<double>(rows) * reduced * elementBytes;
  double bBytes = static_cast<double>(columns) * reduced * elementBytes;
  double cBytes = static_cast<double>(rows) * columns * elementBytes;
  double onceRate = kBytesPerCycleL3;
  double aRate = options.readsPanel ? kBytesPerCycleL2 : onceRate;
  double panelBytes = static_cast<double>(p.mb) * columns * elementBytes;
  double traffic;
  if (p.order == LoopOrder::columnsFirst)
    traffic = bBytes / onceRate + aBytes * nShare / getBandwidth(aBytes);
  else
    traffic = aBytes / aRate +
              bBytes * mShare /
                  getBandwidth(bBytes + (options.wholeRows ? panelBytes : 0));
  // Passes over a row panel that has left the L1 cache.
  if (options.wholeRows && panelBytes > machine.l1Bytes / 2)
    traffic += kRowPasses * cBytes / getBandwidth(bBytes + panelBytes);
  else if (!options.wholeRows)
    traffic += cBytes / onceRate;

  double packing = 0;
  if (a.isPackedHere)
    packing += kPackCycles * rows * reduced;
  if (b.isPackedHere)
    packing += kPackCycles * columns * reduced;
  return rounds * (compute + calls * kCallCycles + packing +
                   kVisibleTraffic * traffic) +
         getSliceCycles(p);
}

} // namespace gc::graph
