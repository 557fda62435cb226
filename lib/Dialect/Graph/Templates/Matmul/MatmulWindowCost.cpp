// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is particular to products of windows: blocks of k, and the calls that a
// line of positions takes.

#include "MatmulCost.h"

using namespace mlir;

namespace gc::graph {

SmallVector<int64_t> MatmulCostModel::getReductionBlocks() const {
  if (!sizes.channels)
    return {getReductionBlock()};
  // The longest that divides the channels and leaves blocks of B in L2.
  constexpr int64_t kLongestOfWindows = 256;
  SmallVector<int64_t> blocks;
  int64_t block = std::min(sizes.channels, kLongestOfWindows);
  while (block > 1 &&
         (sizes.channels % block != 0 || block % elements.group != 0))
    --block;
  blocks.push_back(block);
  int64_t folded = sizes.channels * sizes.windowColumns;
  if (!a.runs.empty() && folded <= kLongestOfWindows)
    blocks.push_back(folded);
  return blocks;
}

Cost MatmulCostModel::getLineCost(const MatmulParameters &p, double lines,
                                  int64_t columns) const {
  Cost cost;
  bool isFolded = p.kb > sizes.channels;
  int64_t rowsOfWindow = sizes.k / (sizes.channels * sizes.windowColumns);
  double nBlocks = llvm::divideCeil(columns, p.nb);
  // A kernel computes its tiles one after the other, with all blocks of each.
  auto addCall = [&](int64_t length, int64_t depth, int64_t blocks,
                     bool accumulates) {
    int64_t tiles = llvm::divideCeil(length, kernel.rows) *
                    llvm::divideCeil(columns, kernel.getTileColumns());
    double bytes = double(length) * columns * elements.sum;
    cost.compute += getCyclesPerK(p, length, columns) * depth * blocks +
                    kBlockCycles * tiles * blocks;
    cost.calls += nBlocks * model.getCallCycles(bytes / nBlocks, accumulates);
  };
  if (isFolded) {
    for (const WindowRun &run : a.runs)
      addCall(run.length, run.columns * sizes.channels, rowsOfWindow, false);
    return cost * lines;
  }
  // Positions that see a column of the window.
  auto getLength = [&](int64_t column) {
    if (a.runs.empty())
      return sizes.line;
    int64_t length = 0;
    for (const WindowRun &run : a.runs)
      if (column >= run.column && column < run.column + run.columns)
        length += run.length;
    return length;
  };
  for (int64_t column = 0; column < sizes.windowColumns; ++column)
    if (int64_t length = getLength(column))
      addCall(length, p.kb, sizes.channels / p.kb * rowsOfWindow,
              sizes.windowColumns > 1);
  return cost * lines;
}

} // namespace gc::graph
