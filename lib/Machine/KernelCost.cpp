// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine/KernelCost.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace gc {

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
    return std::max(
        {r * v / kFmaPerCycle, kFmaLatency, (r + v) / kLoadsPerCycle});
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

/// Calls add(count, size) for the two sizes of tile that `total` is divided
/// into evenly, at most `most` in each.
template <typename Function>
static void forTiles(int64_t total, int64_t most, Function add) {
  int64_t count = llvm::divideCeil(total, most);
  int64_t size = total / count, larger = total % count;
  add(larger, size + 1);
  add(count - larger, size);
}

double getVectorCyclesPerK(const Machine &machine, int64_t m, int64_t n) {
  int64_t vectors = llvm::divideCeil(n, machine.getLanes(32));
  double best = 0;
  // Accumulators, the vectors of B, and one element of A.
  int64_t widest = std::min<int64_t>(vectors, machine.vectorRegisters / 2 - 1);
  for (int64_t most = 1; most <= widest; ++most) {
    double cycles = 0;
    forTiles(vectors, most, [&](int64_t columnTiles, int64_t width) {
      if (columnTiles == 0)
        return;
      int64_t highest =
          std::max<int64_t>(1, (machine.vectorRegisters - 1 - width) / width);
      forTiles(m, highest, [&](int64_t rowTiles, int64_t height) {
        cycles += columnTiles * rowTiles *
                  std::max(height * width / kFmaPerCycle,
                           (height + width) / kLoadsPerCycle);
      });
    });
    if (best == 0 || cycles < best)
      best = cycles;
  }
  return best;
}

} // namespace gc
