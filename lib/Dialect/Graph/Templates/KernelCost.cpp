// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Templates/KernelCost.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace gc::graph {

// Fused multiply-adds and loads that start per cycle, and the cycles until an
// accumulator can be used again: alike on the x86 cores of the last ten years.
constexpr double kFmaPerCycle = 2, kLoadsPerCycle = 2, kFmaLatency = 4;

KernelModel KernelModel::get(const Machine &machine, bool vectorKernels) {
  int64_t lanes = machine.getLanes(32);
  bool wide = machine.vectorRegisters >= 32;
  if (vectorKernels)
    return wide ? KernelModel{6, 4, lanes} : KernelModel{6, 2, lanes};
  return wide ? KernelModel{6, 4, lanes} : KernelModel{3, 4, lanes};
}

double KernelModel::getCyclesPerK(int64_t m, int64_t n) const {
  auto tile = [&](double r, double v) {
    return std::max({r * v / kFmaPerCycle, kFmaLatency,
                     (r + v) / kLoadsPerCycle});
  };
  // Rows are divided evenly among the fewest tiles.
  int64_t rowTiles = llvm::divideCeil(m, rows);
  double tileRows = static_cast<double>(m) / rowTiles;
  int64_t wholeTiles = n / getTileColumns(), rest = n % getTileColumns();
  double cycles = wholeTiles * tile(tileRows, vectors);
  if (rest)
    cycles += tile(tileRows, llvm::divideCeil(rest, lanes));
  return rowTiles * cycles;
}

} // namespace gc::graph
