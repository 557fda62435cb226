// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatmulCost.h"
#include "Machine/AmxPlan.h"
#include "Machine/KernelChoice.h"
#include "Support/DataTypes.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;

namespace gc::graph {

/// How often post-ops on whole rows pass over them, and how many of the passes
/// wait for rows in L2: most compute longer than these take to arrive.
constexpr double kRowPasses = 4, kLateRowPasses = 1;
/// Blocks are rounded to at most this many columns.
constexpr int64_t kWidestVector = 16;
/// The part of the L2 cache that the panels of one call take where those of all
/// of k are more than twice as large as it. With k = 14336 and 2 MiB, calls
/// that fill .5, .75 and all of it took 48, 50 and 54 ms.
constexpr double kCallShare = 0.5;
/// Rows of B that are read together from memory, and the columns of them: long
/// enough for the hardware prefetcher, with sums in the L1 cache. Of shorter
/// rows as many as have this many elements.
constexpr int64_t kStreamedRows = 8, kStreamedColumns = 1024,
                  kStreamedElements = 4096;

/// Every split is tried; more threads than this are treated as this many.
static int64_t getThreads(const Machine &machine,
                          const TemplateOptions &options) {
  constexpr int64_t kMostThreads = 1024;
  return std::min(options.threads ? options.threads : machine.cores,
                  kMostThreads);
}

MatmulElements MatmulElements::get(Type a, Type b, Type c) {
  auto getBytes = [](Type type) {
    return static_cast<int64_t>(
        llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
  };
  MatmulElements elements;
  elements.a = static_cast<double>(getBytes(a));
  elements.b = b.getIntOrFloatBitWidth() == 4 ? 0.5 : getBytes(b);
  elements.c = getBytes(c);
  std::optional<DataType> typeA = getDataType(a), typeB = getDataType(b);
  if (typeA && typeB) {
    elements.kernel = getRateTypes(*typeA, *typeB).value_or(KernelTypes::f32);
    elements.group = getGroupSize(*typeB);
    elements.sum = gc::getBytes(getAccumulatorType(*typeA));
    if (*typeA == DataType::f32 && *typeB != *typeA)
      elements.widened = *typeB;
    if (canReadUnpacked(*typeA, *typeB))
      elements.dots = {*typeA, *typeB};
  }
  return elements;
}

MatmulCostModel::MatmulCostModel(const MatmulSizes &sizes,
                                 const Machine &machine,
                                 const TemplateOptions &options,
                                 MatmulElements elements, OperandUse a,
                                 OperandUse b)
    : sizes(sizes), machine(machine), options(options), a(a), b(b),
      model(machine, getThreads(machine, options)),
      kernel(KernelModel::get(machine,
                              options.usesVectorKernels() || elements.group > 1,
                              elements.kernel)),
      elements(elements), threads(model.getThreads()) {
  // Blocks are rounded to vectors, by no more than a template allows.
  kernel.lanes = std::min(kernel.lanes, kWidestVector);
  for (int64_t size : sizes.batch)
    batch *= size;
}

SmallVector<MatmulCostModel::Choice>
MatmulCostModel::choose(int64_t count) const {
  SmallVector<Choice> best;
  auto add = [&](const MatmulParameters &p) {
    double cycles = getCycles(p);
    bool isFull = static_cast<int64_t>(best.size()) == count;
    if (isFull && cycles >= best.back().cycles)
      return;
    if (llvm::any_of(
            best, [&](const Choice &other) { return other.parameters == p; }))
      return;
    if (isFull)
      best.pop_back();
    // Equal ones keep their order.
    auto place = llvm::find_if(
        best, [&](const Choice &other) { return cycles < other.cycles; });
    best.insert(place, {p, cycles});
  };
  for (auto [mpn, npn] : getSplits())
    for (int64_t mb : getRowBlocks(mpn))
      for (int64_t nb : getColumnBlocks(npn))
        for (LoopOrder order : getOrders()) {
          if (mb * (mpn - 1) >= sizes.m)
            continue;
          // Blocks that exceed the matrix need a packed one.
          int64_t columns = b.isPacked ? nb : std::min(nb, sizes.n);
          // Blocks of whole vectors may be fewer than the threads.
          int64_t parts = std::min<int64_t>(npn, llvm::divideCeil(sizes.n, nb));
          for (int64_t kb : getReductionBlocks()) {
            MatmulParameters p{mpn, parts, mb, columns, 0, 0, 1, order};
            setReduction(p, kb);
            for (int64_t kpn : getSlices(p)) {
              p.kpn = kpn;
              setReduction(p, kb);
              add(p);
            }
          }
        }
  return best;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Ways to divide the threads among rows and columns; fewer if the batch
/// already keeps them busy.
SmallVector<std::pair<int64_t, int64_t>> MatmulCostModel::getSplits() const {
  if (options.rowParts)
    return {{options.rowParts, 1}};
  SmallVector<std::pair<int64_t, int64_t>> splits;
  auto add = [&](int64_t parts) {
    for (int64_t m = 1; m <= std::min(parts, sizes.m); ++m)
      splits.push_back({m, options.wholeRows ? 1 : parts / m});
  };
  int64_t parts = llvm::divideCeil(threads, std::min(batch, threads));
  add(parts);
  for (int64_t more : model.getFinerParts(batch, parts))
    add(more);
  // With fewer parts, threads can share the blocks of a long k.
  constexpr int64_t kLong = 1024;
  if (maySlice() && sizes.k >= kLong)
    for (int64_t fewer = parts / 2; fewer > 1; fewer /= 2)
      add(fewer);
  splits.push_back({1, 1});
  return splits;
}

/// Blocks near the sizes that amortise a pass over B, all of about the same
/// size, so that no small block is left over.
SmallVector<int64_t> MatmulCostModel::getRowBlocks(int64_t parts) const {
  if (options.rowBlock)
    return options.rowBlock % sizes.line == 0
               ? SmallVector<int64_t>{options.rowBlock}
               : SmallVector<int64_t>();
  llvm::SmallSetVector<int64_t, 8> blocks;
  if (sizes.channels) {
    // Whole lines of windows.
    int64_t lines = llvm::divideCeil(sizes.m / sizes.line, parts);
    for (int64_t target : {32, 64, 128, 256})
      if (int64_t block =
              sizes.line *
              llvm::divideCeil(lines,
                               llvm::divideCeil(lines * sizes.line,
                                                std::max(target, sizes.line)));
          block <= sizes.m &&
          (!options.maxRowBlock || block <= options.maxRowBlock))
        blocks.insert(block);
    return blocks.takeVector();
  }
  int64_t share = llvm::divideCeil(sizes.m, parts);
  int64_t most = options.maxRowBlock ? options.maxRowBlock : share;
  for (int64_t target : {16, 32, 48, 64, 96, 128})
    if (int64_t block =
            llvm::divideCeil(share, llvm::divideCeil(share, target));
        block <= most)
      blocks.insert(block);
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
  // The registers of kernels that convert B serve one to eight vectors.
  for (int64_t vectors = 1; elements.widened && vectors <= 8; ++vectors)
    blocks.insert(std::min<int64_t>(vectors * kernel.lanes,
                                    llvm::alignTo(share, kernel.lanes)));
  // Columns that are read along k need no tiles; larger blocks need fewer
  // calls.
  for (int64_t target : {64, 128, 256})
    if (b.isAlongK)
      blocks.insert(std::min(share, target));
  for (int64_t target : {tile / 2, tile, 2 * tile}) {
    // Narrow tiles have many rows.
    if (a.isScattered() && target < std::min(share, tile))
      continue;
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
  // Rows that are far apart are read in pieces too short to be fetched ahead:
  // once from L3, then from L2.
  if (a.isScattered())
    return {LoopOrder::rowsFirst};
  return {LoopOrder::rowsFirst, LoopOrder::columnsFirst};
}

/// Rows that must be complete when their neighbours need them cannot be sums of
/// slices.
bool MatmulCostModel::maySlice() const {
  return !sizes.channels && !options.wholeRows && !options.rowBlock &&
         !streamsB();
}

/// Slices of k where rows and columns do not keep the threads busy.
SmallVector<int64_t>
MatmulCostModel::getSlices(const MatmulParameters &p) const {
  SmallVector<int64_t> slices{1};
  int64_t tasks = batch * p.mpn * p.npn;
  if (!maySlice() || tasks >= threads)
    return slices;
  int64_t most = std::min(threads / tasks, sizes.k / p.kb);
  if (most > 1)
    slices.push_back(most);
  return slices;
}

bool isStreamed(const MatmulSizes &sizes, double elementBytes,
                const Machine &machine) {
  constexpr int64_t kMostRows = 4;
  return sizes.m <= kMostRows && sizes.n > kStreamedColumns &&
         sizes.n * sizes.k * elementBytes > machine.l2Bytes;
}

bool MatmulCostModel::streamsB() const {
  if (sizes.channels || b.isPacked || b.isAlongK || options.wholeRows)
    return false;
  // Values of a head for few queries; if there are not enough heads for all
  // threads, the threads share k instead.
  constexpr int64_t kMostRows = 8, kLeastColumns = 64;
  bool isLong = batch >= threads && sizes.m <= kMostRows &&
                sizes.n >= kLeastColumns && sizes.n <= kStreamedColumns &&
                sizes.n * sizes.k * elements.b > machine.l2Bytes;
  return isLong || isStreamed(sizes, elements.b, machine);
}

/// Blocks of k that leave no remainder where possible: a remainder needs its
/// own kernel and one more pass over C. One call reduces as many blocks as
/// leave the panels of A and B in the L2 cache, and those of the next call if
/// there are many; the calls are about equally long.
void MatmulCostModel::setReduction(MatmulParameters &p, int64_t block) const {
  if (streamsB()) {
    p.kb = std::max(kStreamedRows, kStreamedElements / p.nb);
    p.kb = llvm::alignTo(std::min(sizes.k, p.kb), elements.group);
    p.bs = 1;
    return;
  }
  p.kb = block;
  int64_t blocks = std::max<int64_t>(1, p.getLongestSlice(sizes.k) / p.kb);
  p.bs = blocks;
  // A row panel is complete after one chunk, as a line of windows is.
  if (options.wholeRows || sizes.channels)
    return;
  double blockBytes = p.kb * (p.nb * elements.b + p.mb * elements.a);
  double capacity = machine.l2Bytes;
  if (blocks * blockBytes > 2 * capacity)
    capacity *= kCallShare;
  int64_t fitting =
      std::max<int64_t>(1, static_cast<int64_t>(capacity / blockBytes));
  p.bs = llvm::divideCeil(blocks, llvm::divideCeil(blocks, fitting));
}

int64_t MatmulCostModel::getReductionBlock() const {
  if (elements.scaled)
    return elements.scaled;
  // One call reads whole columns of B.
  if (b.isAlongK)
    return sizes.k;
  constexpr int64_t kBlock = 64, kLongest = 256, kLongestRow = 1024;
  // A panel of whole rows is read in rows: a packed A has them only rounded up
  // to whole vectors.
  if (options.readsPanel && sizes.k <= kLongestRow) {
    if (!a.isPacked)
      return llvm::alignTo(sizes.k, elements.group);
    // Rows that are a multiple of a page apart evict each other from the cache.
    int64_t rounded = llvm::alignTo(sizes.k, kWidestVector);
    return model.sharesCacheSets(rounded * static_cast<int64_t>(elements.a))
               ? rounded + kWidestVector
               : rounded;
  }
  // A packed A is written in blocks of the producer's columns, so that its
  // blocks hold whole vectors; A in place may be cut anywhere.
  int64_t unit = a.isPacked ? 4 * kernel.lanes : elements.group;
  // A single short block needs no more than that: packed weights are as long.
  if (sizes.k < kBlock && a.isPacked)
    return llvm::alignTo(sizes.k, kWidestVector);
  if (sizes.k <= 2 * kBlock)
    return llvm::alignTo(sizes.k, unit);
  for (int64_t block = 2 * kBlock; block >= kBlock / 2; --block)
    if (block % unit == 0 && sizes.k % block == 0 &&
        (block <= kBlock || sizes.k % kBlock != 0))
      return block;
  if (sizes.k <= kLongest)
    return llvm::alignTo(sizes.k, unit);
  return kBlock;
}

//===----------------------------------------------------------------------===//
// Cycles
//===----------------------------------------------------------------------===//

/// Reading again the rows that stay in `panelBytes` of a core's cache. Of a
/// panel that is a little larger than L2 most is still found there.
static Cost getPanelRead(const CostModel &model, double bytes,
                         double panelBytes) {
  MemoryLevel level = model.getLevel(panelBytes);
  double capacity = model.getCapacity(MemoryLevel::l2);
  double missing = std::max(0.0, panelBytes - capacity) / capacity;
  if (missing == 0 || missing >= 1)
    return model.getRead(bytes, level);
  return model.getRead(bytes * (1 - missing), MemoryLevel::l2) +
         model.getRead(bytes * missing, level);
}

/// Of panels of B that the kernels of every block of rows read again.
Cost MatmulCostModel::getRepeatedRead(double bytes, MemoryLevel level) const {
  Cost cost = model.getRead(bytes, level);
  cost.calls += model.getKernelWaitCycles(bytes, level);
  return cost;
}

/// Writing partial sums, the barrier, and adding them up: a phase of its own,
/// in which no operand is read ahead.
Cost MatmulCostModel::getSliceCost(const MatmulParameters &p) const {
  Cost cost;
  if (p.kpn == 1)
    return cost;
  double bytes = double(batch) * sizes.m * sizes.n * elements.sum;
  double share = bytes * p.kpn / std::min(threads, batch * sizes.m);
  MemoryLevel level = getOrigin(bytes / batch * p.kpn);
  cost = model.getWrite(bytes, level);
  Cost addition =
      model.getRead(share, level) + model.getWrite(share / p.kpn, level);
  addition.vector = model.getPassCycles(share / elements.sum, 1);
  cost.barrier = model.getBarrierCycles() +
                 model.getExchangeCycles(share * (p.kpn - 1) / p.kpn) +
                 addition.getCycles();
  return cost;
}

Cost MatmulCostModel::getCost(const MatmulParameters &p) const {
  int64_t mBlocks = llvm::divideCeil(sizes.m, p.mb);
  int64_t nBlocks = llvm::divideCeil(sizes.n, p.nb);
  int64_t mShare = llvm::divideCeil(mBlocks, p.mpn);
  int64_t nShare = llvm::divideCeil(nBlocks, p.npn);
  int64_t rows = std::min(mShare * p.mb, sizes.m);
  int64_t columns = std::min(nShare * p.nb, sizes.n);
  int64_t rounds = llvm::divideCeil(batch * p.mpn * p.npn * p.kpn, threads);
  int64_t reduced = p.getLongestSlice(sizes.k);

  Cost cost;
  if (sizes.channels) {
    cost = getLineCost(p, static_cast<double>(rows) / sizes.line, columns);
  } else {
    cost.compute = rows / p.mb * getCyclesPerK(p, p.mb, columns);
    if (rows % p.mb)
      cost.compute += getCyclesPerK(p, rows % p.mb, columns);
    cost.compute *= reduced;
    int64_t chunks = llvm::divideCeil(llvm::divideCeil(reduced, p.kb), p.bs);
    double tiles = static_cast<double>(mShare) * nShare;
    double tileBytes =
        static_cast<double>(rows) * columns / tiles * elements.sum;
    cost.calls = tiles * (model.getCallCycles(tileBytes, false) +
                          (chunks - 1) * model.getCallCycles(tileBytes, true));
  }
  if (sizes.m % p.mb)
    cost.compute *= model.getSecondBodyFactor();

  // The outer loop's operand is read once, the other one once per block of it.
  double aBytes = static_cast<double>(rows) * reduced * elements.a;
  double bBytes = static_cast<double>(columns) * reduced * elements.b;
  double cBytes = static_cast<double>(rows) * columns * elements.c;
  double panelBytes = static_cast<double>(p.mb) * columns * elements.c;
  MemoryLevel aOrigin = options.readsPanel ? MemoryLevel::l2
                                           : getOrigin(aBytes * p.mpn * p.kpn),
              bOrigin = getOriginOfB(bBytes * p.npn * p.kpn),
              cOrigin = options.resultLevel.value_or(
                  getOrigin(cBytes * p.mpn * p.npn));
  if (options.operandLevels.size() >= 2) {
    aOrigin = options.operandLevels[0];
    bOrigin = options.operandLevels[1];
  }
  cost += model.getRead(aBytes, aOrigin) + model.getRead(bBytes, bOrigin);
  // The first time B arrives in order, or in pieces of its rows if kernels have
  // several tiles of columns; they wait as far as L3 is slower than L2.
  auto getLateCycles = [&](double bytes) {
    return model.getKernelWaitCycles(bytes, MemoryLevel::l3) -
           model.getKernelWaitCycles(bytes, MemoryLevel::l2);
  };
  if (!b.isPackedHere && bOrigin == MemoryLevel::l3)
    cost.calls +=
        getLateCycles(bBytes) *
        (p.nb > kernel.getTileColumns() ? model.getPiecesFactor() : 1);
  if (options.source)
    cost.barrier += model.getExchangeCycles(
        aBytes * options.source->getForeignPart(p.mpn, p.kpn));
  // Kernels of the next block of columns read the same rows again.
  if (p.order != LoopOrder::columnsFirst)
    cost += getPanelRead(model, aBytes * (nShare - 1),
                         static_cast<double>(p.mb) * reduced * elements.a);
  if (p.order == LoopOrder::columnsFirst) {
    double again = aBytes * (nShare - 1);
    MemoryLevel level = getReuse(p, aBytes, p.npn);
    // A block of columns is a piece of each row, or pages of a long one.
    double page = machine.pageBytes;
    double rowBytes = std::min<double>(
        sizes.n * elements.c, std::max<double>(page, p.nb * elements.c));
    cost.calls += (nShare - 1) *
                  model.getPageWalkCycles((aBytes + rows * rowBytes) / page);
    cost += model.getRead(again, level);
    // Rows arrive in order, too, each time.
    if (level > MemoryLevel::l2)
      cost.calls += getLateCycles(again);
  } else {
    double again = bBytes * (mShare - 1);
    MemoryLevel level =
        getReuse(p, bBytes + (options.wholeRows ? panelBytes : 0), p.mpn);
    // All columns in order: for the few rows of a panel they arrive in time.
    bool isPanel = options.wholeRows || options.readsPanel;
    cost += isPanel && level <= MemoryLevel::l2 ? model.getRead(again, level)
                                                : getRepeatedRead(again, level);
  }
  // Passes over a row panel that has left the L1 cache, which kernels fill with
  // blocks of B as well.
  double blockBytes = static_cast<double>(p.nb) * reduced * elements.b;
  if (options.wholeRows) {
    MemoryLevel level =
        model.getLevel(panelBytes + blockBytes) == MemoryLevel::l1
            ? MemoryLevel::l1
            : getReuse(p, bBytes + panelBytes, p.mpn);
    double passes = level == MemoryLevel::l2 ? kLateRowPasses : kRowPasses;
    cost += model.getRead(passes * cBytes, level);
    // Kernels write sums, which ops of whole rows turn into elements. B passes
    // through the same cache.
    double sumBytes = cBytes / elements.c * elements.sum;
    double kept = panelBytes / elements.c * elements.sum +
                  (elements.c < elements.sum ? panelBytes : 0);
    // Where sums are of 8-bit integers, small panels brought nothing.
    if (elements.group < 4)
      cost.calls += model.getEvictedCycles(kept, sumBytes);
  } else {
    cost += model.getWrite(cBytes, cOrigin);
    // AMX takes so little time for a block that nothing hides its sums leaving
    // the L1 cache before post-ops read them.
    if (p.order != LoopOrder::rowPanels && !isPanel() &&
        getAmxRate(machine, elements.kernel))
      cost.calls += model.getEvictedCycles(static_cast<double>(p.mb) * p.nb *
                                               elements.sum,
                                           cBytes / elements.c * elements.sum);
  }

  if (a.isScattered())
    cost.calls += getScatteredCycles(p, aBytes, columns);
  if (a.isPackedHere)
    cost.vector += model.getPackCycles(aBytes);
  if (b.isPackedHere)
    cost.vector += model.getPackCycles(bBytes);
  cost *= rounds;
  if (p.kpn > 1)
    cost.barrier += model.getSliceWaitShare() * cost.getCycles();
  return cost + getSliceCost(p);
}

double MatmulCostModel::getCycles(const MatmulParameters &p) const {
  return getCost(p).getCycles();
}

} // namespace gc::graph
